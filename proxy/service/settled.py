"""A status that will not change any more, so that asking for it again costs nearly nothing.

Hive JDBC 2.3.10 asks for the status of a finished statement with every single row that it reads, a thousand times
between two fetches. All but the sequence id is the same each time, so such a call is known by its bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

from proxy.session import TERMINAL, Operation
from proxy.wire import Head, find, read_i32

_STATE = (0, 2)
_SEQID = 4


@dataclass(frozen=True, slots=True)
class Settled:
    """A call, its reply, and the operation that both are about; the sequence id ends at `body` in both."""

    operation: Operation
    body: int
    call: bytes
    reply: bytes

    @classmethod
    def of(cls, operation: Operation, head: Head, call: bytes, reply: bytes) -> Settled | None:
        """The pair, if the reply reports the end of the operation."""
        state = find(reply, _STATE)
        if state is None or read_i32(reply, state) not in TERMINAL:
            return None
        return cls(operation, head.body, call, reply)

    def again(self, call: bytes) -> bytes | None:
        """The reply to the same call under another sequence id; None to any other call."""
        seqid = self.body - _SEQID
        if call[self.body :] != self.call[self.body :] or call[:seqid] != self.call[:seqid]:
            return None
        return self.reply[:seqid] + call[seqid : self.body] + self.reply[self.body :]
