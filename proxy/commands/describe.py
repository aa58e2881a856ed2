"""DESCRIBE MATERIALIZED VIEW name, and SHOW CREATE MATERIALIZED VIEW name: parses and runs the statements.

DESCRIBE of a virtual table (viewgate.system, information_schema), which Spark does not have, is answered here, too.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from proxy.answering.virtual_tables import Described
from proxy.commands.context import Context
from proxy.commands.parser import Parser
from proxy.commands.properties import ADOPT, COLUMNS, ORDERED_BY, PARTITIONED_BY, QUERY, of_user, refresh_mode
from proxy.hs2 import ResultSet, SqlError
from proxy.pipeline import status
from proxy.session import ClientSession, Log
from rewriter import Unsupported, qualified
from rewriter.model import MaterializedView
from rewriter.model.literals import literal, pairs

VERBS = frozenset({"DESCRIBE", "DESC"})
_COLUMNS = ("col_name", "data_type", "comment")  # those of Spark's DESCRIBE
EXAMPLE_SHOW_CREATE = "SHOW CREATE MATERIALIZED VIEW demo.agg_sales"


@dataclass(frozen=True)
class ShowCreate:
    """The command SHOW CREATE MATERIALIZED VIEW; its result is one row with the statement that would create the view
    again.
    """

    name: tuple[str, ...]

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        view = await ctx.existing_view(session, self.name)
        return ResultSet.of("createtab_stmt", rows=[(statement(view),)])


def statement(view: MaterializedView) -> str:
    """Return the CREATE statement that would create the view again, built from the view's properties.

    For a view that another tool created, the query is taken from the view's definition instead.
    """
    kept = view.properties
    query = kept.get(QUERY, view.query)
    with suppress(Unsupported):  # made by another tool: the query stays as it is, for the view's own namespace
        query = qualified(query, view.session)
    properties = of_user(kept) | ({ADOPT: kept[ADOPT]} if kept.get(ADOPT) else {})
    columns, partitioned_by = kept.get(COLUMNS, ""), kept.get(PARTITIONED_BY, "")
    ordered_by = kept.get(ORDERED_BY, "")
    lines = [
        f"-- made under {settings(view)}" if view.settings else "",
        f"CREATE MATERIALIZED VIEW {view.name.sql()}" + (f" ({columns})" if columns else ""),
        f"COMMENT {literal(view.comment)}" if view.comment else "",
        "WITH DEFERRED REFRESH" if view.deferred else "",
        f"PARTITIONED BY ({partitioned_by})" if partitioned_by else "",
        f"ORDERED BY ({ordered_by})" if ordered_by else "",
        f"PROPERTIES ({pairs(properties)})" if properties else "",
        f"AS {query}",
    ]
    return "\n".join(line for line in lines if line)


def settings(view: MaterializedView) -> str:
    """Return the session settings that a view records, as `key=value, …`; empty if the view records none."""
    return ", ".join(f"{key}={value}" for key, value in sorted((view.settings or {}).items()))


def parse_show_create(parser: Parser) -> ShowCreate:
    """Parse the rest of the statement, after SHOW CREATE MATERIALIZED VIEW; raise SqlError 42601 for a syntax error."""
    command = ShowCreate(parser.name("a view's name"))
    parser.end()
    return command


EXAMPLE = "DESCRIBE MATERIALIZED VIEW demo.agg_sales"


@dataclass(frozen=True)
class Describe:
    """The command DESCRIBE MATERIALIZED VIEW: columns as Spark describes them, then properties and refresh status."""

    name: tuple[str, ...]

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        view = await ctx.existing_view(session, self.name)
        columns = await session.upstream.query(f"DESCRIBE TABLE {view.name.sql()}")
        now = await status(ctx.catalogs, view)
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
            "Properties": ", ".join(f"{key}={value}" for key, value in sorted(of_user(view.properties).items())),
            "Query": view.properties.get(QUERY, view.query),
            "Storage query": view.storage_query,
        }
        heading = (("", "", ""), ("# Materialized View Information", "", ""))
        rows = (*columns.rows, *heading, *((key, value, "") for key, value in facts.items()))
        return ResultSet.of(*_COLUMNS, rows=rows)


def parse(parser: Parser) -> Describe:
    """Parse the rest of the statement, after DESCRIBE MATERIALIZED VIEW; raise SqlError 42601 for a syntax error."""
    parser.accept("EXTENDED")
    command = Describe(parser.name("a view's name"))
    parser.end()
    return command


async def virtual_table(table: Described) -> ResultSet:
    """Return the answer to DESCRIBE of a virtual table, or of one of its columns, in the format of Spark's answer.

    Raise SqlError 42703 if the table does not have the described column.
    """
    kinds = {name: kind.lower() for name, kind in table.columns.items()}
    if not table.column:
        return ResultSet.of(*_COLUMNS, rows=[(name, kind, None) for name, kind in kinds.items()])
    if table.column not in kinds:
        there = ", ".join(kinds)
        raise SqlError(f"{table.name} has no column {table.column}: its columns are {there}", "42703")
    facts = (("col_name", table.column), ("data_type", kinds[table.column]), ("comment", "NULL"))
    return ResultSet.of("info_name", "info_value", rows=facts)
