"""The journal: each statement of all sessions once, while it runs and for some time after.

A record is made when a statement begins and closed when it ends, in memory alone and without waiting for anything.
What has ended leaves one line in the log.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from proxy.hs2 import SqlError
from proxy.session.handles import Handle
from proxy.session.states import OperationState

if TYPE_CHECKING:
    from proxy.session.operations import Operation
    from proxy.session.sessions import ClientSession

_log = logging.getLogger(__name__)

# Ended statements that are kept, the characters of each, and those in its line of the log. A statement may have
# megabytes: a thousand of them would fill the memory.
MOST, KEPT, SHOWN = 1000, 10_000, 200
_SAID = "Viewgate: "


@dataclass(slots=True)
class Record:
    """One statement: who sent it and when, how it stands or has ended, and what was decided about it.

    `answer` is the first line that its client's operation log has of Viewgate: the views that answer, or why none does.
    `operation` is there while it runs.
    """

    id: str
    session: str
    user: str
    sql: str
    started_ms: int
    state: OperationState = OperationState.RUNNING
    ended_ms: int | None = None
    answer: str = ""
    error: SqlError | None = None
    operation: Operation | None = None

    @property
    def milliseconds(self) -> int:
        """How long it took, or has been running."""
        return (time.time_ns() // 1_000_000 if self.ended_ms is None else self.ended_ms) - self.started_ms

    def line(self) -> str:
        """The record as the log has it.

        >>> Record("1f2e", "s", "ann", "SELECT  1", 0, OperationState.FINISHED, 42).line()
        'statement id=1f2e user=ann state=FINISHED ms=42 sql=SELECT 1'
        """
        parts = {
            "id": self.id,
            "user": self.user,
            "state": self.state.name,
            "ms": self.milliseconds,
            "error": self.error and self.error.sql_state,
            "answer": self.answer,
            "sql": _shortened(" ".join(self.sql.split()), SHOWN),
        }
        return " ".join(("statement", *(f"{name}={value}" for name, value in parts.items() if value not in (None, ""))))


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


class Journal:
    """The records of the statements that run, and of the last that have ended."""

    def __init__(self, most: int = MOST) -> None:
        self._running: dict[bytes, Record] = {}
        self._ended: deque[Record] = deque(maxlen=most)

    def __iter__(self) -> Iterator[Record]:
        """Yield the records: running statements first, then ended ones, each group latest first."""
        yield from reversed([*self._running.values()])
        yield from reversed([*self._ended])

    def begin(self, operation: Operation, sql: str) -> None:
        """Take note of a statement that an operation runs."""
        session = operation.session
        record = Record(
            operation.handle.id,
            session.id,
            session.user,
            _shortened(sql, KEPT),
            operation.started_ms,
            operation=operation,
        )
        self._running[operation.handle.guid] = record
        if operation.done:
            self.end(operation)

    def end(self, operation: Operation) -> None:
        """Close the record of an ended operation; do nothing if it has none, or if the record is closed already."""
        record = self._running.pop(operation.handle.guid, None)
        if record is None:
            return
        record.operation = None
        record.state = operation.state if operation.done else OperationState.CLOSED
        record.ended_ms, record.error = operation.completed_ms, operation.error
        record.answer = next((s.removeprefix(_SAID) for s in operation.log.lines if s.startswith(_SAID)), "")
        self._keep(record)

    def refused(self, session: ClientSession, sql: str, error: SqlError | None) -> None:
        """Take note of a statement that was never begun."""
        now = time.time_ns() // 1_000_000
        self._keep(
            Record(
                Handle.new().id,
                session.id,
                session.user,
                _shortened(sql, KEPT),
                now,
                OperationState.ERROR,
                now,
                error=error,
            )
        )

    def _keep(self, record: Record) -> None:
        if record.ended_ms is None:
            record.ended_ms = time.time_ns() // 1_000_000
        self._ended.append(record)
        _log.info("%s", record.line())
