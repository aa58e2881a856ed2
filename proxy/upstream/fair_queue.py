"""A queue in which principals take turns, so that who asks a hundred times does not keep others waiting."""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

T = TypeVar("T")


class FairQueue(Generic[T]):
    """First come, first served among the principals, and again among what each of them waits for.

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
