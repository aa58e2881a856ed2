"""The listener: real clients, invalid bytes, slow peers, and shutdown."""

import asyncio
from threading import Event

import pytest
from pyhive import hive
from pyhive.exc import OperationalError

from proxy.authentication import Authentication
from proxy.hs2 import ResultSet, encode_call
from proxy.hs2.generated import ttypes
from proxy.server import Limits
from proxy.session import Forward, Local
from proxy.wire import CALL, frame, write_head
from proxy.wire.sasl import Status, negotiation
from tests.unit.support.proxied import Proxied, RawClient, until, with_proxy

LOGIN = negotiation(Status.START, b"PLAIN") + negotiation(Status.COMPLETE, b"\0bob\0x")


def test_pyhive_from_connect_to_close() -> None:
    port = 0

    async def test(proxied: Proxied) -> None:
        async def answer(log: object) -> ResultSet:
            return ResultSet.of("view", rows=[["mv"]])

        proxied.planned.plans["SHOW VIEWS"] = Local(answer)
        proxied.planned.plans["SELECT 2"] = Forward("SELECT 2 FROM mv", fallback=True, log=("rewritten to mv",))
        await asyncio.to_thread(client)
        await until(lambda: not proxied.spark.sessions)

    def client() -> None:
        with hive.connect("127.0.0.1", port, username="bob") as connection, connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            assert cursor.fetchall() == [("SELECT 1",)]
            assert cursor.description[0][:2] == ("sql", "STRING_TYPE")
            cursor.execute("SELECT 2", async_=True)
            while cursor.poll().operationState == 1:
                pass
            assert cursor.fetchall() == [("SELECT 2 FROM mv",)]
            assert cursor.fetch_logs() == ["rewritten to mv"]
            cursor.execute("SHOW VIEWS")
            assert cursor.fetchall() == [("mv",)]
            with pytest.raises(OperationalError, match="no way"):
                cursor.execute("FAIL")
            cursor.execute("SELECT HANG", async_=True)
            cursor.cancel()
            assert cursor.poll().operationState == 3

    async def with_port(proxied: Proxied) -> None:
        nonlocal port
        port = proxied.port
        await test(proxied)

    with_proxy(with_port)


