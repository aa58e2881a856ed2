"""CloseOperation: forgotten on both sides."""

from __future__ import annotations

from proxy.service.call import Call


async def close_operation(call: Call) -> bytes:
    """Stop the operation if it still runs, and forget it."""
    operation = call.operation()
    call.service.sessions.remove_operation(operation)
    return await operation.close(call)
