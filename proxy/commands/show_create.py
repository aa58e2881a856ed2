"""SHOW CREATE MATERIALIZED VIEW name."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from proxy.commands.context import Context
from proxy.commands.parser import Parser
from proxy.commands.properties import ADOPT, COLUMNS, ORDERED_BY, PARTITIONED_BY, QUERY, of_user
from proxy.hs2 import ResultSet
from proxy.session import ClientSession, Log
from rewriter import Unsupported, qualified
from rewriter.model import MaterializedView
from rewriter.model.literals import literal, pairs

EXAMPLE = "SHOW CREATE MATERIALIZED VIEW demo.agg_sales"


@dataclass(frozen=True)
class ShowCreate:
    """The statement that would make the view again."""

    name: tuple[str, ...]

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        view = await ctx.existing_view(session, self.name)
        return ResultSet.of("createtab_stmt", rows=[(statement(view),)])


def statement(view: MaterializedView) -> str:
    """Return the CREATE statement that makes the view, from its properties."""
    kept = view.properties
    query = kept.get(QUERY, view.query)
    with suppress(Unsupported):  # made by another tool: it stands as it is, for the view's own namespace
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
    """Return the session settings that a view keeps."""
    return ", ".join(f"{key}={value}" for key, value in sorted((view.settings or {}).items()))


def parse(parser: Parser) -> ShowCreate:
    """After `SHOW CREATE MATERIALIZED VIEW`."""
    command = ShowCreate(parser.name("a view's name"))
    parser.end()
    return command
