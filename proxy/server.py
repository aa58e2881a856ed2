"""The asyncio edge: listens, turns bytes into messages, hands them to the service one after the other.

A connection that ends takes with it what it was waiting for. Bad bytes end their own connection only.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from dataclasses import dataclass

from proxy.service import Peer, Service
from proxy.wire import FrameReader, MessageReader, Refused, SaslServer, WireError, frame, transport_of

logger = logging.getLogger(__name__)

_QUEUE = 8  # messages that a client may send ahead before reading from it stops


@dataclass(frozen=True)
class Limits:
    """What a client may take: bytes of a message, and seconds for things that ought to be quick."""

    message: int = 100 * 1024 * 1024
    handshake: float = 20.0
    grace: float = 10.0
    close: float = 2.0


class Server:
    """Serves `service` on a port until it is stopped."""

    def __init__(
        self, service: Service, host: str = "127.0.0.1", port: int = 10000, limits: Limits | None = None
    ) -> None:
        self.service = service
        self._host = host
        self._port = port
        self._limits = limits or Limits()
        self._listener: asyncio.Server | None = None
        self._connections: set[_Connection] = set()
        self._empty = asyncio.Event()
        self._empty.set()
        self._leaving: set[asyncio.Task[None]] = set()

    async def start(self) -> int:
        """Listen; returns the port, which is a free one if 0 was asked for."""
        loop = asyncio.get_running_loop()
        self._listener = await loop.create_server(self._connection, self._host, self._port)
        port: int = self._listener.sockets[0].getsockname()[1]
        return port

    async def stop(self) -> None:
        """Stop listening, let running operations end for a while, then close every session and connection."""
        if self._listener is not None:
            self._listener.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._limits.grace):
                await self._drained()
        for connection in list(self._connections):
            connection.close()
        await self.service.close()
        await self._all_left()

    async def _drained(self) -> None:
        """Return when no operation runs and no call is being answered."""
        while True:
            await self.service.sessions.rest()
            busy = [connection.worker for connection in self._connections if connection.worker is not None]
            if not busy:
                return
            await asyncio.wait(busy, return_when=asyncio.FIRST_COMPLETED)

    async def _all_left(self) -> None:
        """Return when every connection is closed; one whose client does not read is cut off."""
        try:
            async with asyncio.timeout(self._limits.close):
                await self._empty.wait()
        except TimeoutError:
            for connection in list(self._connections):
                connection.abort()
            await self._empty.wait()
        if self._leaving:
            await asyncio.wait(self._leaving)

    def joined(self, connection: _Connection) -> None:
        """Take note of a new connection."""
        self._connections.add(connection)
        self._empty.clear()

    def left(self, connection: _Connection, peer: Peer | None) -> None:
        """Clear up after a connection that has ended."""
        self._connections.discard(connection)
        if peer is not None:
            task = asyncio.create_task(self.service.disconnected(peer))
            self._leaving.add(task)
            task.add_done_callback(self._leaving.discard)
        if not self._connections:
            self._empty.set()

    def _connection(self) -> _Connection:
        return _Connection(self, self._limits)


class _Connection(asyncio.Protocol):
    """One client connection."""

    def __init__(self, server: Server, limits: Limits) -> None:
        self._server = server
        self._limits = limits
        self._sasl = SaslServer()
        self._frames = FrameReader(limits.message)
        self._reader = MessageReader(limits.message)
        self._messages: deque[bytes] = deque()
        self._peer: Peer | None = None
        self.worker: asyncio.Task[None] | None = None
        self._writable = asyncio.Event()
        self._writable.set()

    def close(self) -> None:
        """End the connection, once what was written is sent."""
        self._transport.close()

    def abort(self) -> None:
        """End the connection at once."""
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        peername = transport.get_extra_info("peername")
        self._address = f"{peername[0]}:{peername[1]}" if peername else "?"
        self._deadline = asyncio.get_running_loop().call_later(self._limits.handshake, self._too_slow)
        self._server.joined(self)

    def data_received(self, data: bytes) -> None:
        try:
            if self._peer is None:
                self._shake_hands(data)
            else:
                self._frames.receive_data(data)
            if self._peer is not None:
                self._queue_messages()
        except WireError as error:
            self._refuse(str(error))

    def eof_received(self) -> bool:
        return False  # closes the transport, and so ends what the client was waiting for

    def connection_lost(self, exc: Exception | None) -> None:
        self._deadline.cancel()
        self._writable.set()
        if self.worker is not None:
            self.worker.cancel()
        self._server.left(self, self._peer)

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    def _shake_hands(self, data: bytes) -> None:
        self._sasl.receive_data(data)
        event = self._sasl.next_event()
        if isinstance(event, Refused):
            self._transport.write(event.reply)
            transport = transport_of(data[0])
            self._refuse(f"{event.reason} (the client speaks {transport.value if transport else 'something unknown'})")
        elif event is not None:
            self._deadline.cancel()
            self._peer = Peer(event.user, self._address)
            self._transport.write(self._sasl.accept())
            self._frames.receive_data(self._sasl.rest())

    def _queue_messages(self) -> None:
        while (payload := self._frames.next_event()) is not None:
            if self._answered_again(payload):
                continue
            self._reader.receive_data(payload)
            while (message := self._reader.next_event()) is not None:
                self._messages.append(message)
        if self._messages and self.worker is None:
            self.worker = asyncio.create_task(self._work())
        if len(self._messages) > _QUEUE:
            self._transport.pause_reading()

    def _answered_again(self, payload: bytes) -> bool:
        """Answer a repeated call at once, if no other one is before it and the client takes its replies."""
        if self.worker is not None or self._reader.buffered or not self._writable.is_set():
            return False
        assert self._peer is not None
        reply = self._server.service.again(self._peer, payload)
        if reply is not None:
            self._transport.write(frame(reply))
        return reply is not None

    async def _work(self) -> None:
        """Answer what is queued, in order."""
        assert self._peer is not None
        try:
            while self._messages:
                message = self._messages.popleft()
                self._transport.write(frame(await self._server.service.handle(self._peer, message)))
                await self._writable.wait()
                self._transport.resume_reading()
        except WireError as error:
            self._refuse(str(error))
        finally:
            self.worker = None

    def _refuse(self, reason: str) -> None:
        logger.warning("%s: connection closed: %s", self._peer or self._address, reason)
        self._messages.clear()
        self._transport.close()

    def _too_slow(self) -> None:
        logger.warning("%s: connection closed: no login within %g s", self._address, self._limits.handshake)
        self._transport.abort()
