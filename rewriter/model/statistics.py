"""The statistics of a table's data files from Iceberg's manifests, for estimates and never for proofs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

# A value that can be ordered: days of a date, microseconds of a time, integers, exact fractions, strings.
Point = int | float | str | Fraction

# Up to this number of rows every scan takes about as long, so that statistics do not matter.
FEW_ROWS = 100_000


@dataclass(frozen=True, slots=True)
class ColumnFiles:
    """One column in several files: for each file its bytes, NULL count and bounds; None where the file does not record
    one.

    A file without bounds may have any value; a file with only NULLs has no bounds.
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
    """The data files of a table at a snapshot; compared by identity, because they are read once per snapshot."""

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
