"""Base tables, storage tables and views as the catalog describes them at one point in time; immutable."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from rewriter.model.constraints import ForeignKey
from rewriter.model.names import TableName
from rewriter.model.partitions import PartitionField
from rewriter.model.statistics import Statistics

# Spark types that Iceberg lacks, with the type in which Iceberg stores their values.
KEPT_AS = {"tinyint": "int", "smallint": "int"}
_NOT_KEPT = re.compile(r"\b(?:(tinyint|smallint)\b|(?:var)?char\(\d+\))")


def kept_as(kind: str) -> str:
    """Return the type of the Iceberg column in which values of a Spark type are stored.

    >>> kept_as("smallint"), kept_as("struct<a:tinyint,b:array<char(3)>>")
    ('int', 'struct<a:int,b:array<string>>')
    """
    return _NOT_KEPT.sub(lambda found: "int" if found[1] else "string", kind)


class Column(NamedTuple):
    """A column of a table.

    `type` is written as in Spark's DDL (`bigint`, `decimal(10,2)`, `timestamp_ntz`). `field_id` is the column's id in
    Iceberg; 0 if unknown.
    """

    name: str
    type: str
    nullable: bool = True
    field_id: int = 0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A snapshot of an Iceberg table; `operation` is append, overwrite, delete or replace.

    - `timestamp_ms`: the time of the commit, in milliseconds since 1970
    - `added`, `removed`: the size in bytes of the data files that the snapshot added and removed
    - `delete_files`: the number of the table's delete files at the snapshot

    The last three are None if the snapshot's summary does not record them.
    """

    id: int
    timestamp_ms: int
    operation: str
    schema_id: int
    added: int | None = None
    removed: int | None = None
    delete_files: int | None = None


@dataclass(frozen=True, slots=True)
class SourceState:
    """The state of a base table that a refresh read.

    `snapshot_id` is None if the table had no snapshot. `columns` are the columns that the refresh used; None if they
    were not recorded.
    """

    name: TableName
    uuid: str
    snapshot_id: int | None
    columns: tuple[Column, ...] | None = None


@dataclass(frozen=True, slots=True)
class ChildView:
    """A view that another view's query reads: its UUID, and the version that a refresh used."""

    uuid: str
    version: int


@dataclass(frozen=True, slots=True)
class RefreshState:
    """The record of a refresh in the storage table: which states of the sources the stored rows represent.

    - `sources`: the base tables
    - `children`: the views that the view's query reads
    - `stored`: the storage table's columns after the refresh; None if not recorded
    - `started_ms`: the time at which the refresh started, in milliseconds since 1970
    - `only`: a SQL condition over the view's columns; only stored rows that satisfy `only` may be used. Empty if all
      stored rows may be used and the storage table has all rows of the view
    - `behind`: describes the change of a source since the refresh, if `only` was narrowed because of this change to
      exclude the stale rows; else empty
    - `stale_share`: the share (0 to 1) of the changed source's rows that contribute to the excluded rows
    - `whole`: the record of the refresh itself, which all stored rows represent, if `behind` is not empty; else None
    """

    view_version: int
    sources: tuple[SourceState, ...]
    children: tuple[ChildView, ...] = ()
    view_uuid: str | None = None
    started_ms: int | None = None
    stored: tuple[Column, ...] | None = None
    only: str = ""
    behind: str = ""
    stale_share: float = 0.0
    whole: RefreshState | None = None

    def source(self, name: TableName, uuid: str) -> SourceState | None:
        """Return the state of the table `uuid`, which has the name `name` now; None if the refresh recorded none.

        Also return None if the refresh read another table under this name: two tables may have exchanged their names,
        or a table may be registered again under the name of another table. Some tools record sources without names;
        only their UUIDs count.
        """
        found = None
        for state in self.sources:
            if state.uuid == uuid:
                found = state
            elif state.name == name:
                return None
        return found


