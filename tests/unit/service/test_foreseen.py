"""Calls that repeat those of the last result get the same answers as if the reply cache did not exist."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from proxy.hs2 import SqlError
from proxy.hs2.generated import ttypes
from proxy.service import Peer
from proxy.session import Forward
from proxy.wire import name_of
from tests.unit.support.proxied import Proxied, RawClient, until, with_proxy

RUNNING, FINISHED, CANCELED = 1, 2, 3


Use = Callable[[RawClient, Any], Awaitable[Any]]


async def read(client: RawClient, operation: Any) -> list[Any]:
    """Return a result as clients read it: all replies, except for handles."""
    columns = await client.schema(operation)
    rows = [await client.fetch(operation, rows=2) for _ in range(3)]
    return [columns, *rows]


async def used(client: RawClient, session: Any, sql: str, use: Use = read, *, run_async: bool = True) -> Any:
    operation = (await client.execute(session, sql, run_async=run_async)).operationHandle
    await client.end(operation)
    told = await use(client, operation)
    await client.close(operation)
    return told


@pytest.mark.parametrize("run_async", [True, False])
def test_each_result_is_read_like_the_first(run_async: bool) -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            told = [await used(client, session, "SELECT 1", run_async=run_async) for _ in range(4)]
            assert told == [told[0]] * 4
            assert await used(client, session, "SELECT 2") != told[0]
            await until(lambda: not proxied.spark.operations)
            assert proxied.open_operations == 0

    with_proxy(test)


async def backwards(client: RawClient, operation: Any) -> list[Any]:
    return [await client.fetch(operation, rows=rows, orientation=how) for rows, how in ((2, 0), (1, 0), (2, 4), (2, 0))]


async def rows_first(client: RawClient, operation: Any) -> list[Any]:
    return [await client.fetch(operation, rows=2), await client.schema(operation), await client.fetch(operation)]


async def nothing(_client: RawClient, _operation: Any) -> list[Any]:
    return []


def test_who_asks_otherwise_than_of_the_last_result_gets_what_it_asks_for() -> None:
    uses = (read, backwards, rows_first, nothing)

    async def test(proxied: Proxied) -> None:
        alone = {}
        for use in uses:
            async with RawClient(proxied.port) as client:
                alone[use] = await used(client, await client.open_session(), "SELECT 1", use)
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            for first in uses:
                for second in uses:
                    await used(client, session, "SELECT 1", first)
                    assert await used(client, session, "SELECT 1", second) == alone[second]

    with_proxy(test)


def test_what_another_connection_has_closed_is_not_answered_for() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client, RawClient(proxied.port) as other:
            session = await client.open_session()
            await used(client, session, "SELECT 1")
            operation = (await client.execute(session, "SELECT 1")).operationHandle
            await client.end(operation)
            await other.close(operation)
            assert (await client.fetch(operation, rows=2)).status.statusCode == 3
            request = ttypes.TCloseOperationReq(operationHandle=operation)
            closed = await client.ask("CloseOperation", request, ttypes.TCloseOperationResp)
            assert closed.status.statusCode == 3

    with_proxy(test)


def test_nobody_else_is_answered() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client, RawClient(proxied.port, "eve") as eve:
            session = await client.open_session()
            await used(client, session, "SELECT 1")
            operation = (await client.execute(session, "SELECT 1")).operationHandle
            await client.end(operation)
            assert (await eve.fetch(operation, rows=2)).status.statusCode == 3
            assert await read(client, operation)

    with_proxy(test)


def test_a_statement_that_still_runs_is_stopped_when_it_is_closed() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            await used(client, session, "SELECT 1")
            operation = (await client.execute(session, "HANG")).operationHandle
            await client.close(operation)
            await until(lambda: proxied.spark.history[-1].state == CANCELED)
            await until(lambda: not proxied.spark.operations)
            assert proxied.open_operations == 0

    with_proxy(test)


def test_the_answers_come_while_spark_is_asked_nothing_that_it_has_not_been_asked() -> None:
    """Spark is asked for columns and rows together; replies that are late are awaited like any others."""

    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            told = await used(client, session, "SELECT 1")
            held = proxied.spark.held["FetchResults"] = asyncio.Event()
            operation = (await client.execute(session, "SELECT 1")).operationHandle
            await client.end(operation)
            reading = asyncio.create_task(read(client, operation))
            await proxied.spark.called("FetchResults")
            held.set()
            assert await reading == told
            asked = len(proxied.spark.sent("FetchResults"))
            assert asked == 2 * 3

    with_proxy(test)


@pytest.mark.parametrize("sql", ["SELECT 1", "FAIL"])
def test_spark_is_asked_once_for_the_status_of_what_has_ended(sql: str) -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(), sql)).operationHandle
            told = await client.end(operation)
            asked = len(proxied.spark.sent("GetOperationStatus"))
            assert [await client.status(operation) for _ in range(3)] == [told] * 3
            assert len(proxied.spark.sent("GetOperationStatus")) == asked
            await client.close(operation)
            assert (await client.status(operation)).status.statusCode == 3

    with_proxy(test)


def test_the_reason_of_an_error_is_told_once_spark_knows_it() -> None:
    async def test(proxied: Proxied) -> None:
        proxied.spark.slow_reasons = 50  # answers, for which Viewgate waits
        async with RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(), "FAIL")).operationHandle
            assert (await client.end(operation)).errorMessage is None
            assert "no way" in (await client.status(operation)).errorMessage

    with_proxy(test)


def test_an_original_that_fails_is_told_of_though_its_rewriting_had_ended_well() -> None:
    async def test(proxied: Proxied) -> None:
        proxied.planned.plans["SELECT FAIL"] = Forward("LATE", fallback=True)
        async with RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(), "SELECT FAIL")).operationHandle
            assert (await client.end(operation)).operationState == FINISHED
            assert "no way" in (await client.fetch(operation)).status.errorMessage
            assert "no way" in (await client.status(operation)).errorMessage

    with_proxy(test)


def test_what_was_foreseen_reaches_no_handler_and_keeps_the_session_in_use() -> None:
    async def test(proxied: Proxied) -> None:
        service = proxied.server.service
        foreseen, told = service.foreseen, []

        def noted(peer: Peer, message: bytes) -> bytes | None:
            reply = foreseen(peer, message)
            if reply is not None:
                told.append(name_of(message))
            return reply

        service.foreseen = noted  # type: ignore[method-assign]
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            await used(client, session, "SELECT 1")
            operation = (await client.execute(session, "SELECT 1")).operationHandle
            await client.end(operation)
            await until(lambda: len(proxied.spark.sent("FetchResults")) == 3 + 2)
            for _ in range(2):  # the answers are there: those to later calls of the connection are
                (own,) = service.sessions.all
                own.used_at = 0
                await client.status(operation)
                assert own.used_at
            await read(client, operation)
            await client.close(operation)
        calls = [b"GetOperationStatus", b"GetOperationStatus", b"GetResultSetMetadata", b"FetchResults"]
        assert told[:4] == calls
        assert told[-1] == b"CloseOperation"

    with_proxy(test)


def test_a_status_that_can_change_is_asked_for_again() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(), "HANG")).operationHandle
            assert (await client.status(operation)).operationState == RUNNING
            request = ttypes.TCancelOperationReq(operationHandle=operation)
            await client.ask("CancelOperation", request, ttypes.TCancelOperationResp)
            assert (await client.end(operation)).operationState == CANCELED

    with_proxy(test)


def test_a_reply_of_sparks_that_cannot_be_read_is_told_as_without() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            await used(client, session, "SELECT 1")
            answer = proxied.spark._answer

            async def garbled(user: str, message: bytes) -> bytes:
                reply = await answer(user, message)
                # Of the status, the first field is a number: here a string.
                wrong = reply.replace(b"\x0c\x00\x01\x08\x00\x01", b"\x0c\x00\x01\x0b\x00\x01", 1)
                return wrong if b"FetchResults" in reply else reply

            proxied.spark._answer = garbled  # type: ignore[method-assign]
            operation = (await client.execute(session, "SELECT 1")).operationHandle
            await client.end(operation)
            assert await client.schema(operation)  # which Spark answers before the rows that it was asked for, too
            await until(lambda: len(proxied.spark.sent("FetchResults")) == 3 + 2)
            request = ttypes.TFetchResultsReq(operationHandle=operation, orientation=0, maxRows=2, fetchType=0)
            with pytest.raises(SqlError, match="number"):
                await client.ask("FetchResults", request, ttypes.TFetchResultsResp)
            assert (await client.status(operation)).status.statusCode == 0

    with_proxy(test)
