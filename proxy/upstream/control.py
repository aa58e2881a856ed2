"""The connection to an upstream on which no statement is ever polled, so that a cancel need not wait."""

from __future__ import annotations

import asyncio

from proxy.hs2 import SqlError
from proxy.upstream.connection import Connection, Pulse, Timeouts, Upstream, connect

_USER = "viewgate"


class Control:
    """Opened at the first call, opened again when it was lost; shared by all sessions of an upstream."""

    def __init__(self, upstream: Upstream, timeouts: Timeouts, pulse: Pulse) -> None:
        self._upstream = upstream
        self._timeouts = timeouts
        self._pulse = pulse
        self._connection: Connection | None = None
        self._opening = asyncio.Lock()

    async def call(self, message: bytes) -> bytes:
        """Relay a call that is answered at once and can be repeated without harm."""
        connection = await self._connected()
        try:
            return await connection.call(message)
        except SqlError:
            return await (await self._connected()).call(message)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    async def _connected(self) -> Connection:
        async with self._opening:
            if self._connection is None or not self._connection.alive:
                user, password = self._upstream.user or _USER, self._upstream.password or _USER
                connecting = connect(self._upstream, user, password, self._timeouts, self._pulse)
                self._connection = await asyncio.create_task(connecting)  # who calls need not be a task
            return self._connection
