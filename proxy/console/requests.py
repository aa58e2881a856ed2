"""The console's HTTP connections: a deadline for each request and response, and a limit on the number of connections.

Anyone can open a connection, even without a login, and each connection takes a file descriptor of the process, which
SQL clients need as well. asyncio's own TLS would report a connection only after the TLS handshake; therefore this
module implements TLS itself, so that each connection is counted from its start.
"""

from __future__ import annotations

import asyncio
import ssl
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from proxy.wire import TlsServer, WireError

# seconds for the TLS handshake with the head and body of a request, and for each part of a response to be read
DEADLINE = 10.0
MOST = 100  # connections
_INCOMPLETE = (h11.IDLE, h11.SEND_BODY)  # the states of a client whose request has not ended


class Requests(H11Protocol):
    """uvicorn's HTTP/1.1 connection, aborted if the client keeps the connection waiting for more than ten seconds.

    The connection waits for a client that has not sent its whole request, and for a client that does not read the
    response: a response is sent only as fast as the client reads. The deadline starts again whenever the client has
    read a part of the response.

    Above MOST (100) connections, the connection that has waited longest is aborted, so that silent clients do not lock
    out a health check. If no connection waits, the oldest connection is aborted, but never the new one.

    With a context `tls`, the connection is encrypted.
    """

    def __init__(self, *arguments: Any, tls: ssl.SSLContext | None = None, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._context = tls
        self._tls: _Encrypted | None = None
        self._late: asyncio.TimerHandle | None = None
        self._opened = self.loop.time()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start the deadline for the first request; above MOST (100) connections, abort the longest waiting one."""
        if self._context is not None:
            transport = self._tls = _Encrypted(cast(asyncio.Transport, transport), self._context)
        super().connection_made(transport)  # type: ignore[arg-type]
        self._restart()
        if len(self.connections) > MOST:
            others = [other for other in self.connections if isinstance(other, Requests) and other is not self]
            min(others, key=Requests._rank).transport.abort()

    def data_received(self, data: bytes) -> None:
        """Process received bytes; cancel the deadline once the request is complete."""
        if self._tls is not None:
            data = self._tls.decrypted(data)
        if data:
            super().data_received(data)
        if self._tls is not None and self._tls.ended:
            self._tls.close()
        if not self._waits:
            self._stop()

    def pause_writing(self) -> None:
        """Start the deadline for the client to read the response, because the write buffer is full."""
        super().pause_writing()
        self._restart()

    def resume_writing(self) -> None:
        """Cancel the deadline for reading the response, because the write buffer has room again.

        If the connection waits for the client's next request, start the deadline for this request.
        """
        super().resume_writing()
        self._restart()

    def on_response_complete(self) -> None:
        """Start the deadline for the next request.

        On a connection that is being closed, start the deadline for the client to read the rest of the response.
        """
        super().on_response_complete()
        if not self.flow.write_paused:  # else the deadline runs already, and more requests must not prolong it
            self._restart()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the deadline of the closed connection."""
        self._stop()
        super().connection_lost(exc)

    @property
    def _waits(self) -> bool:
        """Whether the connection waits for its client to send a request or to read the response."""
        return self.conn.their_state in _INCOMPLETE or self.flow.write_paused or self.transport.is_closing()

    def _restart(self) -> None:
        self._stop()
        if self._waits:
            self._late = self.loop.call_later(DEADLINE, self._end, self.transport.get_write_buffer_size())

    def _end(self, unsent: int) -> None:
        """Abort the connection or, if the client has read bytes since the deadline was started, start a new deadline.

        `unsent` is the number of bytes that were still to be sent when the deadline was started.
        """
        if self.transport.get_write_buffer_size() < unsent:
            self._restart()
        else:
            self.transport.abort()

    def _rank(self) -> tuple[float, float]:
        return (self._late.when() if self._late is not None else float("inf")), self._opened

    def _stop(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


class _Encrypted(asyncio.Transport):
    """The transport of a connection over TLS: encrypts the bytes that are written, and decrypts the received bytes."""

    def __init__(self, transport: asyncio.Transport, context: ssl.SSLContext) -> None:
        super().__init__()
        self._transport = transport
        self._context = context
        self._tls = TlsServer(context)

    @property
    def ended(self) -> bool:
        """Whether the client has sent the end of its data (close_notify of TLS)."""
        return self._tls.ended

    def decrypted(self, data: bytes) -> bytes:
        """Return the received `data` decrypted, empty during the handshake; close the connection if TLS fails."""
        try:
            return self._tls.receive_data(data)
        except WireError:
            self._transport.close()  # after the alert has been sent
            return b""
        finally:
            if pending := self._tls.pending():
                self._transport.write(pending)

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self._context if name == "sslcontext" else self._transport.get_extra_info(name, default)

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if not self._transport.is_closing():
            self._transport.write(self._tls.send(bytes(data)))

    def close(self) -> None:
        if not self._transport.is_closing():
            self._transport.write(self._tls.end())
            self._transport.close()

    def abort(self) -> None:
        self._transport.abort()

    def is_closing(self) -> bool:
        return self._transport.is_closing()

    def pause_reading(self) -> None:
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        self._transport.resume_reading()

    def get_write_buffer_size(self) -> int:
        return self._transport.get_write_buffer_size()
