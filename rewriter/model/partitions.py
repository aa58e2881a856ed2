"""The partitioning, sort order and data files of a table."""

from __future__ import annotations

from dataclasses import dataclass

Value = int | str | bool | None


@dataclass(frozen=True, slots=True)
class PartitionField:
    """A field of a partition specification, with Iceberg's spelling of `transform`: `identity`, `day`, `bucket[16]`."""

    column: str
    transform: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class SortField:
    """One field of a table's sort order."""

    column: str
    transform: str = "identity"
    descending: bool = False
    nulls_first: bool = True


@dataclass(frozen=True, slots=True)
class DataFile:
    """A data file: path, partition, and time of addition.

    Dates are days and times microseconds since 1970, as Iceberg keeps them.
    """

    path: str
    partition: tuple[Value, ...]
    records: int
    added_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Files:
    """The live data files of a table, and the files added or removed since a refresh, with delete files.

    `fields` are those of the one partition specification under which all of these files lie; None where they lie under
    several.
    """

    fields: tuple[PartitionField, ...] | None
    live: tuple[DataFile, ...]
    came: tuple[DataFile, ...] = ()
    went: tuple[DataFile, ...] = ()

    @property
    def touched(self) -> frozenset[tuple[Value, ...]]:
        """The partitions with added or removed files."""
        return frozenset(file.partition for file in (*self.came, *self.went))
