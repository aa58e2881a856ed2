"""The statistics of a table's data files, as Iceberg's manifests have them, for estimates and never for proofs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

# A point on the line of a type: days of a date, microseconds of a time, whole numbers, exact fractions, texts.
Point = int | float | str | Fraction

# Below it every scan takes about as long, so that the statistics of a table with fewer rows tell nothing.
FEW_ROWS = 100_000


@dataclass(frozen=True, slots=True)
class ColumnFiles:
    """One column in some files: its bytes, its number of NULLs, and its bounds in each; None where a file tells none.

    A file with neither bound may hold any value; one with NULLs alone has no bounds.
    """

    sizes: Sequence[int | None]
    nulls: Sequence[int | None]
    lower: Sequence[Point | None]
    upper: Sequence[Point | None]


@dataclass(frozen=True, eq=False, slots=True)
class FileGroup:
    """The data files of one manifest: rows and bytes of each, and their columns by field id."""

    records: Sequence[int]
    sizes: Sequence[int]
    columns: Mapping[int, ColumnFiles]


@dataclass(frozen=True, eq=False, slots=True)
class Statistics:
    """The data files of a table at a snapshot; compared by identity, for they are read once for each snapshot."""

    snapshot_id: int
    groups: tuple[FileGroup, ...]

    @property
    def files(self) -> int:
        """The number of data files."""
        return sum(len(group.records) for group in self.groups)

    @property
    def records(self) -> int:
        """The number of rows in all files."""
        return sum(chain.from_iterable(group.records for group in self.groups))
