"""ALTER MATERIALIZED VIEW name { ENABLE | DISABLE } REWRITE | SET PROPERTIES (…) | ADD COLUMNS (…) | AS query."""

from __future__ import annotations

from dataclasses import dataclass, replace

from proxy.catalog.views import REWRITE
from proxy.commands.context import Context, done
from proxy.commands.parser import Parser
from proxy.commands.properties import checked, of_storage
from proxy.commands.widen import Widen
from proxy.hs2 import ResultSet
from proxy.pipeline.steps import RETENTION
from proxy.session import ClientSession, Log
from rewriter.model.literals import pairs

EXAMPLE = "ALTER MATERIALIZED VIEW demo.agg_sales DISABLE REWRITE"


@dataclass(frozen=True)
class SetProperties:
    """Set properties of the view, and those that are not Viewgate's own of its storage too."""

    name: tuple[str, ...]
    properties: dict[str, str]

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        view = await ctx.existing_view(session, self.name)
        if RETENTION in self.properties:  # what a refresh could not do is refused here
            await ctx.pipeline.decision(replace(view, properties={**view.properties, **self.properties}))
        try:
            for_storage = of_storage(self.properties)
            if for_storage:
                storage = view.storage.sql()
                await session.upstream.query(f"ALTER TABLE {storage} SET TBLPROPERTIES ({pairs(for_storage)})")
            await session.upstream.query(f"ALTER VIEW {view.name.sql()} SET TBLPROPERTIES ({pairs(self.properties)})")
        finally:
            ctx.catalog.invalidate()
        set_now = ", ".join(f"{key} = {value}" for key, value in self.properties.items())
        return done(f"materialized view {view.name}: {set_now}")


def parse(parser: Parser) -> SetProperties | Widen:
    """After `ALTER MATERIALIZED VIEW`."""
    name = parser.name("a view's name")
    if parser.accept("AS"):
        return Widen(name, query=parser.rest("a query"))
    command: SetProperties | Widen
    if parser.accept("ADD", "COLUMNS") or parser.accept("ADD", "COLUMN"):
        command = Widen(name, outputs=parser.parenthesized())
    elif parser.accept("ENABLE", "REWRITE"):
        command = SetProperties(name, {REWRITE: "on"})
    elif parser.accept("DISABLE", "REWRITE"):
        command = SetProperties(name, {REWRITE: "off"})
    elif parser.accept("SET", "PROPERTIES") or parser.accept("SET", "TBLPROPERTIES"):
        command = SetProperties(name, checked(parser.properties()))
    else:
        raise parser.wrong("ENABLE REWRITE, DISABLE REWRITE, SET PROPERTIES (…), ADD COLUMNS (…) or AS and a query")
    parser.end()
    return command
