"""The columns of a query that still runs, which Spark itself can only be asked for at the end.

Hive JDBC's `executeAsync` asks for them as soon as the statement is started, and would otherwise wait for its end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any

from proxy.answering import described
from proxy.hs2 import ColumnDesc, Query, SqlError, table_schema
from proxy.hs2.types import TypeName
from proxy.statements import classify

_SOON = 0.1  # seconds, in which most statements end


async def early_schema(sql: str, query: Query, end: Awaitable[None]) -> Any:
    """Return the schema of a running statement; None at its end, if it ends before that is known or is no query."""
    ending = asyncio.ensure_future(end)
    describing: asyncio.Task[Any] | None = None
    try:
        await asyncio.wait({ending}, timeout=_SOON)
        if not ending.done() and classify(sql).query:
            describing = asyncio.create_task(_described(sql, query))
            await asyncio.wait({ending, describing}, return_when=asyncio.FIRST_COMPLETED)
            if describing.done() and (schema := describing.result()) is not None:
                return schema
        await ending
        return None
    finally:
        ending.cancel()
        if describing is not None:
            describing.cancel()


async def _described(sql: str, query: Query) -> Any:
    """Return the schema if Spark would give the same: of some types, clients are told another."""
    try:
        columns = [ColumnDesc(column.name, column.type) for column in await described(sql, query)]
    except SqlError:
        return None
    known = all(TypeName.of(column.type).known for column in columns)
    return table_schema(columns) if known else None
