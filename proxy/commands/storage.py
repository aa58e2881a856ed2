"""Determines the storage table of a new view, which will hold the view's rows: its columns, its layout, or an adopted
table.

Spark determines the names and types of the columns. The rewriter may add hidden columns, which the view does not show:
with hidden columns, the stored rows answer more queries and can be refreshed incrementally. The layout (partitions,
sort order) comes from the clauses of the statement, else from the layout of the sources. An adopted table is an
existing table that becomes the storage table, after its rows were compared with the result of the view's query.
"""

from __future__ import annotations

import json
import logging
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import rewriter
from proxy.answering import checked, described
from proxy.answering.system_tables import SYSTEM
from proxy.answering.virtual_tables import calls, in_no_view
from proxy.catalog import Catalogs
from proxy.catalog.views import MAX_STALENESS
from proxy.commands.context import Context
from proxy.commands.properties import ADOPT, inherited, recorded_settings
from proxy.hs2 import ColumnDesc, SqlError
from proxy.pipeline import pin, relations
from proxy.pipeline.sources import look, storage_of
from proxy.pipeline.steps import RETENTION
from proxy.session import ClientSession, Log
from rewriter import Definition, Unsupported, View, define, expand, hinted, parse
from rewriter.model import (
    Column,
    MaterializedView,
    PartitionField,
    Relation,
    Session,
    SortField,
    Table,
    TableName,
    kept_as,
    quoted,
)
from rewriter.script import layout_problem

_UNSTORABLE = re.compile(r"\b(interval|void|variant|collate|time\(|geometry|geography)", re.IGNORECASE)

Tables = Mapping[TableName, Relation | None]
Views = Mapping[TableName, View]


@dataclass(frozen=True)
class Shape:
    """The queries, columns and sources of a new view.

    `query` is the view's own query, with the columns `columns`; `storage_query` fills the storage table, which has the
    columns `storage_columns`. `named` is true if CREATE VIEW must list the column names, because the query has other
    column names.
    """

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
    """Return the queries and columns of a new view, with the names and types that Spark gives the columns.

    `names` are the column names that the statement lists (None: no list). If `hidden` is false, the rewriter adds no
    hidden columns (columns of the storage table that the view does not show). Raise SqlError if a view cannot have this
    query. `facts` is the session's state.
    """
    hint = hinted(query)
    if hint.problem or hint.sql != query:
        raise SqlError(
            "the query of a materialized view cannot have the hint VIEWGATE, which holds for one statement: remove the "
            f"hint; the property {MAX_STALENESS} says how old all answers from the view may be",
            "0A000",
        )
    if call := next(calls(query), None):
        raise in_no_view(f"{call.function}()")
    if table := next(SYSTEM.references(query), None):
        raise in_no_view(table.name)
    known = await ctx.catalogs.views()
    tables = await _tables(query, ctx, session, facts, known)
    views = {name: view for name, view in known.items() if name in tables}
    defined = partial(_defined, query, tables=tables, session=session, facts=facts, views=views, hidden=hidden)
    definition = await defined(names)
    visible = await _described(session, definition.query)
    if None in definition.names:  # only Spark knows their names, and hidden columns require that all are known
        named_by_spark = [column.name for column in _outputs(visible, definition.names)]
        definition = await defined(named_by_spark)
    stored = await _described(session, pin(definition.storage_query, {}, facts))
    outputs = _outputs(visible, names or definition.names)
    storage = (*outputs, *stored[len(outputs) :])
    _check(storage)
    named = names is not None or [c.name for c in outputs] != [c.name for c in visible]
    return Shape(definition.query, definition.storage_query, outputs, storage, definition.sources, named)


