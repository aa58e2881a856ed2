"""The changes of a source table between the snapshot that a refresh read and the table's current snapshot."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from rewriter.model.names import TableName
from rewriter.model.partitions import Files
from rewriter.model.tables import Column


class ChangeKind(StrEnum):
    """The combined effect of several snapshots on the rows of a table.

    - UNCHANGED: the rows are the same
    - APPENDED: rows were only added
    - CHANGED: rows were, or may have been, removed or replaced
    - UNKNOWN: the effect cannot be determined, for example because a snapshot has expired
    """

    UNCHANGED = "unchanged"
    APPENDED = "appended"
    CHANGED = "changed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Change:
    """The difference between a source table at a refresh and the same table now.

    - `start`, `end`: the ids of the snapshot that the refresh read and of the current snapshot; None if the table had
      no snapshot at that time
    - `columns`: the table's current columns
    - `recorded`: the columns in the refresh's record
    - `start_columns`, `end_columns`: the columns in the schemas of the snapshots `start` and `end`
    - `reason`: explains the kind UNKNOWN; empty for other kinds
    - `added`, `removed`: the row counts of the data files added and removed
    - `records`: the current row count
    - `row_deletes`: true if the table has delete files, because of which Spark cannot list the changed rows
    - `files`: the current data files, and the files added or removed; None unless requested
    - `touched`: only the files added or removed, which are found in time proportional to the change; None unless
      requested
    """

    name: TableName
    kind: ChangeKind
    start: int | None
    end: int | None
    columns: tuple[Column, ...]
    recorded: tuple[Column, ...] = ()
    start_columns: tuple[Column, ...] = ()
    end_columns: tuple[Column, ...] = ()
    reason: str = ""
    added: int = 0
    removed: int = 0
    records: int = 0
    row_deletes: bool = False
    files: Files | None = None
    touched: Files | None = None
