"""The changes of a source between the snapshot that a refresh read and the current one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from rewriter.model.names import TableName
from rewriter.model.partitions import Files
from rewriter.model.tables import Column


class ChangeKind(StrEnum):
    """The combined effect of several snapshots on the rows of a table."""

    UNCHANGED = "unchanged"
    APPENDED = "appended"
    CHANGED = "changed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Change:
    """The changes of one source since a refresh, and its columns: current, as recorded, and at both snapshots.

    `start` is None if the refresh found no snapshot, `end` if there is none now. `added` and `removed` are the row
    counts of the files added and removed, `records` is the current row count. With `row_deletes`, the table has delete
    files, so that its changed rows cannot be listed. `reason` says why a kind is UNKNOWN. `files` are set only if
    requested; `touched` are only the files added or removed, which cost no more than the change to find.
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
