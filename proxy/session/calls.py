"""Recognizes calls by their bytes: finds their handles, and prepares replies before the calls arrive.

A client usually asks of each result what it asked of the last one. These replies are prepared while Spark works on the
statement, and stored under the bytes of the expected calls, so that no call needs decoding: after Spark has used all
processors, each step from a call to its reply takes several times as long as otherwise. Clients also repeat calls after
the final reply: Hive JDBC 2.3 asks for the status with every row that it reads.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from proxy.hs2 import encode_reply, read_request
from proxy.wire import Head, WireError, find_handle, with_seqid

_PART = 16  # bytes of the id, and of the secret


@dataclass(frozen=True, slots=True)
class Handle:
    """A public id of 16 bytes, and a secret of 16 bytes.

    >>> Handle(b"1" * 16, b"2" * 16)
    Handle(guid=b'1111111111111111')
    """

    guid: bytes
    secret: bytes = field(repr=False)

    @classmethod
    def new(cls, mark: bytes = b"") -> Handle:
        """Return a new random handle, whose id ends in the mark."""
        drawn = secrets.token_bytes(2 * _PART)
        return cls(drawn[: _PART - len(mark)] + mark, drawn[_PART:])

    @classmethod
    def at(cls, message: bytes, guid: int, secret: int) -> Handle:
        """Return the handle in a message whose two parts begin at these offsets."""
        return cls(message[guid : guid + _PART], message[secret : secret + _PART])

    @property
    def mark(self) -> bytes:
        """Two bytes that identify the worker that made the handle."""
        return self.guid[-2:]

    @property
    def id(self) -> str:
        """The public id as Spark prints it; works for any bytes that a client sends."""
        digits = self.guid.hex()
        if len(self.guid) != _PART:
            return digits
        return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"

    def into(self, message: bytes, guid: int, secret: int) -> bytes:
        """Return the message with this handle in place of the one whose two parts begin at these offsets."""
        parts = (message[:guid], self.guid, message[guid + _PART : secret], self.secret, message[secret + _PART :])
        return b"".join(parts)

    def opens(self, other: Handle) -> bool:
        """Return whether a client that presents this handle may use the object of the other handle."""
        return self.guid == other.guid and hmac.compare_digest(self.secret, other.secret)


S = TypeVar("S")

# In every request of the service the handle is field 1, and its identifier is field 1 of the handle.
REQUEST_HANDLE = (1, 1, 1)


@dataclass(slots=True)
class Message:
    """The bytes of a call, its head, and the position of its handle once that was searched for."""

    head: Head
    message: bytes
    _places: tuple[int, int] | None = field(default=None, init=False)  # of the two parts of the handle

    def request(self, kind: type[S]) -> S:
        """Return the request, decoded."""
        return read_request(self.message, kind)

    def reply(self, response: Any) -> bytes:
        """Return the message that answers this call."""
        return encode_reply(self.head.name, self.head.seqid, response)

    def handle(self) -> Handle:
        """Return the message with its handle replaced, and all other bytes unchanged."""
        return Handle.at(self.message, *self._found())

    def addressed_to(self, handle: Handle) -> bytes:
        """Return the message with another handle in place of its own, and every other byte as it came."""
        return handle.into(self.message, *(self._places or self._found()))

    def _found(self) -> tuple[int, int]:
        places = find_handle(self.message, REQUEST_HANDLE)
        if places is None:
            raise WireError("Required field 'sessionHandle' or 'operationHandle' is unset!")
        self._places = places
        return places


def with_handle(message: bytes, path: tuple[int, ...], handle: Handle) -> bytes:
    """Return the message with the handle replaced whose identifier is at `path`; all handles have the same length."""
    places = find_handle(message, path)
    if places is None:
        raise WireError(f"no handle of 16 bytes at {path}")
    return handle.into(message, *places)


_LONGEST = 1024  # bytes; calls about a result have about a hundred


@dataclass(slots=True)
class Habits:
    """The first calls that a client made about the session's last result, and the size of its first rows.

    `closing` is the last call about it.
    `schema` is the reply with the columns of a constant statement, under the statement and its upstream session; the
    next statement may be the same.
    `blocks` is how many blocks the client fetches at first: two, if all rows were in the first block and it looked for
    more.
    """

    columns: bytes | None = None
    schema: tuple[Hashable, bytes] | None = None
    rows: bytes | None = None
    closing: bytes | None = None
    weight: int = 0
    blocks: int = 1


def repeatable(call: bytes) -> bytes | None:
    """Return the call, to be kept for the session's life, if it is as short as clients' calls are; else None."""
    return call if len(call) <= _LONGEST else None


# Returns the reply, under any sequence id; None as long as the call must be handled like any other.
Answer = Callable[[], bytes | None]

_BEFORE_NAME, _SEQID_BYTES = 8, 4  # bytes of a message


# A repeated status poll took a client 22 µs with this and 170 without: a proxy before a stand-in, in turns, two runs on
# a machine with a load of 12.
class Foreseen:
    """The expected next calls on one operation, with their replies."""

    __slots__ = ("_answers", "_told")

    def __init__(self) -> None:
        self._answers: dict[bytes, tuple[Handle, Answer]] = {}
        self._told = b""

    def expect(self, call: bytes, operation: Handle, answer: Answer) -> None:
        """Register the answer to an expected call on an operation, whatever its sequence id."""
        self._answers[_unnumbered(call, _name_end(call))] = operation, answer

    def told(self, call: bytes, operation: Handle, reply: bytes) -> None:
        """Give a call the same reply from now on, unless the call is too long; only the last such call is kept."""
        self._answers.pop(self._told, None)
        if repeatable(call) is not None:
            self.expect(call, operation, lambda: reply)
            self._told = _unnumbered(call, _name_end(call))

    def forget(self) -> None:
        """Drop all expected calls, because a connection may be idle for days after its last statement."""
        self._answers.clear()

    def knows(self, call: bytes) -> tuple[Handle, Answer] | None:
        """Return the operation and the answer of an expected call; None for all other calls."""
        return self._answers.get(_unnumbered(call, _name_end(call))) if len(call) > _BEFORE_NAME else None


def numbered(reply: bytes, call: bytes) -> bytes:
    """Return the reply under the sequence id of its call."""
    end = _name_end(call)
    return with_seqid(reply, int.from_bytes(call[end : end + _SEQID_BYTES], "big", signed=True))


def _name_end(call: bytes) -> int:
    return _BEFORE_NAME + call[_BEFORE_NAME - 1]


def _unnumbered(call: bytes, end: int) -> bytes:
    return call[:end] + call[end + _SEQID_BYTES :]
