"""The console's HTTP connections: a deadline for each request, and a limit on the number of connections.

Anyone can open a connection, even without a login, and each takes a file descriptor of the process, which SQL clients
need as well.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

DEADLINE = 10.0  # seconds for the head and the body of a request, also of the first one
MOST = 100  # connections
_INCOMPLETE = (h11.IDLE, h11.SEND_BODY)  # the states of a client whose request has not ended


class Requests(H11Protocol):
    """uvicorn's HTTP/1.1 connection, aborted if a request does not arrive within DEADLINE seconds.

    Above MOST connections, the connection that has waited longest for a request is aborted, so that silent clients do
    not lock out a health check.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the first request; if there are too many connections, abort the one that has waited longest."""
        super().connection_made(transport)  # type: ignore[arg-type]
        self._await_request()
        if len(self.connections) > MOST:
            own = [other for other in self.connections if isinstance(other, Requests)]
            min(own, key=Requests._until).transport.abort()

    def data_received(self, data: bytes) -> None:
        """Process received bytes; cancel the deadline once the request is complete."""
        super().data_received(data)
        if self.conn.their_state not in _INCOMPLETE:
            self._stop()

    def on_response_complete(self) -> None:
        """Start the deadline for the next request."""
        super().on_response_complete()
        self._stop()
        if self.conn.their_state in _INCOMPLETE:
            self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the deadline."""
        self._stop()
        super().connection_lost(exc)

    def _await_request(self) -> None:
        self._late = self.loop.call_later(DEADLINE, self.transport.abort)

    def _until(self) -> float:
        return self._late.when() if self._late is not None else float("inf")

    def _stop(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
