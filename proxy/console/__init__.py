"""HTTP for those who operate Viewgate, on a port of its own: `/metrics`, `/healthz` and `/readyz`.

Each worker counts its own statements (`Metrics`). The worker that is asked asks the others, and marks each sample with
the number of its worker. What is the same for all, such as the lag of each view, it reads from the catalog.
"""

from proxy.console.console import Console
from proxy.console.metrics import Metrics

__all__ = ["Console", "Metrics"]
