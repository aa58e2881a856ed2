"""The ways to read one table occurrence; `sql()` returns the text that follows the table's name in FROM."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class At:
    """All rows of a table at a snapshot; if the table has none (None), the table unpinned.

    >>> At(7).sql()
    ' VERSION AS OF 7'
    """

    snapshot: int | None

    def sql(self) -> str:
        return "" if self.snapshot is None else f" VERSION AS OF {self.snapshot}"


@dataclass(frozen=True, slots=True)
class Added:
    """The rows appended after snapshot `start` up to `end`; Spark silently skips snapshots that are not appends."""

    start: int
    end: int

    def sql(self) -> str:
        return f" WITH ('start-snapshot-id' = '{self.start}', 'end-snapshot-id' = '{self.end}')"


@dataclass(frozen=True, slots=True)
class Changed:
    """The rows inserted and deleted between two snapshots, with `_change_type`; not for a table with delete files."""

    start: int
    end: int

    def sql(self) -> str:
        return f".changes{Added(self.start, self.end).sql()}"


Read = At | Added | Changed
