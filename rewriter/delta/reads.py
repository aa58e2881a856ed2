"""A read of a table's occurrence; `sql` is the text behind the table's name in FROM."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class At:
    """All rows of a snapshot; of a table without any (None), whatever it holds.

    >>> At(7).sql()
    ' VERSION AS OF 7'
    """

    snapshot: int | None

    def sql(self) -> str:
        return "" if self.snapshot is None else f" VERSION AS OF {self.snapshot}"


@dataclass(frozen=True, slots=True)
class Added:
    """The rows that appends after `start` up to `end` brought; Spark leaves out silently what other snapshots did."""

    start: int
    end: int

    def sql(self) -> str:
        return f" WITH ('start-snapshot-id' = '{self.start}', 'end-snapshot-id' = '{self.end}')"


@dataclass(frozen=True, slots=True)
class Changed:
    """The rows that came and went between two snapshots, with `_change_type`; not where delete files lie."""

    start: int
    end: int

    def sql(self) -> str:
        return f".changes{Added(self.start, self.end).sql()}"


Read = At | Added | Changed
