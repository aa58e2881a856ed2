"""The changes of a source between the snapshot of a refresh and the current one."""

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
    """The changes of one source since a refresh, and its columns now, as recorded, and at both snapshots.

    `start` is None where the refresh found no snapshot, `end` where there is none now. `added` and `removed` count
    the rows of the files that came and went, `records` those there are now. `row_deletes` tells that delete files lie
    on the table, so that no list of its changed rows can be had. `reason` says why a kind is UNKNOWN. `files` are known
    where they were asked for; `touched` are only those that came or went, which cost no more than the change to find.
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
