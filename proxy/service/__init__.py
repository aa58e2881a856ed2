"""Implements the calls of TCLIService, the Thrift service of HiveServer2.

`service.HANDLERS` maps each call to its handler. `Service.handle` takes a complete message from a peer (an
authenticated client) and returns the complete reply; `call` has the classes that all calls share: the processor, the
peer, the call and the statement. The operations that answer the calls on an operation handle are in `operations`.

A call whose reply was prepared in advance is recognized by its bytes and does not reach a handler: see
`proxy.session.calls`.

A handler does not run as an asyncio task until it waits for something other than an upstream's reply (see
`proxy.server.connection`): before that, it must not use `asyncio.timeout`, `asyncio.current_task` or context variables.
"""

from proxy.service.call import Peer
from proxy.service.service import HANDLERS, Service

__all__ = ["HANDLERS", "Peer", "Service"]
