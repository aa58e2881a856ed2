"""The calls of TCLIService: each is enrolled in `handlers.HANDLERS`, with a file for each call that has logic.

`Service.handle` takes a whole message from a peer and returns the whole reply; `context` is what all calls share. The
operations that answer the calls on a handle are in `operations`.

A call whose answer is there before it comes is known by its bytes and reaches no handler: `proxy.session.foreseen`.

A handler is no task before it has waited for something else than an upstream's reply (`proxy.server.steps`): until
then it may use no `asyncio.timeout`, `asyncio.current_task` or context variable.
"""

from proxy.service.call import Peer
from proxy.service.handlers import HANDLERS
from proxy.service.message import REQUEST_HANDLE
from proxy.service.operations.operation import RunningOperation
from proxy.service.service import Service

__all__ = ["HANDLERS", "REQUEST_HANDLE", "Peer", "RunningOperation", "Service"]
