"""Which connections of the console are ended, and when."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme

from proxy.console import Console, requests
from tests.unit.catalog.lake import Lake
from tests.unit.commands.house import House
from tests.unit.console.http import get, sent, served
from tests.unit.console.site import console

SMALL = 4096  # bytes
SILENT, HALF = b"", b"GET / HTTP/1.1\r\nHost: x\r\n"
NO_BODY = b"POST /login HTTP/1.1\r\nHost: x\r\nOrigin: http://x\r\nContent-Length: 12\r\n\r\nuser"
SECOND = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n" + HALF


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    lake = Lake(tmp_path)
    yield House(lake)
    lake.close()


@pytest.mark.parametrize("sent", [SILENT, HALF, NO_BODY, SECOND])
def test_slow_strangers_are_sent_away(house: House, monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    async def test() -> None:
        async with served(console(house)) as port, asyncio.timeout(4):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(sent)
            with contextlib.suppress(ConnectionResetError):
                await reader.read()
            writer.close()

    monkeypatch.setattr(requests, "DEADLINE", 0.3)
    asyncio.run(test())


def encrypted(house: House) -> tuple[Console, ssl.SSLContext]:
    """Return a console over HTTPS, and the TLS context of its clients."""
    authority, own, theirs = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.create_default_context()
    authority.issue_cert("localhost").configure_cert(own)
    authority.configure_trust(theirs)
    return console(house, tls=own), theirs


def hello(context: ssl.SSLContext) -> bytes:
    """Return the first bytes of a client that wants TLS."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    with contextlib.suppress(ssl.SSLWantReadError):
        context.wrap_bio(incoming, outgoing, server_hostname="localhost").do_handshake()
    return outgoing.read()


@pytest.mark.parametrize("part", [slice(0), slice(20), slice(None)], ids=["silent", "half", "hello"])
def test_strangers_who_do_not_finish_the_handshake_are_sent_away(
    house: House, monkeypatch: pytest.MonkeyPatch, part: slice
) -> None:
    async def test() -> None:
        secured, trusting = encrypted(house)
        async with served(secured) as port, asyncio.timeout(4):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(hello(trusting)[part])
            with contextlib.suppress(ConnectionResetError):
                await reader.read()
            writer.close()

    monkeypatch.setattr(requests, "DEADLINE", 0.3)
    asyncio.run(test())


@pytest.mark.parametrize("said", [b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x00\x05nonsense"])
def test_what_is_no_tls_ends_the_connection(house: House, said: bytes) -> None:
    async def test() -> bytes:
        secured, _ = encrypted(house)
        async with served(secured) as port, asyncio.timeout(4):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(said)
            answered = await reader.read()
            writer.close()
            return answered

    assert asyncio.run(test())[:1] in (b"", b"\x15")  # an alert of TLS


def test_a_client_that_ends_tls_gets_its_answer_and_the_end(house: House) -> None:
    async def test() -> bytes:
        secured, trusting = encrypted(house)
        async with served(secured) as port, asyncio.timeout(4):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=trusting, server_hostname="localhost")
            writer.write(b"GET /static/console.css HTTP/1.1\r\nHost: x\r\n\r\n")
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(re.search(rb"content-length: (\d+)", head)[1])  # type: ignore[index]
            body = await reader.readexactly(length)
            writer.close()
            await writer.wait_closed()
            return body

    assert b"font" in asyncio.run(test())


async def send_without_reading(port: int) -> None:
    """Send requests until the connection is aborted, and read no response."""
    link = socket.socket()
    link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL)
    link.connect(("127.0.0.1", port))
    _, writer = await asyncio.open_connection(sock=link, limit=1)
    request = b"GET /static/console.css HTTP/1.1\r\nHost: x\r\n\r\n"
    try:
        with contextlib.suppress(ConnectionError):
            while True:
                writer.write(request * 100)
                await writer.drain()
    finally:
        writer.transport.abort()


def test_strangers_who_do_not_read_are_sent_away(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        async with served(console(house), SMALL) as port, asyncio.timeout(4):
            await send_without_reading(port)

    monkeypatch.setattr(requests, "DEADLINE", 0.3)
    asyncio.run(test())


def test_strangers_who_do_not_read_keep_no_health_check_away(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        made = console(house)
        async with served(made, SMALL) as port, asyncio.timeout(10), asyncio.TaskGroup() as strangers:
            held = [strangers.create_task(send_without_reading(port)) for _ in range(7)]
            assert made._server is not None
            open_: Any = made._server.server_state.connections
            while len(open_) < 7 or not all(connection.flow.write_paused for connection in open_):
                await asyncio.sleep(0)
            assert await get(port, "/healthz") == (200, "ok\n")
            assert sum(task.done() for task in held) <= 1
            for task in held:
                task.cancel()

    monkeypatch.setattr(requests, "MOST", 7)
    asyncio.run(test())


@pytest.mark.parametrize("over_tls", [False, True])
def test_silent_strangers_keep_no_health_check_away(
    house: House, monkeypatch: pytest.MonkeyPatch, over_tls: bool
) -> None:
    async def test() -> None:
        made, trusting = encrypted(house) if over_tls else (console(house), None)
        async with served(made) as port, asyncio.timeout(10):
            held = [await asyncio.open_connection("127.0.0.1", port) for _ in range(20)]
            answer = await sent(port, trusting, "/healthz", "GET", "", {})
            assert (answer.status, answer.body) == (200, "ok\n")
            ended = [reader.at_eof() or reader.exception() is not None for reader, _ in held]
            assert ended[:12] == [True] * 12
            assert not any(ended[-6:])
            for _, writer in held:
                writer.close()

    monkeypatch.setattr(requests, "MOST", 7)
    asyncio.run(test())
