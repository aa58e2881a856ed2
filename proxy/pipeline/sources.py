"""What a storage query reads, at one moment: the tables, through views too, and which of them can be pinned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import rewriter
from proxy.catalog import Catalog
from proxy.hs2 import SqlError
from proxy.pipeline.statements import relations
from rewriter.model import ChildView, MaterializedView, RefreshState, SourceState, Table, TableName, ViewState


@dataclass(frozen=True)
class Sources:
    """Every table and view below a definition; `direct` are the names that stand in the storage query itself."""

    tables: Mapping[TableName, Table]
    views: Mapping[TableName, ViewState]
    direct: frozenset[TableName]

    @property
    def pins(self) -> dict[TableName, int]:
        """The snapshots that can be named in the storage query.

        Not those below a view, which takes no VERSION AS OF; not where the table has none; and not where the snapshot
        has another schema than the table now, because it would be read with its own.
        """
        return {
            name: table.snapshots[0].id
            for name, table in self.tables.items()
            if name in self.direct and table.snapshots and table.snapshots[0].schema_id == table.schema_id
        }

    @property
    def all_pinned(self) -> bool:
        """Whether nothing that is read can move during the refresh."""
        return not self.views and len(self.pins) == len(self.tables)

    def same_content(self, later: Sources) -> bool:
        """Whether what is not pinned is still what it was."""
        pinned = self.pins.keys()
        return self.views == later.views and all(
            name in pinned or _identity(table) == _identity(later.tables[name]) for name, table in self.tables.items()
        )

    def same_columns(self, later: Sources) -> bool:
        """Whether names still mean what they did: reads of what was added have the columns of their moment."""
        return self.tables.keys() == later.tables.keys() and all(
            (table.uuid, table.columns) == (later.tables[name].uuid, later.tables[name].columns)
            for name, table in self.tables.items()
        )

    def state(self, view: MaterializedView, storage: Table, started_ms: int) -> RefreshState:
        """What a refresh of the view from these sources into that storage records."""
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
    return table.uuid, table.snapshot_id, table.columns


async def look(catalog: Catalog, view: MaterializedView) -> Sources:
    """All sources of a view now; raises SqlError where one is no Iceberg table, whose changes nobody would notice."""
    direct = frozenset(relations(view.storage_query, view.session))
    tables: dict[TableName, Table] = {}
    views: dict[TableName, ViewState] = {}
    unseen = sorted(direct)
    while unseen:
        found = await catalog.current(unseen)
        below: set[TableName] = set()
        for name, relation in found.items():
            match relation:
                case Table():
                    tables[name] = relation
                case ViewState():
                    views[name] = relation
                    below |= await _below(catalog, name)
                case None:
                    raise _unknown(catalog, view, name)
        unseen = sorted(below - tables.keys() - views.keys())
    return Sources(tables, views, direct)


async def storage_of(catalog: Catalog, view: MaterializedView) -> Table:
    """A view's storage table now; SqlError 42P01 where it is not there."""
    storage = (await catalog.current([view.storage]))[view.storage]
    if isinstance(storage, Table):
        return storage
    raise SqlError(
        f"the storage table {view.storage} of materialized view {view.name} does not exist or cannot be read; "
        "make the view anew with CREATE OR REPLACE MATERIALIZED VIEW",
        "42P01",
    )


async def _below(catalog: Catalog, name: TableName) -> set[TableName]:
    child = await catalog.query(name)
    if child is None:
        raise SqlError(
            f"the view {name} has no definition for Spark that can be read; make it again with CREATE OR REPLACE VIEW",
            "0A000",
        )
    return set(relations(child.sql, child.session))


def _unknown(catalog: Catalog, view: MaterializedView, name: TableName) -> SqlError:
    return SqlError(
        f"materialized view {view.name} reads {name}, and there is no Iceberg table or view of that name in the "
        f"catalog {catalog.name} now: make the table again, or DROP MATERIALIZED VIEW {view.name.sql()} "
        "(its content is as before)",
        "42P01",
    )
