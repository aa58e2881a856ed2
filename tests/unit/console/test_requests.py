"""Which connections of the console are ended, and when."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from proxy.console import requests
from tests.unit.catalog.lake import Lake
from tests.unit.commands.house import House
from tests.unit.console.http import get, served
from tests.unit.console.site import console

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


def test_silent_strangers_keep_no_health_check_away(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        async with served(console(house)) as port, asyncio.timeout(10):
            held = [await asyncio.open_connection("127.0.0.1", port) for _ in range(20)]
            assert await get(port, "/healthz") == (200, "ok\n")
            ended = [reader.at_eof() or reader.exception() is not None for reader, _ in held]
            assert ended[:12] == [True] * 12
            assert not any(ended[-6:])
            for _, writer in held:
                writer.close()

    monkeypatch.setattr(requests, "MOST", 7)
    asyncio.run(test())
