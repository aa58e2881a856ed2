"""Decides whether a view is fresh: whether its storage table holds the rows that its query would return now.

The rule is that of the Iceberg materialized view specification: the snapshots and view versions that the refresh
recorded are the current ones. The check is stricter where snapshot ids do not suffice. The view must have the UUID of
the view that was refreshed. Each column that the refresh used, and each column of the storage table, must still be the
same field with the same type: renaming or replacing a column makes no new snapshot. The check is more lenient in one
case: compaction (operation `replace`) changes no rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from rewriter.match import Miss, Reason
from rewriter.model import (
    Change,
    ChangeKind,
    ChildView,
    Column,
    MaterializedView,
    Relation,
    Snapshot,
    SourceState,
    Table,
    TableName,
    ViewState,
)

Relations = Mapping[TableName, Relation | None]


def fresh_storage(
    view: MaterializedView, sources: Iterable[TableName], relations: Relations, *, partial: bool = False
) -> Table | Miss:
    """Return the view's storage table if it is fresh, else a Miss with the reason.

    `sources` are the view's base tables. A storage table with only part of the view's rows gives a Miss, too, unless
    `partial` is set.
    """
    storage = _storage_of(view, relations)
    if isinstance(storage, Miss):
        return storage
    for name in sources:
        problem = _source_problem(name, relations.get(name), storage)
        if problem is not None:
            return problem
    return Miss(Reason.HOLDS_A_PART, storage.only) if storage.only and not partial else storage


class Live(NamedTuple):
    """A stale storage table, with the changes of its base tables since the refresh, whose rows Spark can list."""

    storage: Table
    grown: tuple[Change, ...]

    @property
    def only_appends(self) -> bool:
        """Whether rows were only added to the base tables, and none deleted or replaced."""
        return all(change.kind is ChangeKind.APPENDED for change in self.grown)


def live_storage(view: MaterializedView, sources: Iterable[TableName], relations: Relations) -> Live | Miss:
    """Return the view's storage table with the changes of its base tables since the refresh, or a Miss with the reason.

    The storage table is returned with all its rows, also if some of its partitions are still fresh. An incremental read
    in Spark silently skips snapshots that are not appends; if one of the snapshots since the refresh is not an append,
    the changed rows are listed instead (`t.changes`). Both reads use the table's current columns. Return a Miss if the
    view's columns of a base table (`sources`) may be other ones than at the refresh, if no snapshot has the table's
    current columns yet, or if Spark cannot list the changed rows of a base table.
    """
    storage = _storage_of(view, relations)
    if isinstance(storage, Miss):
        return storage
    storage = storage.as_refreshed
    if storage.only:
        return Miss(Reason.HOLDS_A_PART, storage.only)
    grown = []
    for name in dict.fromkeys(sources):
        change = _changed(name, relations.get(name), storage)
        if isinstance(change, Miss):
            return change
        grown += [change] if change is not None else []
    return Live(storage, tuple(grown))


def _changed(name: TableName, table: Relation | None, storage: Table) -> Change | Miss | None:
    """Return the change of a table since the last refresh of `storage` read it; None if the table has not changed.

    Return a Miss if Spark cannot list the rows that were added or deleted.
    """
    source = _source(name, table, storage)
    if isinstance(source, Miss):
        return source
    assert isinstance(table, Table)
    if gone := _gone(table, source) or _schema_problem(name, table, source):
        return gone
    since = changes_since(table, source.snapshot_id)
    if not since:
        return None
    start = next((s for s in table.snapshots if s.id == source.snapshot_id), None)
    if start is None:
        return Miss(
            Reason.STALE,
            f"{name} was empty at the last refresh, so the rows appended since then cannot be read separately: refresh "
            "the view",
        )
    if table.snapshots[0].schema_id != table.schema_id:
        return Miss(
            Reason.STALE,
            f"the columns of {name} have changed since its last snapshot: write rows to {name}, or refresh the view",
        )
    # Both reads use the current columns also for older files. The columns that the refresh used are compared above.
    if source.columns is None and start.schema_id != table.schema_id:
        return Miss(Reason.STALE, f"the columns of {name} have changed since the last refresh: refresh the view")
    only_appends = all(snapshot.operation == "append" for snapshot in since)
    if not only_appends and (marked := next(filter(_may_have_delete_files, _down_to(table, start)), None)) is not None:
        return Miss(
            Reason.STALE,
            f"{name} has delete files, or does not record their number (snapshot {marked.id}), so the rows deleted "
            "since the last refresh cannot be listed: refresh the view",
        )
    kind = ChangeKind.APPENDED if only_appends else ChangeKind.CHANGED
    return Change(name, kind, start.id, table.snapshot_id, table.columns)


def _down_to(table: Table, start: Snapshot) -> Iterator[Snapshot]:
    """Yield the snapshots of a table from the current one down to the snapshot `start`, which is included."""
    yield from table.since(start.id)
    yield start


def _may_have_delete_files(snapshot: Snapshot) -> bool:
    """Return whether a table may have delete files at a snapshot; Spark then refuses to list the table's changes."""
    return snapshot.delete_files != 0


