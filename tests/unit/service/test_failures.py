"""Failing statements: the errors that clients get, and the fallback to the original statement."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from proxy.hs2 import SqlError, read_request
from proxy.hs2.generated import ttypes
from proxy.session import Forward, OperationState
from proxy.upstream import Terms
from proxy.wire import find, value_bytes
from tests.unit.support.fake_spark import ROW
from tests.unit.support.proxied import Proxied, RawClient, until, with_proxy

FINISHED, CANCELED, ERROR = 2, 3, 5


def cancel(operation: Any) -> Any:
    return ttypes.TCancelOperationReq(operationHandle=operation)


def test_errors_have_the_two_shapes_of_spark() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            response = await client.execute(session, "FAIL", run_async=False)
            assert (response.status.statusCode, response.status.sqlState) == (3, "42P01")
            assert response.status.errorMessage == "no way: FAIL"
            assert response.status.infoMessages[1:] == ["a.B:c:D.java:1"]
            assert response.operationHandle is None
            await until(lambda: not proxied.spark.operations)  # closed after the reply
            status = await client.end((await client.execute(session, "FAIL")).operationHandle)
            assert (status.status.statusCode, status.operationState, status.sqlState) == (0, ERROR, "42P01")
            assert status.errorMessage.startswith("org.apache.hive.service.cli.HiveSQLException: no way")
            assert proxied.planned.ended == [False, False]

    with_proxy(test)


@pytest.mark.parametrize("sent", ["FAIL ROWS", "REFUSE ROWS", "LATE ROWS"])
@pytest.mark.parametrize("run_async", [True, False])
def test_an_error_about_inserted_rows_is_told_in_the_users_words(sent: str, run_async: bool) -> None:
    def reworded(error: SqlError) -> SqlError:
        return SqlError(f"in the user's words: {error.message.replace('ROWS', 't')}", error.sql_state)

    async def test(proxied: Proxied) -> None:
        proxied.planned.plans["SELECT 1"] = Forward(sent, reworded=reworded)
        async with RawClient(proxied.port) as client:
            response = await client.execute(await client.open_session(), "SELECT 1", run_async=run_async)
            if (operation := response.operationHandle) is not None:
                end = await client.end(operation)
                ended = end.operationState == FINISHED
                response = await client.fetch(operation) if ended else end
            told = getattr(response, "errorMessage", None) or response.status.errorMessage
            assert told.startswith("in the user's words: ")
            assert "ROWS" not in str(response)
            (record,) = proxied.server.service.journal
            assert record.error is not None
            assert told.startswith(record.error.message)
            assert "ROWS" not in record.error.message

    with_proxy(test)


@pytest.mark.parametrize("rewritten", ["FAIL", "REFUSE", "LATE"])
@pytest.mark.parametrize("run_async", [True, False])
def test_a_failing_rewriting_gives_way_to_the_original(rewritten: str, run_async: bool) -> None:
    async def test(proxied: Proxied) -> None:
        ended: list[bool] = []
        proxied.planned.plans["SELECT 1"] = Forward(rewritten, fallback=True, log=("rewritten",), ended=ended.append)
        async with RawClient(proxied.port) as client:
            operation = (
                await client.execute(await client.open_session(), "SELECT 1", run_async=run_async)
            ).operationHandle
            assert (await client.end(operation)).operationState == FINISHED
            assert await client.first_column(operation) == ["SELECT 1"]
            assert "rewritten" in await client.first_column(operation, log=True)
            assert ended == [True]
            assert len(proxied.spark.operations) == 1

    with_proxy(test)


def test_a_rewriting_whose_rows_fail_gives_way_also_to_a_client_that_looks_for_more() -> None:
    async def test(proxied: Proxied) -> None:
        proxied.planned.plans["SELECT 1"] = Forward("LATE", fallback=True)
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            for sql in ("SELECT 2", "SELECT 1"):  # of the second, two blocks are on their way
                operation = (await client.execute(session, sql)).operationHandle
                await client.end(operation)
                assert await client.first_column(operation) == [sql]
                assert await client.first_column(operation) == []
                await client.close(operation)

    with_proxy(test)


def test_an_original_that_takes_over_where_rows_should_come_waits_for_its_turn() -> None:
    async def test(proxied: Proxied) -> None:
        slots = proxied.server.service.upstreams.places[0].statements
        proxied.planned.plans["SELECT HANG"] = Forward("LATE", fallback=True)
        async with RawClient(proxied.port) as client, RawClient(proxied.port) as other:
            operation = (await client.execute(await client.open_session(), "SELECT HANG")).operationHandle
            await client.end(operation)
            busy = (await other.execute(await other.open_session(), "SELECT HANG")).operationHandle
            fetching = asyncio.create_task(client.fetch(operation))
            await until(lambda: not slots.free and slots._queue)
            await other.ask("CancelOperation", cancel(busy), ttypes.TCancelOperationResp)
            await other.end(busy)
            await until(lambda: proxied.spark.history[-1].sql == "SELECT HANG")
            assert slots.taken == 1
            proxied.spark.history[-1].outcome = ROW
            proxied.spark.history[-1].end(OperationState.FINISHED)
            assert (await fetching).status.statusCode == 0
            assert slots.taken == 0

    with_proxy(test, terms=(Terms(statements=1),))


@pytest.mark.parametrize("run_async", [True, False])
def test_an_original_that_fails_too_gives_its_own_error(run_async: bool) -> None:
    async def test(proxied: Proxied) -> None:
        proxied.planned.plans["FAIL as sent"] = Forward("FAIL secret_mv", fallback=True)
        async with RawClient(proxied.port) as client:
            response = await client.execute(await client.open_session(), "FAIL as sent", run_async=run_async)
            status = await client.end(response.operationHandle) if run_async else response.status
            assert "FAIL as sent" in status.errorMessage
            assert "secret_mv" not in status.errorMessage
            assert [running.sql for running in proxied.spark.history] == ["FAIL secret_mv", "FAIL as sent"]

    with_proxy(test)


def test_an_original_that_is_refused_where_rows_should_come_gives_its_own_error() -> None:
    async def test(proxied: Proxied) -> None:
        proxied.planned.plans["SELECT REFUSE"] = Forward("LATE secret_mv", fallback=True)
        async with RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(), "SELECT REFUSE")).operationHandle
            assert (await client.end(operation)).operationState == FINISHED
            assert (await client.fetch(operation)).status.errorMessage == "the queue is full"

    with_proxy(test)


@pytest.mark.parametrize("rewritten", ["FAIL", "LATE"])
def test_a_rewriting_that_cannot_be_closed_gives_way_all_the_same(rewritten: str) -> None:
    async def test(proxied: Proxied) -> None:
        proxied.planned.plans["SELECT 1"] = Forward(rewritten, fallback=True)
        proxied.spark.listings["CloseOperation"] = SqlError("it cannot be closed")
        async with RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(), "SELECT 1")).operationHandle
            assert (await client.end(operation)).operationState == FINISHED
            assert await client.first_column(operation) == ["SELECT 1"]

    with_proxy(test)


@pytest.mark.parametrize(("name", "sql_state"), [("OpenSession", "08004"), ("GetOperationStatus", "08S01")])
def test_a_reply_of_sparks_that_says_nothing_is_an_error(name: str, sql_state: str) -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            if name != "OpenSession":
                session = await client.open_session()
            proxied.spark.empty.add(name)
            if name == "OpenSession":
                request = ttypes.TOpenSessionReq(client_protocol=10)
                status = (await client.ask("OpenSession", request, ttypes.TOpenSessionResp)).status
            else:
                status = (await client.execute(session, "SELECT HANG", run_async=False)).status
            assert (status.statusCode, status.sqlState) == (3, sql_state)
            assert "Spark" in status.errorMessage

    with_proxy(test)


def test_a_fetch_in_no_known_direction_does_not_reach_spark() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(), "SELECT 1", run_async=False)).operationHandle
            for orientation in (-1, 6):
                assert (await client.fetch(operation, orientation=orientation)).status.sqlState == "HY106"
            assert await client.first_column(operation) == ["SELECT 1"]
            asked = (read_request(message, ttypes.TFetchResultsReq) for message in proxied.spark.sent("FetchResults"))
            assert {request.orientation for request in asked} == {0}

    with_proxy(test)


def test_a_session_is_closed_though_its_statement_cannot_be_cancelled() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            await client.execute(session, "SELECT HANG")
            proxied.spark.empty.add("CancelOperation")
            request = ttypes.TCloseSessionReq(sessionHandle=session)
            assert (await client.ask("CloseSession", request, ttypes.TCloseSessionResp)).status.statusCode == 0
            assert not proxied.spark.sessions

    with_proxy(test)


def test_without_fallback_the_rewritings_error_stands() -> None:
    async def test(proxied: Proxied) -> None:
        proxied.planned.plans["INSERT"] = Forward("FAIL later")
        async with RawClient(proxied.port) as client:
            response = await client.execute(await client.open_session(), "INSERT", run_async=False)
            assert "FAIL later" in response.status.errorMessage
            assert len(proxied.spark.history) == 1

    with_proxy(test)


@pytest.mark.parametrize("run_async", [True, False])
def test_what_writes_gives_way_to_the_original_only_where_nothing_was_executed(run_async: bool) -> None:
    async def test(proxied: Proxied) -> None:
        proxied.planned.plans["INSERT"] = Forward("FAIL", fallback=True)
        proxied.planned.plans["INSERT again"] = Forward("BREAK", fallback=True)
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            refused = await client.execute(session, "INSERT", run_async=run_async)
            assert (await client.end(refused.operationHandle)).operationState == FINISHED
            broken = await client.execute(session, "INSERT again", run_async=run_async)
            status = await client.end(broken.operationHandle) if run_async else broken.status
            assert "a disk is full" in status.errorMessage
            assert [running.sql for running in proxied.spark.history] == ["FAIL", "INSERT", "BREAK"]

    with_proxy(test)


def test_a_fallback_shares_the_time_limit() -> None:
    async def test(proxied: Proxied) -> None:
        proxied.planned.plans["SELECT 1"] = Forward("FAIL", fallback=True)
        async with RawClient(proxied.port) as client:
            await client.execute(await client.open_session(), "SELECT 1", run_async=False, timeout=30)
            first, second = proxied.spark.sent("ExecuteStatement")
            left = find(second, (1, 5))
            given = find(first, (1, 5))
            assert left is not None
            assert given is not None
            assert int.from_bytes(value_bytes(first, given), "big") == 30
            assert 1 <= int.from_bytes(value_bytes(second, left), "big") <= 30

    with_proxy(test)


def test_a_cancel_overtakes_the_long_poll_and_prevents_the_fallback() -> None:
    async def test(proxied: Proxied) -> None:
        proxied.planned.plans["SELECT 1"] = Forward("SELECT HANG", fallback=True)
        async with RawClient(proxied.port) as client, RawClient(proxied.port) as other:
            operation = (await client.execute(await client.open_session(), "SELECT 1")).operationHandle
            polling = asyncio.create_task(client.end(operation))
            await proxied.spark.called("GetOperationStatus")
            request = ttypes.TCancelOperationReq(operationHandle=operation)
            assert (await other.ask("CancelOperation", request, ttypes.TCancelOperationResp)).status.statusCode == 0
            assert (await polling).operationState == CANCELED
            assert len(proxied.spark.history) == 1

    with_proxy(test)


def test_a_broken_planner_costs_the_rewriting_only() -> None:
    async def test(proxied: Proxied) -> None:
        class Broken:
            async def plan(self, _session: object, _sql: str) -> Forward:
                raise KeyError

            def moved(self, _session: object) -> None:
                raise AssertionError

        proxied.server.service.answering = Broken()
        async with RawClient(proxied.port) as client:
            response = await client.execute(await client.open_session(), "SELECT 1", run_async=False)
            assert await client.first_column(response.operationHandle) == ["SELECT 1"]

    with_proxy(test)


def test_a_dead_upstream_is_an_error_with_its_state() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            operation = (await client.execute(session, "SELECT HANG")).operationHandle
            proxied.spark.die()
            status = (await client.status(operation)).status
            assert (status.statusCode, status.sqlState) == (3, "08S01")
            assert proxied.planned.ended == [False]
            again = await client.execute(session, "SELECT 1", run_async=False)
            assert await client.first_column(again.operationHandle) == ["SELECT 1"]
            await proxied.spark.end()
            response = await client.execute(session, "SELECT 1")
            assert response.status.sqlState == "08S01"
            assert f"127.0.0.1:{proxied.spark.port}" in response.status.errorMessage
        proxied.spark.sessions.clear()

    with_proxy(test)


@pytest.mark.parametrize("run_async", [True, False])
def test_an_error_is_told_with_its_reason_which_spark_knows_a_moment_later(run_async: bool) -> None:
    async def test(proxied: Proxied) -> None:
        proxied.spark.slow_reasons = 2
        async with RawClient(proxied.port) as client:
            response = await client.execute(await client.open_session(), "FAIL", run_async=run_async)
            failed = await client.end(response.operationHandle) if run_async else response.status
            assert failed.sqlState == "42P01"
            assert "no way: FAIL" in failed.errorMessage

    with_proxy(test)


def test_an_error_for_which_there_is_no_reason_ends_all_the_same() -> None:
    async def test(proxied: Proxied) -> None:
        proxied.spark.slow_reasons = 1 << 30
        async with RawClient(proxied.port) as client:
            response = await client.execute(await client.open_session(), "FAIL", run_async=False)
            assert response.status.errorMessage == "Spark gave no reason"

    with_proxy(test)


def test_a_client_that_goes_away_is_nothing_to_warn_of(caplog: pytest.LogCaptureFixture) -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            executing = asyncio.create_task(client.execute(await client.open_session(), "SELECT HANG", run_async=False))
            await proxied.spark.called("GetOperationStatus")
            executing.cancel()
        await until(lambda: not (proxied.spark.operations or proxied.spark.sessions))

    with_proxy(test)
    assert not caplog.records
