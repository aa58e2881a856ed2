"""GetOperationStatus: relayed, and completed by what Spark leaves out."""

from __future__ import annotations

from proxy.service.call import Call
from proxy.session import TERMINAL, OperationState
from proxy.wire import find, read_i32

_STATE, _MESSAGE = (0, 2), (0, 5)


async def get_operation_status(call: Call) -> bytes:
    """The state of the operation, held back a while as long as it runs."""
    operation = call.operation()
    reply = await operation.status(call)
    if _is_final(reply) and call.service.sessions.uses(operation):  # it may have been closed meanwhile
        operation.foreseen.told(call.message, operation, reply)
        call.peer.foreseen = operation.foreseen
    return reply


def _is_final(reply: bytes) -> bool:
    """Whether it tells of the end, and, where that is an error, of the reason, which Spark may know later."""
    span = find(reply, _STATE)
    state = None if span is None else read_i32(reply, span)
    return state in TERMINAL and (state != OperationState.ERROR or find(reply, _MESSAGE) is not None)
