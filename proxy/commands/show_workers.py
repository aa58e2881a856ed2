"""SHOW VIEWGATE WORKERS: the processes that serve the port, as they are at this moment."""

from __future__ import annotations

from dataclasses import dataclass

from proxy.commands.context import Context
from proxy.commands.parser import alone
from proxy.hs2 import ResultSet
from proxy.session import ClientSession, Log, Worker

EXAMPLE = "SHOW VIEWGATE WORKERS"


@dataclass(frozen=True)
class ShowWorkers:
    """One row for each, also for one that is not there now, and for one that is being replaced and has sessions."""

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        rows = [
            (number, _state(one), one and one.process, one and one.sessions, one and one.statements)
            for number, one in sorted((await ctx.workers()).items())
        ]
        return ResultSet.of("worker int", "state", "process int", "sessions int", "statements int", rows=rows)


def _state(worker: Worker | None) -> str:
    if worker is None:
        return "down"
    return "retiring" if worker.retiring else "running"


parse = alone(ShowWorkers())
