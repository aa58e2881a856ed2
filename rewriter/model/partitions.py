"""The partition fields, sort order and data files of a table."""

from __future__ import annotations

from dataclasses import dataclass

Value = int | str | bool | None


@dataclass(frozen=True, slots=True)
class PartitionField:
    """A field of a partition specification; `transform` is written as in Iceberg: `identity`, `day`, `bucket[16]`."""

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
    """A data file: its path, partition values, row count, and the time at which it was added (milliseconds since 1970).

    Partition values of dates are in days, of times in microseconds since 1970, as in Iceberg.
    """

    path: str
    partition: tuple[Value, ...]
    records: int
    added_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Files:
    """The live data files of a table, and the files added or removed since a refresh, with delete files.

    `fields` are the partition fields that all these files have; None if the files have different partition
    specifications.
    """

    fields: tuple[PartitionField, ...] | None
    live: tuple[DataFile, ...]
    came: tuple[DataFile, ...] = ()
    went: tuple[DataFile, ...] = ()

    @property
    def touched(self) -> frozenset[tuple[Value, ...]]:
        """The partitions with added or removed files."""
        return frozenset(file.partition for file in (*self.came, *self.went))
