"""Scheduled refresh: each view with a refresh interval is checked at that interval, and refreshed if it is stale.

The interval is the view's property `viewgate.refresh.every`. A view with a retention policy is refreshed at each check,
so that partitions that have become too old are dropped.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence

from proxy.catalog import Catalogs, Unavailable
from proxy.catalog.views import period
from proxy.hs2 import SqlError
from proxy.journal import Cause
from proxy.pipeline.pipeline import Pipeline
from rewriter.model import MaterializedView, TableName

EVERY = "viewgate.refresh.every"

_logger = logging.getLogger(__name__)
_LONGEST_PAUSE = 10.0  # seconds after which a changed refresh interval of a view is noticed at the latest


class Schedule:
    """The scheduler of refreshes: `run` starts the refreshes that are due, in the background, until cancelled.

    Each refresh starts after the running refreshes of the views that its view reads. `clock` returns seconds.
    """

    def __init__(self, catalogs: Catalogs, pipeline: Pipeline, clock: Callable[[], float] = time.monotonic) -> None:
        self._catalogs = catalogs
        self._pipeline = pipeline
        self._clock = clock
        self._looked: dict[TableName, float] = {}
        self._due: dict[TableName, float] = {}
        self._running: dict[TableName, asyncio.Task[None]] = {}

    def due_ms(self) -> Mapping[TableName, int]:
        """Return the time of the next check of each view with a refresh interval, in milliseconds since 1970."""
        offset = time.time() - self._clock()
        return {view: round(1000 * (due + offset)) for view, due in self._due.items()}

    async def run(self) -> None:
        """Start the refreshes that are due, again and again, until cancelled; then cancel the running refreshes."""
        try:
            while True:
                await asyncio.sleep(await self._safely_look())
        finally:
            self._due = {}
            for task in self._running.values():
                task.cancel()
            if self._running:
                await asyncio.wait(self._running.values())

    async def look(self) -> float:
        """Start the refreshes that are due now; return the seconds until the next check.

        If the previous refresh of a view still runs or waits, no other refresh of the view is started: the view stays
        due, and is looked at again at the next check.
        """
        pause = _LONGEST_PAUSE
        periodic: dict[TableName, float] = {}
        # Views come after the views that they read: `through` has all views that a view reads, directly or not, so
        # a view has more of them than any view that it reads.
        for view in sorted(await self._catalogs.definitions(), key=lambda view: len(view.through)):
            seconds = period(view.properties.get(EVERY, ""))
            if seconds is None:
                continue
            looked = self._looked.get(view.name)
            due = 0.0 if looked is None else looked + seconds - self._clock()
            # The refresh of the view is still running or queued after a whole period.
            if due <= 0 and view.name in self._running:
                periodic[view.name] = self._clock()
                continue
            if due <= 0:
                self._looked[view.name] = self._clock()
                self._begin(view)
                due = seconds
            periodic[view.name] = self._clock() + due
            pause = min(pause, max(due, 0.1))
        self._due = periodic
        return pause

    async def rest(self) -> None:
        """Wait until no scheduled refresh runs."""
        while self._running:
            await asyncio.wait(self._running.values())

    async def _safely_look(self) -> float:
        try:
            return await self.look()
        except Unavailable:  # the catalog has logged it
            return _LONGEST_PAUSE
        except Exception:
            _logger.exception("schedule unreadable: no scheduled refresh until the next check")
            return _LONGEST_PAUSE

    def _begin(self, view: MaterializedView) -> None:
        below = [self._running[state.name] for state in view.through if state.name in self._running]
        task = asyncio.create_task(self._refresh(view, below))
        self._running[view.name] = task
        task.add_done_callback(lambda _: self._running.pop(view.name, None))

    async def _refresh(self, view: MaterializedView, below: Sequence[asyncio.Task[None]]) -> None:
        if below:
            await asyncio.wait(below)
        async with self._pipeline.background:
            try:
                if not (await self._pipeline.rests(view) or await self._pipeline.left_alone(view)):
                    await self._pipeline.refresh(view, _logger.info, cause=Cause.SCHEDULE)
            except SqlError:
                pass  # the pipeline has recorded it on the view's storage and logged it
            except Exception:
                _logger.exception("refresh failed view=%s cause=schedule", view.name)
