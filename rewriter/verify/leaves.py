"""Provides the columns of the relations that a plan reads, and the blocks that compute views and storage tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from rewriter.block import Block, Occurrence
from rewriter.block.elsewhere import read_in
from rewriter.block.since import known_since
from rewriter.freshness import changes_since
from rewriter.index import Definitions
from rewriter.maintenance import narrowed
from rewriter.maintenance.stored import known_block
from rewriter.model import Column, MaterializedView, Relation, Table, TableName
from rewriter.verify.moments import Moment
from rewriter.verify.unfold import Held

Relations = Mapping[TableName, Relation | None]


class Leaves:
    """The tables and views that a plan may read to answer the block `question`.

    A view that `question` names in FROM is treated like a base table, and is not replaced by its query, even within the
    queries of other views.
    """

    def __init__(self, question: Block, definitions: Definitions, relations: Relations, zone: str) -> None:
        self._question, self._definitions, self._relations, self._zone = question, definitions, relations, zone
        self._named = frozenset(table.name for table in question.tables)

    def columns(self, name: TableName) -> tuple[Column, ...] | None:
        """Return the columns of a table or view; None for an unknown name."""
        relation = self._relations.get(name)
        if isinstance(relation, Table):
            return relation.columns
        view = self._definitions.by_name.get(name) or self._definitions.plain_by_name.get(name)
        return view.columns if view is not None else None

    def table(self, name: TableName) -> Table | None:
        """Return the table with this name; None for other relations and for an unknown name."""
        relation = self._relations.get(name)
        return relation if isinstance(relation, Table) else None

    def reading_whole(self, name: TableName) -> Leaves:
        """Return the same tables and views, with all rows of the storage table `name`, as of its last refresh."""
        storage = self.table(name)
        assert storage is not None
        relations = {**self._relations, name: storage.as_refreshed}
        return Leaves(self._question, self._definitions, relations, self._zone)

    def held(self, name: TableName) -> Held | None:
        """Return the block that defines the rows of a storage table or view, and the names of its columns.

        Return None for base tables, for views that the block to be answered names in FROM, and for views whose query is
        not supported as a block.
        """
        storage, view = self.table(name), self._definitions.by_storage.get(name)
        if storage is not None and view is not None:
            return _itself(view) if view.name in self._named else self._stored(view, storage)
        view = self._definitions.by_name.get(name)
        if view is None or name in self._named:
            return None
        block = self._block(view)
        if block is None:
            return None
        many = len(view.columns)
        visible = replace(block, outputs=block.outputs[:many], names=block.names[:many])
        return Held(visible, _names(view.columns))

    def _stored(self, view: MaterializedView, storage: Table) -> Held | None:
        if storage.only:
            view = narrowed(view, storage.only, dict(self._sources(view)))
        block = self._block(view)
        read = read_in(self._zone, view, block) if block is not None else None
        if read is None:
            return None
        names = tuple(column.name for column in storage.columns)
        known = known_since(read, names, storage.least, storage.ranges)
        return Held(self._as_refreshed(known, storage), _names(storage.columns))

    def _as_refreshed(self, block: Block, storage: Table) -> Block:
        """Return the block with each changed table pinned to the snapshot of the table that the last refresh has read.

        A table has changed if its rows are not the same as at the last refresh. `storage` is the storage table, which
        records the snapshots. The tables of derived tables are pinned, too.
        """
        recorded = {source.uuid: source.snapshot_id for source in storage.refresh.sources} if storage.refresh else {}

        def then(occurrence: Occurrence) -> Occurrence:
            if occurrence.inner is not None:
                return replace(occurrence, inner=self._as_refreshed(occurrence.inner, storage))
            table = self.table(occurrence.name)
            if table is None or table.uuid not in recorded or not changes_since(table, recorded[table.uuid]):
                return occurrence
            return replace(occurrence, name=Moment(recorded[table.uuid]).of(occurrence.name))

        return replace(block, tables=tuple(map(then, block.tables)))

    def is_storage(self, name: TableName) -> bool:
        """Return whether a table is the storage table of a view."""
        return name in self._definitions.by_storage

    def _block(self, view: MaterializedView) -> Block | None:
        """Return the block of a view's storage query (the query that fills its storage table).

        Return None if the query is not supported as a block. The block reads base tables, and views that the block to
        be answered also names in FROM.
        """
        below = any(state.name in self._named for state in view.through)
        block = known_block(view, self._sources(view)) if not below else ""
        if isinstance(block, str) and view.over_views:
            over = replace(view, storage_query=view.over_views)
            block = known_block(over, self._sources(over, self._definitions.over_views[view.name].tables))
        return None if isinstance(block, str) else block

    def _sources(
        self, view: MaterializedView, names: tuple[TableName, ...] | None = None
    ) -> tuple[tuple[TableName, tuple[Column, ...]], ...]:
        names = self._definitions.sources[view.name] if names is None else names
        return tuple((name, self.columns(name) or ()) for name in dict.fromkeys(names))


def _itself(view: MaterializedView) -> Held:
    table = Occurrence("t0", view.name, view.name.table, view.columns)
    outputs = tuple(exp.column(column.name.lower(), "t0") for column in view.columns)
    names = tuple(column.name for column in view.columns)
    return Held(Block((table,), (), outputs, names), _names(view.columns))


def _names(columns: tuple[Column, ...]) -> tuple[str, ...]:
    return tuple(column.name.lower() for column in columns)
