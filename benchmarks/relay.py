"""Copies bytes between clients and a server without parsing them: the least that any process in between costs.

    python benchmarks/relay.py PORT

It listens on a free port, which it prints.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import cast

import uvloop

HOST = "127.0.0.1"


class End(asyncio.Protocol):
    """One of the two ends of a connection."""

    def __init__(self, other: End | None = None, made: Callable[[End], object] | None = None) -> None:
        self.other, self.made = other, made
        self.transport: asyncio.Transport
        self.early: list[bytes] = []  # what has come before there was another end

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        if self.made is not None:
            self.made(self)

    def data_received(self, data: bytes) -> None:
        if self.other is None:
            self.early.append(data)
        else:
            self.other.transport.write(data)

    def connection_lost(self, exc: Exception | None) -> None:
        if self.other is not None:
            self.other.transport.close()


async def serve(port: int) -> None:
    loop = asyncio.get_running_loop()
    joining = set()

    def join(client: End) -> None:
        async def connect() -> None:
            _, client.other = await loop.create_connection(lambda: End(client), HOST, port)
            client.other.transport.writelines(client.early)

        task = loop.create_task(connect())
        joining.add(task)
        task.add_done_callback(joining.discard)

    server = await loop.create_server(lambda: End(made=join), HOST, 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(serve(int(sys.argv[1])))
