"""A status that will not change any more, so that asking for it again costs nearly nothing.

Hive JDBC 2.3.10 asks for the status of a finished statement with every single row that it reads, a thousand times
between two fetches. All but the sequence id is the same each time, so such a call is known by its bytes,
frame and all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from proxy.session import TERMINAL, Operation
from proxy.wire import Head, find, read_i32

_STATE = (0, 2)
_SEQID = 4


@dataclass(frozen=True, slots=True)
class Settled:
    """An operation, what a call about it has before and behind its sequence id, and what the reply has there."""

    operation: Operation
    call: tuple[bytes, bytes]
    reply: tuple[bytes, bytes]

    @classmethod
    def of(cls, operation: Operation, head: Head, call: bytes, reply: bytes) -> Settled | None:
        """The pair, if the reply reports the end of the operation."""
        state = find(reply, _STATE)
        if state is None or read_i32(reply, state) not in TERMINAL:
            return None
        return cls(operation, _parted(call, head.body), _parted(reply, head.body))

    def framed(self, frame: Callable[[bytes], bytes]) -> Settled:
        """The same, each message in its frame."""
        call, reply = (_framed(message, frame) for message in (self.call, self.reply))
        return Settled(self.operation, call, reply)

    def again(self, call: bytes) -> bytes | None:
        """The reply to the same call under another sequence id; None to any other call."""
        before, behind = self.call
        seqid = len(before)
        body = seqid + _SEQID
        if call[:seqid] != before or call[body:] != behind:
            return None
        before, behind = self.reply
        return before + call[seqid:body] + behind


def _parted(message: bytes, body: int) -> tuple[bytes, bytes]:
    return message[: body - _SEQID], message[body:]


def _framed(parts: tuple[bytes, bytes], frame: Callable[[bytes], bytes]) -> tuple[bytes, bytes]:
    before, behind = parts
    whole = frame(before + bytes(_SEQID) + behind)
    return _parted(whole, len(whole) - len(behind))