@dataclass(frozen=True)
class Table:
    """A table in its current state: identity, columns, and the snapshots up to the current one, newest first.

    - `refresh`: describes the content of a storage table; None for base tables, and for a storage table whose content
      was not written by a refresh
    - `records`, `size`: the current snapshot's numbers of rows and bytes; None if its summary does not record them
    - `primary_key`, `foreign_keys`: declared by the owner and not enforced. The rewriter uses them as facts: a caller
      that does not trust them passes `without_keys`
    - `trusted`: true if the owner declares in the table's properties that the keys may be trusted
    - `delete_files`: the number of delete files
    - `least`, `most`: a lower and an upper bound of each date or timestamp column, in seconds since 1970; `ranges`:
      both bounds of each integer column. Proofs may rely on `least` and `ranges`, but not on `most`, which is for
      estimates only
    - `current_since_ms`: the time, in milliseconds since 1970, at which the snapshot became the current one, by a
      commit or a rollback
    - `diverged`: the periods, each a start and an end in milliseconds since 1970, in which the current snapshot was
      not the newest of `snapshots` by their timestamps: the table was rolled back or replaced later, or a snapshot of
      another branch became the current one
    - `statistics`: describe the data files at this snapshot or an earlier one, for estimates only
    """

    name: TableName
    uuid: str
    columns: tuple[Column, ...]
    snapshots: tuple[Snapshot, ...]
    schema_id: int = 0
    refresh: RefreshState | None = None
    records: int | None = None
    size: int | None = None
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    trusted: bool = False
    partitioned_by: tuple[PartitionField, ...] = ()
    delete_files: int | None = None
    least: tuple[tuple[str, int], ...] = ()
    most: tuple[tuple[str, int], ...] = ()
    ranges: tuple[tuple[str, int, int], ...] = ()
    current_since_ms: int | None = None
    diverged: tuple[tuple[int, int], ...] = ()
    statistics: Statistics | None = None

    @property
    def without_keys(self) -> Table:
        """The table without its primary and foreign keys, for callers that do not trust them."""
        return replace(self, primary_key=(), foreign_keys=()) if self.primary_key or self.foreign_keys else self

    @property
    def snapshot_id(self) -> int | None:
        """The id of the current snapshot; None if the table has no snapshot."""
        return self.snapshots[0].id if self.snapshots else None

    @property
    def only(self) -> str:
        """The SQL condition over the view's columns that a stored row must satisfy to be used.

        Empty if all stored rows may be used.
        """
        return self.refresh.only if self.refresh is not None else ""

    @property
    def behind(self) -> str:
        """A description of the source changes because of which `only` excludes stale rows of the storage table.

        Empty if `only` excludes no stale rows.
        """
        return self.refresh.behind if self.refresh is not None else ""

    @property
    def as_refreshed(self) -> Table:
        """The storage table with all its rows, as of the last refresh, also if `only` excludes stale rows."""
        whole = self.refresh.whole if self.refresh is not None else None
        return self if whole is None else replace(self, refresh=whole)

    def column(self, name: str) -> Column | None:
        """Return the column with this name, ignoring case as Spark does by default; None if there is none."""
        return self.by_name.get(name.lower())

    @cached_property
    def by_name(self) -> Mapping[str, Column]:
        """The columns by name in lower case; of several columns whose names differ only in case, the first."""
        return {column.name.lower(): column for column in reversed(self.columns)}

    def references(self, other: Table) -> Iterator[tuple[tuple[str, str], ...]]:
        """Yield each foreign key of this table that references the primary key of `other`.

        Each key is a tuple of pairs: a column of this table and the column of `other` that it references, in lower
        case.
        """
        whole = {name.lower() for name in other.primary_key}
        for key in self.foreign_keys:
            if key.table == other.name and {name.lower() for name in key.referenced} == whole:
                yield tuple(
                    (mine.lower(), theirs.lower()) for mine, theirs in zip(key.columns, key.referenced, strict=True)
                )

    def since(self, snapshot_id: int | None) -> Iterator[Snapshot]:
        """Yield the snapshots after the snapshot with this id, newest first.

        If `snapshot_id` is None or not an ancestor of the current snapshot, yield all snapshots of the table.
        """
        for snapshot in self.snapshots:
            if snapshot.id == snapshot_id:
                return
            yield snapshot


@dataclass(frozen=True, slots=True)
class ViewState:
    """The UUID and version of a view in the catalog; if one of them changes, the view's definition has changed."""

    name: TableName
    uuid: str
    version: int


Relation = Table | ViewState


def table_columns(relations: Mapping[TableName, Relation | None]) -> dict[TableName, tuple[Column, ...]]:
    """Return the columns of each table among `relations`; views and missing relations are left out."""
    return {name: relation.columns for name, relation in relations.items() if isinstance(relation, Table)}
