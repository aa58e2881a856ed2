"""GetOperationStatus: relayed, and completed by what Spark leaves out."""

from __future__ import annotations

from proxy.service.call import Call


async def get_operation_status(call: Call) -> bytes:
    """The state of the operation, held back a while as long as it runs."""
    return await call.operation().status(call)
