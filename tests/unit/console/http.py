"""An HTTP client of a console."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import ssl
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from proxy.authentication import Authentication
from proxy.console import Console, Login
from proxy.ports import bound
from proxy.service import Service


@dataclass(frozen=True)
class Answer:
    """A server's answer."""

    status: int
    headers: Mapping[str, str]
    body: str


async def request(port: int, path: str, method: str = "GET", body: str = "", **headers: str) -> Answer:
    """Return the answer to a request of a client that is not a browser."""
    return await sent(port, None, path, method, body, headers)


async def sent(
    port: int, tls: ssl.SSLContext | None, path: str, method: str, body: str, headers: Mapping[str, str]
) -> Answer:
    """Return the answer to a request; over HTTPS if there is a TLS context."""
    name = "localhost" if tls else None
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=tls, server_hostname=name)
    fields = {"host": f"127.0.0.1:{port}", "connection": "close", "content-length": str(len(body.encode())), **headers}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name.replace('_', '-')}: {value}" for name, value in fields.items())]
    writer.write(("\r\n".join(lines) + "\r\n\r\n" + body).encode())
    head, _, answered = (await reader.read()).decode().partition("\r\n\r\n")
    writer.close()
    first, *rest = head.split("\r\n")
    answers = (line.partition(": ") for line in rest)
    return Answer(int(first.split()[1]), {name.lower(): value for name, _, value in answers}, answered)


async def get(port: int, path: str, method: str = "GET", **headers: str) -> tuple[int, str]:
    """Return the status and the body of an answer."""
    answer = await request(port, path, method, **headers)
    return answer.status, answer.body


@contextlib.asynccontextmanager
async def listening(service: Service) -> AsyncIterator[tuple[Console, int]]:
    """Yield a console of a service, and its port."""
    nothing: Any = SimpleNamespace()
    console = Console(service, nothing, Login(Authentication(), lambda user: user, b""))
    async with served(console) as port:
        yield console, port


@contextlib.asynccontextmanager
async def served(console: Console, send_buffer: int | None = None) -> AsyncIterator[int]:
    """Yield the port on which a console listens; its connections have this send buffer in the kernel, in bytes."""
    place = bound("127.0.0.1", 0)
    if send_buffer is not None:
        place.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer)
    console.start(place)
    try:
        yield place.getsockname()[1]
    finally:
        await console.stop()


def figure(text: str, name: str, **labels: str) -> float:
    """Return the sum of the samples with this name and these labels."""
    wanted = {f'{label}="{value}"' for label, value in labels.items()}
    samples = re.findall(rf"^{name}(?:{{(.*)}})? (\S+)$", text, re.MULTILINE)
    return sum(float(value) for found, value in samples if wanted <= set(re.findall(r'\w+="[^"]*"', found)))
