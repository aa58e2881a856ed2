"""CloseOperation: forgotten on both sides."""

from __future__ import annotations

import asyncio

from proxy.service.call import Call


async def close_operation(call: Call) -> bytes:
    """Stop the operation if it still runs, and forget it."""
    operation = call.operation()
    call.service.sessions.remove_operation(operation)
    if operation.done:  # nothing of that has to wait
        return await operation.close(call)
    # To its end, also for a client that does not wait: nobody could ask for it again.
    return await asyncio.shield(call.service.spawn(operation.close(call)))
