"""The statistics of a table's data files in Iceberg's manifests: used for estimates, never for proofs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

# A value that can be ordered; a date is in days since 1970, a timestamp in microseconds since 1970.
Point = int | float | str | Fraction

# Scans of up to this number of rows take about the same time, so that statistics do not matter.
FEW_ROWS = 100_000


@dataclass(frozen=True, slots=True)
class ColumnFiles:
    """The statistics of one column, one item for each file: bytes, NULL count, lower bound and upper bound.

    An item is None if the file does not record the figure. The bounds are also None if the file has only NULLs.
    """

    sizes: Sequence[int | None]
    nulls: Sequence[int | None]
    lower: Sequence[Point | None]
    upper: Sequence[Point | None]


@dataclass(frozen=True, eq=False, slots=True)
class FileGroup:
    """The data files listed in one manifest: rows and bytes of each file, and column statistics by field id."""

    records: Sequence[int]
    sizes: Sequence[int]
    columns: Mapping[int, ColumnFiles]


@dataclass(frozen=True, eq=False, slots=True)
class Statistics:
    """The statistics of all data files of a table at a snapshot.

    Two objects are equal only if they are the same object, because the statistics of a snapshot are read only once.
    """

    snapshot_id: int
    groups: tuple[FileGroup, ...]

    @property
    def files(self) -> int:
        """The number of data files."""
        return sum(len(group.records) for group in self.groups)

    @property
    def records(self) -> int:
        """The number of rows in all data files."""
        return sum(chain.from_iterable(group.records for group in self.groups))
