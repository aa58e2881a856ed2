"""RELOAD VIEWGATE CONFIG: read the settings file again, as SIGHUP does, in all workers."""

from __future__ import annotations

from dataclasses import dataclass

from proxy.commands.context import Context, done
from proxy.commands.parser import alone
from proxy.hs2 import ResultSet, SqlError
from proxy.session import ClientSession, Log

EXAMPLE = "RELOAD VIEWGATE CONFIG"
_WRONG_SETTINGS = "F0000"


@dataclass(frozen=True)
class Reload:
    """Tells which settings have changed, and which take effect at the next start only."""

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        ctx.check_operator(session)
        reloaded = await ctx.reload()
        if reloaded.refused:
            raise SqlError(reloaded.message, _WRONG_SETTINGS)
        return done(reloaded.message)


parse = alone(Reload())
