"""The journal as spans: what a collector gets for a statement, over HTTP."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from proxy.hs2 import SqlError
from proxy.journal import Cause, Journal, Phase
from proxy.journal.spans import Spans
from proxy.session import OperationState
from rewriter.model import TableName
from tests.unit.journal.stubs import answered, begun, refused, session
from tests.unit.support.operations import Stub

VIEW = TableName(("lake", "demo", "agg"))
TRACE, SPAN = "5bd66ef5095369c7b0d1f8f4bd33716a", "c532cb4098ac3dd2"
TRACEPARENT, NOT_SAMPLED = f"00-{TRACE}-{SPAN}-01", f"00-{TRACE}-{SPAN}-00"


class Collector(ThreadingHTTPServer):
    """Receives spans as OTLP over HTTP."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.bodies: list[bytes] = []
        self.keys: list[str | None] = []

    @property
    def taken(self) -> list[Any]:
        """Return all spans received so far."""
        requests = map(ExportTraceServiceRequest.FromString, self.bodies)
        scopes = [scope for request in requests for each in request.resource_spans for scope in each.scope_spans]
        return [span for scope in scopes for span in scope.spans]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1/traces"


class Handler(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        self.server.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.keys.append(self.headers["X-Key"])
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as serving:
        thread = threading.Thread(target=serving.serve_forever, args=(0.01,))
        thread.start()
        yield serving
        serving.shutdown()
        thread.join()


def exported(spans: Spans, exporter: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    spans.close()
    return {span.name: span for span in exporter.get_finished_spans()}


def test_a_statement_at_the_collector(collector: Collector) -> None:
    spans = Spans(OTLPSpanExporter(collector.url, headers={"X-Key": "k"}), collector.url)
    journal = Journal(writers=[spans])
    answered(journal, f"SELECT 'é' /*traceparent='{TRACEPARENT}'*/", VIEW)
    spans.close()
    found = {span.name: span for span in collector.taken}
    assert {*found} == {"SELECT", "plan", "execute"}
    root = found.pop("SELECT")
    assert {span.trace_id.hex() for span in collector.taken} == {TRACE}
    assert root.parent_span_id.hex() == SPAN
    assert {span.parent_span_id for span in found.values()} == {root.span_id}
    told = {pair.key: pair.value for pair in root.attributes}
    assert told["db.query.text"].string_value.startswith("SELECT 'é'")
    assert told["viewgate.outcome"].string_value == "view"
    assert [value.string_value for value in told["viewgate.chosen"].array_value.values] == ["lake.demo.agg"]
    assert found["plan"].end_time_unix_nano - found["plan"].start_time_unix_nano == 250_000_000
    assert collector.keys == ["k"]


def test_phases_follow_each_other_within_the_statement() -> None:
    exporter = InMemorySpanExporter()
    spans = Spans(exporter, "memory")
    journal = Journal(writers=[spans], traced=1.0)
    answered(journal, "select 1", VIEW)
    (record,) = journal
    record.seconds[Phase.QUEUED] = 0.5
    found = exported(spans, exporter)
    root, phases = found["SELECT"], [found[name] for name in ("plan", "queue", "execute")]
    times = [time for span in phases for time in (span.start_time, span.end_time)]
    assert times == sorted(time or 0 for time in times)
    assert (root.start_time, root.parent) == (times[0], None)
    assert (root.end_time or 0) >= (times[-1] or 0)
    assert record.trace is not None
    assert record.values()["trace_id"] == record.trace.id
    assert f" trace_id={record.trace.id} " in str(record)


def test_the_execution_is_a_call_to_the_upstream_of_the_text_that_it_got() -> None:
    exporter = InMemorySpanExporter()
    spans = Spans(exporter, "memory")
    journal, operation = Journal(writers=[spans], traced=1.0), Stub(session(), 0)
    operation.session.client = "10.0.0.7:5432"
    record = begun(journal, operation, "SELECT 1")
    record.begun("spark-1:10000")
    record.rewritten = "SELECT 2"
    operation.advance(OperationState.FINISHED)
    journal.close(operation)
    found = exported(spans, exporter)
    assert dict(found["SELECT"].attributes or {})["client.address"] == "10.0.0.7"
    execute = found["execute"]
    assert execute.kind is SpanKind.CLIENT
    expected = {"server.address": "spark-1", "server.port": 10000, "db.query.text": "SELECT 2"}
    assert expected.items() <= dict(execute.attributes or {}).items()


def test_errors_and_refreshes() -> None:
    exporter = InMemorySpanExporter()
    spans = Spans(exporter, "memory")
    journal = Journal(writers=[spans], traced=1.0)
    refused(journal, "SELEC", SqlError("syntax", "42601"))
    with journal.refreshing(VIEW, Cause.COMMIT) as refresh:
        refresh.ways.append("append")
    found = exported(spans, exporter)
    assert (found["SELEC"].status.status_code, found["SELEC"].status.description) == (StatusCode.ERROR, "syntax")
    assert dict(found["SELEC"].attributes or {})["db.response.status_code"] == "42601"
    assert dict(found["refresh"].attributes or {})["viewgate.view"] == "lake.demo.agg"


def test_clients_decide_which_of_their_statements_are_traced() -> None:
    exporter = InMemorySpanExporter()
    spans = Spans(exporter, "memory", 0.0)
    journal = Journal(writers=[spans], traced=0.0)
    answered(journal, "SELECT 1", VIEW)
    answered(journal, f"SELECT 2 /*traceparent='{NOT_SAMPLED}'*/", VIEW)
    answered(journal, f"/*traceparent='{TRACEPARENT}'*/ SELECT 3", VIEW)
    with journal.refreshing(VIEW, Cause.COMMIT):
        pass
    spans.close()
    assert len([span for span in exporter.get_finished_spans() if span.parent and span.parent.is_remote]) == 1
    assert {span.name for span in exporter.get_finished_spans()} == {"SELECT", "plan", "execute"}
    assert [record.trace and record.trace.id for record in journal] == [TRACE, TRACE, None]


def test_a_collector_that_is_down_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    class Down(InMemorySpanExporter):
        def export(self, spans: Any) -> SpanExportResult:
            return SpanExportResult.FAILURE

    spans = Spans(Down(), "http://otel:4318/v1/traces")
    journal = Journal(writers=[spans], traced=1.0)
    for _ in range(600):
        refused(journal, "SELECT 1")
    spans.close()
    assert spans.lost == 600
    (said,) = (r.getMessage() for r in caplog.records if r.levelno >= logging.ERROR)
    assert said == (
        "journal cannot be written traces=http://otel:4318/v1/traces error=the OpenTelemetry collector refused the "
        "spans: check [tracing] endpoint and headers: "
        "statements are not affected, but records are lost until writing works again"
    )
