"""The calls of TCLIService: each has its handler in `service.HANDLERS`, in a file for each call that has logic.

`Service.handle` takes a whole message from a peer and returns the whole reply; `call` has what all calls share. The
operations that answer the calls on a handle are in `operations`.

A call whose reply is ready before it comes is known by its bytes and reaches no handler: `proxy.session.calls`.

A handler is no task before it has waited for something else than an upstream's reply (`proxy.server.connection`): until
then it may use no `asyncio.timeout`, `asyncio.current_task` or context variable.
"""

from proxy.service.call import Peer
from proxy.service.service import HANDLERS, Service

__all__ = ["HANDLERS", "Peer", "Service"]
