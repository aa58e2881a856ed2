"""Tables, views and storage tables in the catalog at one point in time: immutable, compared by content."""

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

# The types of Spark that Iceberg lacks, with the type in which it stores their values.
KEPT_AS = {"tinyint": "int", "smallint": "int"}
_NOT_KEPT = re.compile(r"\b(?:(tinyint|smallint)\b|(?:var)?char\(\d+\))")


def kept_as(kind: str) -> str:
    """Return the type in which Iceberg stores values of a type.

    >>> kept_as("smallint"), kept_as("struct<a:tinyint,b:array<char(3)>>")
    ('int', 'struct<a:int,b:array<string>>')
    """
    return _NOT_KEPT.sub(lambda found: "int" if found[1] else "string", kind)


class Column(NamedTuple):
    """A column; `type` is written as in Spark's DDL (`bigint`, `decimal(10,2)`, `timestamp_ntz`)."""

    name: str
    type: str
    nullable: bool = True
    field_id: int = 0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One snapshot of an Iceberg table; `operation` is append, overwrite, delete or replace.

    `added` is the size in bytes of the files that it added; None if its summary does not record that.
    """

    id: int
    timestamp_ms: int
    operation: str
    schema_id: int
    added: int | None = None


@dataclass(frozen=True, slots=True)
class SourceState:
    """The state of a source at a refresh: the base table, its snapshot (None if it had none), and the columns used."""

    name: TableName
    uuid: str
    snapshot_id: int | None
    columns: tuple[Column, ...] | None = None


@dataclass(frozen=True, slots=True)
class ChildView:
    """A view inside a definition, at the version that a refresh used."""

    uuid: str
    version: int


@dataclass(frozen=True, slots=True)
class RefreshState:
    """What a refresh recorded in storage: the sources of the content, and the storage's columns at that time.

    `only` is the condition over the view's columns that all stored rows satisfy; empty if all of the view's rows are
    stored. If it was narrowed because the other stored rows are stale, `behind` says which changes these lack, and
    `stale_share` is the share (0 to 1) of the changed table's rows behind them.
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


@dataclass(frozen=True)
class Table:
    """A table in its current state: identity, columns, and the snapshots up to the current one, newest first.

    `records` and `size` (bytes) are the current snapshot's totals; None if its summary does not record them.
    `delete_files` counts the files that delete rows of other files. `current_since_ms` is the time at which the
    snapshot became current, also by a rollback.
    `least` has, by column, a lower bound of its dates or times in seconds since 1970, for proofs; `most` an upper
    bound, for estimates only; `ranges` the bounds of integer columns.
    `statistics` are those of the data files at this snapshot or an earlier one, for estimates and never for proofs.
    `refresh` describes the content of a storage table; None for base tables, and for storage whose content was not
    written by a refresh.
    `primary_key` and `foreign_keys` are declared by the owner and enforced by nobody; the rewriter is given only the
    keys that may be trusted.
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
    statistics: Statistics | None = None

    @property
    def without_keys(self) -> Table:
        """The table without its constraints, for users who do not trust them."""
        return replace(self, primary_key=(), foreign_keys=()) if self.primary_key or self.foreign_keys else self

    @property
    def snapshot_id(self) -> int | None:
        """The current snapshot's id; None for a table without any."""
        return self.snapshots[0].id if self.snapshots else None

    @property
    def only(self) -> str:
        """The condition for the view's rows that a storage table holds; empty if it holds all of them."""
        return self.refresh.only if self.refresh is not None else ""

    @property
    def behind(self) -> str:
        """The changes of the sources since the refresh, if only the rows of `only` are fresh; empty otherwise."""
        return self.refresh.behind if self.refresh is not None else ""

    def column(self, name: str) -> Column | None:
        """Return the column of that name, ignoring case as Spark does by default; None if there is none."""
        return self.by_name.get(name.lower())

    @cached_property
    def by_name(self) -> Mapping[str, Column]:
        """The columns by their lower-case names; of two that differ in case alone, the first."""
        return {column.name.lower(): column for column in reversed(self.columns)}

    def references(self, other: Table) -> Iterator[tuple[tuple[str, str], ...]]:
        """Yield each foreign key of this table to the primary key of another, as pairs of lower-case columns."""
        whole = {name.lower() for name in other.primary_key}
        for key in self.foreign_keys:
            if key.table == other.name and {name.lower() for name in key.referenced} == whole:
                yield tuple(
                    (mine.lower(), theirs.lower()) for mine, theirs in zip(key.columns, key.referenced, strict=True)
                )

    def since(self, snapshot_id: int | None) -> Iterator[Snapshot]:
        """Yield the snapshots after the given one, newest first; all of them if the given one is no ancestor."""
        for snapshot in self.snapshots:
            if snapshot.id == snapshot_id:
                return
            yield snapshot


@dataclass(frozen=True, slots=True)
class ViewState:
    """The current identity and version of a view, to detect a changed definition."""

    name: TableName
    uuid: str
    version: int


Relation = Table | ViewState


def table_columns(relations: Mapping[TableName, Relation | None]) -> dict[TableName, tuple[Column, ...]]:
    """Return the columns of the tables among some relations."""
    return {name: relation.columns for name, relation in relations.items() if isinstance(relation, Table)}
