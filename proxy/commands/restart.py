"""RESTART VIEWGATE WORKERS: replace the processes that serve the port one by one, as SIGUSR2 does."""

from __future__ import annotations

from dataclasses import dataclass

from proxy.commands.context import Context, done
from proxy.commands.parser import alone
from proxy.hs2 import ResultSet, SqlError
from proxy.session import ClientSession, Log

EXAMPLE = "RESTART VIEWGATE WORKERS"
_NOT_NOW = "55000"


@dataclass(frozen=True)
class Restart:
    """Begins the restart, and does not wait for its end: this session's worker waits for the session."""

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        ctx.check_operator(session)
        restarted = await ctx.restart()
        if restarted.refused:
            raise SqlError(restarted.message, _NOT_NOW)
        return done(restarted.message)


parse = alone(Restart())
