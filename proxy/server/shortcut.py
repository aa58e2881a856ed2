"""Answers the calls that a client repeats without pause by reading the socket directly, not through the event loop.

The event loop's wake-up would take most of the time of a repeated call. Hive JDBC 2.3, for example, polls the status of
a finished statement with every row that the driver reads, and waits for each reply. The replies are prepared: made
before the calls arrive (`proxy.session.calls`).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import Callable
from time import monotonic

_MOST = 64 * 1024
_MOMENT = 50e-6  # seconds: about twice what the driver takes from a reply to its next call
_IN_A_TURN = 8  # calls that are answered before the event loop serves other clients


class Shortcut:
    """A reader of a client's bytes in place of the asyncio transport, for as long as `answer` has prepared replies.

    `answer` returns the encoded reply, or None if no reply to the bytes is prepared. On None, or when the client pauses
    or leaves, the Shortcut ends: the transport reads again, and `otherwise` is called with the bytes that were not
    answered (empty if none).
    """

    def __init__(
        self,
        transport: asyncio.Transport,
        answer: Callable[[bytes], bytes | None],
        otherwise: Callable[[bytes], None],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._transport = transport
        self._answer = answer
        self._otherwise = otherwise
        # A duplicated descriptor, because the event loop lets nobody else watch a transport's descriptor.
        self._socket = socket.socket(fileno=os.dup(transport.get_extra_info("socket").fileno()))
        self._socket.setblocking(False)
        transport.pause_reading()
        self._loop.add_reader(self._socket, self._ready)

    def end(self) -> None:
        """Stop reading, and let the transport read again; do nothing if the Shortcut has already ended."""
        if self._socket.fileno() < 0:
            return
        self._loop.remove_reader(self._socket)
        self._socket.close()
        if not self._transport.is_closing():
            self._transport.resume_reading()

    def _ready(self) -> None:
        for _ in range(_IN_A_TURN):
            data = self._awaited()
            answer = self._answer(data) if data else None
            if answer is None:
                self.end()
                self._otherwise(data)
                return
            sent = 0
            with contextlib.suppress(OSError):
                sent = self._socket.send(answer)
            if sent < len(answer):
                self.end()
                self._transport.write(answer[sent:])
                return

    def _awaited(self) -> bytes:
        """Return the bytes that the client sends within 50 µs; empty if none arrive, or if the client has left."""
        until = monotonic() + _MOMENT
        with contextlib.suppress(OSError):
            while True:
                try:
                    return self._socket.recv(_MOST)
                except BlockingIOError:
                    if monotonic() >= until:
                        break
        return b""
