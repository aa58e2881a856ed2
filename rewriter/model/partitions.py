"""The partition fields, sort order and data files of a table."""

from __future__ import annotations

from dataclasses import dataclass

Value = int | str | bool | None


@dataclass(frozen=True, slots=True)
class PartitionField:
    """A field of a partition specification: the source column, the transform, and the field's name.

    `transform` is written as in Iceberg: `identity`, `day`, `bucket[16]`.
    """

    column: str
    transform: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class SortField:
    """A field of a table's sort order: the column with its transform, the direction, and where NULLs are sorted."""

    column: str
    transform: str = "identity"
    descending: bool = False
    nulls_first: bool = True


@dataclass(frozen=True, slots=True)
class DataFile:
    """A data file: its path, partition values, row count, and the time at which it was added.

    `added_ms` is in milliseconds since 1970, None if unknown. As in Iceberg, a partition value of a date is in days
    since 1970, of a timestamp in microseconds since 1970.
    """

    path: str
    partition: tuple[Value, ...]
    records: int
    added_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Files:
    """The current data files of a table (`live`), and the files added (`came`) and removed (`went`) since a refresh.

    `came` and `went` include delete files. `fields` are the partition fields of all these files; None if the files have
    different partition specifications.
    """

    fields: tuple[PartitionField, ...] | None
    live: tuple[DataFile, ...]
    came: tuple[DataFile, ...] = ()
    went: tuple[DataFile, ...] = ()

    @property
    def touched(self) -> frozenset[tuple[Value, ...]]:
        """The values of the partitions in which files were added or removed."""
        return frozenset(file.partition for file in (*self.came, *self.went))
