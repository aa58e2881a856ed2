"""DESCRIBE MATERIALIZED VIEW name."""

from __future__ import annotations

from dataclasses import dataclass

from proxy.commands.context import Context
from proxy.commands.parser import Parser
from proxy.commands.properties import QUERY, refresh_mode
from proxy.commands.show_create import settings
from proxy.hs2 import ResultSet
from proxy.pipeline import status
from proxy.session import ClientSession, Log

EXAMPLE = "DESCRIBE MATERIALIZED VIEW demo.agg_sales"


@dataclass(frozen=True)
class Describe:
    """The view's columns as Spark describes them, then how the view stands."""

    name: tuple[str, ...]

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        view = await ctx.existing_view(session, self.name)
        columns = await session.upstream.query(f"DESCRIBE TABLE {view.name.sql()}")
        now = await status(ctx.catalog, view)
        facts = {
            "Name": str(view.name),
            "Comment": view.comment or "",
            "Storage": str(view.storage),
            "Rewrite": "on" if view.rewrite else "off",
            "Refresh": refresh_mode(view),
            "Status": f"{now.word}: {now.reason}" if now.reason else now.word,
            "Refreshed at": now.refreshed_at or "never",
            "Last error": now.last_error or "",
            "Sources": ", ".join(map(str, now.sources)),
            "Version": str(view.version),
            "Settings": settings(view),
            "Query": view.properties.get(QUERY, view.query),
            "Storage query": view.storage_query,
        }
        heading = (("", "", ""), ("# Materialized View Information", "", ""))
        rows = (*columns.rows, *heading, *((key, value, "") for key, value in facts.items()))
        return ResultSet.of("col_name", "data_type", "comment", rows=rows)


def parse(parser: Parser) -> Describe:
    """After `DESCRIBE MATERIALIZED VIEW`."""
    parser.accept("EXTENDED")
    command = Describe(parser.name("a view's name"))
    parser.end()
    return command
