"""View locks, held by refreshes, maintenance and drops: one change of a view's storage runs at a time.

No change begins once the view is being dropped.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from proxy.pipeline.status import gone
from rewriter.model import MaterializedView, TableName

_Result = TypeVar("_Result")

# What is locked: a new view under the name of a dropped one does not wait for work on that.
Content = tuple[str, TableName]


def content(view: MaterializedView) -> Content:
    """Return the key of a view's lock: a new view under the name of a dropped one has another lock."""
    return view.uuid, view.storage


class UnderWay:
    """The view locks of one event loop."""

    def __init__(self) -> None:
        self._busy: defaultdict[Content, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._tasks: dict[Content, asyncio.Task[Any]] = {}
        self._gone: set[Content] = set()

    @asynccontextmanager
    async def alone(self, view: MaterializedView) -> AsyncIterator[None]:
        """Hold the view lock in the body; raise Lost if the view is being dropped."""
        async with self._busy[content(view)]:
            if content(view) in self._gone:
                raise gone(view)
            yield

    async def run(self, view: MaterializedView, work: Coroutine[Any, Any, _Result]) -> _Result:
        """Return the result of `work`, whose caller holds the view lock; raise Lost if the view is dropped
        meanwhile.
        """
        task = asyncio.create_task(work)
        self._tasks[content(view)] = task
        try:
            return await task
        except asyncio.CancelledError:
            waiting = asyncio.current_task()
            if content(view) in self._gone and waiting is not None and not waiting.cancelling():
                raise gone(view) from None
            raise
        finally:
            del self._tasks[content(view)]

    @asynccontextmanager
    async def given_up(self, view: MaterializedView) -> AsyncIterator[None]:
        """Cancel running work on a view's storage, wait for its end, and let none begin during the body."""
        self._gone.add(content(view))
        if running := self._tasks.get(content(view)):
            running.cancel()
        try:
            async with self._busy[content(view)]:
                yield
        finally:  # a view that is replaced repeatedly may use the same storage name again
            self._gone.discard(content(view))
