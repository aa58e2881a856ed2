"""REFRESH MATERIALIZED VIEW name [FULL] [WHERE condition], and EXPLAIN REFRESH: parses and runs the statements."""

from __future__ import annotations

from dataclasses import dataclass

from proxy.commands.context import Context, done
from proxy.commands.parser import Parser
from proxy.hs2 import ResultSet
from proxy.pipeline import UP_TO_DATE, Asked
from proxy.session import ClientSession, Log

EXAMPLE = "REFRESH MATERIALIZED VIEW demo.agg_sales"


@dataclass(frozen=True)
class Refresh:
    """The command that refreshes a view now.

    FULL recomputes all rows even if no source has changed; WHERE recomputes only the rows that satisfy a condition.
    """

    name: tuple[str, ...]
    asked: Asked = UP_TO_DATE

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        view = await ctx.existing_view(session, self.name)
        refreshed = await ctx.pipeline.refresh(view, log, self.asked)
        held = f"; the storage table holds only the rows where {refreshed.only}" if refreshed.only else ""
        if not refreshed.changed:
            return done(f"{view.name} is fresh already{held}")
        return done(f"{view.name} refreshed: {refreshed.rows} rows{held}")


def parse(parser: Parser) -> Refresh:
    """Parse the rest of the statement, after REFRESH MATERIALIZED VIEW; raise SqlError 42601 for a syntax error."""
    return Refresh(parser.name("a view's name"), asked(parser))


def asked(parser: Parser) -> Asked:
    """Parse `[FULL] [WHERE condition]` up to the end of the statement; raise SqlError 42601 for any other text."""
    full = parser.accept("FULL")
    where = parser.rest("a condition over columns of the view") if parser.accept("WHERE") else ""
    parser.end()
    return Asked(full, where)


EXAMPLE_EXPLAIN = "EXPLAIN REFRESH MATERIALIZED VIEW demo.agg_sales"


@dataclass(frozen=True)
class ExplainRefresh:
    """The command EXPLAIN REFRESH; its row has the kind of refresh that would run now, the reason for this kind, and
    the SQL.
    """

    name: tuple[str, ...]
    asked: Asked = UP_TO_DATE

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        view = await ctx.existing_view(session, self.name)
        planned = await ctx.pipeline.planned(view, self.asked)
        return ResultSet.of("refresh", "reason", "statement", rows=[planned])


def parse_explain(parser: Parser) -> ExplainRefresh:
    """Parse the rest of the statement, after EXPLAIN REFRESH MATERIALIZED VIEW; raise SqlError for a syntax error."""
    return ExplainRefresh(parser.name("a view's name"), asked(parser))
