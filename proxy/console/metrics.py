"""Collects Prometheus metrics: counters and histograms of statements and refreshes, gauges, and the metrics of views.

Counters of statements are plain numbers that only the event loop changes: they take 4 µs per statement; the counters
and histograms of prometheus-client take 25 µs, because each change takes a lock. Gauges are read at each scrape:
statements, sessions, upstreams, caches, and the uses of views. The lag of each view behind its tables, and the size of
its storage table, are the same for all workers, and only the scraped worker reads them.

Each worker sends its metrics as plain values to the scraped worker, which merges the metrics of all workers.
"""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice
from typing import Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from proxy.catalog import CacheUse, Catalogs
from proxy.hs2 import SqlError
from proxy.journal import Phase, Record, Refresh, Usage, Uses
from proxy.pipeline import of_each, status_or_outage
from proxy.service import Service
from proxy.session import OperationState
from proxy.upstream import Upstreams
from rewriter.model import Table

# A metric family as JSON values: its name, documentation and type, and its samples with name, labels and value.
Packed = Sequence[Any]


def packed(registry: CollectorRegistry) -> Packed:
    """Return the metric families of a registry as JSON values, without the creation times of counters."""
    return [
        [m.name, m.documentation, m.type, [[s.name, s.labels, s.value] for s in m.samples if _is_wanted(s.name)]]
        for m in registry.collect()
    ]


def _is_wanted(sample: str) -> bool:
    return not sample.endswith("_created")


def merged(by_worker: Mapping[int, Packed]) -> list[Metric]:
    """Return the metric families of all workers, one per name, with each sample labelled by its worker's number.

    >>> one = ["up", "Whether it is up.", "gauge", [["up", {}, 1.0]]]
    >>> [(sample.labels, sample.value) for sample in merged({1: [one], 2: [one]})[0].samples]
    [({'worker': '1'}, 1.0), ({'worker': '2'}, 1.0)]
    """
    families: dict[str, Metric] = {}
    for worker, metrics in sorted(by_worker.items()):
        for name, documentation, kind, samples in metrics:
            family = families.setdefault(name, Metric(name, documentation, kind))
            for sample, labels, value in samples:
                family.add_sample(sample, {**labels, "worker": str(worker)}, value)
    return list(families.values())


class _Given(Collector):
    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        return self._families


def exposition(families: Iterable[Metric]) -> bytes:
    """Return metric families in Prometheus' text format."""
    return generate_latest(_Given(families))


# Seconds: from a cached decision to a query of minutes.
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
_BOUNDS = (*map(str, _BUCKETS), "+Inf")


class _Times:
    """A histogram of durations in seconds: the number of durations in each bucket, and the sum of all durations."""

    __slots__ = ("counts", "sum")

    def __init__(self) -> None:
        self.counts = [0] * len(_BOUNDS)
        self.sum = 0.0

    def add(self, seconds: float) -> None:
        self.counts[bisect_left(_BUCKETS, seconds)] += 1
        self.sum += seconds

    @property
    def buckets(self) -> Sequence[tuple[str, float]]:
        """The upper bound of each bucket, with the number of durations that are not longer than the bound."""
        return list(zip(_BOUNDS, accumulate(self.counts), strict=True))


