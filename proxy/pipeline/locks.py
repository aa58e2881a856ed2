"""View locks: one change of a view's storage at a time, and none for a view that is dropped."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from proxy.pipeline.status import gone
from rewriter.model import MaterializedView, TableName

_Result = TypeVar("_Result")

# What is worked on: a view that is made under the name of one that is gone does not wait for work on that.
Content = tuple[str, TableName]


def content(view: MaterializedView) -> Content:
    """Return the part of a view that one job at a time may work on."""
    return view.uuid, view.storage


class UnderWay:
    """Locks on storage within one event loop."""

    def __init__(self) -> None:
        self._busy: defaultdict[Content, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._tasks: dict[Content, asyncio.Task[Any]] = {}
        self._gone: set[Content] = set()

    @asynccontextmanager
    async def alone(self, view: MaterializedView) -> AsyncIterator[None]:
        """Hold the view lock in the body; raise Lost if the view has been given up."""
        async with self._busy[content(view)]:
            if content(view) in self._gone:
                raise gone(view)
            yield

    async def run(self, view: MaterializedView, work: Coroutine[Any, Any, _Result]) -> _Result:
        """Return the result of work under the view lock; raise Lost if the view is given up meanwhile."""
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
        """Wait for all work on a view's storage to end, and let none begin in the body."""
        self._gone.add(content(view))
        if running := self._tasks.get(content(view)):
            running.cancel()
        try:
            async with self._busy[content(view)]:
                yield
        finally:  # a view that is replaced time and again comes back to storage of the same name
            self._gone.discard(content(view))
