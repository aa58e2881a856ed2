"""SHOW VIEWGATE WORKERS: the processes that serve the port, as they are at this moment."""

from __future__ import annotations

from dataclasses import dataclass

from proxy.commands.context import Context
from proxy.commands.parser import alone
from proxy.hs2 import ResultSet
from proxy.session import ClientSession, Log

EXAMPLE = "SHOW VIEWGATE WORKERS"


@dataclass(frozen=True)
class ShowWorkers:
    """One row for each, also for one that is not there now."""

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        rows = [
            (number, "running" if one else "down", one and one.process, one and one.sessions, one and one.statements)
            for number, one in enumerate(await ctx.workers(), 1)
        ]
        return ResultSet.of("worker int", "state", "process int", "sessions int", "statements int", rows=rows)


parse = alone(ShowWorkers())
