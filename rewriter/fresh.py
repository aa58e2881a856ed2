"""A materialized view as it is right after CREATE: defined, stored, and fresh, with columns typed by the oracle."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass

from rewriter.block import Block, Unsupported, build_block, find_among
from rewriter.maintenance import Definition, define
from rewriter.model import (
    Column,
    MaterializedView,
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
from rewriter.sql import parse

# Sizes without data: all that is known is that groups are fewer than rows, and fewer keys make fewer groups.
TABLE_RECORDS = 10**10
ROWS_RECORDS = 10**9


@dataclass(frozen=True)
class Fresh:
    """A view with its storage and its state."""

    view: MaterializedView
    storage: Table
    state: ViewState

    def put(self, relations: MutableMapping[TableName, Relation | None]) -> None:
        """Add it to the relations at hand."""
        relations[self.view.name] = self.state
        relations[self.storage.name] = self.storage


def fresh_view(
    name: TableName,
    query: str,
    session: Session,
    relations: Mapping[TableName, Relation | None],
    columns: Sequence[str] | None = None,
) -> Fresh:
    """The view that CREATE MATERIALIZED VIEW would make now; raises Unsupported or Uncertain where it would not."""
    definition = define(query, session, relations, columns)
    if None in definition.names:
        definition = define(query, session, relations, _names(query, session, relations))
    block = _block(definition.storage_query, session, relations)
    stored = _stored(definition, block)
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
    )
    return Fresh(view, _storage(view, definition, stored, block, relations), ViewState(name, view.uuid, view.version))


def _names(query: str, session: Session, relations: Mapping[TableName, Relation | None]) -> tuple[str, ...]:
    """The outputs' names as Spark gives them."""
    tree = parse(query, session).blocks[0].tree
    block = _block(query, session, relations)
    if tree is None or block is None:
        raise Uncertain("the names of its outputs are not known for certain: give each an alias")
    return tuple(column.name for column in output_columns(block, tree))


def _block(query: str, session: Session, relations: Mapping[TableName, Relation | None]) -> Block | None:
    statement = parse(query, session)
    try:
        tree = statement.blocks[0].tree if len(statement.blocks) == 1 else None
        return build_block(tree, find_among(statement, table_columns(relations))) if tree is not None else None
    except Unsupported:
        return None


def _stored(definition: Definition, block: Block | None) -> tuple[Column, ...]:
    """The storage's columns; those of a query that is no single block are known only by name."""
    if block is None:
        return tuple(Column(name or "", UNKNOWN) for name in definition.names)
    return tuple(Column(name or "", kind) for name, kind in zip(block.names, output_types(block), strict=True))


def _storage(
    view: MaterializedView,
    definition: Definition,
    columns: tuple[Column, ...],
    block: Block | None,
    relations: Mapping[TableName, Relation | None],
) -> Table:
    used = [relations[source] for source in definition.sources]
    sources = tuple(SourceState(t.name, t.uuid, t.snapshot_id) for t in used if isinstance(t, Table))
    grouped = block is not None and block.keys is not None
    records = 10 ** min(len(block.keys or ()), 8) if grouped and block is not None else ROWS_RECORDS
    state = RefreshState(view.version, sources, view_uuid=view.uuid)
    snapshot = Snapshot(1, 0, "append", 0)
    return Table(view.storage, f"table {view.storage}", columns, (snapshot,), refresh=state, records=records)
