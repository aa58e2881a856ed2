"""Replies that are ready before their calls, which are known by their bytes and need not be looked into.

A client asks of each result what it has asked of the last one: that is made ready while Spark works on the statement.
For where Spark has just worked on all processors, each step from a call to its answer takes several times as long as
elsewhere. And it asks again what it has been told for good: Hive JDBC 2.3 for the status, with every row that it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

from proxy.session.handles import Handle
from proxy.wire import with_seqid

_LONGEST = 1024  # bytes; what is asked of a result takes a hundred


@dataclass(slots=True)
class Habits:
    """The messages that were the first about the session's last result, and how heavy its first rows were.

    `closing` is the one that was the last about it.
    `schema` is the reply that tells the columns of a constant statement, under that and its upstream's session; the
    next one may be the same.
    `blocks` is how often it asks for rows at first: twice, where all were in the first block and it looks for more.
    """

    columns: bytes | None = None
    schema: tuple[Hashable, bytes] | None = None
    rows: bytes | None = None
    closing: bytes | None = None
    weight: int = 0
    blocks: int = 1


def repeatable(call: bytes) -> bytes | None:
    """Return the call, to be kept for the session's life, if it is as short as clients make it; else None."""
    return call if len(call) <= _LONGEST else None


# The reply, under any sequence id; None as long as the call has to be handled like any other.
Answer = Callable[[], bytes | None]

_BEFORE_NAME, _SEQID = 8, 4  # bytes of a message


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
        """Answer a call with the same reply from now on, unless it is overlong; only the last such call is kept."""
        self._answers.pop(self._told, None)
        if repeatable(call) is not None:
            self.expect(call, operation, lambda: reply)
            self._told = _unnumbered(call, _name_end(call))

    def forget(self) -> None:
        """Drop all expected calls: a connection may lie idle for days after its last statement."""
        self._answers.clear()

    def knows(self, call: bytes) -> tuple[Handle, Answer] | None:
        """Return the operation and the answer of an expected call; None for all other calls."""
        return self._answers.get(_unnumbered(call, _name_end(call))) if len(call) > _BEFORE_NAME else None


def numbered(reply: bytes, call: bytes) -> bytes:
    """Return the reply under the sequence id of its call."""
    end = _name_end(call)
    return with_seqid(reply, int.from_bytes(call[end : end + _SEQID], "big", signed=True))


def _name_end(call: bytes) -> int:
    return _BEFORE_NAME + call[_BEFORE_NAME - 1]


def _unnumbered(call: bytes, end: int) -> bytes:
    return call[:end] + call[end + _SEQID :]
