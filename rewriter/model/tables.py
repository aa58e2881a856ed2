"""Tables, views and storage tables in the catalog at one moment: immutable, compared by content."""

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

# What Iceberg keeps values of those types as that it does not have.
KEPT_AS = {"tinyint": "int", "smallint": "int"}
_NOT_KEPT = re.compile(r"\b(?:(tinyint|smallint)\b|(?:var)?char\(\d+\))")


def kept_as(kind: str) -> str:
    """Return the type in which Iceberg stores values of a type.

    >>> kept_as("smallint"), kept_as("struct<a:tinyint,b:array<char(3)>>")
    ('int', 'struct<a:int,b:array<string>>')
    """
    return _NOT_KEPT.sub(lambda found: "int" if found[1] else "string", kind)


class Column(NamedTuple):
    """A column with the type in Spark's DDL spelling (`bigint`, `decimal(10,2)`, `timestamp_ntz`)."""

    name: str
    type: str
    nullable: bool = True
    field_id: int = 0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One snapshot of an Iceberg table; `operation` is append, overwrite, delete or replace.

    `added` are the bytes of the files that it added, None where its summary does not count them.
    """

    id: int
    timestamp_ms: int
    operation: str
    schema_id: int
    added: int | None = None


@dataclass(frozen=True, slots=True)
class SourceState:
    """A source at a refresh: a base table, its snapshot (None if it had none), and the columns used."""

    name: TableName
    uuid: str
    snapshot_id: int | None
    columns: tuple[Column, ...] | None = None


@dataclass(frozen=True, slots=True)
class ChildView:
    """A view inside a definition, at the version that a refresh read."""

    uuid: str
    version: int


@dataclass(frozen=True, slots=True)
class RefreshState:
    """The sources of a storage table's content, and its columns when it was written.

    `only` is a condition over the view's columns where the content is but the rows for which that is true; `behind`
    says which changes the other rows lack, where they are stored, too, and stale; in `stale_share` of the rows of the
    changed table they have their like.
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

    `records` and `size` (bytes) are the current snapshot's totals, None where its summary has none;
    `delete_files` counts the files that take rows away from others.
    `current_since_ms` is when the snapshot became the current one, which a rollback makes it again.
    `least` names columns of dates and times with the seconds since 1970 that none of their values is before, `most`
    with those that none is a second after, which estimates of costs use, and `ranges` columns of integers with the
    least and the greatest value that they may have.
    `statistics` are those of its data files at this snapshot or at an earlier one: for estimates, never for proofs.
    `refresh` describes the current content of a storage table; None for base tables and for
    storage whose content nobody vouches for. `primary_key` and `foreign_keys` are what its owner declares:
    nobody enforces them, and a table that the rewriter is given has only those that may be relied on.
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
        """Return the column of that name, ignoring case as Spark does by default."""
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
