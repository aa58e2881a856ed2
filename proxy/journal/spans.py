"""Exports the journal as OpenTelemetry spans: one for each refresh, and one for each statement.

The span of a statement has a child span for each phase of the statement:

    SELECT ──┬── plan      the decision
             ├── queue     until Spark has accepted the statement, with the wait behind other statements
             ├── execute   in Spark
             └── fetch     until the client has fetched the last rows

Spans are made from a statement's record after the statement is closed, in the writer's thread, so that statements are
not delayed. A phase of less than a millisecond has no span, except for the execution: a span takes 35 µs of processor
time, and so short a phase explains nothing.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

from proxy.journal.record import Phase, Record, Trace
from proxy.journal.refresh import Refresh
from proxy.journal.writer import WAITING, Writer
from proxy.session import OperationState
from proxy.statements import classify

_NAMES = {Phase.PLANNED: "plan", Phase.QUEUED: "queue", Phase.EXECUTED: "execute", Phase.FETCHED: "fetch"}
_SCOPE = InstrumentationScope("viewgate")
_SYSTEM = {"db.system.name": "spark"}
_WORTH_SHOWING = 0.001  # seconds of a phase
_NS_IN_MS, _NS_IN_S = 1_000_000, 1_000_000_000
_FAILED = (OperationState.ERROR, OperationState.TIMEDOUT)


class Spans(Writer):
    """A writer that exports spans every two seconds: the spans of sampled statements, and of sampled refreshes.

    A statement is sampled if its trace is marked as sampled; a refresh is sampled at random, with the probability
    `ratio` (0 to 1). `exporter` sends the spans, and is shut down by `close`. `where` names the receiver in the log.
    """

    at_a_time = 256  # statements, each with up to five spans
    every = 2.0

    def __init__(
        self,
        exporter: SpanExporter,
        where: str,
        ratio: float = 1.0,
        waiting: int = WAITING,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._exporter = exporter
        self._ratio = ratio
        self._resource = Resource.create({"service.name": "viewgate"})
        super().__init__(f"traces={where}", waiting, clock)

    def closed(self, record: Record) -> None:
        """Queue the spans of a closed statement, if the statement's trace is sampled."""
        if record.trace is not None and record.trace.sampled:
            self._put(record)

    def refreshed(self, refresh: Refresh) -> None:
        """Queue the span of a refresh, if a random choice samples the refresh."""
        if random.random() < self._ratio:  # noqa: S311  # a sample, and no secret
            self._put(refresh)

    def store(self, records: Sequence[Record | Refresh]) -> None:
        """Export the spans of records; raise OSError if the OpenTelemetry collector refuses the spans."""
        spans = [span for record in records for span in self._spans(record)]
        if self._exporter.export(spans) is not SpanExportResult.SUCCESS:
            raise OSError(None, "the OpenTelemetry collector refused the spans: check [tracing] endpoint and headers")

    def close(self) -> None:
        """Export the queued spans, as far as the time limits of `Writer.close` allow, then shut the exporter down."""
        super().close()
        self._exporter.shutdown()

    def _spans(self, record: Record | Refresh) -> Iterator[ReadableSpan]:
        return self._of_refresh(record) if isinstance(record, Refresh) else self._of_statement(record)

    def _of_statement(self, record: Record) -> Iterator[ReadableSpan]:
        trace = record.trace
        assert trace is not None
        context = _context(trace)
        begin = end = record.started_ms * _NS_IN_MS
        for phase, seconds in record.seconds.items():
            end = begin + int(seconds * _NS_IN_S)
            if seconds >= _WORTH_SHOWING or phase is Phase.EXECUTED:
                kind, attributes = _of_phase(record, phase)
                yield self._span(_NAMES[phase], _context(trace), context, begin, end, attributes, kind)
            begin = end
        parent = SpanContext(int(trace.id, 16), int(trace.parent, 16), is_remote=True) if trace.parent else None
        end = max(end, (record.ended_ms or record.started_ms) * _NS_IN_MS)
        name = classify(record.sql).verb or "statement"
        status = _status(record.state, record.error.message if record.error else "")
        begin = record.started_ms * _NS_IN_MS
        yield self._span(name, context, parent, begin, end, _of_record(record, name), SpanKind.SERVER, status)

    def _of_refresh(self, refresh: Refresh) -> Iterator[ReadableSpan]:
        begin, end = refresh.started_ms * _NS_IN_MS, (refresh.ended_ms or refresh.started_ms) * _NS_IN_MS
        attributes = {
            "viewgate.view": str(refresh.view),
            "viewgate.refresh.way": refresh.way,
            "viewgate.refresh.cause": str(refresh.cause),
            "viewgate.rows": refresh.rows,
        }
        status = _status(refresh.state, refresh.error)
        yield self._span("refresh", _context(Trace.new()), None, begin, end, attributes, status=status)

    def _span(
        self,
        name: str,
        context: SpanContext,
        parent: SpanContext | None,
        begin: int,
        end: int,
        attributes: dict[str, Any],
        kind: SpanKind = SpanKind.INTERNAL,
        status: Status | None = None,
    ) -> ReadableSpan:
        return ReadableSpan(
            name,
            context,
            parent,
            self._resource,
            attributes,
            kind=kind,
            status=status or Status(),
            start_time=begin,
            end_time=end,
            instrumentation_scope=_SCOPE,
        )


