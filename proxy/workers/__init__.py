"""Runs several worker processes on one port: each serves its own connections with its own event loop and rewriter.

`supervisor` starts the workers, restarts a worker that ends unexpectedly, replaces the workers one by one on request,
and sends them `orders`: to stop, or to use other upstreams. The kernel distributes connections over the workers. A
session stays in the worker that opened the session: the handles of the session and of its operations end in that
worker's `mark` (two bytes: generation and number). A worker that receives a call with another worker's handle relays
the call to that worker by `neighbours`: each worker has a Unix socket in a private directory. `shares` divides the
limits on upstreams and memory among the workers.

A worker that is replaced stops listening when its replacement listens, and ends with its last session:

    the replaced worker: running ──▶ retiring ──▶ ended
    its replacement:     starting ─▶ running
"""

from proxy.workers.neighbours import Neighbours
from proxy.workers.orders import RELOAD, RESTART, Asking, Order, Orders, Task
from proxy.workers.shared_service import RelayedCalls, SharedService
from proxy.workers.shares import share
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
    "share",
]