async def _tables(query: str, ctx: Context, session: ClientSession, facts: Session, views: Views) -> Tables:
    """Return the tables and views that a query reads, directly or through views, by name.

    `views` are all views. `facts` is the session's state. Raise Spark's own SqlError for an unknown name
    or an invalid query.
    """
    try:
        named = relations(query, facts)
    except SqlError:
        await checked(query, session.upstream.query)
        raise
    through = expand(parse(query, facts), views)
    below = (*through.statement.tables, *(view.name for view in through.views))
    tables = await ctx.catalogs.current([*named, *below])
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
            f"the column list of the view has {len(names)} columns, but the query has {len(visible)}: name all "
            "columns, or none",
            "21S01",
        )
    given = names or [None] * len(visible)
    return tuple(ColumnDesc(name or column.name, column.type) for name, column in zip(given, visible, strict=True))


def _check(columns: Sequence[ColumnDesc]) -> None:
    counted = Counter(column.name.lower() for column in columns)
    for column in columns:
        if counted[column.name.lower()] > 1:
            raise SqlError(f"two columns are named {quoted(column.name)}: give one of them another alias", "42711")
        if _UNSTORABLE.search(column.type):
            raise SqlError(
                f"the column {quoted(column.name)} has the type {column.type}, which Iceberg cannot store: cast the "
                "column to another type, or leave the column out",
                "0A000",
            )


_DISTRIBUTION = "write.distribution-mode"
_FANOUT = "write.spark.fanout.enabled"
_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Layout:
    """The layout of a storage table: the texts of PARTITIONED BY and ORDERED BY, and write properties inherited from a
    source.
    """

    partitioned_by: str = ""
    ordered_by: str = ""
    properties: tuple[tuple[str, str], ...] = ()

    @property
    def written(self) -> dict[str, str]:
        """The write properties of the storage table; if the table is partitioned, with Iceberg's fanout writer turned
        off.

        The fanout writer keeps one file, with its buffers, open per partition in each writing task.
        """
        return dict(self.properties) | ({_FANOUT: "false"} if self.partitioned_by else {})

    def ordering(self, storage: TableName, properties: dict[str, str]) -> Iterator[str]:
        """Yield the ALTER statements that set the storage table's sort order; nothing if the layout has no order.

        The first statement sets the order, and as a side effect the distribution of rows to tasks. The second statement
        sets the distribution again: to the value in `properties`, by default `hash` for a partitioned table, else
        `none`.
        """
        if self.ordered_by:
            yield f"ALTER TABLE {storage.sql()} WRITE LOCALLY ORDERED BY {self.ordered_by}"
            spread = properties.get(_DISTRIBUTION, "hash" if self.partitioned_by else "none")
            yield f"ALTER TABLE {storage.sql()} SET TBLPROPERTIES ('{_DISTRIBUTION}' = '{spread}')"


def check_layout(view: TableName, made: Shape, given: tuple[str, str]) -> None:
    """Raise SqlError 42P10 if the view's columns do not allow the partitioning or the order in `given`.

    `given` has the texts of PARTITIONED BY and ORDERED BY, empty for a missing clause. CREATE calls this function
    before any object is created. `made` has the queries and columns of the view.
    """
    columns = [Column(column.name, column.type) for column in made.columns]
    for clause, text in zip(("PARTITIONED BY", "ORDERED BY"), given, strict=True):
        problem = layout_problem(clause, text, str(view), columns) if text else ""
        if problem:
            raise SqlError(problem, "42P10")


