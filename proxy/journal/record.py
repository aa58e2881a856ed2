"""The journal's record of one statement: user, decision, result, and the time of each phase.

A statement may carry a trace context in the form of W3C's `traceparent`
(https://www.w3.org/TR/trace-context/#traceparent-header). The client sends the trace context as a header of the call,
or in a comment of the statement, as sqlcommenter writes it.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from time import monotonic
from typing import TYPE_CHECKING, Any

from proxy.hs2 import SqlError
from proxy.hs2.status import messages
from proxy.journal.texts import KEPT, SHOWN, kept, kept_message, one_word, shortened, string_literals
from proxy.session import NO_CHOICE, Choice, Forward, Local, OperationState, Plan
from proxy.statements import Kind, classify

if TYPE_CHECKING:
    from proxy.session import Operation


TRACEPARENT = "traceparent"
# Version 00 has four fields; later versions may have more after these.
_FORM = re.compile(r"(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
_PAIR = re.compile(rf"\b{TRACEPARENT}\s*=\s*'([^']*)'")
_SAMPLED = 1  # a flag in the last field


@dataclass(frozen=True, slots=True)
class Trace:
    """An OpenTelemetry trace: its id, the client's span in it (empty if there is none), and whether it is sampled."""

    id: str
    parent: str = ""
    sampled: bool = True

    @classmethod
    def new(cls) -> Trace:
        """Return a new sampled trace that starts in Viewgate, with a random id."""
        return cls(f"{random.getrandbits(128) or 1:032x}")  # not a secret


def read_trace(traceparent: str) -> Trace | None:
    """Return the trace in a `traceparent` value; None if the value is empty or not valid.

    >>> read_trace("00-5bd66ef5095369c7b0d1f8f4bd33716a-c532cb4098ac3dd2-01")
    Trace(id='5bd66ef5095369c7b0d1f8f4bd33716a', parent='c532cb4098ac3dd2', sampled=True)
    >>> read_trace("00-00000000000000000000000000000000-c532cb4098ac3dd2-01"), read_trace("")
    (None, None)
    """
    found = _FORM.fullmatch(traceparent.strip()) if traceparent else None
    if found is None or (found[1] == "00" and found[5]):
        return None
    return Trace(found[2], found[3], bool(int(found[4], 16) & _SAMPLED))


def trace_in_comment(sql: str) -> Trace | None:
    """Return the trace in the comments of a statement (the last one if there are several); None if there is no trace.

    >>> trace_in_comment("SELECT 1 /*route='x',traceparent='00-5bd66ef5095369c7b0d1f8f4bd33716a-c532cb4098ac3dd2-00'*/")
    Trace(id='5bd66ef5095369c7b0d1f8f4bd33716a', parent='c532cb4098ac3dd2', sampled=False)
    >>> trace_in_comment("SELECT traceparent FROM requests")
    """
    if TRACEPARENT not in sql:
        return None
    values = [value for comment in _comments(sql) for value in _PAIR.findall(comment)]
    return next((trace for trace in map(read_trace, reversed(values)) if trace is not None), None)


def _comments(sql: str) -> Iterator[str]:
    """Yield the texts between `/*` and `*/` in a statement, even within string literals."""
    end = 0
    while (start := sql.find("/*", end)) >= 0 and (end := sql.find("*/", start + 2)) >= 0:
        yield sql[start + 2 : end]
        end += 2


class Phase(StrEnum):
    """The phases of a statement, in order: it is planned, queued and executed, and its rows are fetched."""

    PLANNED = "planned"  # the decision, including calls to Spark and to the catalog
    QUEUED = "queued"  # behind other statements, and until Spark accepts it
    EXECUTED = "executed"  # in Spark, or in Viewgate
    FETCHED = "fetched"  # from its end until the client has fetched its last rows


class Outcome(StrEnum):
    """The ways in which a statement is answered: from a view, from the tables, by Viewgate itself, or not at all.

    The tables answer for one of three reasons: no view over the tables can answer (`miss`), there is no view over the
    tables (`none`), or the rewritten statement has failed (`fallback`). A statement that never began is not answered
    (`refused`).
    """

    VIEW = "view"  # a materialized view answers all or a part of it
    MISS = "miss"  # the tables answer: views read them, but none could answer
    NONE = "none"  # no view reads the statement's tables
    FALLBACK = "fallback"  # the tables answer, because Spark could not run the rewritten statement
    VIEWGATE = "viewgate"  # Viewgate itself answers
    REFUSED = "refused"  # the statement never began


