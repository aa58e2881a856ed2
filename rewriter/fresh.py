"""Models a materialized view as it would be right after CREATE or REFRESH, with the column types that Spark derives."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from rewriter.block import Block, Unsupported, build_block, find_among
from rewriter.derived import common_of, subquery_types, texts_of
from rewriter.freshness import Relations
from rewriter.maintenance import Definition, define
from rewriter.model import (
    ChildView,
    Column,
    MaterializedView,
    PlainView,
    RefreshState,
    Relation,
    Session,
    Snapshot,
    SourceState,
    Table,
    TableName,
    ViewState,
    storage_name,
    table_columns,
)
from rewriter.schema import UNKNOWN, Uncertain, output_columns, output_types
from rewriter.sql import View, in_place, parse

# Assumed numbers of rows, for lack of data: a view has fewer rows than its largest table, and a view with groups still
# fewer.
TABLE_RECORDS = 10**10
_ROWS_OF, _GROUPS_OF = 10, 100


@dataclass(frozen=True)
class Fresh:
    """A materialized view with its filled storage table and its state in the catalog."""

    view: MaterializedView
    storage: Table
    state: ViewState

    def put(self, relations: MutableMapping[TableName, Relation | None]) -> None:
        """Add the view's state and its storage table to `relations`."""
        relations[self.view.name] = self.state
        relations[self.storage.name] = self.storage


def fresh_view(
    name: TableName,
    query: str,
    session: Session,
    relations: Mapping[TableName, Relation | None],
    columns: Sequence[str] | None = None,
    views: Mapping[TableName, View] = MappingProxyType({}),
) -> Fresh:
    """Return the view that CREATE MATERIALIZED VIEW would create, with its filled storage table.

    `columns` name the outputs; None keeps the query's names. `relations` are the tables that the query reads, `views`
    the views that the query may name. Raise Unsupported if the query cannot define a view, Uncertain if a column's name
    or type cannot be determined.
    """
    seen = table_columns(relations) | {known: view.columns for known, view in views.items()}
    definition = define(query, session, relations, columns, views)
    if None in definition.names:
        definition = define(query, session, relations, [c.name for c in query_columns(query, session, seen)], views)
    block = _block(definition.storage_query, session, seen)
    if block is not None:
        shown = definition.names or tuple(columns or block.names)
        if None in shown:
            shown = tuple(column.name for column in query_columns(query, session, seen))
        block = replace(block, names=(*shown, *definition.hidden))
    stored = _stored(definition, block, session, seen)
    view = MaterializedView(
        name=name,
        uuid=f"view {name}",
        version=1,
        query=definition.query,
        storage_query=definition.storage_query,
        storage=storage_name(name),
        columns=stored[: len(stored) - len(definition.hidden)],
        catalog=session.catalog,
        namespace=session.namespace,
        settings=session.settings,
        catalogs=session.catalogs,
        lower_names=session.lower_names,
    )
    view = _over(view, views)
    return Fresh(view, _storage(view, definition, stored, block, relations), view.state)


def refreshed(
    view: MaterializedView, sources: Sequence[TableName], relations: Relations
) -> dict[TableName, Relation | None]:
    """Return the relations as they would be after a refresh of a view, whose base tables are `sources`.

    A storage table with a part of the view's rows keeps this part, but gets the rows of its stale partitions.
    A storage table that was filled before keeps its number of rows. A storage table that was never filled gets one row,
    because the real number of rows is unknown, and most views have few. If `relations` lacks the storage table, return
    `relations` unchanged.
    """
    storage = relations.get(view.storage)
    if not isinstance(storage, Table):
        return dict(relations)
    used = (relations.get(source) for source in sources)
    read = tuple(SourceState(t.name, t.uuid, t.snapshot_id, t.columns) for t in used if isinstance(t, Table))
    children = tuple(ChildView(below.uuid, below.version) for below in view.through)
    state = RefreshState(view.version, read, children, view_uuid=view.uuid, only=storage.as_refreshed.only)
    if not storage.snapshots:
        storage = replace(storage, snapshots=(Snapshot(1, 0, "append", storage.schema_id),), records=1)
    return {**relations, view.storage: replace(storage, refresh=state)}


def _over(view: MaterializedView, views: Mapping[TableName, View]) -> MaterializedView:
    plain = [other for other in views.values() if isinstance(other, PlainView)]
    materialized = [other for other in views.values() if isinstance(other, MaterializedView)]
    return in_place([*materialized, view], plain)[-1]


def query_columns(query: str, session: Session, seen: Mapping[TableName, tuple[Column, ...]]) -> tuple[Column, ...]:
    """Return a query's columns with Spark's names and types; raise Uncertain if these cannot be determined.

    `seen` has the columns of the tables and views that the query may name.
    """
    query = _as_select(query, session)
    statement = parse(query, session)
    main, block = statement.main, _block(query, session, seen)
    if main is None or main.tree is None or block is None:
        raise Uncertain("the names of the query's outputs are not known for certain: give each output an alias")
    types = subquery_types(main, statement, find_among(statement, seen))
    return output_columns(block, main.tree, query, subquery_types=types)


def _block(query: str, session: Session, seen: Mapping[TableName, tuple[Column, ...]]) -> Block | None:
    statement = parse(query, session)
    main = statement.main
    if main is None or main.tree is None:
        return None
    find = find_among(statement, seen)
    try:
        if len(statement.blocks) == 1:
            return build_block(main.tree, find)
        return build_block(main.tree, find, common_of(statement, find), texts=texts_of(main, statement, find))
    except Unsupported:
        return None


def _as_select(query: str, session: Session) -> str:
    """Return the query if it is a single SELECT; a set operation gives `SELECT * FROM (…)` over it."""
    return query if parse(query, session).main is not None else f"SELECT * FROM ({query}) AS whole"


def _stored(
    definition: Definition, block: Block | None, session: Session, seen: Mapping[TableName, tuple[Column, ...]]
) -> tuple[Column, ...]:
    """Return the columns of the storage table, which has one column for each output of the storage query.

    The types are `unknown` if the storage query is not supported. `block` is the block of the storage query; None for a
    set operation or an unsupported query. `definition` has the names of the columns, and `seen` the columns of the
    tables and views that the query may name.
    """
    if block is None:
        whole = _block(_as_select(definition.storage_query, session), session, seen)
        if whole is None:
            return tuple(Column(name or "", UNKNOWN) for name in definition.names)
        block = replace(whole, names=definition.names or whole.names)
    return tuple(Column(name or "", kind) for name, kind in zip(block.names, output_types(block), strict=True))


def _storage(
    view: MaterializedView,
    definition: Definition,
    columns: tuple[Column, ...],
    block: Block | None,
    relations: Mapping[TableName, Relation | None],
) -> Table:
    used = [table for source in definition.sources if isinstance(table := relations[source], Table)]
    sources = tuple(SourceState(t.name, t.uuid, t.snapshot_id) for t in used)
    largest = max((TABLE_RECORDS if t.records is None else t.records for t in used), default=TABLE_RECORDS)
    records = max(1, largest // _ROWS_OF)
    if block is not None and block.keys is not None:
        records = max(1, min(10 ** len(block.keys), largest // _GROUPS_OF))
    children = tuple(ChildView(below.uuid, below.version) for below in view.through)
    state = RefreshState(view.version, sources, children, view_uuid=view.uuid)
    snapshot = Snapshot(1, 0, "append", 0)
    return Table(view.storage, f"table {view.storage}", columns, (snapshot,), refresh=state, records=records)
