"""CancelOperation: past anything that the session's connection is busy with."""

from __future__ import annotations

from proxy.service.call import Call


async def cancel_operation(call: Call) -> bytes:
    """Stop the operation; its handle stays."""
    return await call.operation().cancel(call)
