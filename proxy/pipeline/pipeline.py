"""Refresh jobs: new content written to a staged branch by one statement, then published in one commit.

`decide` says which statement: one whose cost follows the change where that is proved to give the same content, else
the whole query again. An incremental one that fails in Spark is followed by the whole query.

Killed anywhere before the commit, a refresh leaves main untouched and a branch that no reader sees; the next refresh's
commit drops it. Of two refreshes at once, in two proxies even, the first commit wins and the other is told.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict
from dataclasses import dataclass

import rewriter
from proxy.catalog import Catalog, Published
from proxy.catalog.refresh_state import STATE_PREFIXES, to_properties, to_summary
from proxy.hs2 import SqlError
from proxy.pipeline.causes import explained, headline
from proxy.pipeline.failures import REFRESH_ERROR, Lost, noted
from proxy.pipeline.planning import decide
from proxy.pipeline.runner import Runner
from proxy.pipeline.sources import Sources, look, storage_of
from proxy.pipeline.staging import JOB_SETTINGS, LOST, recording, staged
from proxy.pipeline.statements import pin
from proxy.pipeline.status import status
from proxy.pipeline.upkeep import Upkeep
from proxy.pipeline.watching import watched
from proxy.session import Log
from rewriter import Decision
from rewriter.model import Column, MaterializedView, RefreshState, Table, TableName, quoted

_logger = logging.getLogger(__name__)
_ATTEMPTS = 3
_ASKED_FOR = rewriter.full("everything anew, as asked for")
_FRESH = "no source has changed since its last refresh"
_OUTDATED = (*STATE_PREFIXES, REFRESH_ERROR)  # what a refresh replaces or removes among the storage's properties


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What the storage holds after a refresh; `changed` is False where it was fresh already."""

    rows: int
    snapshot_id: int
    changed: bool = True


