"""Reads on while the client looks at what it has: the next block of a result is asked for before the client does.

Spark's cursor is then a block further than the client believes, which matters to a client that does not just go on:
what was read too much is taken back first.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from proxy.hs2 import rows_in, succeeded
from proxy.hs2.generated import ttypes
from proxy.session import LiveUpstream
from proxy.wire import Head, find, kept, read_i32, with_field, with_seqid
from proxy.wire.layout import I32, I64

_NEXT, _PRIOR, _FIRST = (
    ttypes.TFetchOrientation.FETCH_NEXT,
    ttypes.TFetchOrientation.FETCH_PRIOR,
    ttypes.TFetchOrientation.FETCH_FIRST,
)
_ORIENTATION, _MAX_ROWS = (1, 2), (1, 3)
_BYTES = 64 * 1024 * 1024


class Budget:
    """Bytes that all clients' next blocks may take together.

    >>> budget = Budget(10)
    >>> budget.take(6), budget.take(6)
    (True, False)
    """

    def __init__(self, limit: int = _BYTES) -> None:
        self.left = limit

    def part(self, count: int) -> Budget:
        """One of so many equal parts."""
        return Budget(self.left // count)

    def take(self, size: int) -> bool:
        """Take so many, if they are there."""
        if size > self.left:
            return False
        self.left -= size
        return True

    def give_back(self, size: int) -> None:
        """Have so many again."""
        self.left += size


@dataclass(frozen=True, slots=True)
class _Block:
    """The question that the client will ask next, its answer on the way, and what that is thought to weigh."""

    question: bytes
    answer: asyncio.Future[bytes]
    weight: int


class ReadAhead:
    """The fetches of one operation. A block is as heavy as the one before, or it is the end."""

    __slots__ = ("_block", "_budget", "_rows", "_upstream")

    def __init__(self, upstream: LiveUpstream, budget: Budget) -> None:
        self._upstream = upstream
        self._budget = budget
        self._block: _Block | None = None
        self._rows = 0  # in what the client got last

    async def fetch(self, head: Head, message: bytes) -> bytes:
        """The reply to a FetchResults for rows, which is addressed to the upstream."""
        question, block = message[head.body :], self._taken()
        if block is not None and block.question == question:
            reply = with_seqid(await block.answer, head.seqid)
        else:
            if block is not None and _orientation(message) != _FIRST:
                await self._take_back(block, message)
            reply = await self._upstream.call(message)
        self._read_on(question, message, reply)
        return reply

    def drop(self) -> None:
        """Nobody reads on."""
        self._taken()

    def _read_on(self, question: bytes, message: bytes, reply: bytes) -> None:
        """Ask for the next block, if there was one, and if the client just goes on."""
        self._rows = rows_in(reply) if succeeded(reply) else 0
        if self._rows and _orientation(message) == _NEXT and self._budget.take(len(reply)):
            answer = self._upstream.send(message)
            answer.add_done_callback(_seen)
            self._block = _Block(question, answer, len(reply))

    async def _take_back(self, block: _Block, message: bytes) -> None:
        """Have Spark's cursor where the client believes it to be: going back by what it got last reads that again."""
        if succeeded(await block.answer):
            back = with_field(message, _ORIENTATION, I32, _PRIOR.to_bytes(4, "big"))
            await self._upstream.call(with_field(back, _MAX_ROWS, I64, self._rows.to_bytes(8, "big")))

    def _taken(self) -> _Block | None:
        block, self._block = self._block, None
        if block is not None:
            self._budget.give_back(block.weight)
        return block


@kept
def _orientation(message: bytes) -> int:
    found = find(message, _ORIENTATION)
    return _NEXT if found is None else read_i32(message, found)


def _seen(answer: asyncio.Future[bytes]) -> None:
    """An error is for the client that asks for the block; there may be none."""
    if not answer.cancelled():
        answer.exception()
