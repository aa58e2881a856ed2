"""HTTP for operators, on a port of its own: web pages, and `/metrics`, `/healthz` and `/readyz`.

The pages show rows of the system tables (`viewgate.system`). `login` identifies the pages' readers, and adds the
security headers.

Each worker counts its own statements (`Metrics`). The worker that Prometheus scrapes asks the other workers, and labels
each sample with its worker's number. Figures that are the same for all workers, such as the lag of each view, are read
from the catalog.
"""

from proxy.console.console import Console
from proxy.console.login import Login
from proxy.console.metrics import Metrics

__all__ = ["Console", "Login", "Metrics"]
