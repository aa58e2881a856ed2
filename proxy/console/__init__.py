"""The console: an HTTP server for operators on a port of its own, with pages, `/metrics`, `/healthz` and `/readyz`.

The pages show rows of the system tables (`viewgate.system`). The module `login` identifies the visitors of the pages,
and adds security headers to the responses.

Each worker process counts its own statements (`Metrics`). The worker that Prometheus scrapes asks the other workers for
their counts, and labels each sample with the number of its worker. Figures that are the same for all workers, such as
the lag of each view, are read from the catalog.
"""

from proxy.console.console import Console
from proxy.console.login import Login
from proxy.console.metrics import Metrics

__all__ = ["Console", "Login", "Metrics"]
