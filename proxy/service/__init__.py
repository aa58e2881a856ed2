"""What each call of TCLIService means: one file per call, enrolled in `handlers.HANDLERS`.

`Service.handle` takes a whole message from a peer and returns the whole reply. Operations come in three kinds that
answer the same calls: `forwarded`, whose rows pass through as bytes, `local`, answered here, and `queued`, which is one
of these when it is its turn.

A call whose answer is there before it comes is known by its bytes and reaches no handler: `proxy.session.foreseen`.

A handler is no task before it has waited for something else than an upstream's reply (`proxy.server.steps`): until
then it may use no `asyncio.timeout`, `asyncio.current_task` or context variable.
"""

from proxy.service.call import REQUEST_HANDLE
from proxy.service.handlers import HANDLERS
from proxy.service.operation import RunningOperation
from proxy.service.peer import Peer
from proxy.service.service import Service

__all__ = ["HANDLERS", "REQUEST_HANDLE", "Peer", "RunningOperation", "Service"]
