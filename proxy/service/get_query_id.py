"""GetQueryId: Spark's, or the operation's own id."""

from __future__ import annotations

from proxy.service.call import Call


async def get_query_id(call: Call) -> bytes:
    """The id of the query."""
    return await call.operation().query_id(call)
