"""The answers of `/metrics`, `/healthz` and `/readyz` over HTTP."""

from __future__ import annotations

from dataclasses import replace

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.parser import text_string_to_metric_families

from proxy.catalog import CacheUse
from proxy.console.metrics import EVENTS, MOST_VIEWS, OTHERS, Gauges, exposition
from proxy.hs2 import SqlError
from proxy.journal import Cause, Outcome, Record, digests
from proxy.session import Choice, Forward, OperationState
from proxy.upstream import Place, Steering
from rewriter.model import TableName
from tests.unit.console.http import figure, get, listening
from tests.unit.support.proxied import Proxied, RawClient, with_proxy

VIEW = TableName(("lake", "demo", "agg"))


def test_statements_by_kind_outcome_reason_and_state() -> None:
    async def test(proxied: Proxied) -> None:
        plans = proxied.planned.plans
        plans["SELECT 1"] = Forward("SELECT 2", fallback=True, choice=Choice((VIEW,), (VIEW,), (VIEW,)))
        plans["SELECT 3"] = Forward(choice=Choice((VIEW,), reason="STALE"))
        async with listening(proxied.server.service) as (_, port), RawClient(proxied.port) as client:
            session = await client.open_session()
            for sql in ("SELECT 1", "SELECT 3", "SELECT 3", "INSERT FAIL"):
                operation = (await client.execute(session, sql)).operationHandle
                if (await client.end(operation)).operationState == OperationState.FINISHED:
                    await client.first_column(operation)
                await client.close(operation)
            status, text = await get(port, "/metrics")
        assert status == 200
        name = "viewgate_statements_total"
        assert figure(text, name, kind="query", outcome="view", reason="", state="FINISHED") == 1
        assert figure(text, name, kind="query", outcome="miss", reason="STALE", state="FINISHED") == 2
        assert figure(text, name, kind="write", outcome="none", state="ERROR") == 1
        assert figure(text, name) == 4
        uses = [figure(text, "viewgate_view_statements_total", view=str(VIEW), event=event) for event in EVENTS]
        assert uses == [3, 1, 1, 1, 0]
        assert figure(text, "viewgate_statement_phase_seconds_count", phase="executed") == 4
        assert figure(text, "viewgate_fetched_rows_total") == 3
        journal = proxied.server.service.journal
        assert {record.client.rpartition(":")[0] for record in journal} == {"127.0.0.1"}
        assert figure(text, "viewgate_sessions") == 1
        assert figure(text, "viewgate_upstream_up", upstream=str(proxied.server.service.upstreams.places[0].upstream))
        assert figure(text, "process_resident_memory_bytes") > 1e6

    with_proxy(test)


@pytest.mark.parametrize("rewritten", ["BREAK", "LATE"])
def test_a_statement_that_fell_back_counts_so_when_its_rows_are_read_or_before(rewritten: str) -> None:
    async def test(proxied: Proxied) -> None:
        journal = proxied.server.service.journal
        plan = Forward(rewritten, fallback=True, choice=Choice((VIEW,), (VIEW,), (VIEW,)))
        proxied.planned.plans["SELECT 1"] = plan
        async with listening(proxied.server.service) as (_, port), RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(), "SELECT 1")).operationHandle
            assert (await client.end(operation)).operationState == OperationState.FINISHED
            assert await client.first_column(operation) == ["SELECT 1"]
            _, text = await get(port, "/metrics")
        assert figure(text, "viewgate_statements_total", outcome="fallback", state="FINISHED") == 1
        assert figure(text, "viewgate_statements_total") == 1
        uses = [figure(text, "viewgate_view_statements_total", view=str(VIEW), event=event) for event in EVENTS]
        assert uses == [1, 1, 1, 0, 1]
        assert [record.outcome for record in journal] == [Outcome.FALLBACK]
        assert [row["from_views"] for row in digests(journal)] == [0]

    with_proxy(test)


def test_how_caches_are_used() -> None:
    async def test(proxied: Proxied) -> None:
        registry = CollectorRegistry()
        Gauges(proxied.server.service, registry, dict, lambda: {"decisions": CacheUse(5, 2, 1)})
        text = exposition(registry.collect()).decode()
        looked = [figure(text, "viewgate_cache_lookups_total", result=result) for result in ("hit", "miss")]
        assert (looked, figure(text, "viewgate_cache_entries", cache="decisions")) == ([5, 2], 1)

    with_proxy(test)


def test_when_certificates_expire() -> None:
    async def test(proxied: Proxied) -> None:
        service = proxied.server.service
        (place,) = service.upstreams.places
        place.pulse.certificate_expires = 2e9
        registry = CollectorRegistry()
        Gauges(service, registry, lambda: {"listener": 1.9e9, "console": None})
        text = exposition(registry.collect()).decode()
        name = "viewgate_certificate_expiry_timestamp_seconds"
        assert figure(text, name, certificate="listener") == 1.9e9
        assert figure(text, name, certificate=str(place.upstream)) == 2e9

    with_proxy(test)


