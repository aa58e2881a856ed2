"""The calls of TCLIService: each has its handler in `service.HANDLERS`, in a file for each call that has logic.

`Service.handle` takes a whole message from a peer and returns the whole reply; `call` has what all calls share. The
operations that answer the calls on a handle are in `operations`.

A call whose reply was prepared in advance is recognized by its bytes and does not reach a handler:
`proxy.session.calls`.

A handler does not run as a task until it waits for something other than an upstream's reply
(`proxy.server.connection`): before that, it must not use `asyncio.timeout`, `asyncio.current_task` or context
variables.
"""

from proxy.service.call import Peer
from proxy.service.service import HANDLERS, Service

__all__ = ["HANDLERS", "Peer", "Service"]
