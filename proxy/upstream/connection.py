"""One connection to an upstream: SASL PLAIN, then calls that are answered in the order in which they were sent."""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from dataclasses import dataclass, field

from proxy.hs2 import SqlError
from proxy.wire import Authenticated, FrameReader, Refused, SaslClient, WireError, frame

_REPLY_LIMIT = 1 << 31  # a reply is as long as the rows that a client asked for
_STOP = 0


@dataclass(frozen=True)
class Upstream:
    """Where a Thrift Server listens, and as whom to log in (by default as each session's own user)."""

    host: str
    port: int
    user: str | None = None
    password: str | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


@dataclass(frozen=True)
class Timeouts:
    """Seconds. A Thrift Server without a free thread accepts a connection and lets its handshake hang."""

    connect: float = 5.0
    handshake: float = 10.0
    open: float = 60.0
    close: float = 5.0


class Connection(asyncio.Protocol):
    """A connection that is logged in. A call that nobody waits for any more still takes its reply from the line."""

    def __init__(self, upstream: Upstream, sasl: SaslClient) -> None:
        self._upstream = upstream
        self._sasl: SaslClient | None = sasl
        self._frames = FrameReader(_REPLY_LIMIT)
        self._partial = b""
        self._waiting: deque[asyncio.Future[bytes]] = deque()
        self._transport: asyncio.Transport | None = None
        self._lost: SqlError | None = None
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @property
    def alive(self) -> bool:
        """Whether calls can still be made."""
        return self._lost is None

    async def call(self, message: bytes) -> bytes:
        """Send a message and return its reply; calls may overlap, the upstream takes one after the other."""
        if self._lost is not None or self._transport is None:
            raise self._lost or self._error("is not connected")
        reply: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._waiting.append(reply)
        self._transport.write(frame(message))
        return await reply

    def close(self) -> None:
        """Close the connection; calls that still wait fail."""
        self._fail(self._error("was closed"))
        if self._transport is not None:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        assert self._sasl is not None
        self._transport = transport
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        transport.write(self._sasl.greeting)

    def data_received(self, data: bytes) -> None:
        try:
            if self._sasl is not None:
                self._sasl.receive_data(data)
                self._shake_hands(self._sasl)
            else:
                self._frames.receive_data(data)
            self._deliver()
        except WireError as error:
            self._break(self._error(f"sent what cannot be understood ({error})"))

    def connection_lost(self, exc: Exception | None) -> None:
        self._fail(self._error("has closed the connection" if exc is None else f"is lost ({exc})"))

    def _shake_hands(self, sasl: SaslClient) -> None:
        event = sasl.next_event()
        if isinstance(event, Refused):
            self._break(SqlError(f"Spark at {self._upstream} refuses the login: {event.reason}", "28000"))
        elif isinstance(event, Authenticated):
            self._sasl = None
            self._frames.receive_data(event.rest)
            if not self.ready.done():
                self.ready.set_result(None)

    def _deliver(self) -> None:
        while (payload := self._frames.next_event()) is not None:
            # Java servers flush a message as one frame. One that does not end a struct is the first part of several.
            payload = self._partial + payload if self._partial else payload
            if not payload or payload[-1] != _STOP:
                self._partial = payload
                continue
            self._partial = b""
            if not self._waiting:
                raise WireError("a reply that nobody asked for")
            reply = self._waiting.popleft()
            if not reply.done():
                reply.set_result(payload)

    def _error(self, what: str) -> SqlError:
        return SqlError(f"Spark at {self._upstream} {what}. Open a new session and try again.", "08S01")

    def _break(self, error: SqlError) -> None:
        self._fail(error)
        if self._transport is not None:
            self._transport.abort()

    def _fail(self, error: SqlError) -> None:
        self._lost = self._lost or error
        if not self.ready.done():
            self.ready.set_exception(self._lost)
            self.ready.exception()  # not every waiter is still there to see it
        while self._waiting:
            reply = self._waiting.popleft()
            if not reply.done():
                reply.set_exception(self._lost)


async def connect(upstream: Upstream, user: str, password: str, timeouts: Timeouts) -> Connection:
    """A connection that is logged in; SqlError 08001 if there is none to be had in time."""
    loop = asyncio.get_running_loop()
    connection = Connection(upstream, SaslClient(user, password))
    try:
        async with asyncio.timeout(timeouts.connect):
            await loop.create_connection(lambda: connection, upstream.host, upstream.port)
    except OSError as error:  # TimeoutError is one of them
        raise SqlError(f"Spark at {upstream} cannot be reached: {error or 'no answer in time'}", "08S01") from error
    try:
        async with asyncio.timeout(timeouts.handshake):
            await connection.ready
    except TimeoutError as error:
        connection.close()
        raise SqlError(
            f"Spark at {upstream} accepts connections but no logins: all its threads are busy", "08S01"
        ) from error
    except BaseException:
        connection.close()
        raise
    return connection
