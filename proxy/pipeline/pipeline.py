"""Runs refreshes: a statement writes new rows to a staged branch of the storage table, a commit publishes the branch.

A staged branch is an Iceberg branch that no reader sees. `next_step` chooses the statement. An incremental statement,
whose cost grows with the change of the sources, is chosen if it provably gives the same rows as the view's whole query.
Otherwise, and also if the incremental statement fails in Spark, the whole query runs.

A refresh that is killed before the commit leaves the main branch unchanged, and its staged branch behind; the next
refresh's commit removes that branch. Of two concurrent refreshes, even in two proxies, the first commit wins, and the
other refresh is planned again.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager
from dataclasses import dataclass, replace

from proxy.catalog import Catalogs, NotCommitted, Published
from proxy.catalog.refresh_state import STATE_PREFIXES, to_properties, to_summary
from proxy.catalog.views import period
from proxy.hs2 import SqlError
from proxy.journal import Cause, Journal, Refresh
from proxy.journal.texts import without_credentials
from proxy.pipeline.locks import Content, UnderWay, content
from proxy.pipeline.runner import Runner
from proxy.pipeline.shared_delta import SharedDelta, shared_deltas
from proxy.pipeline.sources import Sources, look
from proxy.pipeline.staging import JOB_SETTINGS, LOST, check_types, recording, staged, within
from proxy.pipeline.statements import pin, relations
from proxy.pipeline.status import REFRESH_ERROR, Lost, explained, headline, noted, out_of_reach, status
from proxy.pipeline.steps import RETENTION, UP_TO_DATE, Asked, Step, next_step
from proxy.pipeline.upkeep import Upkeep
from proxy.pipeline.watching import watched
from proxy.session import Log
from rewriter import Decision
from rewriter.model import MaterializedView, Table, TableName, quoted

_logger = logging.getLogger(__name__)
_ATTEMPTS = 3
_OUTDATED = (*STATE_PREFIXES, REFRESH_ERROR)  # the properties of storage that a refresh replaces or removes


@dataclass(frozen=True, slots=True)
class Refreshed:
    """The result of a refresh: rows written, the storage table's snapshot, and whether the table was changed.

    `only` is the SQL condition that the stored rows satisfy if the storage table holds a part of the view's rows; empty
    if the storage table holds all rows.
    """

    rows: int
    snapshot_id: int
    only: str
    changed: bool = True


# The default number of background refreshes at once on the Spark that also serves clients. Each takes task slots from
# them until its tasks end, because Spark does not preempt; the second one is there so that a refresh of hours delays no
# other view.
IN_BACKGROUND = 2


class Pipeline:
    """The runner of all refreshes: at most one at a time for each view, recorded in the journal.

    `background` is a semaphore that limits the refreshes for which no statement waits: at most `in_background` of them
    run at the same time.
    """

    def __init__(
        self, catalogs: Catalogs, runner: Runner, journal: Journal | None = None, in_background: int = IN_BACKGROUND
    ) -> None:
        self._catalogs = catalogs
        self._runner = runner
        self._journal = journal or Journal()
        self.background = asyncio.Semaphore(in_background)
        self._upkeep = Upkeep(catalogs, runner)
        self._under_way = UnderWay()
        self._said: dict[Content, str] = {}
        self._left_alone: set[TableName] = set()  # the views for which the log has the reason

    def said(self, view: MaterializedView) -> str:
        """Return the last log message of the view's running refresh in this process; empty if none runs."""
        return self._said.get(content(view), "")

    async def refresh(
        self, view: MaterializedView, log: Log, asked: Asked = UP_TO_DATE, cause: Cause = Cause.STATEMENT
    ) -> Refreshed:
        """Refresh a view's storage table and return the result; raise SqlError if the refresh fails.

        `log` adds a line to the statement's log. `asked` are the options of the refresh, and `cause` is recorded in the
        journal of refreshes. A refresh may consist of several commits; after a failure, the storage table has the rows
        of the last commit.
        """

        def say(line: str) -> None:
            self._said[content(view)] = without_credentials(line.removeprefix(f"{view.name}").lstrip(": "))
            log(line)

        if asked.where:
            await next_step(self._catalogs, view, asked)  # an invalid request is not a failure of the view
        async with self._alone(view, cause):
            try:
                with self._journal.refreshing(view.name, cause) as refresh:
                    async with noted(self._catalogs, view):
                        refreshed = await self._under_way.run(view, self._refresh(view, say, asked, refresh))
                if refreshed.changed:
                    await self._under_way.run(view, self._upkeep.expire(view, log))
                return refreshed
            finally:
                self._said.pop(content(view), None)

    def queued(
        self, views: Iterable[MaterializedView], cause: Cause
    ) -> AbstractContextManager[Callable[[TableName], None]]:
        """List a refresh of each view as queued during the `with` block (see `Journal.queued`)."""
        return self._journal.queued([view.name for view in views], cause)

    @asynccontextmanager
    async def _alone(self, view: MaterializedView, cause: Cause) -> AsyncIterator[None]:
        """Hold the view's lock during the `with` block; until the lock is free, list the refresh as queued."""
        with self.queued([view], cause) as leave:
            async with self._under_way.alone(view):
                leave(view.name)
                yield

    def given_up(self, view: MaterializedView) -> AbstractAsyncContextManager[None]:
        """Cancel a running change of a view's storage table, and let no other change start during the `with` block."""
        return self._under_way.given_up(view)

    async def vouch(self, view: MaterializedView, sources: Sources, storage: Table) -> None:
        """Record that the current snapshot of `storage` holds the result of the view's query over `sources`.

        An existing table is thereby adopted as the storage table of the view, without a refresh.
        """
        async with self._under_way.alone(view):
            state = sources.state(view, storage, time.time_ns() // 1_000_000)
            await self._upkeep.record(view, storage, state, to_summary(state, tuple(sources.views.values())))

    async def carry_over(self, filled: MaterializedView, view: MaterializedView) -> None:
        """Record that the storage table of one version of a view (`filled`) is also valid for the version `view`.

        Do nothing if the definitions of the versions differ. Raise SqlError if the storage table is missing, or if a
        concurrent refresh has changed the storage table first.
        """
        if filled.version != view.version and _definition(filled) == _definition(view):
            async with self._under_way.alone(view):
                await self._upkeep.carry_over(filled, view)

    async def maintain(self, view: MaterializedView, statement: str, log: Log) -> None:
        """Run a maintenance statement (compaction or snapshot expiry) on a view's storage table.

        Neither kind of statement changes the stored rows. If the view is fresh, a refresh follows: it changes no rows,
        but records the current snapshots of the sources, because the snapshots recorded before may expire. `log` writes
        the messages of this refresh.
        """
        async with self._under_way.alone(view):
            await self._upkeep.maintain(view, statement)
        # After a compaction, the recorded snapshots must be updated, because the snapshots that were read may expire
        # next.
        if (await status(self._catalogs, view)).fresh:
            await self.refresh(view, log, cause=Cause.MAINTENANCE)

    async def _refresh(self, view: MaterializedView, log: Log, asked: Asked, refresh: Refresh) -> Refreshed:
        refreshed, more = await self._step(view, log, asked, refresh)
        while more:
            next_one, more = await self._step(view, log, asked, refresh)
            refreshed = next_one if next_one.changed else replace(refreshed, only=next_one.only)
        if refreshed.only:
            log(f"{view.name}: the storage table holds only the rows where {refreshed.only}")
        return refreshed

    async def _step(self, view: MaterializedView, log: Log, asked: Asked, refresh: Refresh) -> tuple[Refreshed, bool]:
        """Perform one step of a refresh (one commit); return the step's result, and whether another step must follow.

        `asked` has the options of the refresh, `refresh` is the journal's record of the refresh, and `log` writes the
        messages of the refresh. If a concurrent commit interferes, the step is planned again. Raise SqlError if the
        step fails, or after three attempts.
        """
        for _ in range(_ATTEMPTS):
            started = time.monotonic_ns()
            step = await next_step(self._catalogs, view, asked)
            if asked.delta is not None:
                step = replace(step, decision=await asked.delta.taken(step.decision))
            storage, decision = step.storage, step.decision
            refresh.ways.append(str(decision.kind))
            if not decision.refreshes and storage.snapshot_id is not None:
                log(f"{view.name} is fresh: {decision.reason}")
                return Refreshed(0, storage.snapshot_id, step.state.only, changed=False), False
            log(f"{view.name}: refresh ({decision.kind}): {decision.reason}")
            try:
                published = await self._attempt(view, step, log)
            except Lost:
                if asked.full:  # a full refresh would only compute everything again
                    raise
                log(f"{view.name}: another refresh was committed first; starting over")
                continue
            except SqlError as failure:
                final = failure.sql_state == LOST or isinstance(failure, NotCommitted)  # a full refresh would fail, too
                if final or not (decision.incremental or step.shared):
                    raise explained(view, failure, storage.refresh, step.sources.tables) from failure
                why = SqlError(headline(failure.message), failure.sql_state)
                _logger.warning(
                    "refresh failed view=%s way=%s error=%s: a full refresh follows", view.name, decision.kind, why
                )
                log(f"{view.name}: the refresh ({decision.kind}) failed, starting a full refresh: {why}")
                asked = replace(asked, anew=True)
                continue
            if published:
                refresh.rows += published.rows
                took_ms = (time.monotonic_ns() - started) // 1_000_000
                log(f"{view.name} refreshed: {published.rows} rows in {took_ms} ms, snapshot {published.snapshot_id}")
                return Refreshed(published.rows, published.snapshot_id, step.state.only), bool(step.then)
            log(f"{view.name}: a source changed while it was read; starting over")
        raise SqlError(
            f"the base tables or the storage table of {view.name} changed during each of {_ATTEMPTS} attempts to "
            "refresh it; the stored rows are unchanged; try again when fewer writes run",
            LOST,
        )

    async def rests(self, view: MaterializedView) -> bool:
        """Return whether a refresh would change nothing, because the view is fresh.

        Return False for a view with a retention, because a refresh may drop rows that have become too old.
        """
        retained = period(view.properties.get(RETENTION, "")) is not None
        return not retained and (await status(self._catalogs, view)).fresh

    async def left_alone(self, view: MaterializedView) -> str:
        """Return why no refresh of the view is started unless a user asks for it; empty if refreshes may be started.

        The view reads a table of a catalog that is not in the settings. The log has the reason once for each view.
        """
        names = relations(view.storage_query, view.session)
        why = await out_of_reach(self._catalogs, await self._catalogs.current(names), names)
        if why and view.name not in self._left_alone:
            self._left_alone.add(view.name)
            _logger.warning("view left alone view=%s reason=%r", view.name, why)
        return why

    async def decision(self, view: MaterializedView) -> Decision:
        """Return how a refresh of the view would run now, and why.

        The decision is `incremental` if the cost of the refresh grows only with the change of the sources.
        """
        return (await next_step(self._catalogs, view, UP_TO_DATE)).decision

    def shared(self, decisions: Mapping[MaterializedView, Decision]) -> dict[TableName, SharedDelta]:
        """Return the staging tables for refreshes that read the same appended rows, by view name.

        `decisions` has the planned refresh of each view. Views whose refresh shares no appended rows with another
        refresh are absent in the result. After each refresh, call the staging table's method `leave` with the refreshed
        view.
        """
        return shared_deltas(self._runner, decisions)

    async def planned(self, view: MaterializedView, asked: Asked) -> tuple[str, str, str]:
        """Return the kind of the next refresh, the reason and the following steps as text, and the SQL statement.

        The statement is empty if there is nothing to refresh. For a refresh in several steps, the statement is the
        first one. `asked` has the options of the refresh.
        """
        step = await next_step(self._catalogs, view, asked)
        kind, reason = str(step.decision.kind), step.decision.reason
        if step.then:
            reason += f"; then {step.then}"
        if step.part:
            reason += f"; the storage table holds only the rows where {step.part}"
        return kind, reason, step.decision.statement(step.storage.name.sql()) if step.decision.refreshes else ""

    async def _attempt(self, view: MaterializedView, step: Step, log: Log) -> Published | None:
        """Write the rows of one step to a staged branch and publish the branch; return the published snapshot.

        Return None, without publishing, if a source changed during the read, because it is then unknown which rows were
        read. Two changes count: new rows in a source that is not read at a pinned snapshot, and, in an incremental
        step, new columns of any source. `log` writes the names of the tables read.
        """
        base, sources, incremental = step.storage.snapshot_id, step.sources, step.decision.incremental
        async with staged(self._catalogs, view, base) as branch:
            await self._fill(view, step, branch, log)
            if incremental or not sources.all_pinned:
                later = await look(self._catalogs, view)
                if not sources.same_content(later) or (incremental and not sources.same_columns(later)):
                    return None
            return await self._publish(step, branch)

    async def _publish(self, step: Step, branch: str) -> Published:
        """Publish the staged branch of a step in one commit, and return the published snapshot.

        If this call is cancelled, wait for the end of the commit, so that it is known whether the commit has succeeded.
        """
        storage, properties = step.storage, to_properties(step.state)
        commit = asyncio.ensure_future(
            self._catalogs.of(storage.name).publish(storage.name, branch, storage.snapshot_id, properties, _OUTDATED)
        )
        try:
            return await asyncio.shield(commit)
        finally:
            await asyncio.wait({commit})

    async def _fill(self, view: MaterializedView, step: Step, branch: str, log: Log) -> None:
        sources = step.sources
        for name, table in sources.tables.items() if step.reads_sources else ():
            at = f"at snapshot {table.snapshot_id}" if table.snapshots else "which is empty"
            log(f"{view.name}: reading {name}, {at}")
        for held, storage in step.reading.held if step.reading else ():
            log(f"{view.name}: reading {held.name} from its storage table, at snapshot {storage.snapshot_id}")
        summary = to_summary(step.state, tuple(sources.views.values()))
        settings = {**(view.settings or {}), **JOB_SETTINGS, **recording(summary)}
        if view.namespace:
            settings |= within(view.catalog)
        async with self._runner.job(settings) as job:
            if view.namespace:
                await job.run("USE " + ".".join(map(quoted, (view.catalog, *view.namespace))))
            await job.run(f"ALTER TABLE {view.storage.sql()} CREATE BRANCH {branch}")
            if not step.typed:
                query = pin(view.storage_query, sources.pins, view.session)
                check_types(view, step.storage, await job.columns(query))
            async with watched(job, str(view.name), log):
                await job.run(step.decision.statement(f"{view.storage.sql()}.branch_{branch}"))


def _definition(view: MaterializedView) -> tuple[object, ...]:
    """Return a tuple of everything that determines the rows of a storage table, except the rows of the sources."""
    return view.uuid, view.storage, view.storage_query, view.catalog, view.namespace, view.settings, view.through
