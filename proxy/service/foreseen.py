"""Answers that are there before their calls: a client asks of each result what it has asked of the last one.

Where Spark has worked on all processors, each step from a call to its answer takes several times as long as elsewhere.
So what follows a statement is made ready while Spark works on it, and is known by its bytes when it comes.
"""

from __future__ import annotations

from collections.abc import Callable

from proxy.session import Operation
from proxy.wire import with_seqid

# The reply, under any sequence id; None as long as the call has to be handled like any other.
Answer = Callable[[], bytes | None]

_BEFORE_NAME, _SEQID = 8, 4  # bytes of a message


class Foreseen:
    """What will be asked of one operation, until that is released."""

    __slots__ = ("_answers",)

    def __init__(self) -> None:
        self._answers: dict[bytes, tuple[Operation, Answer]] = {}

    def expect(self, call: bytes, operation: Operation, answer: Answer) -> None:
        """Answer that call so, whichever sequence id it comes under, as long as there is the operation."""
        self._answers[_unnumbered(call, _name_end(call))] = operation, answer

    def forget(self) -> None:
        """Expect nothing any more: a connection may lie idle for days with its last statement."""
        self._answers.clear()

    def knows(self, call: bytes) -> tuple[Operation, Answer] | None:
        """The answer to a call, if it is one of those."""
        return self._answers.get(_unnumbered(call, _name_end(call))) if len(call) > _BEFORE_NAME else None


def numbered(reply: bytes, call: bytes) -> bytes:
    """The reply under the sequence id of its call."""
    end = _name_end(call)
    return with_seqid(reply, int.from_bytes(call[end : end + _SEQID], "big", signed=True))


def _name_end(call: bytes) -> int:
    return _BEFORE_NAME + call[_BEFORE_NAME - 1]


def _unnumbered(call: bytes, end: int) -> bytes:
    return call[:end] + call[end + _SEQID :]
