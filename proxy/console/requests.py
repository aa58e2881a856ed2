"""The console's HTTP connections: a deadline for each request and response, and a limit on the number of connections.

Anyone can open a connection, even without a login, and each takes a file descriptor of the process, which SQL clients
need as well.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

DEADLINE = 10.0  # seconds for the head and the body of a request, and for each part of a response to be read
MOST = 100  # connections
_INCOMPLETE = (h11.IDLE, h11.SEND_BODY)  # the states of a client whose request has not ended


class Requests(H11Protocol):
    """uvicorn's HTTP/1.1 connection, aborted if the client lets it wait for more than DEADLINE seconds.

    The connection waits for a client that has not sent its whole request, and for a client that does not read the
    response: a response is sent only as fast as the client reads. The deadline starts again whenever the client has
    read a part of the response.

    Above MOST connections, the connection that has waited longest is aborted, so that silent clients do not lock out a
    health check. If no connection waits, the oldest one is aborted, but never the new one.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._late: asyncio.TimerHandle | None = None
        self._opened = self.loop.time()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the first request; if there are too many connections, abort another one."""
        super().connection_made(transport)  # type: ignore[arg-type]
        self._restart()
        if len(self.connections) > MOST:
            others = [other for other in self.connections if isinstance(other, Requests) and other is not self]
            min(others, key=Requests._rank).transport.abort()

    def data_received(self, data: bytes) -> None:
        """Process received bytes; cancel the deadline once the request is complete."""
        super().data_received(data)
        if not self._waits:
            self._stop()

    def pause_writing(self) -> None:
        """Start the deadline for the client to read the response."""
        super().pause_writing()
        self._restart()

    def resume_writing(self) -> None:
        """Cancel the deadline for the response, or start the one for the next request."""
        super().resume_writing()
        self._restart()

    def on_response_complete(self) -> None:
        """Start the deadline for the next request, or for the rest of the response to be read."""
        super().on_response_complete()
        if not self.flow.write_paused:  # else the deadline runs already, and more requests must not prolong it
            self._restart()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the deadline."""
        self._stop()
        super().connection_lost(exc)

    @property
    def _waits(self) -> bool:
        """Whether the connection waits for its client: for a request or, while it closes, for the rest to be read."""
        return self.conn.their_state in _INCOMPLETE or self.flow.write_paused or self.transport.is_closing()

    def _restart(self) -> None:
        self._stop()
        if self._waits:
            self._late = self.loop.call_later(DEADLINE, self._end, self.transport.get_write_buffer_size())

    def _end(self, unsent: int) -> None:
        """Abort the connection, unless the client has read bytes since the deadline was started.

        `unsent` is the number of bytes that were still to be sent at that time.
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
