"""An existing table as the storage of a new view: checked against the view's query before it is used."""

from __future__ import annotations

import re
from collections.abc import Sequence

from proxy.commands.context import Context
from proxy.commands.properties import ADOPT
from proxy.commands.shape import Shape
from proxy.hs2 import ColumnDesc, SqlError
from proxy.pipeline import pin
from proxy.pipeline.sources import look, storage_of
from proxy.pipeline.steps import RETENTION
from proxy.session import ClientSession, Log
from rewriter.model import Column, MaterializedView, Table, TableName, kept_as
from rewriter.model.names import quoted

_REFUSED = "55000"
_SETS_REFUSE = re.compile(r"\b(map<|variant\b)")
_WITH_ZEROS = re.compile(r"\b(float|double)\b")


async def adoptable(ctx: Context, session: ClientSession, parts: tuple[str, ...], made: Shape) -> TableName:
    """Return the named table if it can hold the view's rows; raise SqlError if it cannot."""
    name = await ctx.resolve(session, parts)
    table = (await ctx.catalog.current([name]))[name]
    if not isinstance(table, Table):
        raise SqlError(f"{name}, which {ADOPT} names, is no Iceberg table of the catalog {ctx.catalog.name}", "42P01")
    if name in made.sources:
        raise _refused(name, "the view's query reads it, and a refresh would change what it reads")
    owner = next((view.name for view in await ctx.catalog.definitions() if view.storage == name), None)
    if owner is not None:
        raise _refused(name, f"it is the storage of materialized view {owner}")
    if table.snapshot_id is None:
        raise _refused(name, "it is empty; leave the property out, and the view has storage of its own")
    if table.snapshots[0].schema_id != table.schema_id:
        raise _refused(
            name, "its columns were changed after its last write; write to it (INSERT OVERWRITE), then again"
        )
    if problem := _differing(table.columns, made.storage_columns) or _incomparable(table.columns):
        raise _refused(name, problem)
    return name


async def adopt(ctx: Context, session: ClientSession, view: MaterializedView, log: Log) -> int:
    """Compare the table with the view's query, both at one moment, and record the sources in the table; return its
    number of rows.

    Raise SqlError if the table's rows are not those of the query.
    """
    if RETENTION in view.properties:  # what a refresh could not do is refused here
        await ctx.pipeline.decision(view)
    sources, storage = await look(ctx.catalog, view), await storage_of(ctx.catalog, view)
    if not sources.all_pinned:
        raise _refused(
            storage.name, "a table that the query reads has no snapshot with its columns of today to compare at"
        )
    query = _exactly(f"({pin(view.storage_query, sources.pins, view.session)})", storage.columns)
    held = _exactly(f"{storage.name.sql()} VERSION AS OF {storage.snapshot_id}", storage.columns)
    log(f"{view.name}: comparing {storage.name} with the query")
    counted = await session.upstream.query(
        f"SELECT (SELECT count(*) FROM (({held}) EXCEPT ALL ({query}))), "
        f"(SELECT count(*) FROM (({query}) EXCEPT ALL ({held}))), (SELECT count(*) FROM ({held}))"
    )
    besides, lacking, rows = counted.rows[0]
    if besides or lacking:
        raise _refused(
            storage.name,
            f"it is not what the query returns now: it has {besides} other rows and lacks {lacking} (those that differ "
            "in the last bits of a floating-point sum are counted); bring it up to date, or leave the property out",
        )
    await ctx.pipeline.vouch(view, sources, storage)
    return int(rows)


def _differing(columns: Sequence[Column], wanted: Sequence[ColumnDesc]) -> str:
    """Return why a table's columns differ from the wanted ones; empty if they do not."""
    listed = ", ".join(f"{column.name} {kept_as(column.type)}" for column in wanted)
    have = ", ".join(f"{column.name} {column.type}" for column in columns)
    same = len(columns) == len(wanted) and all(
        (mine.name.lower(), mine.type) == (other.name.lower(), kept_as(other.type))
        for mine, other in zip(columns, wanted, strict=True)
    )
    return "" if same else f"its columns are ({have}), those of the query ({listed})"


def _incomparable(columns: Sequence[Column]) -> str:
    """Return why rows of these columns cannot be compared; empty if they can."""
    named = [f"{column.name} {column.type}" for column in columns if _SETS_REFUSE.search(column.type)]
    return f"Spark does not compare columns of such types: {', '.join(named)}" if named else ""


def _exactly(relation: str, columns: Sequence[Column]) -> str:
    """Return a query of all rows in which 0.0 and -0.0 differ: set operations take them for equal, texts do not."""
    texts = [f", CAST({quoted(column.name)} AS STRING)" for column in columns if _WITH_ZEROS.search(column.type)]
    return f"SELECT *{''.join(texts)} FROM {relation}"


def _refused(name: TableName, why: str) -> SqlError:
    return SqlError(f"{name} cannot be adopted as the storage of this view: {why}", _REFUSED)
