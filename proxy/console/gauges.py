"""Gauges read from this process at each scrape: statements and sessions, upstreams, and the uses of views."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from proxy.catalog import CacheUse
from proxy.journal import Usage, Uses
from proxy.service import Service
from proxy.upstream import Upstreams

# Views with a label of their own; the uses of all others are counted together.
MOST_VIEWS = 500
OTHERS = "(others)"
# The use of caches, by their names in /metrics.
Caches = Callable[[], Mapping[str, CacheUse]]
# When our own certificates expire, in seconds since 1970, by the names that they have in /metrics.
Expiries = Callable[[], Mapping[str, float | None]]
EVENTS = ("considered", "matched", "chosen", "executed", "failed")


class Gauges(Collector):
    """Reads the figures of a process whenever they are asked for."""

    def __init__(
        self, service: Service, registry: CollectorRegistry, expiries: Expiries, caches: Caches = dict
    ) -> None:
        self._service = service
        self._caches = caches
        self._expiries = expiries
        registry.register(self)

    def collect(self) -> Iterator[Metric]:
        """Yield the figures."""
        service = self._service
        yield GaugeMetricFamily("viewgate_sessions", "Open sessions of clients.", len(service.sessions.all))
        running = service.journal.running
        yield GaugeMetricFamily("viewgate_statements_running", "Statements that run or wait for their turn.", running)
        told = "Records of the journal that its file, its tables or the collector of spans could not take."
        yield CounterMetricFamily("viewgate_journal_lost", told, service.journal.lost)
        yield from _of_upstreams(service.upstreams)
        yield _of_certificates(self._expiries(), service.upstreams)
        yield from _of_caches(self._caches())
        running = sum(refresh.ended_ms is None for refresh in service.journal.refreshes)
        yield GaugeMetricFamily("viewgate_refreshes_running", "Refreshes that run.", running)
        yield from _of_views(service.journal.usage)

    def describe(self) -> Iterator[Metric]:
        """Yield nothing: the names are not looked for in advance."""
        return iter(())


def _of_upstreams(upstreams: Upstreams) -> Iterator[Metric]:
    waiting = "Clients that wait for a session on any upstream."
    yield GaugeMetricFamily("viewgate_sessions_waiting", waiting, upstreams.waiting)
    longest = "Seconds for which the client has waited that waits longest for a session on any upstream."
    yield GaugeMetricFamily("viewgate_sessions_longest_wait_seconds", longest, upstreams.longest_wait)
    up = _upstream_gauge("up", "Whether an upstream opens sessions: 1, or 0 where it does not or is being drained.")
    sessions = _upstream_gauge("sessions", "Sessions that are open on an upstream.")
    most_sessions = _upstream_gauge("sessions_limit", "Sessions that an upstream may have.")
    statements = _upstream_gauge("statements", "Statements that run on an upstream.")
    most_statements = _upstream_gauge("statements_limit", "Statements that may run on an upstream at a time.")
    queued = _upstream_gauge("statements_waiting", "Statements that wait for a slot on an upstream.")
    waited = _upstream_gauge(
        "statements_longest_wait_seconds", "Seconds for which the statement has waited that waits longest for a slot."
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
    told = "When a certificate expires, ours or that of an upstream as last seen: seconds since 1970."
    family = GaugeMetricFamily("viewgate_certificate_expiry_timestamp_seconds", told, labels=["certificate"])
    theirs = {str(place.upstream): place.pulse.certificate_expires for place in upstreams.places}
    for name, expires in {**own, **theirs}.items():
        if expires is not None:
            family.add_metric([name], expires)
    return family


def _of_caches(caches: Mapping[str, CacheUse]) -> Iterator[Metric]:
    told = "Look-ups in a cache: hits, which found their value, and misses."
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