def clock_offset() -> float:
    """Return the seconds by which the time of day, in seconds since 1970, is ahead of the monotonic clock now.

    A record that keeps this offset measures its duration by the monotonic clock, so that setting the time of day does
    not make a duration negative or hours long.
    """
    return time.time() - monotonic()


def now_ms(offset: float) -> int:
    """Return the time in milliseconds since 1970, by the monotonic clock and its `offset` (see `clock_offset`)."""
    return int(1000 * (offset + monotonic()))


@dataclass(slots=True)
class Record:
    """The record of one statement.

    - `state`: PENDING while the statement is queued, until `begun` records its start
    - `answer`: the first line from Viewgate in the client's operation log: the views that answer, or the reason why no
      view answers
    - `rewritten`: the SQL for Spark if it differs from the client's; else None
    - `operation`: the statement's operation; None once the statement has ended
    - `rows`, `bytes`: the numbers of rows and bytes that the client has fetched so far
    - `literals`: false if the texts in the record must not have literals of the statement
    - `upstream`: the server that accepted the statement
    - `trace`: the client's trace, or a new trace; None if the statement is not traced
    - `client`: the address of the client that opened the session
    - `counted`: true once the sinks (the receivers of records) have counted the statement
    """

    session: str
    user: str
    sql: str
    id: str = ""
    started_ms: int = field(default_factory=lambda: time.time_ns() // 1_000_000)
    state: OperationState = OperationState.PENDING
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
    literals: bool = True
    upstream: str = ""
    trace: Trace | None = None
    client: str = ""
    counted: bool = False
    _local: bool = False
    _refused: bool = False
    _since: float = field(default_factory=monotonic)  # the end of the previous phase
    _offset: float = field(default_factory=clock_offset)
    # The statement with its literals, which its errors must not show; None for a long one, or if literals are kept.
    _original: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.kind = classify(self.sql).kind
        self._original = self.sql if not self.literals and len(self.sql) <= KEPT else None
        self.sql = kept(self.sql, literals=self.literals)

    @property
    def has_ended(self) -> bool:
        """Whether the statement has ended; false for a queued and for a running statement."""
        return self.ended_ms is not None

    @property
    def milliseconds(self) -> int:
        """The duration of the statement in milliseconds: until its end, or until now if it has not ended."""
        return max((now_ms(self._offset) if self.ended_ms is None else self.ended_ms) - self.started_ms, 0)

    @property
    def work_ms(self) -> float:
        """The time of decision and execution in milliseconds, without queueing and without waiting for the client."""
        return 1000 * (self.seconds.get(Phase.PLANNED, 0.0) + self.seconds.get(Phase.EXECUTED, 0.0))

    @property
    def outcome(self) -> Outcome:
        """The kind of answer that the statement got, or will get according to its plan."""
        if self._refused:
            return Outcome.REFUSED
        if self._local:
            return Outcome.VIEWGATE
        if self.choice.chosen:
            return Outcome.FALLBACK if self.fell_back else Outcome.VIEW
        return Outcome.MISS if self.choice.reason else Outcome.NONE

    def planned(self, plan: Plan, seconds: float) -> None:
        """Record the plan of the statement, and add the seconds that planning took.

        A queued statement may be planned several times; the record has the last plan, and the total planning time.
        """
        self.seconds[Phase.PLANNED] = self.seconds.get(Phase.PLANNED, 0.0) + seconds
        self._local = isinstance(plan, Local)
        if isinstance(plan, Forward):
            self.choice = plan.choice
            rewritten = plan.sql if plan.fallback else None
            self.rewritten = kept(rewritten, literals=self.literals) if rewritten else None

    def begun(self, upstream: str = "") -> None:
        """Record that the statement has started on an upstream server (empty: in Viewgate itself).

        Do nothing if the statement has ended meanwhile, because its client left or a user killed it.
        """
        if self.has_ended:
            return
        self.upstream, self.state = upstream, OperationState.RUNNING
        now = monotonic()
        self.seconds[Phase.QUEUED] = max(now - self._since - self.seconds.get(Phase.PLANNED, 0.0), 0.0)
        self._since = now

    def queued_again(self, operation: Operation) -> None:
        """Record that the original statement is queued, because the rows of the rewritten statement cannot be read.

        `operation` is the operation for which the original statement will run.
        """
        self.operation, self.state, self.ended_ms = operation, OperationState.PENDING, None

    def runs_again(self) -> None:
        """Record that the original statement, which was queued again, has a slot (the permission to run)."""
        self.state = OperationState.RUNNING

    def ended_again(self, state: OperationState) -> None:
        """Record the end of the original statement that ran after the rewritten one.

        Do nothing if no original statement was queued, or if its end was recorded before. `state` is the final state.
        """
        if self.operation is not None:
            self.operation, self.state, self.ended_ms = None, state, now_ms(self._offset)

    def executed(self) -> None:
        """Record that the execution of the statement has ended."""
        now, self.ended_ms = monotonic(), now_ms(self._offset)
        if Phase.QUEUED in self.seconds:
            self.seconds[Phase.EXECUTED] = now - self._since
        self._since = now

    def fetched(self, rows: int, size: int) -> None:
        """Record that the client has fetched `rows` more rows, in `size` bytes."""
        self.rows += rows
        self.bytes += size
        self.seconds[Phase.FETCHED] = monotonic() - self._since

    def refused(self, error: SqlError | None, state: OperationState) -> None:
        """Record that the statement never began.

        `error` is the reason, None if the client disconnected. `state` is the final state of the statement.
        """
        self._refused, self.state = True, state
        self.ended_ms = now_ms(self._offset)
        self.failed(error)

    def failed(self, error: SqlError | None) -> None:
        """Record the error of the statement; None for a statement without an error.

        Of a stack trace, only the first message and the message of the innermost cause are recorded. If literals are
        not recorded, `?` replaces each literal in the error's message.
        """
        if error is not None:
            told = self.kept_message(messages(error.message), error.sql_state)
            error = SqlError(told, error.sql_state, error.error_code)
        self.error = error

    def answered(self, line: str) -> None:
        """Record the line from Viewgate in the client's operation log; empty if there is no such line.

        If literals are not recorded, `?` replaces each literal in the line. A line that names the chosen views is
        recorded unchanged, because such a line contains no literals.
        """
        self.answer = line if self.choice.chosen else self.kept_message(line)

    def kept_message(self, message: str, sql_state: str | None = None) -> str:
        """Return the part of an error message that is recorded.

        If this record has no literals (`literals` is false), `?` replaces the literals in the message, and `sql_state`,
        the error's SQLSTATE, decides how much of the message is recorded: see `without_values`.
        """
        if self._original is None:
            return kept_message(message, literals=self.literals)
        return kept_message(message, sql_state, literals=False, known=string_literals(self._original))

    def values(self) -> dict[str, Any]:
        """Return the record as a row of the system table of statements: values by column name.

        Times are in UTC. A view is given by its name.
        """
        phases = {f"{phase}_ms": self._phase_ms(phase) for phase in Phase}
        return {
            "id": self.id,
            "session": self.session,
            "user": self.user,
            "client": self.client,
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

    def __str__(self) -> str:
        """Return the record as a log line.

        >>> print(Record("s", "ann", "SELECT  1", "1f2e", 0, OperationState.FINISHED, 42, rows=1, bytes=60))
        statement id=1f2e user=ann kind=query outcome=none state=FINISHED ms=42 rows=1 bytes=60 sql=SELECT 1
        """
        times = "".join([f" {phase}_ms={seconds * 1000:.1f}" for phase, seconds in self.seconds.items()])
        reason = f" reason={self.choice.reason}" if self.choice.reason else ""
        error = f" error={self.error.sql_state}" if self.error is not None and self.error.sql_state else ""
        trace = f" trace_id={self.trace.id}" if self.trace is not None else ""
        answer = f" answer={' '.join(self.answer.split())}" if self.answer else ""
        return (
            f"statement id={self.id} user={one_word(self.user)} kind={self.kind} outcome={self.outcome}{reason} "
            f"state={self.state.name} ms={self.milliseconds}{times} rows={self.rows} bytes={self.bytes}{error}{trace}"
            f"{answer} sql={shortened(' '.join(self.sql.split()), SHOWN)}"
        )


def moment(ms: int) -> datetime:
    """Return the time that is `ms` milliseconds after the start of 1970."""
    return datetime.fromtimestamp(ms / 1000, UTC)
