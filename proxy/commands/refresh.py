"""REFRESH MATERIALIZED VIEW name [FULL]."""

from __future__ import annotations

from dataclasses import dataclass

from proxy.commands.context import Context, done
from proxy.commands.parser import Parser
from proxy.hs2 import ResultSet
from proxy.session import ClientSession, Log

EXAMPLE = "REFRESH MATERIALIZED VIEW demo.agg_sales"


@dataclass(frozen=True)
class Refresh:
    """Bring a view up to date now; FULL computes it anew even if no source has changed."""

    name: tuple[str, ...]
    full: bool = False

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        view = await ctx.existing_view(session, self.name)
        refreshed = await ctx.pipeline.refresh(view, log, full=self.full)
        if not refreshed.changed:
            return done(f"{view.name} is fresh already")
        return done(f"{view.name} refreshed: {refreshed.rows} rows")


def parse(parser: Parser) -> Refresh:
    """After `REFRESH MATERIALIZED VIEW`."""
    command = Refresh(parser.name("a view's name"), parser.accept("FULL"))
    parser.end()
    return command
