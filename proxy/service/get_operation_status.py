"""GetOperationStatus: relayed, and completed by what Spark leaves out."""

from __future__ import annotations

from proxy.service.call import Call
from proxy.service.settled import Settled


async def get_operation_status(call: Call) -> bytes:
    """The state of the operation, held back a while as long as it runs."""
    operation = call.operation()
    reply = await operation.status(call)
    call.peer.settled = Settled.of(operation, call.head, call.message, reply)
    return reply
