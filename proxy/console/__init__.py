"""HTTP for operators, on a port of its own: pages, and `/metrics`, `/healthz` and `/readyz`.

The pages show what the system tables know. `login` tells who reads them, and what browsers are told.

Each worker counts its own statements (`Metrics`). The worker that is asked asks the others, and marks each sample with
the number of its worker. What is the same for all, such as the lag of each view, it reads from the catalog.
"""

from proxy.console.console import Console
from proxy.console.login import Login
from proxy.console.metrics import Metrics

__all__ = ["Console", "Login", "Metrics"]