def _context(trace: Trace) -> SpanContext:
    """Return the context of a new span in a trace."""
    span = random.getrandbits(64) or 1  # not a secret
    return SpanContext(int(trace.id, 16), span, is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED))


def _status(state: OperationState, error: str) -> Status:
    return Status(StatusCode.ERROR, error) if state in _FAILED else Status()


def _of_record(record: Record, name: str) -> dict[str, Any]:
    """Return the attributes of a statement's span: OpenTelemetry's conventions for databases, and Viewgate's own.

    `name` is the first word of the statement, such as SELECT.
    """
    error = record.error and record.error.sql_state
    attributes = {
        **_SYSTEM,
        "db.operation.name": name,
        "db.query.text": record.sql,
        "db.response.returned_rows": record.rows,
        "db.response.status_code": error,
        "error.type": error,
        "user.name": record.user,
        "client.address": record.client.rpartition(":")[0],
        "viewgate.statement.id": record.id,
        "viewgate.session.id": record.session,
        "viewgate.kind": str(record.kind),
        "viewgate.state": record.state.name,
        "viewgate.outcome": str(record.outcome),
        "viewgate.reason": record.choice.reason,
        "viewgate.answer": record.answer,
        "viewgate.considered": tuple(map(str, record.choice.considered)),
        "viewgate.matched": tuple(map(str, record.choice.matched)),
        "viewgate.chosen": tuple(map(str, record.choice.chosen)),
    }
    return {name: value for name, value in attributes.items() if value not in (None, "", ())}


def _of_phase(record: Record, phase: Phase) -> tuple[SpanKind, dict[str, Any]]:
    """Return the kind and the attributes of the span of a phase of a statement.

    The span of an execution in Spark has the kind CLIENT, the SQL text and the server's address. All other spans are
    INTERNAL.
    """
    if phase is Phase.FETCHED:
        return SpanKind.INTERNAL, {"viewgate.rows": record.rows, "viewgate.bytes": record.bytes}
    if phase is not Phase.EXECUTED or not record.upstream:
        return SpanKind.INTERNAL, {}
    host, _, port = record.upstream.rpartition(":")
    text = record.rewritten if record.rewritten and not record.fell_back else record.sql
    return SpanKind.CLIENT, {
        **_SYSTEM, "db.query.text": text, "server.address": host, "server.port": int(port)
    }  # fmt: skip
