"""Post-commit refresh: a write through the proxy refreshes the views over the written table.

The refresh starts after the write has succeeded, so a failed refresh does not fail the write. The failure is reported
in the log of the writing statement and, until a refresh succeeds, in SHOW MATERIALIZED VIEWS. A view that a user has
disabled for rewriting is refreshed, too, and stays disabled.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping, Sequence
from typing import Any, TypeVar

from proxy.catalog import Catalogs, Unavailable
from proxy.catalog.views import NEVER, period
from proxy.hs2 import SqlError
from proxy.hs2.status import first_message
from proxy.journal import Cause
from proxy.pipeline.dependencies import over, reading
from proxy.pipeline.pipeline import Pipeline
from proxy.pipeline.shared_delta import SharedDelta
from proxy.pipeline.status import status
from proxy.pipeline.steps import UP_TO_DATE, Asked
from proxy.session import Log
from rewriter import Decision, Definitions
from rewriter.model import MaterializedView, TableName

WAIT = "viewgate.refresh.wait"
WAIT_LIMIT = "viewgate.refresh.wait-limit"
ALWAYS, IF_INCREMENTAL = "always", "if-incremental"
WAIT_LIMIT_S = 10
# The most refreshes of one write that run at once, each in a Spark session of its own.
AT_ONCE = 4

_logger = logging.getLogger(__name__)
_Result = TypeVar("_Result")
# The stale views, and those of them for which a statement waits, each with the planned refresh.
_Planned = tuple[list[MaterializedView], dict[MaterializedView, Decision | None]]


class OnCommit:
    """The runner of post-commit refreshes.

    Refreshes for which no statement waits run in the background; `close` cancels the refreshes that still run.
    """

    def __init__(self, catalogs: Catalogs, pipeline: Pipeline) -> None:
        self._catalogs = catalogs
        self._pipeline = pipeline
        self._running: set[asyncio.Task[Any]] = set()

    async def after_write(self, definitions: Definitions, tables: Collection[TableName], log: Log) -> None:
        """Refresh the stale views over the tables that a statement may have written to.

        Each view's property `viewgate.refresh.wait` decides whether the statement waits for the view's refresh; the
        other refreshes run in the background. Return when all refreshes for which the statement waits have ended, or
        have reached the time limits of their views (see `_limit`). A time limit counts from the start of this call, so
        it includes the planning of the refreshes, which asks the catalogs about each view. If the statement waits for
        no view, the planning also runs in the background.

        `definitions` are all views, and `log` adds a line to the statement's log. If this call is
        cancelled, cancel the refreshes for which the statement waits.
        """
        started = asyncio.get_running_loop().time()
        views = [view for view in reading(definitions, tables) if not view.deferred]
        if not views:
            return
        planning = self._start(self._planned(definitions, tables))
        waited = [view for view in views if view.properties.get(WAIT) != NEVER]
        if not waited:
            for view in views:
                log(f"Viewgate: {view.name} is refreshed in the background if it is stale")
            self._start(self._refresh_behind_planning(planning))
            return
        limits = [_limit(view) for view in waited]
        longest = None if None in limits else max(limit for limit in limits if limit is not None)
        if not await _ended(planning, _left(longest, started)):
            names = ", ".join(str(view.name) for view in waited)
            log(
                f"Viewgate: the refreshes of {names} are still being planned; stale views are refreshed in the "
                "background"
            )
            self._start(self._refresh_behind_planning(planning))
            return
        stale, decisions = planning.result()
        waiting = [*decisions]
        background = [view for view in stale if view not in waiting]
        for view in background:
            log(f"Viewgate: {view.name} is refreshed in the background")
        if background:
            self._start(self._refresh_all(background, _logger.info))
        # A cancel is passed on to each, and is raised after all have ended.
        await asyncio.gather(*self._waited_for(definitions, decisions, log, started), return_exceptions=True)

    async def _planned(self, definitions: Definitions, tables: Collection[TableName]) -> _Planned:
        """Return the stale views over `tables`, and the refreshes for which a statement waits (see `_waiting`).

        The returned views are in the order of refresh. `definitions` are all views.
        """
        stale = await self._stale(definitions, await over(self._catalogs, definitions, tables))
        return stale, await self._waiting(definitions, stale)

    async def _refresh_behind_planning(self, planning: asyncio.Task[_Planned]) -> None:
        """Refresh the stale views in the background, after `planning` has ended; no statement waits for them."""
        stale, _ = await planning
        await self._refresh_all(stale, _logger.info)

    def _waited_for(
        self,
        definitions: Definitions,
        decisions: Mapping[MaterializedView, Decision | None],
        log: Log,
        started: float,
    ) -> list[Coroutine[Any, Any, None]]:
        """Start the refreshes for which a statement waits; return, per view, a coroutine that waits for the refresh.

        `decisions` has these views in the order of refresh, each with the planned refresh (None if planning failed).
        `definitions` are all views, and `log` adds a line to the statement's log. The time limit of each
        wait (see `_limit`) counts from `started`, a time of the event loop's clock.

        A refresh starts after the refreshes of the views that its view reads. With `viewgate.refresh.wait = always`, a
        refresh may be a full refresh, which may read the storage table of any earlier view in `decisions`. Such a
        refresh therefore starts after the refreshes of all earlier views.
        """
        shared = self._pipeline.shared({view: decision for view, decision in decisions.items() if decision is not None})
        failed: set[TableName] = set()
        slots = asyncio.Semaphore(AT_ONCE)
        running: dict[TableName, asyncio.Task[None]] = {}
        waits = []
        for view in decisions:
            whole = view.properties.get(WAIT) == ALWAYS
            before = running if whole else running.keys() & set(definitions.graph.predecessors(view.name))
            below = [running[name] for name in before]
            said = _Said(log)
            refresh = self._refresh_behind(view, below, slots, failed, said, shared.get(view.name))
            running[view.name] = self._start(refresh)
            waits.append(_wait(view, running[view.name], said, started))
        return waits

    async def _refresh_behind(
        self,
        view: MaterializedView,
        below: Sequence[asyncio.Task[None]],
        slots: asyncio.Semaphore,
        failed: set[TableName],
        log: Log,
        delta: SharedDelta | None,
    ) -> None:
        try:
            with self._pipeline.queued([view], Cause.COMMIT) as leave:
                if below:
                    await asyncio.wait(below)
                async with slots:
                    await self._refresh_one(view, failed, log, leave, asked=Asked(delta=delta))
        finally:
            if delta is not None:
                await delta.leave(view)

    def catch_up(self, definitions: Callable[[], Awaitable[Definitions]]) -> None:
        """Start in the background the post-commit refreshes that were missed.

        A refresh is missed if Viewgate is killed after a commit, or if a catalog is unavailable after a commit.
        Missed refreshes are not recorded. So all stale views are refreshed, except views created WITH DEFERRED REFRESH.
        `definitions` loads the definitions of all views.
        """
        self._start(self._caught_up(definitions))

    async def _caught_up(self, definitions: Callable[[], Awaitable[Definitions]]) -> None:
        try:
            known = await definitions()
            sources = {table for tables in known.sources.values() for table in tables}
            missed = await self._stale(known, await over(self._catalogs, known, sources))
        except Unavailable:  # this is logged, and repeated when a catalog is available again
            return
        if missed:
            _logger.info("post-commit refreshes missed views=%s", ",".join(str(view.name) for view in missed))
            await self._refresh_all(missed, _logger.info, Cause.MISSED)

    async def close(self) -> None:
        """Cancel the running refreshes, and wait until they have ended."""
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait(self._running)

    def _start(self, work: Coroutine[Any, Any, _Result]) -> asyncio.Task[_Result]:
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    async def _stale(self, definitions: Definitions, views: Sequence[MaterializedView]) -> list[MaterializedView]:
        """Return the stale views among `views`, and the views that read a stale view.

        Views created WITH DEFERRED REFRESH are left out, and so are views that this Viewgate cannot refresh (see
        `Pipeline.left_alone`). `views` are in the order of refresh, and so are the returned
        views. `definitions` are all views.
        """
        stale: dict[TableName, MaterializedView] = {}
        for view in views:
            below = stale.keys() & set(definitions.graph.predecessors(view.name))
            if not view.deferred and (below or await self._is_stale(view)) and not await self._left_alone(view):
                stale[view.name] = view
        return list(stale.values())

    async def _is_stale(self, view: MaterializedView) -> bool:
        try:
            return not (await status(self._catalogs, view)).fresh
        except Exception:  # the view's refresh will fail for the same reason, and report the error
            return True

    async def _left_alone(self, view: MaterializedView) -> bool:
        try:
            return bool(await self._pipeline.left_alone(view))
        except Exception:  # as in `_is_stale`
            return False

    async def _waiting(
        self, definitions: Definitions, views: Sequence[MaterializedView]
    ) -> dict[MaterializedView, Decision | None]:
        """Return the views for whose refresh a statement waits, each with the planned refresh.

        Each view's property `viewgate.refresh.wait` decides; but a statement waits for a view only if it also waits for
        all stale views that this view reads. The planned refresh is None if planning fails.
        """
        waiting: dict[MaterializedView, Decision | None] = {}
        behind: set[TableName] = set()
        for view in views:
            below = behind & set(definitions.graph.predecessors(view.name))
            wait, decision = (False, None) if below else await self._waits_for(view)
            if wait:
                waiting[view] = decision
            else:
                behind.add(view.name)
        return waiting

    async def _waits_for(self, view: MaterializedView) -> tuple[bool, Decision | None]:
        """Return whether a statement waits for a view's refresh, and the planned refresh.

        The view's property `viewgate.refresh.wait` decides: `never`, `always`, or (by default) only if the refresh is
        incremental. The planned refresh is None for `never`. If planning fails, return True and None, so that the
        statement reports the failure.
        """
        wait = view.properties.get(WAIT, IF_INCREMENTAL)
        if wait == NEVER:
            return False, None
        try:
            decision = await self._pipeline.decision(view)
        except Exception:  # the refresh will fail at once for the same reason, and the writer should see that
            return True, None
        return wait == ALWAYS or decision.incremental, decision

    async def _refresh_all(self, views: Sequence[MaterializedView], log: Log, cause: Cause = Cause.COMMIT) -> None:
        """Refresh views in the background, one by one; `cause` is recorded in the journal of refreshes."""
        failed: set[TableName] = set()
        with self._pipeline.queued(views, cause) as leave:
            for view in views:
                async with self._pipeline.background:
                    await self._refresh_one(view, failed, log, leave, cause)
                leave(view.name)

    async def _refresh_one(
        self,
        view: MaterializedView,
        failed: set[TableName],
        log: Log,
        leave: Callable[[TableName], None],
        cause: Cause = Cause.COMMIT,
        asked: Asked = UP_TO_DATE,
    ) -> None:
        """Refresh a view if it is stale, and log the result; if the refresh fails, add the view to `failed`.

        A view that reads a view in `failed` is not refreshed, and is added to `failed` as well. `leave` removes the
        view's refresh from the queued ones. `asked` are the options of the refresh; `cause` is recorded in the journal
        of refreshes.
        """
        if why := stopped(view, failed):
            log(why)
            failed.add(view.name)
            return
        try:
            if not (await status(self._catalogs, view)).fresh:
                leave(view.name)
                await self._pipeline.refresh(view, log, asked, cause)
        except SqlError as failure:
            failed.add(view.name)
            log(
                f"{view.name} could not be refreshed, and is not used until a refresh succeeds: "
                f"{first_message(str(failure))}"
            )
        except asyncio.CancelledError:
            log(f"the refresh of {view.name} was cancelled; the view is not used until its next refresh")
            raise
        except Exception:
            failed.add(view.name)
            _logger.exception("refresh failed view=%s cause=commit", view.name)
            log(
                f"{view.name} could not be refreshed, and is not used until a refresh succeeds; see the log of Viewgate"
            )


class _Said:
    """The log function of a refresh: writes to the waiting statement's log and, after `leave`, to the server's log."""

    def __init__(self, log: Log) -> None:
        self._log: Log = lambda line: log(f"Viewgate: {line}")

    def __call__(self, line: str) -> None:
        self._log(line)

    def leave(self) -> None:
        """Write to the server's log from now on, because no statement waits for the refresh any longer."""
        self._log = _logger.info


