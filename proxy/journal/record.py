"""One statement in the journal: who sent it, what was decided about it, how it went, and how long each phase took."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from time import monotonic
from typing import TYPE_CHECKING, Any

from proxy.hs2 import SqlError
from proxy.journal.digest import digest
from proxy.journal.redaction import without_credentials
from proxy.journal.trace import Trace
from proxy.session import NO_CHOICE, Choice, Forward, Local, OperationState, Plan
from proxy.statements import Kind, classify

if TYPE_CHECKING:
    from proxy.session import Operation

# The characters of a statement that are kept, and those in its line of the log. A statement may have megabytes: a
# thousand of them would fill the memory.
KEPT, SHOWN = 10_000, 200


class Phase(StrEnum):
    """The phases of a statement, in order."""

    PLANNED = "planned"  # the decision: what Spark and the catalog are asked for it included
    QUEUED = "queued"  # behind other statements, and until Spark has taken it
    EXECUTED = "executed"  # in Spark, or here
    FETCHED = "fetched"  # from its end until the client has read the last rows that it read


class Outcome(StrEnum):
    """The outcomes of a statement."""

    VIEW = "view"  # a materialized view, all of it or a part
    MISS = "miss"  # the tables: views read them, and none could answer
    NONE = "none"  # no view reads the statement's tables
    FALLBACK = "fallback"  # the tables, because Spark could not run the rewritten statement
    VIEWGATE = "viewgate"  # Viewgate itself
    REFUSED = "refused"  # nothing: it was never begun


def kept(sql: str) -> str:
    """Return the part of a statement that is kept: its beginning, without credentials."""
    return without_credentials(shortened(sql, KEPT))


def kept_without_literals(sql: str) -> str:
    """Return the same with `?` in the place of each literal."""
    return digest(kept(sql))


@dataclass(slots=True)
class Record:
    """One statement.

    `answer` is the first line that its client's operation log has of Viewgate: the views that answer, or why none does.
    `rewritten` is the SQL for Spark where that is not the client's. `operation` is there while it runs. `rows` and
    `bytes` are those that its client has fetched so far. `keep` makes of a text what is kept of it. `upstream` is the
    server that has taken it, `trace` the client's trace, or a new one where statements are traced.
    """

    session: str
    user: str
    sql: str
    id: str = ""
    started_ms: int = field(default_factory=lambda: time.time_ns() // 1_000_000)
    state: OperationState = OperationState.RUNNING
    ended_ms: int | None = None
    answer: str = ""
    error: SqlError | None = None
    operation: Operation | None = None
    kind: Kind = Kind.OTHER
    choice: Choice = NO_CHOICE
    rewritten: str | None = None
    fell_back: bool = False
    rows: int = 0
    bytes: int = 0
    seconds: dict[Phase, float] = field(default_factory=dict)
    keep: Callable[[str], str] = kept
    upstream: str = ""
    trace: Trace | None = None
    _local: bool = False
    _refused: bool = False
    _since: float = field(default_factory=monotonic)  # the end of the phase before

    def __post_init__(self) -> None:
        self.kind = classify(self.sql).kind
        self.sql = self.keep(self.sql)

    @property
    def milliseconds(self) -> int:
        """The duration so far, or until the end."""
        return (time.time_ns() // 1_000_000 if self.ended_ms is None else self.ended_ms) - self.started_ms

    @property
    def work_ms(self) -> float:
        """The time of decision and execution, without queueing and waiting for the client."""
        return 1000 * (self.seconds.get(Phase.PLANNED, 0.0) + self.seconds.get(Phase.EXECUTED, 0.0))

    @property
    def outcome(self) -> Outcome:
        """The outcome of the statement."""
        if self._refused:
            return Outcome.REFUSED
        if self._local:
            return Outcome.VIEWGATE
        if self.choice.chosen:
            return Outcome.FALLBACK if self.fell_back else Outcome.VIEW
        return Outcome.MISS if self.choice.reason else Outcome.NONE

    def planned(self, plan: Plan, seconds: float) -> None:
        """Take note of the plan, and how long it took; a statement that has to wait is planned again."""
        self.seconds[Phase.PLANNED] = self.seconds.get(Phase.PLANNED, 0.0) + seconds
        self._local = isinstance(plan, Local)
        if isinstance(plan, Forward):
            self.choice = plan.choice
            self.rewritten = self.keep(plan.sql) if plan.fallback and plan.sql else None

    def begun(self, upstream: str = "") -> None:
        """Take note that an upstream server has taken it, or Viewgate itself."""
        self.upstream = upstream
        now = monotonic()
        self.seconds[Phase.QUEUED] = max(now - self._since - self.seconds.get(Phase.PLANNED, 0.0), 0.0)
        self._since = now

    def executed(self) -> None:
        """Take note of its end."""
        now = monotonic()
        if Phase.QUEUED in self.seconds:
            self.seconds[Phase.EXECUTED] = now - self._since
        self._since = now

    def fetched(self, rows: int, size: int) -> None:
        """Take note of rows that its client has got."""
        self.rows += rows
        self.bytes += size
        self.seconds[Phase.FETCHED] = monotonic() - self._since

    def refused(self, error: SqlError | None, state: OperationState) -> None:
        """Take note that it was never begun."""
        self._refused, self.state, self.error = True, state, error
        self.ended_ms = time.time_ns() // 1_000_000

    def values(self) -> dict[str, Any]:
        """Return the record as values, by the names that users know: times in UTC, views as names."""
        phases = {f"{phase}_ms": self._phase_ms(phase) for phase in Phase}
        return {
            "id": self.id,
            "session": self.session,
            "user": self.user,
            "kind": str(self.kind),
            "state": self.state.name,
            "outcome": str(self.outcome),
            "reason": self.choice.reason,
            "started": moment(self.started_ms),
            "ended": None if self.ended_ms is None else moment(self.ended_ms),
            "milliseconds": self.milliseconds,
            **phases,
            "rows": self.rows,
            "bytes": self.bytes,
            "considered": tuple(map(str, self.choice.considered)),
            "matched": tuple(map(str, self.choice.matched)),
            "chosen": tuple(map(str, self.choice.chosen)),
            "tables": tuple(map(str, self.choice.tables)),
            "storages": tuple(map(str, self.choice.storages)),
            "answer": self.answer,
            "sqlstate": self.error and self.error.sql_state,
            "error": self.error and self.error.message,
            "statement": self.sql,
            "rewritten": self.rewritten,
            "upstream": self.upstream,
            "trace_id": self.trace and self.trace.id,
        }

    def _phase_ms(self, phase: Phase) -> float | None:
        seconds = self.seconds.get(phase)
        return None if seconds is None else round(seconds * 1000, 3)

    def line(self) -> str:
        """Return the record as a line of the log.

        >>> Record("s", "ann", "SELECT  1", "1f2e", 0, OperationState.FINISHED, 42, rows=1, bytes=60).line()
        'statement id=1f2e user=ann kind=query outcome=none state=FINISHED ms=42 rows=1 bytes=60 sql=SELECT 1'
        """
        times = "".join([f" {phase}_ms={seconds * 1000:.1f}" for phase, seconds in self.seconds.items()])
        reason = f" reason={self.choice.reason}" if self.choice.reason else ""
        error = f" error={self.error.sql_state}" if self.error is not None else ""
        trace = f" trace_id={self.trace.id}" if self.trace is not None else ""
        answer = f" answer={self.answer}" if self.answer else ""
        return (
            f"statement id={self.id} user={self.user} kind={self.kind} outcome={self.outcome}{reason} "
            f"state={self.state.name} ms={self.milliseconds}{times} rows={self.rows} bytes={self.bytes}{error}{trace}"
            f"{answer} sql={shortened(' '.join(self.sql.split()), SHOWN)}"
        )


def moment(ms: int) -> datetime:
    """Return the time that is `ms` milliseconds after the start of 1970."""
    return datetime.fromtimestamp(ms / 1000, UTC)


def shortened(text: str, most: int) -> str:
    """Return the beginning of a text, with a mark where there was more."""
    return text if len(text) <= most else f"{text[:most]}…"
