"""What this process counts about statements, in the terms of Prometheus."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram

from proxy.journal import Phase, Record, Refresh

# Seconds: from a decision out of memory to a query of minutes.
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)


class Metrics:
    """A sink of the journal. All labels have values of a small number, whatever clients send."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._statements = Counter(
            "viewgate_statements",
            "Statements whose execution has ended, by kind, by what answered them, why no view did, and state.",
            ("kind", "outcome", "reason", "state"),
            registry=registry,
        )
        seconds = Histogram(
            "viewgate_statement_phase_seconds",
            "Time of statements by phase: planned, queued, executed, fetched.",
            ("phase",),
            buckets=_BUCKETS,
            registry=registry,
        )
        self._seconds = {phase: seconds.labels(phase) for phase in Phase}
        self._refreshes = Counter(
            "viewgate_refreshes",
            "Refreshes that have ended, by way, cause and state.",
            ("way", "cause", "state"),
            registry=registry,
        )
        self._refresh_seconds = Histogram(
            "viewgate_refresh_seconds", "Time of refreshes by way.", ("way",), buckets=_BUCKETS, registry=registry
        )
        self._rows = Counter("viewgate_fetched_rows", "Rows that clients have fetched.", registry=registry)
        self._bytes = Counter("viewgate_fetched_bytes", "Bytes of rows that clients have fetched.", registry=registry)

    def ended(self, record: Record) -> None:
        """Count a statement."""
        self._statements.labels(record.kind, record.outcome, record.choice.reason, record.state.name).inc()

    def closed(self, record: Record) -> None:
        """Count the time of each phase, and what was fetched."""
        for phase, seconds in record.seconds.items():
            self._seconds[phase].observe(seconds)
        self._rows.inc(record.rows)
        self._bytes.inc(record.bytes)

    def refreshed(self, refresh: Refresh) -> None:
        """Count a refresh, by the last way that it went."""
        way = refresh.ways[-1] if refresh.ways else ""
        self._refreshes.labels(way, refresh.cause, refresh.state.name).inc()
        self._refresh_seconds.labels(way).observe(refresh.milliseconds / 1000)
