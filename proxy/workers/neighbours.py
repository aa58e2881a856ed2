"""Relays calls from one worker to other workers, its neighbours, over Unix sockets in a private directory.

A worker's mark is two bytes: its generation (the count of its restarts and replacements, modulo 256) and its number.
"""

from __future__ import annotations

import asyncio
import contextlib
import struct
from collections.abc import Iterable
from pathlib import Path

from proxy.hs2 import ConnectionLost, Unreachable
from proxy.service import Peer
from proxy.wire import WireError, frame

_LENGTH = struct.Struct(">I")
_NAME = struct.Struct(">H")
_SUFFIX = ".worker"
RETIRING = 100  # more than a worker's number, which is at most 64
_IDLE = 16  # idle connections to one worker that are kept for later calls


class Gone(ConnectionLost):
    """The error for a call to a worker that has ended; the sessions of the worker are lost.

    `sent` says whether the worker may have received the call.
    """

    def __init__(self, *, sent: bool) -> None:
        what = "The session is lost: the worker process of Viewgate that had it has ended."
        super().__init__(what, "Open a new session and try again.")
        self.sent = sent


def place(directory: Path, mark: bytes) -> Path:
    """Return the path of the Unix socket, in `directory`, of the worker with this mark (generation and number)."""
    return directory / f"{mark.hex()}{_SUFFIX}"


def number_of(mark: bytes) -> int:
    """Return the number of the worker with this mark (generation and number)."""
    return mark[1]


def told_apart(marks: Iterable[bytes]) -> dict[bytes, int]:
    """Return a distinct number for each worker's mark: the worker's number, plus 100 (RETIRING) for a replaced worker.

    A mark is a worker's generation and number. A worker is being replaced if another mark has the same number and a
    later generation.

    >>> list(told_apart([bytes((0, 1)), bytes((1, 2)), bytes((0, 2)), bytes((255, 1))]).values())
    [1, 2, 102, 101]
    """
    marks = [*marks]
    return {mark: number_of(mark) + RETIRING * any(_replaces(other, mark) for other in marks) for mark in marks}


def _replaces(other: bytes, mark: bytes) -> bool:
    """Return whether `other` is the mark of a later generation of the worker with the mark `mark`.

    Generations start again at 0 after 255.
    """
    return other[1] == mark[1] and 0 < (other[0] - mark[0]) % 256 < 128


def addressed(peer: Peer, message: bytes) -> bytes:
    """Encode a call, together with the client (`peer`) that made the call, to be relayed to another worker."""
    names = (name.encode() for name in (peer.user, peer.address, peer.traceparent))
    return b"".join((*(_NAME.pack(len(name)) + name for name in names), message))


def opened(payload: bytes) -> tuple[Peer, bytes]:
    """Decode a relayed call; return the client (Peer) that made the call, and the call.

    Raise WireError for invalid bytes.

    >>> peer, message = opened(addressed(Peer("ann", "10.0.0.1:5"), b"call"))
    >>> str(peer), message
    ('ann@10.0.0.1:5', b'call')
    """
    try:
        names, offset = [], 0
        for _ in range(3):
            (length,) = _NAME.unpack_from(payload, offset)
            names.append(payload[offset + _NAME.size : offset + _NAME.size + length].decode())
            offset += _NAME.size + length
    except (struct.error, UnicodeDecodeError) as error:
        raise WireError(
            "invalid Thrift message: a call relayed by another worker is truncated; if this occurs again, "
            "run RESTART VIEWGATE WORKERS"
        ) from error
    return Peer(names[0], names[1], tied=False, traceparent=names[2]), payload[offset:]


class Neighbours:
    """A relay of calls to other workers, one call at a time on each connection.

    `own` is the mark of this worker (generation and number). If the task that waits for a reply is cancelled, the
    task's connection is closed.
    """

    def __init__(self, directory: Path, own: bytes) -> None:
        self.own = own
        self._directory = directory
        self._idle: dict[bytes, list[_Line]] = {}

    @property
    def place(self) -> Path:
        """The path of this worker's Unix socket."""
        return place(self._directory, self.own)

    @property
    def others(self) -> list[bytes]:
        """The marks of the other workers that have a socket; a worker that has just ended may be among them."""
        found = (bytes.fromhex(path.stem) for path in self._directory.glob(f"*{_SUFFIX}"))
        return sorted(mark for mark in found if mark != self.own)

    async def call(self, mark: bytes, peer: Peer, message: bytes) -> bytes:
        """Relay a call to the worker with this mark (generation and number) and return the reply.

        Raise Gone if the worker has ended, and Unreachable for other errors. `peer` is the client that made the call.
        """
        idle = self._idle.get(mark)
        try:
            line = idle.pop() if idle else await self._opened(mark)
            reply = await line.call(addressed(peer, message))
        except (FileNotFoundError, ConnectionRefusedError) as error:
            self._forget(mark)
            raise Gone(sent=False) from error
        except (ConnectionError, asyncio.IncompleteReadError) as error:
            self._forget(mark)
            raise Gone(sent=True) from error
        except OSError as error:  # for instance, too many open files
            raise Unreachable(
                f"Worker process {number_of(mark)}, which has the session, cannot be reached: {error}; try again later"
            ) from error
        self._rests(mark, line)
        return reply

    def close(self) -> None:
        """Close all idle connections."""
        for mark in list(self._idle):
            self._forget(mark)

    async def _opened(self, mark: bytes) -> _Line:
        for gone in [other for other, lines in self._idle.items() if any(line.ended for line in lines)]:
            self._forget(gone)
        return _Line(*await asyncio.open_unix_connection(place(self._directory, mark)))

    def _rests(self, mark: bytes, line: _Line) -> None:
        """Keep `line`, an idle connection to the worker with this mark (generation and number), for the next call.

        Close the connection if 16 idle connections to that worker are already kept.
        """
        idle = self._idle.setdefault(mark, [])
        if len(idle) < _IDLE:
            idle.append(line)
        else:
            line.cut()

    def _forget(self, mark: bytes) -> None:
        for line in self._idle.pop(mark, ()):
            line.cut()


class _Line:
    """A connection to another worker, for one call at a time."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @property
    def ended(self) -> bool:
        """Whether the other worker has closed the connection."""
        return self._reader.at_eof()

    async def call(self, payload: bytes) -> bytes:
        """Send a payload and return the reply; on an error or a cancellation, close the connection.

        A connection with a call in progress cannot be used for a second call, which would get the reply to the first
        call.
        """
        try:
            self._writer.write(frame(payload))
            (length,) = _LENGTH.unpack(await self._reader.readexactly(_LENGTH.size))
            return await self._reader.readexactly(length)
        except BaseException:
            self.cut()
            raise

    def cut(self) -> None:
        with contextlib.suppress(RuntimeError):  # the event loop may be closed
            self._writer.transport.abort()
