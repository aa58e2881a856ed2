"""Clients of the transports other than SASL: bare messages, and HTTP."""

from __future__ import annotations

import asyncio
import base64
import gzip
import ssl
from typing import Any

from proxy.hs2.generated import ttypes
from proxy.wire import MessageReader
from tests.unit.support.proxied import RawClient


class BareClient(RawClient):
    """A client without SASL, over TLS if there is a context."""

    def __init__(self, port: int, context: ssl.SSLContext | None = None) -> None:
        super().__init__(port)
        self.context = context
        self.frames = MessageReader(1 << 24)  # type: ignore[assignment]

    async def __aenter__(self) -> BareClient:
        name = "localhost" if self.context else None
        self.reader, self.writer = await asyncio.open_connection(
            "127.0.0.1", self.port, ssl=self.context, server_hostname=name
        )
        return self

    async def call(self, message: bytes) -> bytes:
        self.writer.write(message)
        return await self.reply()

    async def open(self, user: str | None = None, password: str | None = None) -> Any:
        request = ttypes.TOpenSessionReq(client_protocol=9, username=user, password=password)
        return await self.ask("OpenSession", request, ttypes.TOpenSessionResp)


class HttpClient(RawClient):
    """A client that posts each message, on a new connection if `fresh`."""

    def __init__(self, port: int, headers: str = "", target: str = "/cliservice", context: Any = None) -> None:
        super().__init__(port)
        self.headers, self.target, self.context = headers, target, context
        self.code = 0
        self.answered: dict[str, str] = {}

    async def __aenter__(self) -> HttpClient:
        name = "localhost" if self.context else None
        self.reader, self.writer = await asyncio.open_connection(
            "127.0.0.1", self.port, ssl=self.context, server_hostname=name
        )
        return self

    async def call(self, message: bytes) -> bytes:
        head = f"POST {self.target} HTTP/1.1\r\nHost: h\r\n{self.headers}Content-Length: {len(message)}\r\n\r\n"
        self.writer.write(head.encode() + message)
        return await self.reply()

    async def reply(self) -> bytes:
        lines = (await self.reader.readuntil(b"\r\n\r\n")).decode().splitlines()
        self.code = int(lines[0].split()[1])
        self.answered = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:] if line)}
        body = await self.reader.readexactly(int(self.answered.get("content-length", 0)))
        return gzip.decompress(body) if self.answered.get("content-encoding") == "gzip" else body


def basic(user: str, password: str = "right") -> str:
    return f"Authorization: Basic {base64.b64encode(f'{user}:{password}'.encode()).decode()}\r\n"