class Metrics(Collector):
    """A receiver of the journal's records (a `Sink`) that counts statements and refreshes for Prometheus.

    The values of labels come from fixed sets, never from the text of a statement, so the number of time series is
    bounded.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self._statements: defaultdict[tuple[str, str, str, str], int] = defaultdict(int)
        self._seconds = {phase: _Times() for phase in Phase}
        self._rows = self._bytes = 0
        self._refreshes: defaultdict[tuple[str, str, str], int] = defaultdict(int)
        self._refresh_seconds: defaultdict[str, _Times] = defaultdict(_Times)
        registry.register(self)

    def ended(self, record: Record) -> None:
        """Count a statement whose outcome is final, by kind, outcome, state, and the reason why no view answered."""
        self._statements[record.kind, record.outcome, record.choice.reason, record.state.name] += 1

    def closed(self, record: Record) -> None:
        """Add the fetched rows and bytes of a closed statement to the counters, and the phases' times to histograms."""
        for phase, seconds in record.seconds.items():
            self._seconds[phase].add(seconds)
        self._rows += record.rows
        self._bytes += record.bytes

    def refreshed(self, refresh: Refresh) -> None:
        """Count a refresh by the kind of its last step (such as append-merge), its cause and its state.

        Also add the refresh's duration to the histogram of that kind.
        """
        way = refresh.ways[-1] if refresh.ways else ""
        self._refreshes[way, refresh.cause, refresh.state.name] += 1
        self._refresh_seconds[way].add(refresh.milliseconds / 1000)

    def collect(self) -> Iterator[Metric]:
        """Yield the counters and histograms of statements and refreshes."""
        yield _counted(
            CounterMetricFamily(
                "viewgate_statements",
                "Statements whose execution has ended, by kind, outcome, reason why no view answered, and state.",
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
        """Yield nothing.

        The registry would otherwise collect all metrics on registration, to learn their names.
        """
        return iter(())


def _counted(family: CounterMetricFamily, counts: Iterable[tuple[Sequence[str], int]]) -> Metric:
    for labels, count in counts:
        family.add_metric(labels, count)
    return family


def _timed(family: HistogramMetricFamily, by_label: Iterable[tuple[str, _Times]]) -> Metric:
    for label, times in by_label:
        family.add_metric([label], times.buckets, times.sum)
    return family


# The number of views with a label of their own; the uses of all others are added up.
MOST_VIEWS = 500
OTHERS = "(others)"
# Returns the use of caches, by their names in /metrics.
Caches = Callable[[], Mapping[str, CacheUse]]
# Returns when our own certificates expire, in seconds since 1970, by their names in /metrics.
Expiries = Callable[[], Mapping[str, float | None]]
EVENTS = ("considered", "matched", "chosen", "executed", "failed")


class Gauges(Collector):
    """A Prometheus collector of one process's gauges, which are computed at each scrape."""

    def __init__(
        self, service: Service, registry: CollectorRegistry, expiries: Expiries, caches: Caches = dict
    ) -> None:
        self._service = service
        self._caches = caches
        self._expiries = expiries
        registry.register(self)

    def collect(self) -> Iterator[Metric]:
        """Yield the gauges and counters of sessions, statements, upstreams, certificates, caches and views."""
        service = self._service
        yield GaugeMetricFamily("viewgate_sessions", "Open sessions of clients.", len(service.sessions.all))
        running = service.journal.running
        yield GaugeMetricFamily("viewgate_statements_running", "Statements that run or are queued.", running)
        told = "Records that could not be written to the journal's file or tables, or sent as spans."
        yield CounterMetricFamily("viewgate_journal_lost", told, service.journal.lost)
        yield from _of_upstreams(service.upstreams)
        yield _of_certificates(self._expiries(), service.upstreams)
        yield from _of_caches(self._caches())
        running = sum(refresh.state is OperationState.RUNNING for refresh in service.journal.refreshes)
        yield GaugeMetricFamily("viewgate_refreshes_running", "Refreshes that run.", running)
        yield from _of_views(service.journal.usage)

    def describe(self) -> Iterator[Metric]:
        """Yield nothing.

        The registry would otherwise collect all metrics on registration, to learn their names.
        """
        return iter(())


def _of_upstreams(upstreams: Upstreams) -> Iterator[Metric]:
    waiting = "Clients that wait for a session on any upstream."
    yield GaugeMetricFamily("viewgate_sessions_waiting", waiting, upstreams.waiting)
    longest = "Seconds for which the oldest waiting client has waited for a session on any upstream."
    yield GaugeMetricFamily("viewgate_sessions_longest_wait_seconds", longest, upstreams.longest_wait)
    up = _upstream_gauge("up", "1 if an upstream server opens sessions, 0 if it refuses them or is being drained.")
    sessions = _upstream_gauge("sessions", "Sessions that are open on an upstream.")
    most_sessions = _upstream_gauge("sessions_limit", "Sessions that an upstream may have.")
    statements = _upstream_gauge("statements", "Statements that run on an upstream.")
    most_statements = _upstream_gauge("statements_limit", "Statements that may run on an upstream at a time.")
    queued = _upstream_gauge("statements_waiting", "Statements that wait for a slot on an upstream.")
    waited = _upstream_gauge(
        "statements_longest_wait_seconds", "Seconds for which the oldest waiting statement has waited for a slot."
    )
    for place in upstreams.places:
        name = [str(place.upstream)]
        up.add_metric(name, place.answers)
        sessions.add_metric(name, place.sessions)
        most_sessions.add_metric(name, place.terms.sessions)
        statements.add_metric(name, place.statements.taken)
        most_statements.add_metric(name, place.terms.statements)
        queued.add_metric(name, place.statements.waiting)
        waited.add_metric(name, place.statements.longest_wait)
    yield from (up, sessions, most_sessions, statements, most_statements, queued, waited)


def _of_certificates(own: Mapping[str, float | None], upstreams: Upstreams) -> Metric:
    told = "Expiry of Viewgate's certificates, and of the upstream servers' as last seen: seconds since 1970."
    family = GaugeMetricFamily("viewgate_certificate_expiry_timestamp_seconds", told, labels=["certificate"])
    theirs = {str(place.upstream): place.pulse.certificate_expires for place in upstreams.places}
    for name, expires in {**own, **theirs}.items():
        if expires is not None:
            family.add_metric([name], expires)
    return family


def _of_caches(caches: Mapping[str, CacheUse]) -> Iterator[Metric]:
    told = "Lookups in a cache that found a value (hit) or none (miss)."
    looked = CounterMetricFamily("viewgate_cache_lookups", told, labels=["cache", "result"])
    entries = GaugeMetricFamily("viewgate_cache_entries", "Values in a cache.", labels=["cache"])
    for name, use in caches.items():
        looked.add_metric([name, "hit"], use.hits)
        looked.add_metric([name, "miss"], use.misses)
        entries.add_metric([name], use.entries)
    yield from (looked, entries)


def _upstream_gauge(name: str, documentation: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"viewgate_upstream_{name}", documentation, labels=["upstream"])


def _of_views(usage: Usage) -> Iterator[Metric]:
    yield _uses(usage)
    last = "Seconds that the last refresh of a view took."
    family = GaugeMetricFamily("viewgate_view_refresh_seconds", last, labels=["view"])
    for view, uses in islice(usage.views.items(), MOST_VIEWS):
        if uses.refresh is not None:
            family.add_metric([str(view)], uses.refresh.milliseconds / 1000)
    yield family


def _uses(usage: Usage) -> Metric:
    told = "Statements for which a view was tried, could answer, was chosen, was read to the end, or could not be read."
    family = CounterMetricFamily("viewgate_view_statements", told, labels=["view", "event"])
    others = Uses()
    for number, (view, uses) in enumerate(usage.views.items()):
        for event in EVENTS:
            count = getattr(uses, event)
            if number < MOST_VIEWS:
                family.add_metric([str(view), event], count)
            else:
                setattr(others, event, getattr(others, event) + count)
    if len(usage.views) > MOST_VIEWS:
        for event in EVENTS:
            family.add_metric([OTHERS, event], getattr(others, event))
    return family


_PATIENCE = 5.0  # seconds, half of Prometheus's default time-out


async def view_families(catalogs: Catalogs | None) -> list[Metric]:
    """Return the metrics that are read from the catalogs; an empty list without catalogs (None).

    These are `viewgate_catalog_up` for each catalog (1 if it is available, else 0), the numbers of readable and
    unreadable views, and the lag and size of the first MOST_VIEWS (500) views in the order of their names. If no
    catalog is available, return only `viewgate_catalog_up`.
    """
    if catalogs is None:
        return []
    families: list[Metric] = []
    try:
        async with asyncio.timeout(_PATIENCE):
            families = await _families(catalogs)
    except (SqlError, TimeoutError):
        pass
    up = GaugeMetricFamily("viewgate_catalog_up", "Whether the Iceberg catalog is available.", labels=["catalog"])
    for catalog in catalogs:
        up.add_metric([catalog.name], bool(families) and catalog.available)
    return [up, *families]


async def _families(catalogs: Catalogs) -> list[Metric]:
    views = sorted(await catalogs.definitions(), key=lambda view: view.name)
    catalogs.check()
    lag = _gauge(
        "lag_seconds",
        "Seconds since the first commit that a view's storage table lacks; 0 if the storage table is fresh.",
    )
    rows = _gauge("storage_rows", "Rows in a view's storage table.")
    size = _gauge("storage_bytes", "Bytes of a view's storage table.")
    storages = (await catalogs.look([view.storage for view in views[:MOST_VIEWS]], ())).relations
    found = await of_each(views[:MOST_VIEWS], lambda view: status_or_outage(catalogs, view))
    now_ms = time.time_ns() // 1_000_000
    for view, status in zip(views, found, strict=False):
        name, storage = [str(view.name)], storages[view.storage]
        behind = status.lag_s(now_ms)
        if behind is not None:
            lag.add_metric(name, behind)
        if isinstance(storage, Table) and storage.records is not None and storage.size is not None:
            rows.add_metric(name, storage.records)
            size.add_metric(name, storage.size)
    readable = GaugeMetricFamily("viewgate_views", "Materialized views.", len(views))
    told = "Views whose metadata cannot be read, so that they answer nothing and are not refreshed."
    unreadable = GaugeMetricFamily("viewgate_views_unreadable", told, len(catalogs.broken))
    return [readable, unreadable, lag, rows, size]


def _gauge(name: str, documentation: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"viewgate_view_{name}", documentation, labels=["view"])