async def refused(port: int, data: bytes) -> bytes:
    """Return what the server sends before it closes the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    try:
        return await asyncio.wait_for(reader.read(), 5)
    except ConnectionError:
        return b""
    finally:
        writer.close()


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        bytes.fromhex("16030100a5"),
        bytes.fromhex("80010001 0000ffff") + b"GetInfo",
        bytes.fromhex("80010001 00000007") + b"GetInfo" + bytes.fromhex("00000000 0b0001 00020000"),
        b"POST /cliservice HTTP/1.1\r\nHost: h\r\nContent-Length: 7\r\n\r\nGetInfo",
        b"POST /cliservice HTTP/1.1\r\nHost: h\r\nX: " + b"x" * 70_000,
        negotiation(Status.START, b"GSSAPI"),
        bytes.fromhex("01 7fffffff"),
        LOGIN + bytes.fromhex("7fffffff"),
        LOGIN + frame(b"GET / HTTP/1.1"),
        LOGIN + frame(write_head("X", 9, 0) + b"\0"),
        LOGIN + frame(write_head("X", CALL, 0) + bytes.fromhex("0b0001 7fffffff")),
        LOGIN + frame(write_head("X", CALL, 0) + bytes.fromhex("0c0001") * 100),
    ],
)
def test_bad_bytes_close_their_connection_and_touch_no_other(data: bytes, caplog: pytest.LogCaptureFixture) -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            await refused(proxied.port, data)
            assert (await client.execute(session, "SELECT 1")).status.statusCode == 0

    with_proxy(test, Limits(message=100_000, grace=0.2))
    assert "connection closed" in caplog.text


def test_a_refusal_tells_the_client_why() -> None:
    async def test(proxied: Proxied) -> None:
        assert b"Unsupported mechanism type GSSAPI" in await refused(proxied.port, negotiation(Status.START, b"GSSAPI"))

    with_proxy(test)


def test_a_stranger_does_not_fill_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async def test(proxied: Proxied) -> None:
        await refused(proxied.port, negotiation(Status.START, b"\0" * 60_000))

    with_proxy(test)
    assert "Unsupported mechanism type" in caplog.text
    assert len(caplog.text) < 2000


def test_a_client_that_does_not_log_in_is_dropped() -> None:
    async def test(proxied: Proxied) -> None:
        assert await refused(proxied.port, LOGIN[:7]) == b""

    with_proxy(test, Limits(handshake=0.05, grace=0.2))


def test_of_too_many_clients_without_a_login_the_oldest_is_dropped(caplog: pytest.LogCaptureFixture) -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:  # has logged in: never dropped for this reason
            session = await client.open_session()
            silent = [await asyncio.open_connection("127.0.0.1", proxied.port) for _ in range(4)]
            for reader, _ in silent[:2]:
                assert await asyncio.wait_for(reader.read(), 5) == b""
            assert (await client.execute(session, "SELECT 1")).status.statusCode == 0
            async with RawClient(proxied.port) as late:  # closes the third
                await late.open_session()
            assert await asyncio.wait_for(silent[2][0].read(), 5) == b""
            with pytest.raises(TimeoutError):  # the fourth is open
                await asyncio.wait_for(silent[3][0].read(), 0.05)
            for _, writer in silent:
                writer.close()
                await writer.wait_closed()

    with_proxy(test, Limits(logins=2, grace=0.2))
    assert caplog.text.count("more than 2 connections have no login") == 3
    assert "an administrator can raise [limits] logins" in caplog.text


class SlowPasswords:
    """Accepts each password, but only when it may."""

    def __init__(self) -> None:
        self.checking = Event()
        self.may = Event()

    def version(self, _user: str) -> str:
        return ""

    def check(self, _user: str, _password: str) -> bool:
        self.checking.set()
        return self.may.wait(10)


def test_of_too_many_clients_without_a_login_the_newest_is_dropped_if_all_others_are_being_checked(
    caplog: pytest.LogCaptureFixture,
) -> None:
    passwords = SlowPasswords()

    async def log_in(port: int) -> None:
        async with RawClient(port) as client:
            await client.open_session()

    async def test(proxied: Proxied) -> None:
        checked = asyncio.create_task(log_in(proxied.port))
        await until(passwords.checking.is_set)
        assert await refused(proxied.port, b"") == b""
        passwords.may.set()
        await checked

    with_proxy(test, Limits(logins=1, grace=0.2), authentication=Authentication(passwords))
    assert "more than 1 connections have no login, and this is the oldest that Viewgate is not checking" in caplog.text


def test_messages_in_small_frames_and_many_at_once() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            message = encode_call("OpenSession", 1, ttypes.TOpenSessionReq(client_protocol=10))
            client.writer.write(b"".join(frame(message[at : at + 7]) for at in range(0, len(message), 7)) * 20)
            for _ in range(20):
                assert await client.reply()
            assert len(proxied.spark.sessions) == 20

    with_proxy(test)


def test_a_call_whose_answer_was_cancelled_by_somebody_else_ends_its_connection() -> None:
    async def test(proxied: Proxied) -> None:
        async def handle(*_: object) -> bytes:
            raise asyncio.CancelledError

        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            proxied.server.service.handle = handle  # type: ignore[method-assign, assignment]
            with pytest.raises(ConnectionResetError):
                await client.execute(session, "SELECT 1")

    with_proxy(test)


def test_stop_lets_a_running_statement_end() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            waiting = asyncio.create_task(client.execute(await client.open_session(), "SELECT HANG", run_async=False))
            await proxied.spark.called("GetOperationStatus")
            stopping = asyncio.create_task(proxied.server.stop())
            await until(lambda: not proxied.server._listeners[0].is_serving())
            with pytest.raises(ConnectionError):
                await asyncio.open_connection("127.0.0.1", proxied.port)
            running = proxied.spark.history[0]
            running.outcome = ResultSet.of("sql", rows=[["late"]])
            running.end(2)  # type: ignore[arg-type]
            assert (await waiting).status.statusCode == 0
            await stopping
            assert not proxied.spark.sessions

    with_proxy(test, Limits(grace=10))


def test_stop_lets_a_client_read_its_result_to_the_end() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            for sql in ("SELECT 1", "SELECT 2"):  # of the second, the blocks are prefetched
                operation = (await client.execute(session, sql)).operationHandle
                await client.end(operation)
                assert await client.first_column(operation) == [sql]
            stopping = asyncio.create_task(proxied.server.stop())
            await until(lambda: proxied.server.waiting)
            await asyncio.sleep(0.1)
            assert await client.first_column(operation) == []
            began = asyncio.get_running_loop().time()
            await stopping
            assert asyncio.get_running_loop().time() - began < 3

    with_proxy(test, Limits(grace=10))


def test_stop_does_not_wait_for_a_client_that_reads_no_more_nor_for_ever_for_one_that_does() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(), "SELECT 1")).operationHandle
            await client.end(operation)
            assert await client.first_column(operation) == ["SELECT 1"]
            await proxied.server.stop()

    for grace in (10, 0.1):
        with_proxy(test, Limits(grace=grace))


def test_stop_does_not_wait_for_a_spark_that_does_not_answer() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(), "SELECT HANG")).operationHandle
            cancels = proxied.spark.held["CancelOperation"] = asyncio.Event()
            stopping = asyncio.create_task(proxied.server.stop())
            await until(lambda: not proxied.server.service.sessions.running)
            assert (await client.status(operation)).sqlState == "57P01"
            async with asyncio.timeout(5):
                await stopping
            cancels.set()

    with_proxy(test, Limits(grace=0.1, close=0.1))


def test_stop_cancels_what_does_not_end() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            waiting = asyncio.create_task(client.execute(await client.open_session(), "SELECT HANG", run_async=False))
            await proxied.spark.called("GetOperationStatus")
            await proxied.server.stop()
            assert proxied.spark.history[0].state == 3
            assert not proxied.spark.sessions
            status = (await waiting).status
            assert (status.statusCode, status.sqlState) == (3, "57P01")
            assert "Viewgate is shutting down" in status.errorMessage

    with_proxy(test, Limits(grace=0.1))


def test_a_client_that_polls_is_told_of_the_end_before_the_connection_is_closed() -> None:
    async def test(proxied: Proxied) -> None:
        async def never(log: object) -> ResultSet:
            await asyncio.Event().wait()
            raise AssertionError

        proxied.planned.plans["REFRESH"] = Local(never)
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            started = [(await client.execute(session, sql)).operationHandle for sql in ("SELECT HANG", "REFRESH")]
            stopping = asyncio.create_task(proxied.server.stop())
            await until(lambda: not proxied.server.service.sessions.running)
            for operation in started:
                answer = await client.status(operation)
                assert (answer.operationState, answer.sqlState) == (5, "57P01")
                assert "Viewgate is shutting down" in answer.errorMessage
            await stopping

    with_proxy(test, Limits(grace=0.05, close=5))


def test_a_client_that_waits_is_told_of_the_end_before_a_slow_upstream_has_closed_the_statement() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            waiting = asyncio.create_task(client.execute(await client.open_session(), "SELECT HANG", run_async=False))
            await proxied.spark.called("GetOperationStatus")
            closes = proxied.spark.held["CloseOperation"] = asyncio.Event()
            stopping = asyncio.create_task(proxied.server.stop())
            try:
                assert (await waiting).status.sqlState == "57P01"
            finally:
                closes.set()
                await stopping

    with_proxy(test, Limits(grace=0.1))


def test_stop_waits_for_no_connection_that_is_only_just_accepted() -> None:
    async def test(proxied: Proxied) -> None:
        proxied.server._connection()  # the event loop makes it a turn later

    with_proxy(test)


def test_stop_at_once_waits_for_no_statement() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            waiting = asyncio.create_task(client.execute(await client.open_session(), "SELECT HANG", run_async=False))
            await proxied.spark.called("GetOperationStatus")
            stopping = asyncio.create_task(proxied.server.stop())
            await until(lambda: proxied.server.waiting)
            proxied.server.hurry()
            await stopping
            assert (await waiting).status.sqlState == "57P01"

    with_proxy(test, Limits(grace=3600))


def test_stop_does_not_wait_for_a_client_that_does_not_read() -> None:
    async def test(proxied: Proxied) -> None:
        proxied.spark.script = lambda sql: ResultSet.of("sql", rows=[["x" * 1_000_000]] * 8)
        async with RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(), "SELECT 1")).operationHandle
            request = ttypes.TFetchResultsReq(operationHandle=operation, orientation=0, maxRows=100)
            client.writer.transport.pause_reading()  # type: ignore[attr-defined]
            client.writer.write(frame(encode_call("FetchResults", 1, request)))
            await proxied.spark.called("FetchResults")
            await proxied.server.stop()

    with_proxy(test, Limits(grace=0.1, close=0.1))