async def _wait(view: MaterializedView, task: asyncio.Task[None], said: _Said, started: float) -> None:
    """Wait until `task`, a view's refresh, has ended, or until the view's time limit (see `_limit`) has passed.

    The time limit counts from `started`, a time of the event loop's clock. After the limit, the refresh continues in
    the background, and its log function `said` writes to the server's log. If this wait is cancelled, cancel the
    refresh.
    """
    if not await _ended(task, _left(_limit(view), started)):
        said(f"{view.name} is not refreshed yet; the refresh runs in the background")
        said.leave()


async def _ended(task: asyncio.Task[Any], seconds: float | None) -> bool:
    """Wait until a task has ended, for at most `seconds` (None for no limit), and return whether the task has ended.

    If this wait is cancelled, cancel the task.
    """
    try:
        await asyncio.wait({task}, timeout=seconds)
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait({task})
        raise
    return task.done()


def _left(limit: float | None, started: float) -> float | None:
    """Return the seconds that are left of a limit that counts from `started`, a time of the event loop's clock.

    Return None if there is no limit.
    """
    return None if limit is None else max(started + limit - asyncio.get_running_loop().time(), 0)


def _limit(view: MaterializedView) -> float | None:
    """Return the seconds for which a statement waits for the view's refresh; None for no limit.

    The limit is the property `viewgate.refresh.wait-limit`, or a default that depends on `viewgate.refresh.wait`.

    >>> from types import SimpleNamespace as View
    >>> [_limit(View(properties=each)) for each in ({}, {WAIT: ALWAYS}, {WAIT: ALWAYS, WAIT_LIMIT: "1 minute"})]
    [10, None, 60]
    """
    given = view.properties.get(WAIT_LIMIT)
    if given is None:
        return None if view.properties.get(WAIT) == ALWAYS else WAIT_LIMIT_S
    return period(given)


def stopped(view: MaterializedView, failed: Collection[TableName]) -> str:
    """Return a message which says that a view is not refreshed because the view reads a view in `failed`.

    Return an empty text if the view reads no view in `failed`.
    """
    below = next((state.name for state in view.through if state.name in failed), None)
    if below is None:
        return ""
    return f"{view.name} was not refreshed, because it reads {below}, which could not be refreshed"
