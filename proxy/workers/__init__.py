"""Several processes on one port: each serves its own connections with its own event loop and its own rewriter.

`supervisor` starts the workers, starts one again that has ended, replaces them one by one on request, and tells them
by `orders` when to stop or to go on with other upstreams. The kernel spreads connections over them. A session lives in
the worker that has opened it, whose `mark` its handle and those of its operations end in; a call that arrives with
another worker's handle goes there by `neighbours`, a socket for each worker in a directory of their own, and is
answered as if it had come there first. `shares` divides what Viewgate may take of each upstream and of the machine.

A worker that is replaced stops listening when the new one listens, and ends with its last session:

    running ──▶ retiring ──▶ ended
    starting ─▶ running
"""

from proxy.workers.neighbours import Neighbours
from proxy.workers.orders import RELOAD, RESTART, Asking, Order, Orders, Task
from proxy.workers.shared_service import RelayedCalls, SharedService
from proxy.workers.shares import check, share
from proxy.workers.supervisor import ANSWERING, LISTENING, Supervisor

__all__ = [
    "ANSWERING",
    "LISTENING",
    "RELOAD",
    "RESTART",
    "Asking",
    "Neighbours",
    "Order",
    "Orders",
    "RelayedCalls",
    "SharedService",
    "Supervisor",
    "Task",
    "check",
    "share",
]
