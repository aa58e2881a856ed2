"""EXPLAIN REFRESH MATERIALIZED VIEW name [FULL] [WHERE condition]."""

from __future__ import annotations

from dataclasses import dataclass

from proxy.commands.context import Context
from proxy.commands.parser import Parser
from proxy.commands.refresh import asked
from proxy.hs2 import ResultSet
from proxy.pipeline import UP_TO_DATE, Asked
from proxy.session import ClientSession, Log

EXAMPLE = "EXPLAIN REFRESH MATERIALIZED VIEW demo.agg_sales"


@dataclass(frozen=True)
class ExplainRefresh:
    """One row: the way that a refresh would take now, why, and the statement that it would run."""

    name: tuple[str, ...]
    asked: Asked = UP_TO_DATE

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        view = await ctx.existing_view(session, self.name)
        planned = await ctx.pipeline.planned(view, self.asked)
        return ResultSet.of("refresh", "reason", "statement", rows=[planned])


def parse(parser: Parser) -> ExplainRefresh:
    """After `EXPLAIN REFRESH MATERIALIZED VIEW`."""
    return ExplainRefresh(parser.name("a view's name"), asked(parser))
