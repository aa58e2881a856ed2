"""Starts and stops the listeners for clients on IPv4 or IPv6 addresses; a stop waits for running statements."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from proxy.ports import bound, is_ipv6
from proxy.server.connection import Connection
from proxy.server.conversations import Conversation
from proxy.server.entrance import Entrance
from proxy.service import Peer
from proxy.wire import Transport

_BACKLOG = 4096  # connections of other workers that may wait to be accepted; more are refused
_IDLE_CHECKS = 10  # checks per `idle`, the time after which an unused session is closed


class Server:
    """A server that accepts client connections on `host` until it is stopped.

    `port` accepts all transports. `ports` maps a transport to a further port, which accepts only this transport. With
    `shared`, other processes accept connections on the same ports.
    """

    def __init__(
        self,
        entrance: Entrance,
        host: str = "127.0.0.1",
        port: int = 10000,
        *,
        ports: Mapping[Transport, int] | None = None,
        shared: bool = False,
    ) -> None:
        self.service = entrance.service
        self._entrance = entrance
        self._host = host
        self._port = port
        self._shared = shared
        self._inner: asyncio.Server | None = None
        self._ports = ports or {}
        self._listeners: list[asyncio.Server] = []
        self._connections: set[Connection] = set()
        self._empty = asyncio.Event()
        self._empty.set()
        self._leaving: set[asyncio.Task[None]] = set()
        self._idle_check: asyncio.TimerHandle | None = None
        self._unseen_check: asyncio.TimerHandle | None = None
        self._grace: asyncio.Timeout | None = None

    async def start(self) -> int:
        """Start listening on the main port and on the ports for single transports; return the number of the main port.

        The main port accepts all transports. If its configured number is 0, the operating system chooses the number.
        """
        self._listeners = [await self._listen(self._port, self._connection)]
        for only, own in self._ports.items():
            self._listeners.append(await self._listen(own, partial(self._connection, only=only)))
        self._close_idle()
        self._look_after()
        port: int = self._listeners[0].sockets[0].getsockname()[1]
        return port

    async def _listen(self, port: int, made: Callable[[], Connection]) -> asyncio.Server:
        """Listen on a port, on all addresses of the host; `made` creates the protocol object of each connection."""
        listen = partial(asyncio.get_running_loop().create_server, made)
        if is_ipv6(self._host):  # asyncio would make `::` refuse IPv4 clients
            return await listen(sock=bound(self._host, port, shared=self._shared))
        # Not set unless the port is shared, because some systems do not support it.
        return await listen(host=self._host, port=port, reuse_port=True if self._shared else None)

    async def listen_within(self, path: Path, kind: type[Conversation]) -> None:
        """Also listen on a Unix socket for calls from other worker processes, until the server has stopped.

        `kind` is the class of conversation (the protocol) for these connections.
        """
        loop = asyncio.get_running_loop()
        self._inner = await loop.create_unix_server(lambda: self._connection(kind), path, backlog=_BACKLOG)

    @property
    def grace(self) -> float:
        """The time, in seconds, that running statements may take to end when the server stops."""
        return self._entrance.limits.grace

    @property
    def waiting(self) -> bool:
        """Whether `stop` is waiting for running statements."""
        return self._grace is not None

    def stop_listening(self) -> None:
        """Accept no more connections; existing connections continue."""
        for listener in self._listeners:
            listener.close()

    def hurry(self) -> None:
        """End the wait of `stop` for running statements at once; do nothing if `stop` is not waiting for them."""
        if self._grace is not None:
            self._grace.reschedule(asyncio.get_running_loop().time())

    async def stop(self) -> None:
        """Stop listening, wait up to `grace` seconds for running statements, and end the statements that still run.

        Then close all sessions and connections.
        """
        self.stop_listening()
        for check in (self._idle_check, self._unseen_check):
            if check is not None:
                check.cancel()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.grace) as self._grace:
                await self._drained()
        self._grace = None
        await self.service.stop_statements(self._entrance.limits.close)
        for connection in list(self._connections):
            connection.close()
        await self.service.close()
        if self._inner is not None:
            self._inner.close()
        await self._all_left()

    async def _drained(self) -> None:
        """Wait until no operation is running, and no call of a client is being answered."""
        while True:
            await self.service.rest()
            asking = (connection.worker for connection in self._connections if not connection.within)
            busy = next((worker for worker in asking if worker is not None), None)
            if busy is None:
                return
            await busy.wait()

    async def _all_left(self) -> None:
        """Wait until every connection is closed.

        After `close` seconds (a limit), abort the connections whose clients do not read their replies.
        """
        try:
            async with asyncio.timeout(self._entrance.limits.close):
                await self._empty.wait()
        except TimeoutError:
            for connection in list(self._connections):
                connection.abort()
            await self._empty.wait()
        if self._leaving:
            await asyncio.wait(self._leaving)

    def _connection(self, kind: type[Conversation] | None = None, only: Transport | None = None) -> Connection:
        return Connection(self._entrance, self._entered, self._left, kind, only)

    def _entered(self, connection: Connection) -> None:
        self._connections.add(connection)
        self._empty.clear()

    def _left(self, connection: Connection, peer: Peer | None) -> None:
        """Remove a connection that has ended, and close, in the background, the sessions that end with the connection.

        `peer` is the client of the connection, None if no client has logged in.
        """
        self._connections.discard(connection)
        if peer is not None and peer.sessions:
            self._spawn_leaving(self.service.disconnected(peer))
        if not self._connections:
            self._empty.set()

    def _close_idle(self) -> None:
        """Close sessions that do not end with a connection (HTTP) and have been unused for `idle` seconds (a limit).

        Also schedule the next check.
        """
        idle = self._entrance.limits.idle
        for session in self.service.sessions.idle(idle):
            self._spawn_leaving(self.service.close_session(session))
        self._idle_check = asyncio.get_running_loop().call_later(idle / _IDLE_CHECKS, self._close_idle)

    def _look_after(self) -> None:
        """Poll the running statements that no client has polled for `unseen` seconds (a limit).

        Also schedule the next check.
        """
        unseen = self._entrance.limits.unseen
        for operation in self.service.sessions.unfinished:
            self.service.spawn(operation.look(unseen))
        self._unseen_check = asyncio.get_running_loop().call_later(unseen, self._look_after)

    def _spawn_leaving(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)
