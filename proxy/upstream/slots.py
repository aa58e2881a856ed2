"""So many at a time, the others in a fair queue: what an upstream can work at."""

from __future__ import annotations

import asyncio

from proxy.upstream.fair_queue import FairQueue


class Slots:
    """A number of slots; each that is taken must be given back.

    >>> slots = Slots(1)
    >>> slots.take(), slots.take()
    (True, False)
    """

    __slots__ = ("_limit", "_queue", "paused", "taken")

    def __init__(self, limit: int) -> None:
        self.taken = 0
        self.paused = False
        self._limit = limit
        self._queue: FairQueue[asyncio.Future[None]] = FairQueue()

    @property
    def free(self) -> bool:
        """Whether one could be had at once."""
        return not self.paused and self.taken < self._limit and not self._queue

    @property
    def waiting(self) -> int:
        """How many wait for one."""
        return len(self._queue)

    def take(self) -> bool:
        """Take a slot if one is free; nobody who waits is overtaken."""
        if not self.free:
            return False
        self.taken += 1
        return True

    async def wait(self, principal: str) -> None:
        """Take a slot when it is the principal's turn."""
        if self.take():
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.add(principal, turn)
        try:
            await turn
        except asyncio.CancelledError:
            self._queue.remove(principal, turn)
            if turn.done() and not turn.cancelled():
                self.give_back()
            raise

    def give_back(self) -> None:
        """Let the next one in."""
        self.taken -= 1
        self._grant()

    def resize(self, limit: int) -> None:
        """Have more slots from now on, or fewer as they are given back."""
        self._limit = limit
        self._grant()

    def pause(self) -> None:
        """Give no slot until `resume`: those who want one wait."""
        self.paused = True

    def resume(self) -> None:
        """Give slots again."""
        self.paused = False
        self._grant()

    def _grant(self) -> None:
        while self._queue and not self.paused and self.taken < self._limit:
            turn = self._queue.next()
            if not turn.done():
                self.taken += 1
                turn.set_result(None)