async def layout(catalogs: Catalogs, storage: TableName, made: Shape, facts: Session, given: tuple[str, str]) -> Layout:
    """Return the layout of a storage table: the partitioning and the order in `given`, or derived ones.

    `given` has the texts of PARTITIONED BY and ORDERED BY; for an empty text, the layout is derived: partitions from
    the largest source whose partitions suit the view, the order only if the query reads a single source. Write
    properties are taken over from a single source, too. `made` has the queries and columns of the view. `facts` is
    the session's state.
    """
    partitioned_by, ordered_by = given
    found = await catalogs.current(made.sources)
    sources = [table for table in found.values() if isinstance(table, Table)]
    held = await _stored(catalogs, storage, made, facts, sources)
    alone = sources[0].name if len(made.sources) == len(sources) == 1 else None
    properties = await catalogs.of(alone).properties(alone) if alone is not None else {}
    if held is not None and not partitioned_by:
        partitioned_by = await _partitions(catalogs, held, sources)
    if held is not None and not ordered_by and alone is not None:
        ordered_by = _order_text(rewriter.inherited_order(held, await catalogs.of(alone).order(alone)))
    kept = inherited(properties, [column.name for column in made.columns])
    return Layout(partitioned_by, ordered_by, tuple(kept.items()))


async def _stored(
    catalogs: Catalogs, storage: TableName, made: Shape, facts: Session, sources: Sequence[Table]
) -> rewriter.Stored | None:
    """Return the rewriter's description of the rows to be stored in the table `storage`, from which a layout is
    derived.

    Return None if the rewriter does not support the query. `sources` are the current tables that the view's query
    reads. `made` has the queries and columns of the view. `facts` is the session's state.
    """
    view = MaterializedView(
        name=storage,
        uuid="",
        version=0,
        query=made.query,
        storage_query=made.storage_query,
        storage=storage,
        columns=tuple(Column(column.name, column.type) for column in made.columns),
        catalog=facts.catalog,
        namespace=facts.namespace,
        settings=json.loads(recorded_settings(facts)),
        catalogs=facts.catalogs,
        lower_names=facts.lower_names,
    )
    columns = tuple(Column(column.name, column.type) for column in made.storage_columns)
    known = {table.name: table.columns for table in sources}
    held = rewriter.stored(await catalogs.read_through(view), Table(storage, "", columns, ()), known)
    return None if isinstance(held, str) else held


async def _partitions(catalogs: Catalogs, held: rewriter.Stored, sources: Sequence[Table]) -> str:
    for table in sorted(sources, key=lambda table: table.size or 0, reverse=True):
        if not table.partitioned_by or table.snapshot_id is None:
            continue
        try:
            files = await catalogs.of(table.name).files(table.name, table.snapshot_id, table.snapshot_id)
            found = rewriter.derived_partitions(held, table, files)
        except Exception:  # manifests come from any writer; without them the storage gets no partitions
            _logger.exception("files unreadable table=%s", table.name)
            continue
        if found:
            return ", ".join(map(_partition_text, found))
    return ""


def _partition_text(field: PartitionField) -> str:
    column = quoted(field.column)
    return column if field.transform == "identity" else f"{field.transform}s({column})"


def _order_text(order: Sequence[SortField]) -> str:
    return ", ".join(
        f"{quoted(field.column)} {('ASC', 'DESC')[field.descending]} NULLS {('LAST', 'FIRST')[field.nulls_first]}"
        for field in order
    )


_REFUSED = "55000"
_SETS_REFUSE = re.compile(r"\b(map<|variant\b)")
_WITH_ZEROS = re.compile(r"\b(float|double)\b")


