"""Clients and upstreams that die, stall or are slow, at each step, leave nothing open behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from proxy.hs2 import ResultSet, encode_call
from proxy.hs2.generated import ttypes
from proxy.server import Limits
from proxy.upstream import Timeouts
from proxy.wire import frame
from proxy.wire.sasl import Status, negotiation
from tests.unit.support.proxied import QUICK, Proxied, RawClient, until, with_proxy

LOGIN = negotiation(Status.START, b"PLAIN") + negotiation(Status.COMPLETE, b"\0bob\0x")
IMPATIENT = Timeouts(connect=2, handshake=0.3, open=0.1, call=0.1, work=0.1, close=0.1)


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


async def unharmed(proxied: Proxied, misfortune: Callable[[], Awaitable[None]]) -> None:
    """Check that nothing more is open or running after the test than before it, and that another client is served."""
    async with RawClient(proxied.port, "ann") as witness:
        session = await witness.open_session()
        # A cancel opens the connection that all sessions of an upstream share for that.
        operation = (await witness.execute(session, "SELECT HANG")).operationHandle
        cancelling = ttypes.TCancelOperationReq(operationHandle=operation)
        await witness.ask("CancelOperation", cancelling, ttypes.TCancelOperationResp)
        await witness.close(operation)
        await until(lambda: not proxied.spark.operations)
        before = descriptors(), len(asyncio.all_tasks()), len(proxied.server.service.sessions.all)
        await misfortune()

        def clean() -> bool:
            now = descriptors(), len(asyncio.all_tasks()), len(proxied.server.service.sessions.all)
            return all(count <= known for count, known in zip(now, before, strict=True))

        await until(clean)
        answer = await witness.execute(session, "SELECT 1", run_async=False)
        assert await witness.first_column(answer.operationHandle) == ["SELECT 1"]


# What a client has done, and what it sends before it dies without having read the answer.
STEPS: dict[str, Callable[[RawClient, Any, Any], tuple[str, Any]]] = {
    "OpenSession": lambda _c, _s, _o: ("OpenSession", ttypes.TOpenSessionReq(client_protocol=10)),
    "ExecuteStatement": lambda _c, s, _o: (
        "ExecuteStatement",
        ttypes.TExecuteStatementReq(sessionHandle=s, statement="SELECT 2", runAsync=True),
    ),
    "ExecuteStatement and wait": lambda _c, s, _o: (
        "ExecuteStatement",
        ttypes.TExecuteStatementReq(sessionHandle=s, statement="SELECT HANG", runAsync=False),
    ),
    "GetOperationStatus": lambda _c, _s, o: ("GetOperationStatus", ttypes.TGetOperationStatusReq(operationHandle=o)),
    "GetResultSetMetadata": lambda _c, _s, o: (
        "GetResultSetMetadata",
        ttypes.TGetResultSetMetadataReq(operationHandle=o),
    ),
    "FetchResults": lambda _c, _s, o: (
        "FetchResults",
        ttypes.TFetchResultsReq(operationHandle=o, orientation=0, maxRows=100),
    ),
    "CancelOperation": lambda _c, _s, o: ("CancelOperation", ttypes.TCancelOperationReq(operationHandle=o)),
    "CloseOperation": lambda _c, _s, o: ("CloseOperation", ttypes.TCloseOperationReq(operationHandle=o)),
    "CloseSession": lambda _c, s, _o: ("CloseSession", ttypes.TCloseSessionReq(sessionHandle=s)),
}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("sql", ["SELECT 1", "SELECT HANG"])
def test_a_client_that_dies_at_a_step(step: str, sql: str) -> None:
    async def test(proxied: Proxied) -> None:
        async def die() -> None:
            client = await RawClient(proxied.port).__aenter__()
            session = await client.open_session()
            operation = (await client.execute(session, sql)).operationHandle
            if sql == "SELECT 1":
                await client.end(operation)
            before = len(proxied.spark.messages)
            name, request = STEPS[step](client, session, operation)
            client.writer.write(frame(encode_call(name, 7, request)))
            # Two questions need no upstream: for the schema while it runs, and for the status once more at the end.
            quiet = ("GetResultSetMetadata", "GetOperationStatus")
            await until(lambda: len(proxied.spark.messages) > before or name in quiet)
            client.writer.transport.abort()

        await unharmed(proxied, die)
        await until(lambda: len(proxied.spark.sessions) == 1)
        assert not [running for running in proxied.spark.history if running.state == 1]

    with_proxy(test)


@pytest.mark.parametrize("step", ["CloseOperation", "CloseSession"])
def test_a_client_that_closes_and_leaves_at_once(step: str) -> None:
    async def test(proxied: Proxied) -> None:
        async def leave() -> None:
            client = await RawClient(proxied.port).__aenter__()
            session = await client.open_session()
            operation = (await client.execute(session, "SELECT HANG")).operationHandle
            proxied.spark.held["CancelOperation"] = asyncio.Event()
            name, request = STEPS[step](client, session, operation)
            client.writer.write(frame(encode_call(name, 7, request)))
            already = len(proxied.spark.sent("CancelOperation"))
            await until(lambda: len(proxied.spark.sent("CancelOperation")) > already)
            client.writer.transport.abort()
            await until(lambda: len(proxied.server._connections) == 1)
            proxied.spark.held.pop("CancelOperation").set()
            await until(lambda: len(proxied.spark.sessions) == 1)

        await unharmed(proxied, leave)

    with_proxy(test)


@pytest.mark.parametrize("sent", [0, 1, 7, len(LOGIN)])
def test_a_client_that_dies_in_its_login(sent: int) -> None:
    async def test(proxied: Proxied) -> None:
        async def die() -> None:
            _, writer = await asyncio.open_connection("127.0.0.1", proxied.port)
            writer.write(LOGIN[:sent])
            await until(lambda: len(proxied.server._connections) == 2)
            writer.transport.abort()

        await unharmed(proxied, die)

    with_proxy(test)


CALLS = ["OpenSession", "ExecuteStatement", "GetOperationStatus", "GetResultSetMetadata", "FetchResults"]


async def through(client: RawClient, *, run_async: bool) -> list[Any]:
    """Return the statuses of all calls on the way to the rows, up to the first that is not a success."""
    statuses = []
    request: Any = ttypes.TOpenSessionReq(client_protocol=10)
    opened = await client.ask("OpenSession", request, ttypes.TOpenSessionResp)
    statuses.append(opened.status)
    if opened.status.statusCode == 0:
        started = await client.execute(opened.sessionHandle, "SELECT 2", run_async=run_async)
        statuses.append(started.status)
        if started.status.statusCode == 0:
            operation = started.operationHandle
            statuses.append((await client.status(operation)).status)
            request = ttypes.TGetResultSetMetadataReq(operationHandle=operation)
            answer = await client.ask("GetResultSetMetadata", request, ttypes.TGetResultSetMetadataResp)
            statuses.append(answer.status)
            statuses.append((await client.fetch(operation)).status)
    return statuses


@pytest.mark.parametrize("run_async", [True, False])
@pytest.mark.parametrize("name", CALLS)
def test_an_upstream_that_is_killed_at_a_step(name: str, run_async: bool) -> None:
    async def test(proxied: Proxied) -> None:
        async def kill() -> None:
            proxied.spark.deadly.add(name)
            async with RawClient(proxied.port) as client:
                failed = [status for status in await through(client, run_async=run_async) if status.statusCode]
                assert {status.sqlState for status in failed} == {"08S01"}
                assert str(proxied.spark.port) in failed[0].errorMessage
            proxied.spark.deadly.clear()
            proxied.spark.sessions.clear()  # with their connections, as Spark does it
            await until(lambda: proxied.server.service.upstreams.places[0].usable)

        await unharmed(proxied, kill)

    with_proxy(test, timeouts=replace(QUICK, close=0.1))


@pytest.mark.parametrize("name", CALLS)
def test_an_upstream_that_takes_a_call_and_never_answers(name: str) -> None:
    async def test(proxied: Proxied) -> None:
        async def stall() -> None:
            proxied.spark.held[name] = asyncio.Event()
            async with RawClient(proxied.port) as client:
                failed = [status for status in await through(client, run_async=True) if status.statusCode]
                assert {status.sqlState for status in failed} == {"08S01"}
                assert (
                    "not open a session within" in failed[0].errorMessage
                    or f"not answered {name} for" in failed[0].errorMessage
                )
            proxied.spark.held.pop(name).set()
            await until(lambda: "bob" in proxied.spark.sessions.values())
            for guid in [guid for guid, user in proxied.spark.sessions.items() if user == "bob"]:
                del proxied.spark.sessions[guid]  # with its connection, as Spark does it
            await until(lambda: proxied.server.service.upstreams.places[0].usable)

        await unharmed(proxied, stall)

    with_proxy(test, Limits(grace=0.2, unseen=30), timeouts=IMPATIENT)


@pytest.mark.parametrize("name", ["CloseOperation", "CloseSession"])
def test_an_upstream_that_never_answers_a_close_keeps_nobody_waiting(name: str) -> None:
    async def test(proxied: Proxied) -> None:
        async def stall() -> None:
            proxied.spark.held[name] = asyncio.Event()
            async with RawClient(proxied.port) as client:
                session = await client.open_session()
                operation = (await client.execute(session, "SELECT 2", run_async=False)).operationHandle
                closing = ttypes.TCloseOperationReq(operationHandle=operation)
                assert (await client.ask("CloseOperation", closing, ttypes.TCloseOperationResp)).status.statusCode == 0
                ending = ttypes.TCloseSessionReq(sessionHandle=session)
                assert (await client.ask("CloseSession", ending, ttypes.TCloseSessionResp)).status.statusCode == 0
            proxied.spark.held.pop(name).set()

        await unharmed(proxied, stall)

    with_proxy(test, timeouts=IMPATIENT)


def test_a_client_that_does_not_read_is_answered_no_further() -> None:
    async def test(proxied: Proxied) -> None:
        proxied.spark.script = lambda sql: ResultSet.of("sql", rows=[[sql if len(sql) < 10 else "x" * 1_000_000]])

        async def stall() -> None:
            async with RawClient(proxied.port) as client:
                session = await client.open_session()
                asked = [await client.execute(session, f"SELECT '{n:10}'", run_async=False) for n in range(40)]
                client.writer.transport.pause_reading()  # type: ignore[attr-defined]
                for answer in asked:
                    request = ttypes.TFetchResultsReq(operationHandle=answer.operationHandle, orientation=0, maxRows=9)
                    client.writer.write(frame(encode_call("FetchResults", 1, request)))
                await until(lambda: not all(known._writable.is_set() for known in proxied.server._connections))
                assert len(proxied.spark.sent("FetchResults")) < 40
                client.writer.transport.resume_reading()  # type: ignore[attr-defined]
                for _ in asked:
                    assert len(await client.reply()) > 1_000_000

        await unharmed(proxied, stall)

    with_proxy(test)


def test_clients_together_hold_no_more_than_they_may(caplog: pytest.LogCaptureFixture) -> None:
    async def test(proxied: Proxied) -> None:
        held = proxied.server._entrance.held

        async def hoard() -> None:
            async with RawClient(proxied.port) as first, RawClient(proxied.port, "eve") as second:
                session = await first.open_session()
                request = ttypes.TExecuteStatementReq(sessionHandle=session, statement=f"SELECT '{'x' * 400_000}'")
                message = frame(encode_call("ExecuteStatement", 7, request))
                first.writer.write(message[:-1])
                await until(lambda: held.bytes == len(message) - 1)
                second.writer.write(message[:-1])
                with contextlib.suppress(ConnectionResetError):  # of what it has sent, a part was not even read
                    assert await second.reader.read() == b""
                await until(lambda: held.bytes == len(message) - 1)
                first.writer.write(message[-1:])
                assert await first.reply()
            await until(lambda: held.bytes == 0)

        await unharmed(proxied, hoard)

    with_proxy(test, Limits(grace=0.2, buffers=600_000))
    assert "the limit for incomplete messages is exceeded" in caplog.text


def test_a_client_that_writes_byte_by_byte_is_served_and_keeps_nobody_waiting() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as slow, RawClient(proxied.port, "ann") as quick:
            session = await quick.open_session()
            message = frame(encode_call("OpenSession", 7, ttypes.TOpenSessionReq(client_protocol=10)))
            for at in range(len(message)):
                slow.writer.write(message[at : at + 1])
                await slow.writer.drain()
                assert (await quick.execute(session, "SELECT 1")).status.statusCode == 0
            assert await slow.reply()

    with_proxy(test)
