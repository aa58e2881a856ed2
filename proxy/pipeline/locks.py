"""View locks, held by refreshes, maintenance and drops: at most one change of a view's storage table runs at a time.

While a view is being dropped, no other change of the view's storage table starts.
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

# The key of a view lock. It has the view's UUID, so that a new view does not wait for the lock of a
# dropped view with the same name.
Content = tuple[str, TableName]


def content(view: MaterializedView) -> Content:
    """Return the key of a view's lock; a new view with the name of a dropped view has another key."""
    return view.uuid, view.storage


class UnderWay:
    """The locks of all views, each held by one change of the view's storage table, and the changes that are running.

    A change is a refresh, maintenance, or a drop. All changes must run in the same event loop.
    """

    def __init__(self) -> None:
        self._busy: defaultdict[Content, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._tasks: dict[Content, asyncio.Task[Any]] = {}
        self._gone: set[Content] = set()

    @asynccontextmanager
    async def alone(self, view: MaterializedView) -> AsyncIterator[None]:
        """Hold the view's lock during the `with` block; raise Lost if the view is being dropped."""
        async with self._busy[content(view)]:
            if content(view) in self._gone:
                raise gone(view)
            yield

    async def run(self, view: MaterializedView, work: Coroutine[Any, Any, _Result]) -> _Result:
        """Run a change of a view's storage table (`work`) and return its result; the caller holds the view's lock.

        Raise Lost if the change is cancelled because the view is being dropped.
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
        """Cancel a running change of the view's storage table, then hold the view's lock during the `with` block.

        A change that already waits for the lock raises Lost, because the view is being dropped.
        """
        self._gone.add(content(view))
        if running := self._tasks.get(content(view)):
            running.cancel()
        try:
            async with self._busy[content(view)]:
                yield
        finally:  # a view that is replaced repeatedly may use the same storage name again
            self._gone.discard(content(view))