async def adoptable(
    ctx: Context, session: ClientSession, parts: tuple[str, ...], view: TableName, made: Shape
) -> TableName:
    """Return the full name of an existing table that a new view can adopt, that is, use as its storage table.

    `parts` is the name of the table in the statement. Raise SqlError with the reason if the table cannot be adopted.
    `view` is the view's name, and `made` has its queries and columns.
    """
    name = await ctx.resolve(session, parts)
    table = (await ctx.catalogs.current([name]))[name]
    if not isinstance(table, Table):
        raise SqlError(
            f"{name} in the property {ADOPT} is not an Iceberg table of the catalog {name.catalog}: name an "
            "existing table",
            "42P01",
        )
    if name.catalog != view.catalog:
        raise _refused(
            name,
            f"the table is not in the catalog of {view}, as a storage table must be: name a table of the catalog "
            f"{view.catalog}",
        )
    if name in made.sources:
        raise _refused(
            name,
            f"the view's query reads {name}, so a refresh would change the result of the query: name another table",
        )
    owner = next((view.name for view in await ctx.catalogs.definitions() if view.storage == name), None)
    if owner is not None:
        raise _refused(name, f"{name} is the storage table of materialized view {owner}; name another table")
    if table.snapshot_id is None:
        raise _refused(
            name,
            f"{name} is empty, so there are no rows to adopt; remove the property {ADOPT} from the statement, so that "
            "Viewgate creates a storage table",
        )
    if table.snapshots[0].schema_id != table.schema_id:
        raise _refused(
            name,
            f"the columns of {name} were changed after its last write; write to {name} (INSERT OVERWRITE), then run "
            "the statement again",
        )
    if problem := _differing(table.columns, made.storage_columns) or _incomparable(table.columns):
        raise _refused(name, problem)
    return name


async def adopt(ctx: Context, session: ClientSession, view: MaterializedView, log: Log) -> int:
    """Check that an adopted table (an existing table used as storage table) has the rows of the view's query; return
    the row count.

    The table is compared with the result of the query at the pinned snapshots of its sources. Raise SqlError 55000
    if the rows differ; otherwise record the rows as those of a refresh.
    """
    if RETENTION in view.properties:  # a retention that no refresh could apply is refused here
        await ctx.pipeline.decision(view)
    sources, storage = await look(ctx.catalogs, view), await storage_of(ctx.catalogs, view)
    if not sources.all_pinned:
        unpinned = next(name for name in sources.tables if name not in sources.pins)
        raise _refused(
            storage.name,
            f"the columns of the base table {unpinned} have changed, and no row has been written to {unpinned} since "
            f"then: write rows to {unpinned}, then run the statement again",
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
            f"{storage.name} has {besides} extra rows, {lacking} missing rows, compared with the query's current "
            "result (rows that differ only in the last bits of a floating-point sum are counted as extra and as "
            f"missing). Bring {storage.name} up to date, or remove the property {ADOPT} from the statement",
        )
    await ctx.pipeline.vouch(view, sources, storage)
    return int(rows)


def _differing(columns: Sequence[Column], wanted: Sequence[ColumnDesc]) -> str:
    """Return a text about the differences between a table's columns and the `wanted` columns.

    Return an empty text if names and types are equal.
    """
    listed = ", ".join(f"{column.name} {kept_as(column.type)}" for column in wanted)
    have = ", ".join(f"{column.name} {column.type}" for column in columns)
    same = len(columns) == len(wanted) and all(
        (mine.name.lower(), mine.type) == (other.name.lower(), kept_as(other.type))
        for mine, other in zip(columns, wanted, strict=True)
    )
    return "" if same else f"the table has the columns ({have}), but the query returns ({listed})"


def _incomparable(columns: Sequence[Column]) -> str:
    """Return the reason why Spark's EXCEPT ALL cannot compare rows with these columns, as text; empty if Spark can.

    Columns with a MAP or VARIANT type cannot be compared.
    """
    named = [f"{column.name} {column.type}" for column in columns if _SETS_REFUSE.search(column.type)]
    return f"Spark cannot compare columns of these types: {', '.join(named)}" if named else ""


def _exactly(relation: str, columns: Sequence[Column]) -> str:
    """Return a query for the rows of a relation (SQL text), with a string column added for each floating-point column.

    `columns` are the columns of the relation. EXCEPT ALL treats 0.0 and -0.0 as equal, but their strings differ.
    """
    texts = [f", CAST({quoted(column.name)} AS STRING)" for column in columns if _WITH_ZEROS.search(column.type)]
    return f"SELECT *{''.join(texts)} FROM {relation}"


def _refused(name: TableName, why: str) -> SqlError:
    return SqlError(f"{name} cannot be adopted as the storage table of this view: {why}", _REFUSED)