class Pipeline:
    """Runs refreshes, one at a time for each view."""

    def __init__(self, catalog: Catalog, runner: Runner) -> None:
        self._catalog = catalog
        self._runner = runner
        self._upkeep = Upkeep(catalog, runner)
        self._busy: defaultdict[TableName, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._said: dict[TableName, str] = {}

    def said(self, view: TableName) -> str:
        """What a refresh of the view that goes on here has last said of itself; empty where none does."""
        return self._said.get(view, "")

    async def refresh(self, view: MaterializedView, log: Log, *, full: bool = False) -> Refreshed:
        """Bring a view's storage up to its sources; raises SqlError, and leaves the content as it was."""

        def say(line: str) -> None:
            self._said[view.name] = line.removeprefix(f"{view.name}").lstrip(": ")
            log(line)

        async with self._busy[view.name], noted(self._catalog, view):
            try:
                refreshed = await self._refresh(view, say, full)
                if refreshed.changed:
                    await self._upkeep.expire(view, log)
                return refreshed
            finally:
                self._said.pop(view.name, None)

    async def vouch(self, view: MaterializedView, sources: Sources, storage: Table) -> None:
        """Record that a table, as it is there, holds what the view's query returns over these sources."""
        async with self._busy[view.name]:
            state = sources.state(view, storage, time.time_ns() // 1_000_000)
            await self._upkeep.say(view, storage, state, to_summary(state, tuple(sources.views.values())))

    async def maintain(self, view: MaterializedView, statement: str, log: Log) -> None:
        """Run a statement that maintains the files of a view's storage, and changes no row of it."""
        async with self._busy[view.name]:
            await self._upkeep.maintain(view, statement)
        # Where the table was compacted, what is recorded moves on: the snapshot that was read may expire next.
        if (await status(self._catalog, view)).fresh:
            await self.refresh(view, log)

    async def _refresh(self, view: MaterializedView, log: Log, full: bool) -> Refreshed:
        for _ in range(_ATTEMPTS):
            started_ms = time.time_ns() // 1_000_000
            sources, storage, decision = await self._planned(view, full)
            state = sources.state(view, storage, started_ms)
            if not decision.refreshes and storage.snapshot_id is not None:
                log(f"{view.name} is fresh: {decision.reason}")
                return Refreshed(0, storage.snapshot_id, changed=False)
            log(f"{view.name}: {decision.kind} refresh: {decision.reason}")
            try:
                published = await self._attempt(view, sources, state, storage.snapshot_id, decision, log)
            except Lost:
                raise
            except SqlError as failure:
                if not decision.incremental or failure.sql_state == LOST:
                    raise explained(view, failure, storage.refresh, sources.tables) from failure
                why = headline(failure.message)
                _logger.warning("%s refresh of %s failed: %s", decision.kind, view.name, why)
                log(f"{view.name}: the {decision.kind} refresh failed, computing it anew: {why}")
                full = True
                continue
            if published:
                took_ms = time.time_ns() // 1_000_000 - started_ms
                log(f"{view.name} refreshed: {published.rows} rows in {took_ms} ms, snapshot {published.snapshot_id}")
                return Refreshed(published.rows, published.snapshot_id)
            log(f"{view.name}: a source changed while it was read; starting over")
        raise SqlError(
            f"the sources of {view.name} changed during each of {_ATTEMPTS} attempts to refresh it; "
            "its content is as before; try again when fewer writes go on",
            LOST,
        )

    async def decision(self, view: MaterializedView, *, full: bool = False) -> Decision:
        """How a refresh would go now, and why; `incremental` tells whether its cost would follow the change."""
        return (await self._planned(view, full))[2]

    async def planned(self, view: MaterializedView, *, full: bool = False) -> tuple[str, str, str]:
        """The way of the next refresh, its reason, and its statement."""
        sources, storage, decision = await self._planned(view, full)
        if not decision.refreshes:
            return str(decision.kind), decision.reason, ""
        return str(decision.kind), decision.reason, await self._statement(view, sources, decision, storage.name.sql())

    async def _planned(self, view: MaterializedView, full: bool) -> tuple[Sources, Table, Decision]:
        sources = await look(self._catalog, view)
        storage = await storage_of(self._catalog, view)
        if column := rewriter.misplaced(view, storage):
            raise _renamed(view, column)
        if full:
            return sources, storage, _ASKED_FOR
        if storage.refresh is not None and _same(storage.refresh, sources.state(view, storage, 0)):
            return sources, storage, rewriter.Decision(rewriter.Kind.FRESH, _FRESH)
        return sources, storage, await decide(self._catalog, view, sources, storage)

    async def _attempt(
        self,
        view: MaterializedView,
        sources: Sources,
        state: RefreshState,
        base: int | None,
        decision: Decision,
        log: Log,
    ) -> Published | None:
        """One try; None where a source that cannot be pinned has moved, so that nobody knows what was read."""
        async with staged(self._catalog, view, base) as branch:
            await self._fill(view, sources, state, branch, decision, log)
            if decision.incremental or not sources.all_pinned:
                later = await look(self._catalog, view)
                if not sources.same_content(later) or (decision.incremental and not sources.same_columns(later)):
                    return None
            return await self._catalog.publish(view.storage, branch, base, to_properties(state), _OUTDATED)

    async def _fill(
        self,
        view: MaterializedView,
        sources: Sources,
        state: RefreshState,
        branch: str,
        decision: Decision,
        log: Log,
    ) -> None:
        for name, table in sources.tables.items():
            at = f"at snapshot {table.snapshot_id}" if table.snapshots else "which is empty"
            log(f"{view.name}: reading {name}, {at}")
        for held, storage in sources.stored.values() if not decision.incremental else ():
            log(f"{view.name}: reading {held.name} from its storage, at snapshot {storage.snapshot_id}")
        summary = to_summary(state, tuple(sources.views.values()))
        async with self._runner.job({**(view.settings or {}), **JOB_SETTINGS, **recording(summary)}) as job:
            if view.namespace:
                await job.run("USE " + ".".join(map(quoted, (view.catalog, *view.namespace))))
            await job.run(f"ALTER TABLE {view.storage.sql()} CREATE BRANCH {branch}")
            statement = await self._statement(view, sources, decision, f"{view.storage.sql()}.branch_{branch}")
            async with watched(job, str(view.name), log):
                await job.run(statement)

    async def _statement(self, view: MaterializedView, sources: Sources, decision: Decision, target: str) -> str:
        if decision.incremental:
            return decision.statement(target)
        query, pins = view.storage_query, sources.pins
        if sources.stored:
            known = await self._catalog.views()
            query = rewriter.from_storage(view, known, {name: held for name, (held, _) in sources.stored.items()})
            pins |= {held.storage: table.snapshots[0].id for held, table in sources.stored.values()}
        return f"INSERT OVERWRITE {target}\n{pin(query, pins, view.session)}"


def _renamed(view: MaterializedView, column: Column) -> SqlError:
    """Rows are written to columns by their places: one with the name of another would be read as that."""
    return SqlError(
        f"the columns of {view.storage}, the storage of materialized view {view.name}, have been renamed or moved: "
        f"{quoted(column.name)} stands in the place of another; make the view anew with CREATE OR REPLACE",
        "55000",
    )


def _same(recorded: RefreshState, now: RefreshState) -> bool:
    """Whether a refresh now would record what is recorded already, but for the time."""
    return (
        (recorded.view_uuid, recorded.view_version) == (now.view_uuid, now.view_version)
        and recorded.stored == now.stored
        and set(recorded.sources) == set(now.sources)
        and set(recorded.children) == set(now.children)
    )