def _storage_of(view: MaterializedView, relations: Relations) -> Table | Miss:
    """Return the view's storage table, fresh or not; a Miss if the storage table cannot be used in any state.

    The storage table can be used if a refresh of the current view version filled it, and if rewriting is enabled for
    the view.
    """
    if not view.rewrite:
        return Miss(
            Reason.REWRITE_OFF,
            f"rewriting to {view.name} is turned off: run ALTER MATERIALIZED VIEW {view.name} ENABLE REWRITE",
        )
    state, storage = relations.get(view.name), relations.get(view.storage)
    if not isinstance(state, ViewState) or (state.uuid, state.version) != (view.uuid, view.version):
        return Miss(Reason.UNKNOWN_STATE, f"the definition of {view.name} has just changed: run the query again")
    if not isinstance(storage, Table):
        return Miss(
            Reason.UNKNOWN_STATE,
            f"the storage table {view.storage} does not exist: recreate {view.name} with CREATE OR REPLACE "
            "MATERIALIZED VIEW",
        )
    refresh = storage.refresh
    if refresh is None and storage.snapshots:
        return Miss(
            Reason.STALE,
            f"the storage table {view.storage} was last written by another tool: run REFRESH MATERIALIZED VIEW "
            f"{view.name}",
        )
    if refresh is None:
        return Miss(
            Reason.NEVER_REFRESHED,
            f"the storage table {view.storage} is empty: run REFRESH MATERIALIZED VIEW {view.name}",
        )
    if refresh.view_version != view.version or refresh.view_uuid not in (None, view.uuid):
        return Miss(
            Reason.STALE,
            f"the definition of {view.name} has changed since the last refresh: run REFRESH MATERIALIZED VIEW "
            f"{view.name}",
        )
    if problem := _child_problem(view, refresh.children, relations):
        return problem
    if changed := _differing(storage, refresh.stored or ()):
        return Miss(
            Reason.STALE,
            f"the column {changed} of the storage table {view.storage} has been dropped, replaced or retyped since the "
            f"last refresh: recreate {view.name} with CREATE OR REPLACE MATERIALIZED VIEW",
        )
    return storage


def _child_problem(view: MaterializedView, children: Iterable[ChildView], relations: Relations) -> Miss | None:
    """Return a Miss if `view` reads another view whose version is not the one that the last refresh read; else None.

    `children` are the views and versions that the refresh recorded.
    """
    recorded = {child.uuid: child.version for child in children}
    for state in view.through:
        if relations.get(state.name) != state:
            return Miss(
                Reason.UNKNOWN_STATE,
                f"the definition of the view {state.name}, which {view.name} reads, has just changed: run the query "
                "again",
            )
        if recorded.pop(state.uuid, None) != state.version:
            return Miss(
                Reason.STALE,
                f"the definition of the view {state.name}, which {view.name} reads, has changed since the last "
                "refresh: refresh the view",
            )
    if recorded:
        return Miss(
            Reason.UNKNOWN_STATE,
            f"the last refresh of {view.name} read other views than the view's query reads now: refresh the view",
        )
    return None


