"""Counters of this process for statements and refreshes, in the terms of Prometheus.

Counted in plain numbers, by the one event loop that runs statements: the counters and histograms of prometheus-client
lock for each, and took 25 µs of a statement where these take 4.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from proxy.journal import Phase, Record, Refresh

# Seconds: from a decision out of memory to a query of minutes.
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
_BOUNDS = (*map(str, _BUCKETS), "+Inf")


class _Times:
    """A histogram of times: the count in each bucket, and the sum."""

    __slots__ = ("counts", "sum")

    def __init__(self) -> None:
        self.counts = [0] * len(_BOUNDS)
        self.sum = 0.0

    def add(self, seconds: float) -> None:
        self.counts[bisect_left(_BUCKETS, seconds)] += 1
        self.sum += seconds

    @property
    def buckets(self) -> Sequence[tuple[str, float]]:
        """Each bound with the number of times up to it."""
        return list(zip(_BOUNDS, accumulate(self.counts), strict=True))


class Metrics(Collector):
    """A sink of the journal. All labels have values of a small number, whatever clients send."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._statements: defaultdict[tuple[str, str, str, str], int] = defaultdict(int)
        self._seconds = {phase: _Times() for phase in Phase}
        self._rows = self._bytes = 0
        self._refreshes: defaultdict[tuple[str, str, str], int] = defaultdict(int)
        self._refresh_seconds: defaultdict[str, _Times] = defaultdict(_Times)
        registry.register(self)

    def ended(self, record: Record) -> None:
        """Count a statement."""
        self._statements[record.kind, record.outcome, record.choice.reason, record.state.name] += 1

    def closed(self, record: Record) -> None:
        """Count the time of each phase, and the fetched rows and bytes."""
        for phase, seconds in record.seconds.items():
            self._seconds[phase].add(seconds)
        self._rows += record.rows
        self._bytes += record.bytes

    def refreshed(self, refresh: Refresh) -> None:
        """Count a refresh, by the last way that it went."""
        way = refresh.ways[-1] if refresh.ways else ""
        self._refreshes[way, refresh.cause, refresh.state.name] += 1
        self._refresh_seconds[way].add(refresh.milliseconds / 1000)

    def collect(self) -> Iterator[Metric]:
        """Yield the counters and histograms."""
        yield _counted(
            CounterMetricFamily(
                "viewgate_statements",
                "Statements whose execution has ended, by kind, by what answered them, why no view did, and state.",
                labels=("kind", "outcome", "reason", "state"),
            ),
            self._statements.items(),
        )
        yield _timed(
            HistogramMetricFamily(
                "viewgate_statement_phase_seconds",
                "Time of statements by phase: planned, queued, executed, fetched.",
                labels=("phase",),
            ),
            self._seconds.items(),
        )
        yield CounterMetricFamily("viewgate_fetched_rows", "Rows that clients have fetched.", self._rows)
        yield CounterMetricFamily("viewgate_fetched_bytes", "Bytes of rows that clients have fetched.", self._bytes)
        yield _counted(
            CounterMetricFamily(
                "viewgate_refreshes",
                "Refreshes that have ended, by way, cause and state.",
                labels=("way", "cause", "state"),
            ),
            self._refreshes.items(),
        )
        yield _timed(
            HistogramMetricFamily("viewgate_refresh_seconds", "Time of refreshes by way.", labels=("way",)),
            self._refresh_seconds.items(),
        )

    def describe(self) -> Iterator[Metric]:
        """Yield nothing: the names are not looked for in advance."""
        return iter(())


def _counted(family: CounterMetricFamily, counts: Iterable[tuple[Sequence[str], int]]) -> Metric:
    for labels, count in counts:
        family.add_metric(labels, count)
    return family


def _timed(family: HistogramMetricFamily, by_label: Iterable[tuple[str, _Times]]) -> Metric:
    for label, times in by_label:
        family.add_metric([label], times.buckets, times.sum)
    return family
