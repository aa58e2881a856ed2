"""What a client asks as of its last result is answered as if it had not been foreseen."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest

from proxy.hs2 import SqlError, encode_call
from proxy.hs2.generated import ttypes
from proxy.service.forwarded import Forwarded
from proxy.service.peer import Peer
from proxy.session import Foreseen, Forward, Handle, Operation, numbered
from proxy.upstream import Terms
from proxy.wire import name_of, with_field
from proxy.wire.layout import STRING
from tests.unit.support.proxied import Proxied, RawClient, until, with_proxy

RUNNING, FINISHED, CANCELED = 1, 2, 3
OPERATION = cast(Operation, object())


def close_call(handle: Handle, seqid: int) -> bytes:
    identifier = ttypes.THandleIdentifier(guid=handle.guid, secret=handle.secret)
    operation = ttypes.TOperationHandle(operationId=identifier, operationType=0, hasResultSet=True)
    return encode_call("CloseOperation", seqid, ttypes.TCloseOperationReq(operationHandle=operation))


@pytest.mark.parametrize("seqid", [0, 1, -1, 2**31 - 1])
def test_a_call_is_known_under_any_sequence_id_and_answered_under_its_own(seqid: int) -> None:
    handle, foreseen = Handle.new(), Foreseen()
    foreseen.expect(close_call(handle, 5), OPERATION, lambda: b"reply")
    known = foreseen.knows(close_call(handle, seqid))
    assert known is not None
    assert known[1]() == b"reply"
    assert numbered(close_call(handle, 9), close_call(handle, seqid)) == close_call(handle, seqid)


def test_no_other_bytes_are_known() -> None:
    handle, foreseen = Handle.new(), Foreseen()
    call = close_call(handle, 5)
    foreseen.expect(call, OPERATION, lambda: b"reply")
    others = [call[:n] for n in range(len(call))] + [call + b"\0", close_call(Handle.new(), 5), b"\xff" * 20]
    assert [foreseen.knows(other) for other in others] == [None] * len(others)


def test_what_was_told_for_good_is_known_until_something_else_is() -> None:
    one, other, foreseen = close_call(Handle.new(), 5), close_call(Handle.new(), 5), Foreseen()
    foreseen.told(one, OPERATION, b"one")
    known = foreseen.knows(one)
    assert known is not None
    assert known[1]() == b"one"
    foreseen.told(other, OPERATION, b"other")
    assert foreseen.knows(one) is None
    foreseen.told(one + bytes(4096), OPERATION, b"long")
    assert [foreseen.knows(call) for call in (one, other, one + bytes(4096))] == [None] * 3


Use = Callable[[RawClient, Any], Awaitable[Any]]


async def read(client: RawClient, operation: Any) -> list[Any]:
    """A result as clients read it: all of what they are told but for what it is called."""
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
    """Spark is asked for the columns and the rows together; held there, they are waited for like any others."""

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


def forwarded() -> list[Any]:
    gc.collect()  # what other tests have left, and cycles
    return [seen for seen in gc.get_objects() if isinstance(seen, Forwarded)]


@pytest.mark.parametrize("turns", range(5))
@pytest.mark.parametrize("ends", ["CloseOperation", "CloseSession"])
def test_nothing_is_kept_of_a_statement_that_is_ended_when_its_turn_has_come(ends: str, turns: int) -> None:
    """In each turn of the loop from Spark's answer on: another one has it under way then."""

    async def test(proxied: Proxied) -> None:
        spark = proxied.spark
        async with RawClient(proxied.port, "ann") as ann, RawClient(proxied.port) as bob:
            session = await bob.open_session()
            for _ in range(2):
                await used(bob, session, "SELECT 1", run_async=False)
            first = (await ann.execute(await ann.open_session(), "SELECT HANG")).operationHandle
            second = (await bob.execute(session, "SELECT 2")).operationHandle
            asked = len(spark.sent("ExecuteStatement"))
            spark.held["ExecuteStatement"] = asyncio.Event()
            await ann.close(first)
            await until(lambda: len(spark.sent("ExecuteStatement")) > asked)
            spark.held.pop("ExecuteStatement").set()
            for _ in range(turns):
                await asyncio.sleep(0)
            request = {
                "CloseOperation": ttypes.TCloseOperationReq(operationHandle=second),
                "CloseSession": ttypes.TCloseSessionReq(sessionHandle=session),
            }[ends]
            await bob.call(encode_call(ends, 1, request))
            await until(lambda: not forwarded())

    with_proxy(test, terms=[Terms(statements=1)])


def test_nothing_is_kept_of_a_statement_that_is_closed_elsewhere_while_its_status_comes() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client, RawClient(proxied.port) as other:
            operation = (await client.execute(await client.open_session(), "SELECT 1")).operationHandle
            held = proxied.spark.held["GetOperationStatus"] = asyncio.Event()
            asking = asyncio.create_task(client.status(operation))
            await proxied.spark.called("GetOperationStatus")
            closing = asyncio.create_task(other.close(operation))
            await until(lambda: not proxied.open_operations)
            held.set()
            assert (await asking).status.statusCode == 0
            await closing
            await until(lambda: not forwarded())

    with_proxy(test)


async def close(client: RawClient, other: RawClient, _session: Any, operation: Any) -> None:
    await client.close(operation)


async def close_elsewhere(client: RawClient, other: RawClient, _session: Any, operation: Any) -> None:
    await other.close(operation)


async def close_session(client: RawClient, other: RawClient, session: Any, _operation: Any) -> None:
    await client.ask("CloseSession", ttypes.TCloseSessionReq(sessionHandle=session), ttypes.TCloseSessionResp)


async def fail(client: RawClient, other: RawClient, session: Any, operation: Any) -> None:
    await client.close(operation)
    assert (await client.execute(session, "FAIL", run_async=False)).status.statusCode == 3


@pytest.mark.parametrize("end", [close, close_elsewhere, close_session, fail])
def test_a_connection_that_idles_keeps_nothing_of_its_last_statement(end: Any) -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client, RawClient(proxied.port) as other:
            session = await client.open_session()
            for _ in range(2):
                operation = (await client.execute(session, "SELECT 1", run_async=False)).operationHandle
                await client.close(operation)
            operation = (await client.execute(session, "SELECT 1", run_async=False)).operationHandle
            await client.end(operation)
            await end(client, other, session, operation)
            await until(lambda: not forwarded())

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
        proxied.planned.plans["FAIL x"] = Forward("LATE", fallback=True)
        async with RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(), "FAIL x")).operationHandle
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


def test_what_is_longer_than_clients_make_it_is_not_kept() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            operation = (await client.execute(session, "SELECT 1", run_async=False)).operationHandle
            calls = [
                encode_call("GetResultSetMetadata", 1, ttypes.TGetResultSetMetadataReq(operationHandle=operation)),
                encode_call("FetchResults", 1, ttypes.TFetchResultsReq(operation, maxRows=9)),
                encode_call("CloseOperation", 1, ttypes.TCloseOperationReq(operationHandle=operation)),
            ]
            for call in calls:
                await client.call(with_field(call, (1, 999), STRING, bytes(4096)))
            (habits,) = (each.habits for each in proxied.server.service.sessions.all)
            assert (habits.columns, habits.rows, habits.closing) == (None, None, None)

    with_proxy(test)
