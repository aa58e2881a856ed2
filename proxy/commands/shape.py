"""The shape of a new view and its storage: Spark names and types the columns, the rewriter makes both queries."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from proxy.answering import checked, described
from proxy.answering.functions import calls, in_no_view
from proxy.answering.system_tables import SYSTEM
from proxy.commands.context import Context
from proxy.hs2 import ColumnDesc, SqlError
from proxy.pipeline import pin, relations
from proxy.session import ClientSession
from rewriter import Definition, Unsupported, View, define, expand, parse
from rewriter.model import Relation, Session, TableName, quoted

_UNSTORABLE = re.compile(r"\b(interval|void|variant|collate|time\(|geometry|geography)", re.IGNORECASE)

Tables = Mapping[TableName, Relation | None]
Views = Mapping[TableName, View]


@dataclass(frozen=True)
class Shape:
    """Both queries, their columns and tables; `named` tells whether the view must name its columns itself."""

    query: str
    storage_query: str
    columns: tuple[ColumnDesc, ...]
    storage_columns: tuple[ColumnDesc, ...]
    sources: tuple[TableName, ...]
    named: bool


async def shape(
    query: str,
    names: Sequence[str] | None,
    ctx: Context,
    session: ClientSession,
    facts: Session,
    *,
    hidden: bool = True,
) -> Shape:
    """Return the stored columns with names and types by Spark; raise SqlError for unsupported ones."""
    if call := next(calls(query), None):
        raise in_no_view(f"{call.function}()")
    if table := next(SYSTEM.references(query), None):
        raise in_no_view(table.name)
    known = await ctx.catalog.views()
    tables = await _tables(query, ctx, session, facts, known)
    views = {name: view for name, view in known.items() if name in tables}
    defined = partial(_defined, query, tables=tables, session=session, facts=facts, views=views, hidden=hidden)
    definition = await defined(names)
    visible = await _described(session, definition.query)
    if None in definition.names:  # only Spark knows its own names, and only whole names allow hidden columns
        named_by_spark = [column.name for column in _outputs(visible, definition.names)]
        definition = await defined(named_by_spark)
    stored = await _described(session, pin(definition.storage_query, {}, facts))
    outputs = _outputs(visible, names or definition.names)
    storage = (*outputs, *stored[len(outputs) :])
    _check(storage)
    named = names is not None or [c.name for c in outputs] != [c.name for c in visible]
    return Shape(definition.query, definition.storage_query, outputs, storage, definition.sources, named)


async def _tables(query: str, ctx: Context, session: ClientSession, facts: Session, views: Views) -> Tables:
    """Return the tables that the query reads, through views too; raise Spark's own error for unknown names."""
    try:
        named = relations(query, facts)
    except SqlError:
        await checked(query, session.upstream.query)
        raise
    through = expand(parse(query, facts), views)
    below = (*through.statement.tables, *(view.name for view in through.views))
    tables = await ctx.catalog.current([*named, *below])
    unknown = [name for name in named if tables[name] is None]
    if unknown:
        await checked(query, session.upstream.query)
        for name in unknown:
            await _described(session, f"SELECT * FROM {name.sql()}")
    return tables


async def _defined(
    query: str,
    names: Sequence[str] | None,
    *,
    tables: Tables,
    session: ClientSession,
    facts: Session,
    views: Views,
    hidden: bool,
) -> Definition:
    try:
        return define(query, facts, tables, names, views, hidden=hidden)
    except Unsupported as refusal:
        await checked(query, session.upstream.query)
        raise SqlError(f"this query cannot define a materialized view: {refusal}", "0A000") from refusal


async def _described(session: ClientSession, query: str) -> tuple[ColumnDesc, ...]:
    return tuple(ColumnDesc(c.name, c.type) for c in await described(query, session.upstream.query))


def _outputs(visible: Sequence[ColumnDesc], names: Sequence[str | None]) -> tuple[ColumnDesc, ...]:
    if names and len(names) != len(visible):
        raise SqlError(
            f"{len(names)} columns are named, but the query has {len(visible)}: name all of them, or none", "21S01"
        )
    given = names or [None] * len(visible)
    return tuple(ColumnDesc(name or column.name, column.type) for name, column in zip(given, visible, strict=True))


def _check(columns: Sequence[ColumnDesc]) -> None:
    counted = Counter(column.name.lower() for column in columns)
    for column in columns:
        if counted[column.name.lower()] > 1:
            raise SqlError(f"two columns are named {quoted(column.name)}: give one of them an alias", "42711")
        if _UNSTORABLE.search(column.type):
            raise SqlError(
                f"the column {quoted(column.name)} has the type {column.type}, which Iceberg cannot store: "
                "cast it to another type, or leave it out",
                "0A000",
            )
