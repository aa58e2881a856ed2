"""The base tables that a view's storage query reads, directly or through other views.

The storage query fills the storage table. A refresh pins the base tables to snapshots, so that the rows that it reads
cannot change while the refresh runs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

import rewriter
from proxy.catalog import Catalogs
from proxy.hs2 import SqlError
from proxy.pipeline.statements import relations
from proxy.pipeline.status import OutOfReach, gone, out_of_reach
from rewriter.model import ChildView, MaterializedView, RefreshState, Relation, SourceState, Table, TableName, ViewState


@dataclass(frozen=True)
class Sources:
    """The base tables that a view's storage query reads now, and the views through which the query reads them.

    `stored` has, by name, the materialized views in the query whose storage tables a refresh may read in place of the
    views: each view with its storage table. Such a storage table is fresh, and was computed under the same session
    settings as the view to be refreshed.
    """

    tables: Mapping[TableName, Table]
    views: Mapping[TableName, ViewState]
    stored: Mapping[TableName, tuple[MaterializedView, Table]] = field(default_factory=dict)

    @property
    def pins(self) -> dict[TableName, int]:
        """The snapshot to which each base table can be pinned, by table name.

        Tables that cannot be pinned are absent. These are tables without snapshots, and tables whose current schema
        differs from the schema of the snapshot: Spark would read such a table with the snapshot's schema.
        """
        return {
            name: table.snapshots[0].id
            for name, table in self.tables.items()
            if table.snapshots and table.snapshots[0].schema_id == table.schema_id
        }

    @property
    def all_pinned(self) -> bool:
        """Whether all base tables are pinned, so that the rows read cannot change during the refresh."""
        return len(self.pins) == len(self.tables)

    def same_content(self, later: Sources) -> bool:
        """Return whether `later` has the same views, and the same content of the tables that are not pinned.

        `later` is the result of a second look-up, after the rows were read. Tables that are pinned to snapshots are not
        compared, because a refresh reads the same rows from a pinned table whatever is written to the table.
        """
        pinned = self.pins.keys()
        return self.views == later.views and all(
            name in pinned or _identity(table) == _identity(later.tables[name]) for name, table in self.tables.items()
        )

    def same_columns(self, later: Sources) -> bool:
        """Return whether the base tables have the same columns in `later`, a second look-up.

        Incremental refreshes read tables with their current columns, even if a snapshot is pinned.
        """
        return self.tables.keys() == later.tables.keys() and all(
            (table.uuid, table.columns) == (later.tables[name].uuid, later.tables[name].columns)
            for name, table in self.tables.items()
        )

    def state(self, view: MaterializedView, storage: Table, started_ms: int) -> RefreshState:
        """Return the refresh state to record in the storage table after a refresh of the view from these sources.

        `started_ms` is the start of the refresh in milliseconds since 1970.
        """
        used = rewriter.used_columns(view, {name: table.columns for name, table in self.tables.items()})
        return RefreshState(
            view_version=view.version,
            sources=tuple(
                SourceState(name, table.uuid, table.snapshot_id, used[name]) for name, table in self.tables.items()
            ),
            children=tuple(ChildView(child.uuid, child.version) for child in self.views.values()),
            view_uuid=view.uuid,
            started_ms=started_ms,
            stored=storage.columns,
        )


def _identity(table: Table) -> tuple[object, ...]:
    return table.uuid, table.snapshot_id, table.current_since_ms, table.columns


async def look(catalogs: Catalogs, view: MaterializedView) -> Sources:
    """Look up the current sources of a view and return them.

    Raise SqlError 42P01 for a source that does not exist, and OutOfReach for a source in a catalog that is not in the
    settings. Raise SqlError 0A000 if the view reads a view whose query is not supported, or one table by two names, and
    SqlError 40001 if the view reads a view that has just been changed.
    """
    names = relations(view.storage_query, view.session)
    found = await catalogs.current([*names, *(state.name for state in view.through)])
    tables = {name: table for name in names if isinstance(table := found[name], Table)}
    for name in names:
        if name not in tables:
            raise _unread(view, name) if found[name] is not None else await _unknown(catalogs, view, name)
    if twice := _twice(tables.values()):
        raise SqlError(
            f"materialized view {view.name} cannot be refreshed, because it reads one table by two names, "
            f"{' and '.join(map(str, twice))}, and a refresh records one snapshot per table; recreate the view with "
            f"CREATE OR REPLACE MATERIALIZED VIEW and the name {twice[0]} only",
            "0A000",
        )
    for state in view.through:
        if found[state.name] != state:
            raise SqlError(
                f"the view {state.name}, over which materialized view {view.name} is defined, has just changed; the "
                "stored rows are unchanged; run REFRESH again",
                "40001",
            )
    stored = await _stored(catalogs, view, tables) if view.through else {}
    return Sources(tables, {state.name: state for state in view.through}, stored)


def _twice(tables: Collection[Table]) -> list[TableName]:
    """Return the names of a table that is in `tables` more than once; empty if each table has a UUID of its own.

    A table has several names if it was registered again, for example in another catalog.
    """
    uuids = [table.uuid for table in tables]
    return [
        table.name for table in tables if table.uuid == next((uuid for uuid in uuids if uuids.count(uuid) > 1), None)
    ]


async def _stored(
    catalogs: Catalogs, view: MaterializedView, tables: Mapping[TableName, Table]
) -> dict[TableName, tuple[MaterializedView, Table]]:
    """Return, by name, the materialized views that `view` reads and that are fresh, each with its storage table.

    `tables` are the current base tables. Views whose recorded session settings differ from those of `view` are left
    out.
    """
    states = {state.name: state for state in view.through}
    below = [v for v in await catalogs.definitions() if v.state == states.get(v.name) and v.settings == view.settings]
    storages = await catalogs.current([other.storage for other in below])
    found: dict[TableName, tuple[MaterializedView, Table]] = {}
    for other in below:
        now: dict[TableName, Relation | None] = {**states, **tables, **storages}
        names = rewriter.parse(other.storage_query, other.session).tables
        storage = rewriter.fresh_storage(replace(other, rewrite=True), names, now)
        if isinstance(storage, Table) and storage.snapshots[0].schema_id == storage.schema_id:
            found[other.name] = other, storage
    return found


async def storage_of(catalogs: Catalogs, view: MaterializedView) -> Table:
    """Return the current storage table of a view.

    Raise Lost if the table is missing because the view was replaced or dropped. Raise SqlError 42P01 if the table is
    missing for any other reason.
    """
    found = await catalogs.current([view.name, view.storage])
    storage = found[view.storage]
    if isinstance(storage, Table):
        return storage
    if found[view.name] != view.state:
        raise gone(view)
    raise SqlError(
        f"the storage table {view.storage} of materialized view {view.name} does not exist or cannot be read; "
        "recreate the view with CREATE OR REPLACE MATERIALIZED VIEW",
        "42P01",
    )


def _unread(view: MaterializedView, name: TableName) -> SqlError:
    return SqlError(
        f"materialized view {view.name} cannot be refreshed, because it reads {name}, a view whose query is not "
        f"supported; recreate {view.name} with a query that reads the base tables of {name} instead",
        "0A000",
    )


async def _unknown(catalogs: Catalogs, view: MaterializedView, name: TableName) -> SqlError:
    if why := await out_of_reach(catalogs, {name: None}, [name]):
        return OutOfReach(f"materialized view {view.name} cannot be refreshed: {why}", "42P01")
    return SqlError(
        f"materialized view {view.name} cannot be refreshed, and its stored rows are unchanged, because it reads "
        f"{name}, which is no longer an Iceberg table or view in the catalog {name.catalog}: create {name} again, or "
        f"run DROP MATERIALIZED VIEW {view.name.sql()}",
        "42P01",
    )
