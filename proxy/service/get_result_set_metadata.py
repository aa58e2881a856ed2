"""GetResultSetMetadata: never asked of Spark before the operation has ended."""

from __future__ import annotations

from proxy.service.call import Call


async def get_result_set_metadata(call: Call) -> bytes:
    """The columns of the result."""
    return await call.operation().metadata(call)
