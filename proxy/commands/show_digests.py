"""SHOW VIEWGATE DIGESTS: the recent statements by their texts without literals, those that took most time first."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from proxy.commands.context import Context
from proxy.commands.parser import alone
from proxy.hs2 import ResultSet
from proxy.journal import digests
from proxy.session import ClientSession, Log

EXAMPLE = "SHOW VIEWGATE DIGESTS"
COLUMNS = (
    "statements int",
    "from_views int",
    "failed int",
    "milliseconds bigint",
    "slowest bigint",
    "answer",
    "digest",
)


@dataclass(frozen=True)
class ShowDigests:
    """One row for each text, over the statements that the user may see and that have ended."""

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        ended = [record for record in ctx.journal if record.operation is None and ctx.may_see(session, record.user)]
        rows = await asyncio.to_thread(digests, ended)
        return ResultSet.of(*COLUMNS, rows=[tuple(row.values()) for row in rows])


parse = alone(ShowDigests())
