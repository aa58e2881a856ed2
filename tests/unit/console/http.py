"""What an HTTP client gets of a console."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator

from proxy.console import Console
from proxy.server.addresses import bound
from proxy.service import Service


async def get(port: int, path: str, method: str = "GET") -> tuple[int, str]:
    """The status and the body of an answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
    head, _, body = (await reader.read()).decode().partition("\r\n\r\n")
    writer.close()
    return int(head.split()[1]), body


@contextlib.asynccontextmanager
async def listening(service: Service) -> AsyncIterator[tuple[Console, int]]:
    """A console of a service, and its port."""
    console, place = Console(service), bound("127.0.0.1", 0)
    console.start(place)
    try:
        yield console, place.getsockname()[1]
    finally:
        await console.stop()


def figure(text: str, name: str, **labels: str) -> float:
    """The sum of the samples of a name with these labels."""
    wanted = {f'{label}="{value}"' for label, value in labels.items()}
    samples = re.findall(rf"^{name}(?:{{(.*)}})? (\S+)$", text, re.MULTILINE)
    return sum(float(value) for found, value in samples if wanted <= set(re.findall(r'\w+="[^"]*"', found)))
