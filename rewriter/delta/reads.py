"""The ways to read a table in FROM: all rows at a snapshot, or rows appended or changed between two snapshots.

The method `sql` of each class returns the text that follows the table's name in FROM.
"""

from __future__ import annotations

from dataclasses import dataclass

# How many times longer Spark takes for a changed row (`Changed`) than for a row of the table, because it does not read
# changed rows in batches: 12.4 million changed rows took 6.5 s in a plan with three shuffles, all 25 million rows of
# the table 3.3 s.
CHANGED_COST = 4


@dataclass(frozen=True, slots=True)
class At:
    """A read of all rows of a table at a snapshot.

    `snapshot` is None for a table that has no snapshot; the table is then read without VERSION AS OF.

    >>> At(7).sql()
    ' VERSION AS OF 7'
    """

    snapshot: int | None

    def sql(self) -> str:
        return "" if self.snapshot is None else f" VERSION AS OF {self.snapshot}"


@dataclass(frozen=True, slots=True)
class Added:
    """A read of the rows appended after the snapshot `start`, up to the snapshot `end`.

    The SQL is `sales WITH ('start-snapshot-id' = '5', 'end-snapshot-id' = '9')`. Every snapshot in between must be an
    append, because Spark silently skips the rows of other snapshots.
    """

    start: int
    end: int

    def sql(self) -> str:
        return f" WITH ('start-snapshot-id' = '{self.start}', 'end-snapshot-id' = '{self.end}')"


@dataclass(frozen=True, slots=True)
class Changed:
    """A read of the rows inserted and deleted after the snapshot `start`, up to the snapshot `end`.

    The SQL is `sales.changes WITH ('start-snapshot-id' = '5', 'end-snapshot-id' = '9')`; the column `_change_type` is
    INSERT or DELETE. Spark cannot compute these changes for a table with delete files.
    """

    start: int
    end: int

    def sql(self) -> str:
        return f".changes{Added(self.start, self.end).sql()}"


Read = At | Added | Changed