def test_every_line_can_be_read_by_prometheus() -> None:
    async def test(proxied: Proxied) -> None:
        async with listening(proxied.server.service) as (_, port):
            _, text = await get(port, "/metrics")
        families = list(text_string_to_metric_families(text))
        assert all(family.documentation for family in families)
        assert all(sample.labels.get("worker") == "1" for family in families for sample in family.samples)

    with_proxy(test)


def test_views_without_end_are_counted_together() -> None:
    async def test(proxied: Proxied) -> None:
        usage = proxied.server.service.journal.usage
        for number in range(MOST_VIEWS + 7):
            record = Record("s", "ann", "SELECT 1", state=OperationState.FINISHED)
            record.planned(Forward(choice=Choice((TableName(("lake", "demo", f"v{number}")),))), 0.0)
            usage.ended(record)
        async with listening(proxied.server.service) as (_, port):
            _, text = await get(port, "/metrics")
        assert figure(text, "viewgate_view_statements_total", view=OTHERS, event="considered") == 7
        assert figure(text, "viewgate_view_statements_total", event="considered") == MOST_VIEWS + 7

    with_proxy(test)


def test_it_is_ready_once_an_upstream_has_answered_and_until_it_is_stopped() -> None:
    async def test(proxied: Proxied) -> None:
        (place,) = proxied.server.service.upstreams.places
        async with listening(proxied.server.service) as (console, port), RawClient(proxied.port) as client:
            named = place.upstream.named
            assert await get(port, "/readyz") == (503, f"not ready: {named} has not answered yet\n")
            await client.open_session()
            assert await get(port, "/readyz") == (200, "ready\n")
            place.problem = SqlError("Spark at spark:10000 cannot be reached", "08S01")
            assert await get(port, "/readyz") == (503, "not ready: Spark at spark:10000 cannot be reached\n")
            place.problem = None
            console.drain()
            assert await get(port, "/readyz") == (503, "not ready: Viewgate is being stopped\n")
            assert await get(port, "/healthz") == (200, "ok\n")

    with_proxy(test)


def test_why_it_is_not_ready_is_told_of_each_upstream() -> None:
    async def test(proxied: Proxied) -> None:
        upstreams = proxied.server.service.upstreams
        (place,) = upstreams.places
        name, named = str(place.upstream), place.upstream.named
        async with listening(proxied.server.service) as (_, port), RawClient(proxied.port) as client:
            await client.open_session()
            upstreams.steer(name, Steering.DRAIN)
            resume = f"RESUME VIEWGATE UPSTREAM '{name}' in a session with the database viewgate.system, or SIGHUP"
            drained = f"{named} is being drained until {resume}"
            assert await get(port, "/readyz") == (503, f"not ready: {drained}\n")
            upstreams.steer(name, Steering.PAUSE)
            assert await get(port, "/readyz") == (200, "ready\n")  # sessions and statements wait, none fails
            place.problem = SqlError("Spark cannot be reached", "08S01")
            paused = f"{named} is paused until {resume}: Spark cannot be reached"
            assert await get(port, "/readyz") == (503, f"not ready: {paused}\n")
            upstreams.places.append(Place(replace(place.upstream, host="spark-2"), upstreams.timeouts))
            other = f"Spark at spark-2:{place.upstream.port} has not answered yet"
            assert await get(port, "/readyz") == (503, f"not ready: {paused}; {other}\n")
            upstreams.places.pop()

    with_proxy(test)


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/nothing", 404), ("POST", "/metrics", 405)])
def test_nothing_else_is_answered(method: str, path: str, status: int) -> None:
    async def test(proxied: Proxied) -> None:
        async with listening(proxied.server.service) as (_, port):
            assert (await get(port, path, method, sec_fetch_site="same-origin"))[0] == status

    with_proxy(test)


def test_refreshes_by_way_cause_and_state() -> None:
    async def test(proxied: Proxied) -> None:
        service = proxied.server.service
        async with listening(service) as (_, port):
            with service.journal.refreshing(VIEW, Cause.SCHEDULE) as refresh:
                refresh.ways += ["append", "full"]
                _, during = await get(port, "/metrics")
            _, after = await get(port, "/metrics")
        assert (figure(during, "viewgate_refreshes_running"), figure(after, "viewgate_refreshes_running")) == (1, 0)
        assert figure(after, "viewgate_refreshes_total", way="full", cause="schedule", state="FINISHED") == 1
        assert figure(after, "viewgate_refresh_seconds_count", way="full") == 1
        assert 'viewgate_view_refresh_seconds{view="lake.demo.agg",worker="1"}' in after

    with_proxy(test)
