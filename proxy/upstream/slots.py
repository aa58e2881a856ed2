"""The slots for an upstream's concurrent statements, with a fair queue for those that wait."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Generic, TypeVar

T = TypeVar("T")


class FairQueue(Generic[T]):
    """A queue that serves principals in turn, and the requests of each in order of arrival.

    >>> queue = FairQueue()
    >>> for principal, item in [("ann", 1), ("ann", 2), ("ann", 3), ("bob", 4)]:
    ...     queue.add(principal, item)
    >>> [queue.next() for _ in range(len(queue))]
    [1, 4, 2, 3]
    """

    def __init__(self) -> None:
        self._waiting: dict[str, deque[T]] = {}  # the first principal is next

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, principal: str, item: T) -> None:
        self._waiting.setdefault(principal, deque()).append(item)

    def put_back(self, principal: str, item: T) -> None:
        """Have an item that was taken out, or would have been, be the next one."""
        own = self._waiting.pop(principal, deque())
        own.appendleft(item)
        self._waiting = {principal: own, **self._waiting}

    def remove(self, principal: str, item: T) -> None:
        """Take an item out that waits no longer; one that is not there is no error."""
        own = self._waiting.get(principal)
        if own is not None and item in own:
            own.remove(item)
            if not own:
                del self._waiting[principal]

    def next(self) -> T:
        """Take the next item out; its principal goes to the end."""
        principal = next(iter(self._waiting))
        own = self._waiting.pop(principal)
        item = own.popleft()
        if own:
            self._waiting[principal] = own
        return item


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
        """The number of queued statements."""
        return len(self._queue)

    def take(self) -> bool:
        """Take a slot if one is free and no other request waits."""
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
        """Grant no slot until `resume`; requests wait."""
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
