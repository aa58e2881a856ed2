"""EXPLAIN REFRESH MATERIALIZED VIEW name [FULL]."""

from __future__ import annotations

from dataclasses import dataclass

from proxy.commands.context import Context
from proxy.commands.parser import Parser
from proxy.hs2 import ResultSet
from proxy.session import ClientSession, Log

EXAMPLE = "EXPLAIN REFRESH MATERIALIZED VIEW demo.agg_sales"


@dataclass(frozen=True)
class ExplainRefresh:
    """One row: the way that a refresh would take now, why, and the statement that it would run."""

    name: tuple[str, ...]
    full: bool = False

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        view = await ctx.existing_view(session, self.name)
        planned = await ctx.pipeline.planned(view, full=self.full)
        return ResultSet.of("refresh", "reason", "statement", rows=[planned])


def parse(parser: Parser) -> ExplainRefresh:
    """After `EXPLAIN REFRESH MATERIALIZED VIEW`."""
    command = ExplainRefresh(parser.name("a view's name"), parser.accept("FULL"))
    parser.end()
    return command