def _source_problem(name: TableName, table: Relation | None, storage: Table) -> Miss | None:
    source = _source(name, table, storage)
    if isinstance(source, Miss):
        return source
    assert isinstance(table, Table)
    changed = _gone(table, source)
    since = changes_since(table, source.snapshot_id)
    if changed is None and since:
        first = since[-1]
        when = datetime.fromtimestamp(first.timestamp_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        read = "it was empty" if source.snapshot_id is None else f"snapshot {source.snapshot_id}"
        changed = Miss(
            Reason.STALE,
            f"{name} has changed since {read}: first by snapshot {first.id} ({first.operation}, {when}): refresh the "
            "view",
        )
    return changed or _schema_problem(name, table, source)


def _source(name: TableName, table: Relation | None, storage: Table) -> SourceState | Miss:
    """Return the state of a table that the last refresh of `storage` recorded; a Miss if the refresh recorded none."""
    if isinstance(table, ViewState):
        return Miss(
            Reason.UNKNOWN_STATE,
            f"the query of the view {name} cannot be expanded in place of its name: recreate the materialized view "
            f"with the query of {name} as a subquery in FROM",
        )
    if not isinstance(table, Table):
        return Miss(
            Reason.UNKNOWN_STATE,
            f"{name} is not an Iceberg table of the catalog: create the table again, or recreate the view over other "
            "tables",
        )
    source = storage.refresh.source(name, table.uuid) if storage.refresh is not None else None
    if source is None:
        return Miss(
            Reason.STALE,
            f"{name} was replaced by another table since the last refresh, because its UUID has changed: refresh the "
            "view",
        )
    return source


def _gone(table: Table, source: SourceState) -> Miss | None:
    """Return a Miss if the recorded snapshot of a table is not an ancestor of the current one; None otherwise.

    `source` is the state of the table that the refresh recorded.
    """
    if source.snapshot_id is None or source.snapshot_id in {snapshot.id for snapshot in table.snapshots}:
        return None
    return Miss(
        Reason.STALE,
        f"snapshot {source.snapshot_id} of {table.name}, which the last refresh read, is no longer in the table's "
        "history: refresh the view",
    )


def changes_since(table: Table, snapshot_id: int | None) -> list[Snapshot]:
    """Return the snapshots after the snapshot `snapshot_id` that may have changed rows, newest first.

    Compactions are omitted. If `snapshot_id` is None, all snapshots of the table count.
    """
    return [snapshot for snapshot in table.since(snapshot_id) if snapshot.operation != "replace"]


def _schema_problem(name: TableName, table: Table, source: SourceState) -> Miss | None:
    """Return a Miss if a column that the refresh recorded is now another field or has another type; None otherwise.

    Snapshot ids do not reveal such a change: exchanging the names of two columns makes no snapshot. `source` is the
    state of the table that the refresh recorded.
    """
    if source.columns is None:
        if table.snapshots and table.snapshots[0].schema_id != table.schema_id:
            return Miss(
                Reason.STALE,
                f"the columns of {name} have changed, and no snapshot of {name} has the new columns yet: write rows to "
                f"{name}, then refresh the view",
            )
        return None
    if changed := _differing(table, source.columns):
        return Miss(
            Reason.STALE,
            f"the column {changed} of {name} has been dropped, replaced or retyped since the last refresh: refresh "
            "the view, or recreate the view without the column",
        )
    return None


def _differing(table: Table, recorded: tuple[Column, ...]) -> str:
    """Return the name of the first recorded column that is now missing, another field or of another type.

    Return an empty string if there is none.
    """
    for column in recorded:
        now = table.column(column.name)
        if now is None or (now.field_id, now.type) != (column.field_id, column.type):
            return column.name
    return ""
