"""The journal's record of one refresh: its view, cause, kinds of steps (such as append-merge) and result."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from proxy.journal.record import clock_offset, moment, now_ms
from proxy.journal.texts import SHOWN, shortened
from proxy.session import OperationState
from rewriter.model import TableName
from rewriter.model.refresh_kind import Kind


class Cause(StrEnum):
    """The event that caused a refresh."""

    STATEMENT = "statement"  # a REFRESH or CREATE MATERIALIZED VIEW statement
    COMMIT = "commit"  # a write through Viewgate to one of the view's tables
    MISSED = "missed"  # a commit while Viewgate was down or the catalog unavailable
    SCHEDULE = "schedule"  # the property viewgate.refresh.every
    MAINTENANCE = "maintenance"  # compaction or expiry of the storage's snapshots
    COMMAND = "command"  # the command `viewgate refresh`


@dataclass(slots=True)
class Refresh:
    """The record of one refresh of a view, which is queued (PENDING), running or ended.

    `started_ms` is the time when the refresh was queued or started, in milliseconds since 1970. `ways` are the kinds of
    its steps, in order (such as append-merge or full), and `rows` the number of rows that the steps wrote.
    """

    view: TableName
    cause: Cause
    started_ms: int = field(default_factory=lambda: time.time_ns() // 1_000_000)
    state: OperationState = OperationState.RUNNING
    ended_ms: int | None = None
    ways: list[str] = field(default_factory=list)
    rows: int = 0
    error: str = ""
    _offset: float = field(default_factory=clock_offset, repr=False)

    @property
    def way(self) -> str:
        """The distinct kinds of the refresh's steps (`ways`), in order, as one text."""
        return ", ".join(dict.fromkeys(self.ways))

    @property
    def found_fresh(self) -> bool:
        """Whether the refresh had nothing to do, because the view was fresh."""
        return self.way == Kind.FRESH

    @property
    def milliseconds(self) -> int:
        """The duration of the refresh in milliseconds: until its end, or until now if it is running."""
        return max((now_ms(self._offset) if self.ended_ms is None else self.ended_ms) - self.started_ms, 0)

    def ended(self, state: OperationState, error: str = "") -> None:
        """Record the end of the refresh now, with its state and the error message (empty after a success)."""
        self.state, self.error, self.ended_ms = state, error, now_ms(self._offset)

    def values(self) -> dict[str, Any]:
        """Return the refresh as a row of the system table of refreshes: values by column name, with times in UTC."""
        return {
            "view": str(self.view),
            "way": self.way,
            "cause": str(self.cause),
            "state": self.state.name,
            "started": moment(self.started_ms),
            "ended": None if self.ended_ms is None else moment(self.ended_ms),
            "milliseconds": self.milliseconds,
            "rows": self.rows,
            "error": self.error,
        }

    def __str__(self) -> str:
        """Return the record as a log line.

        >>> view = TableName(("lake", "demo", "agg"))
        >>> print(Refresh(view, Cause.COMMIT, 0, OperationState.FINISHED, 812, ["append-merge"], 12))
        refresh view=lake.demo.agg way=append-merge cause=commit state=FINISHED ms=812 rows=12
        """
        parts = {
            "view": self.view,
            "way": self.way.replace(", ", ",").replace(" ", "-"),
            "cause": self.cause,
            "state": self.state.name,
            "ms": self.milliseconds,
            "rows": self.rows,
            "error": shortened(" ".join(self.error.split()), SHOWN),
        }
        return " ".join(("refresh", *(f"{name}={value}" for name, value in parts.items() if value not in (None, ""))))
