"""The fallback to the original statement works whoever waits for it, and whichever client leaves meanwhile."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from proxy.commands.operate import killed
from proxy.hs2 import ResultSet, SqlError
from proxy.hs2.generated import ttypes
from proxy.journal import Journal, Record
from proxy.session import Forward, OperationState, Sessions
from proxy.upstream import Terms
from tests.unit.support.proxied import Proxied, RawClient, until, with_proxy

ONE_AT_A_TIME = [Terms(statements=1)]


async def stop(client: RawClient, operation: Any) -> None:
    request = ttypes.TCancelOperationReq(operationHandle=operation)
    await client.ask("CancelOperation", request, ttypes.TCancelOperationResp)
    await client.end(operation)


def test_who_goes_away_meanwhile_does_not_cut_it_off() -> None:
    async def test(proxied: Proxied) -> None:
        proxied.planned.plans["SELECT 1"] = Forward("FAIL secret_mv", fallback=True)
        async with RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(), "SELECT 1")).operationHandle
            proxied.spark.held["ExecuteStatement"] = asyncio.Event()
            async with RawClient(proxied.port) as other:
                asking = asyncio.create_task(other.status(operation))
                await until(lambda: len(proxied.spark.sent("ExecuteStatement")) == 2)
                other.writer.transport.abort()
                await asyncio.wait({asking})
            proxied.spark.held.pop("ExecuteStatement").set()
            assert (await client.end(operation)).operationState == OperationState.FINISHED
            assert await client.first_column(operation) == ["SELECT 1"]
        assert isinstance(asking.exception(), ConnectionError)

    with_proxy(test)


def test_columns_that_are_known_before_the_end_do_not_cut_it_off() -> None:
    async def test(proxied: Proxied) -> None:
        proxied.planned.plans["SELECT 1"] = Forward("SELECT HANG", fallback=True)
        rewritten, spark = proxied.spark.history, proxied.spark

        def script(sql: str) -> ResultSet | None:
            if sql.startswith("DESCRIBE"):
                rewritten[0].outcome = SqlError("secret_mv is broken", "53100")
                rewritten[0].end(OperationState.ERROR)
                return ResultSet.of("col_name", "data_type", "comment", rows=[["a", "bigint", None]])
            return None if "HANG" in sql else ResultSet.of("sql", rows=[[sql]])

        spark.script = script
        async with RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(), "SELECT 1")).operationHandle
            await client.schema(operation)
            assert (await client.end(operation)).operationState == OperationState.FINISHED
            assert await client.first_column(operation) == ["SELECT 1"]

    with_proxy(test)


def test_two_who_ask_for_rows_that_fail_both_get_the_original() -> None:
    async def test(proxied: Proxied) -> None:
        slots = proxied.server.service.upstreams.places[0].statements
        proxied.planned.plans["SELECT 1"] = Forward("LATE", fallback=True)
        async with RawClient(proxied.port) as one, RawClient(proxied.port) as two, RawClient(proxied.port) as other:
            operation = (await one.execute(await one.open_session(), "SELECT 1")).operationHandle
            await one.end(operation)
            busy = (await other.execute(await other.open_session(), "HANG")).operationHandle
            fetching = [asyncio.create_task(client.fetch(operation)) for client in (one, two)]
            await until(lambda: slots._queue and len(proxied.spark.sent("FetchResults")) == 2)
            assert [record.state for record in proxied.server.service.journal if record.sql == "SELECT 1"] == [
                OperationState.PENDING
            ]
            await stop(other, busy)
            assert [reply.status.statusCode for reply in await asyncio.gather(*fetching)] == [0, 0]
            assert [running.sql for running in proxied.spark.history] == ["LATE", "HANG", "SELECT 1"]

    with_proxy(test, terms=ONE_AT_A_TIME)


async def _ended_by_kill(proxied: Proxied, record: Record) -> None:
    about = json.dumps([record.id, None, "olga"]).encode()
    assert await killed(proxied.server.service.journal, about) == ("bob", None)


async def _ended_by_stop(proxied: Proxied, record: Record) -> None:
    await proxied.server.stop()


@pytest.mark.parametrize(("end", "state"), [(_ended_by_kill, "57014"), (_ended_by_stop, "57P01")])
def test_an_original_that_runs_when_rows_are_fetched_is_a_running_statement(
    end: Callable[[Proxied, Record], Coroutine[Any, Any, None]], state: str
) -> None:
    async def test(proxied: Proxied) -> None:
        proxied.planned.plans["SELECT HANG"] = Forward("LATE", fallback=True)
        async with RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(), "SELECT HANG")).operationHandle
            await client.end(operation)
            fetching = asyncio.create_task(client.fetch(operation))
            await until(lambda: [running.sql for running in proxied.spark.history] == ["LATE", "SELECT HANG"])
            (record,) = proxied.server.service.journal
            assert record.state is OperationState.RUNNING
            ending = asyncio.create_task(end(proxied, record))
            assert (await fetching).status.sqlState == state
            await ending
        assert (record.state, record.error and record.error.sql_state) == (OperationState.ERROR, state)
        assert record.operation is None

    with_proxy(test)


@pytest.mark.parametrize(("name", "state"), [("Cancel", OperationState.ERROR), ("Close", OperationState.CANCELED)])
def test_a_client_ends_an_original_that_runs_when_rows_are_fetched(name: str, state: OperationState) -> None:
    async def test(proxied: Proxied) -> None:
        reported: list[SqlError] = []
        proxied.planned.plans["SELECT HANG"] = Forward("LATE", fallback=True, fell_back=reported.append)
        async with RawClient(proxied.port) as client, RawClient(proxied.port) as other:
            operation = (await client.execute(await client.open_session(), "SELECT HANG")).operationHandle
            await client.end(operation)
            fetching = asyncio.create_task(client.fetch(operation))
            await until(lambda: [running.sql for running in proxied.spark.history] == ["LATE", "SELECT HANG"])
            request = getattr(ttypes, f"T{name}OperationReq")(operationHandle=operation)
            await other.ask(f"{name}Operation", request, getattr(ttypes, f"T{name}OperationResp"))
            assert (await fetching).status.sqlState == "57014"
            (record,) = proxied.server.service.journal
            assert (record.state, record.operation, reported) == (state, None, [])

    with_proxy(test)


async def _ended_by_client(proxied: Proxied, record: Record) -> None:
    assert record.operation is not None
    handle = record.operation.handle
    operation = ttypes.TOperationHandle(
        operationId=ttypes.THandleIdentifier(guid=handle.guid, secret=handle.secret), operationType=0, hasResultSet=True
    )
    async with RawClient(proxied.port) as other:
        request = ttypes.TCancelOperationReq(operationHandle=operation)
        assert (await other.ask("CancelOperation", request, ttypes.TCancelOperationResp)).status.statusCode == 0


@pytest.mark.parametrize("rewritten", ["LATE", "FAIL"])
@pytest.mark.parametrize("end", [_ended_by_kill, _ended_by_client])
def test_an_original_that_is_ended_while_it_starts_is_cancelled_once_its_handle_is_known(
    rewritten: str, end: Callable[[Proxied, Record], Coroutine[Any, Any, None]]
) -> None:
    async def test(proxied: Proxied) -> None:
        spark = proxied.spark
        proxied.planned.plans["SELECT HANG"] = Forward(rewritten, fallback=True)
        async with RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(), "SELECT HANG")).operationHandle
            spark.held["ExecuteStatement"] = asyncio.Event()
            if rewritten == "LATE":
                await client.end(operation)
            asking = asyncio.create_task(client.fetch(operation) if rewritten == "LATE" else client.status(operation))
            await until(lambda: len(spark.sent("ExecuteStatement")) == 2)
            (record,) = proxied.server.service.journal
            await end(proxied, record)
            assert spark.sent("CancelOperation") == []  # nothing to cancel: the rewritten statement has ended
            spark.held.pop("ExecuteStatement").set()
            await asking
        assert [running.state for running in spark.history] == [
            OperationState.FINISHED if rewritten == "LATE" else OperationState.ERROR,
            OperationState.CANCELED,
        ]
        assert record.operation is None

    with_proxy(test)


def test_an_original_whose_time_is_over_before_its_turn_does_not_run() -> None:
    async def test(proxied: Proxied) -> None:
        proxied.planned.plans["SELECT 1"] = Forward("LATE", fallback=True)
        async with RawClient(proxied.port) as client, RawClient(proxied.port) as other:
            operation = (await client.execute(await client.open_session(), "SELECT 1", timeout=1)).operationHandle
            await client.end(operation)
            busy = (await other.execute(await other.open_session(), "HANG")).operationHandle
            assert (await client.fetch(operation)).status.errorMessage == "lost a file"
            await stop(other, busy)
            assert [running.sql for running in proxied.spark.history] == ["LATE", "HANG"]

    with_proxy(test, terms=ONE_AT_A_TIME)


def test_an_original_that_is_closed_before_its_turn_gives_its_slot_back() -> None:
    async def test(proxied: Proxied) -> None:
        spark, slots = proxied.spark, proxied.server.service.upstreams.places[0].statements
        proxied.planned.plans["SELECT 1"] = Forward("LATE", fallback=True)
        async with RawClient(proxied.port) as client, RawClient(proxied.port) as two, RawClient(proxied.port) as other:
            operation = (await client.execute(await client.open_session(), "SELECT 1")).operationHandle
            await client.end(operation)
            busy = (await other.execute(await other.open_session(), "HANG")).operationHandle
            fetching = asyncio.create_task(client.fetch(operation))
            await until(lambda: slots.waiting)
            await two.close(operation)
            await stop(other, busy)
            assert (await fetching).status.errorMessage == "lost a file"
            assert [running.sql for running in spark.history] == ["LATE", "HANG"]
            (record,) = (one for one in proxied.server.service.journal if one.sql == "SELECT 1")
            assert record.state is OperationState.CANCELED

    with_proxy(test, terms=ONE_AT_A_TIME)


def test_an_original_that_starts_when_its_client_has_closed_it_is_closed_as_well() -> None:
    async def test(proxied: Proxied) -> None:
        proxied.planned.plans["HANG as sent"] = Forward("FAIL", fallback=True)
        async with RawClient(proxied.port) as client, RawClient(proxied.port) as other:
            operation = (await client.execute(await client.open_session(), "HANG as sent")).operationHandle
            proxied.spark.held["ExecuteStatement"] = asyncio.Event()
            asking = asyncio.create_task(other.status(operation))
            await until(lambda: len(proxied.spark.sent("ExecuteStatement")) == 2)
            await client.close(operation)
            proxied.spark.held.pop("ExecuteStatement").set()
            await asking
            await until(lambda: not proxied.spark.operations)

    with_proxy(test)


@pytest.mark.parametrize(("rewritten", "said"), [("BREAK 'Ann'", "a disk is full: BREAK ?"), ("LATE", "lost a file")])
def test_the_log_says_why_without_literals(rewritten: str, said: str, caplog: pytest.LogCaptureFixture) -> None:
    async def test(proxied: Proxied) -> None:
        proxied.server.service.journal = journal = Journal(literals=False)
        proxied.server.service.sessions = Sessions(journal.end, journal.close)
        proxied.planned.plans["SELECT 1"] = Forward(rewritten, fallback=True)
        async with RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(), "SELECT 1")).operationHandle
            await client.end(operation)
            assert await client.first_column(operation) == ["SELECT 1"]

    with_proxy(test)
    assert f"rewriting failed error={said}: the original statement is run" in caplog.messages


@pytest.mark.parametrize(
    ("original", "rewritten", "said"),
    [
        ("SELECT 1", "BREAK", ["a disk is full: BREAK"]),
        ("SELECT 1", "LATE", ["lost a file"]),
        ("SELECT FAIL", "BREAK", []),
        ("SELECT REFUSE", "BREAK", []),
        ("SELECT FAIL", "LATE", []),
        ("SELECT 2", "SELECT 1", []),
    ],
)
def test_a_rewriting_that_fails_where_its_original_does_not_is_reported(
    original: str, rewritten: str, said: list[str]
) -> None:
    async def test(proxied: Proxied) -> None:
        reported: list[SqlError] = []
        proxied.planned.plans[original] = Forward(rewritten, fallback=True, fell_back=reported.append)
        async with RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(), original)).operationHandle
            await client.end(operation)
            await client.fetch(operation)
            assert [error.message for error in reported] == said

    with_proxy(test)
