"""GetOperationStatus: relayed, and completed by what Spark leaves out."""

from __future__ import annotations

from proxy.service.call import Call
from proxy.session import TERMINAL
from proxy.wire import find, read_i32

_STATE = (0, 2)


async def get_operation_status(call: Call) -> bytes:
    """The state of the operation, held back a while as long as it runs."""
    operation = call.operation()
    reply = await operation.status(call)
    state = find(reply, _STATE)
    final = state is not None and read_i32(reply, state) in TERMINAL
    if final and call.service.sessions.uses(operation):  # it may have been closed meanwhile
        operation.foreseen.told(call.message, operation, reply)
        call.peer.foreseen = operation.foreseen
    return reply
