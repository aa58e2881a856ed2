"""Plans the steps of a refresh; each step is one commit, which also records the refresh state of the stored rows.

A storage table is partial if it holds only the view's rows that satisfy a recorded condition. Most refreshes have one
step. A refresh with a retention first drops the partitions that are too old, and then refreshes the remaining rows.
REFRESH … WHERE on a partial storage table first refreshes the stored rows, and then adds the requested rows that are
missing, from the same source snapshots.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import rewriter
from proxy.catalog import Catalogs
from proxy.catalog.views import period
from proxy.hs2 import SqlError
from proxy.pipeline.planning import Reading, base_problem, decide, from_another, from_own
from proxy.pipeline.shared_delta import SharedDelta
from proxy.pipeline.sources import Sources, look, storage_of
from proxy.pipeline.staging import same_columns
from proxy.pipeline.statements import pin
from rewriter import Decision, Kind
from rewriter.model import Column, MaterializedView, RefreshState, Table, quoted

RETENTION = "viewgate.retention"

_FRESH = Decision(Kind.FRESH, "no base table has changed since the last refresh")
_NEVER = Decision(Kind.FULL, "the storage table records no refresh")
_ALL_ANEW = Decision(Kind.FULL, "a full refresh was requested")
_ROWS_ANEW = Decision(Kind.FULL, "a refresh of only these rows was requested")
_FAILED = Decision(Kind.FULL, "the incremental refresh failed")
_UNDROPPED = (
    f"{RETENTION} drops no rows while the storage table has files from before its partitioning was "
    "changed: REFRESH … FULL rewrites them"
)


@dataclass(frozen=True)
class Asked:
    """The options of a refresh.

    - `full`: true for a full refresh
    - `where`: a SQL condition over the view's columns: only rows that satisfy the condition are refreshed; empty for
      all rows
    - `anew`: true if the stored rows are recomputed from the sources, because an incremental attempt has failed
    - `delta`: the staging table with the contributions of appended rows to several views that are refreshed at the same
      time (see `shared_delta`); None if this refresh reads the appended rows itself
    """

    full: bool = False
    where: str = ""
    anew: bool = False
    delta: SharedDelta | None = None


UP_TO_DATE = Asked()


@dataclass(frozen=True)
class Step:
    """One step of a refresh.

    - `decision`: how the rows are written
    - `state`: the refresh state that the commit records
    - `held`: the view restricted to the rows that the storage table has after the step
    - `then`: describes the following step; empty if this step is the last one
    - `part`: the condition that the stored rows satisfy after all steps; empty if all rows of the view are stored
    - `reading`: the query of a step that recomputes rows; None for any other step
    """

    sources: Sources
    storage: Table
    held: MaterializedView
    decision: Decision
    state: RefreshState
    part: str
    then: str = ""
    reading: Reading | None = None

    @property
    def typed(self) -> bool:
        """Whether sources and storage table have the columns of the last refresh, so that no types need a check."""
        return same_columns(self.storage.refresh, self.state)

    @property
    def shared(self) -> bool:
        """Whether the step computes its rows from another view's storage table instead of the sources."""
        return self.reading is not None and self.reading.shared

    @property
    def reads_sources(self) -> bool:
        """Whether the step reads the base tables of the view."""
        return not self.shared and self.decision.kind is not Kind.RETENTION


async def next_step(catalogs: Catalogs, view: MaterializedView, asked: Asked) -> Step:
    """Plan and return the next step of a refresh; if the view is fresh, the step's decision says so.

    Raise SqlError if a source or the storage table cannot be used, or if the requested condition is not supported.
    `asked` has the options of the refresh.
    """
    sources = await look(catalogs, view)
    storage = await storage_of(catalogs, view)
    if column := rewriter.misplaced(view, storage):
        raise _renamed(view, column)
    try:
        step = await _Planning(catalogs, view, sources, storage).step(asked)
        return await _computed(catalogs, step, asked) if step.decision.kind is Kind.FULL else step
    except rewriter.Unsupported as refusal:
        raise SqlError(str(refusal), "0A000") from refusal
    except RecursionError as error:
        raise SqlError(
            f"{view.name} cannot be refreshed: the WHERE condition of the refresh is nested too deeply; simplify the "
            "condition"
            if asked.where
            else f"{view.name} cannot be refreshed: the recorded condition of the stored rows is nested too deeply; "
            f"run REFRESH MATERIALIZED VIEW {view.name.sql()} FULL",
            "54001",
        ) from error


async def _computed(catalogs: Catalogs, step: Step, asked: Asked) -> Step:
    """Complete a step that recomputes rows: return the step with the query that computes the rows.

    The query reads another view's storage table if possible. The query is the view's own if no such storage table is
    usable, if the user has requested a full refresh, or if an incremental attempt has failed. `asked` has the options
    of the refresh.
    """
    reading = None
    if not (asked.full or asked.anew):
        reading = await from_another(catalogs, step.held, step.storage, step.sources)
    if reading is None:
        reading = await from_own(catalogs, step.held, step.sources, whole=not step.state.only)
    reason = step.decision.reason
    if reading.shared:
        reason += f"; computed from the stored rows of {reading.held[0][0].name}"
    return replace(step, decision=Decision(Kind.FULL, reason, "INSERT OVERWRITE", reading.sql), reading=reading)


class _Planning:
    """A planner of one refresh, from the view, its sources and its storage table as looked up at the start."""

    def __init__(self, catalogs: Catalogs, view: MaterializedView, sources: Sources, storage: Table) -> None:
        self._catalogs, self._view, self._sources, self._storage = catalogs, view, sources, storage
        self._columns = {name: table.columns for name, table in sources.tables.items()}
        self._state = sources.state(view, storage, time.time_ns() // 1_000_000)
        self._aside = ""  # text to add to the reason of the decision

    async def step(self, asked: Asked) -> Step:
        kept = self._kept()
        recorded, part = self._storage.refresh, self._storage.only
        if asked.where:
            self._narrowed(asked.where)  # an unsupported condition is refused in any case
        if asked.full or recorded is None:
            anew = _ROWS_ANEW if asked.where else _ALL_ANEW
            return self._step(anew if asked.full else _NEVER, asked.where or (kept.condition if kept else ""))
        if asked.anew:
            held = self._both(part, kept)  # a failed refresh does not narrow the part
            only = rewriter.united(self._view, held, asked.where, self._columns) if asked.where else held
            return self._step(_FAILED, only)
        if kept and not asked.where and (step := await self._dropping(kept, recorded)):
            return step
        if not asked.where:
            return await self._as_held(self._both(part, kept))
        covered = rewriter.covers(self._view, part, asked.where, self._columns)
        if not covered and same(recorded, self._state):
            return self._widening(asked.where)
        then = "" if covered else f"the rows where {asked.where} are added"
        return await self._as_held(self._wider(asked.where, kept), then)

    async def _as_held(self, wanted: str, then: str = "") -> Step:
        """Return the step that brings the stored rows up to date; the step changes nothing if no source has changed.

        If an incremental refresh is possible, the step merges the changes of the sources into the stored rows, and
        `then` describes the step that must follow (empty: none). Otherwise the step recomputes all rows that satisfy
        the condition `wanted` (empty: all rows of the view), and no step follows.
        """
        recorded, part = self._storage.refresh, self._storage.only
        assert recorded is not None
        if same(recorded, self._state):
            return self._step(_FRESH, part)
        decision = await decide(self._catalogs, self._narrowed(part), self._sources, self._storage)
        if decision.incremental:
            return replace(self._step(decision, part), part=wanted, then=then) if then else self._step(decision, part)
        return self._step(decision, wanted)

    async def _dropping(self, kept: rewriter.Kept, recorded: RefreshState) -> Step | None:
        """Return the step that drops the partitions that are too old for the retention `kept`; None if there are none.

        Also return None if the stored rows need a full refresh, or if the partitions cannot be determined from the
        storage table's files. `recorded` is the refresh state of the storage table.
        """
        if self._storage.snapshot_id is None or base_problem(self._view, self._sources, recorded):
            return None
        head = self._storage.snapshot_id
        files = await self._catalogs.of(self._storage.name).files(
            self._storage.name, head, head
        )  # the live files, without the history
        if files.fields is None:
            self._aside = f"; {_UNDROPPED}"
        if files.fields is None or not kept.leaves_out(files.live):
            return None
        state = replace(
            recorded, only=self._both(self._storage.only, kept)
        )  # the remaining rows keep their recorded source snapshots
        decision = kept.dropping(self._storage)
        then = "the remaining rows are refreshed"
        return Step(self._sources, self._storage, self._view, decision, state, state.only, then)

    def _widening(self, where: str) -> Step:
        """Return the step that adds the rows that satisfy `where` and are not stored yet.

        The caller has checked that the sources have not changed since the stored rows were computed.
        """
        part = self._storage.only
        added = rewriter.narrowed(self._view, where, self._columns, without=part)
        query = pin(added.storage_query, self._sources.pins, self._view.session)
        reason = f"no base table has changed, and the rows where {where} are added to the stored rows where {part}"
        decision = Decision(Kind.WIDENED, reason, "INSERT INTO", query)
        return self._step(decision, rewriter.united(self._view, part, where, self._columns))

    def _wider(self, where: str, kept: rewriter.Kept | None) -> str:
        """Return the condition for the rows to store: the stored rows and the rows that satisfy `where`.

        Stored rows that are too old for the retention `kept` (None without a retention) are left out.

        If the storage table has all rows of the view, return `where` alone. An incremental refresh then still keeps all
        stored rows. A refresh that recomputes rows stores only the requested rows, and drops all other rows, because
        the user has not requested to recompute the other rows.
        """
        part = self._storage.only
        return rewriter.united(self._view, self._both(part, kept), where, self._columns) if part else where

    def _step(self, decision: Decision, only: str) -> Step:
        state = replace(self._state, only=only)
        decision = replace(decision, reason=decision.reason + self._aside)
        return Step(self._sources, self._storage, self._narrowed(only), decision, state, only)

    def _narrowed(self, only: str) -> MaterializedView:
        return rewriter.narrowed(self._view, only, self._columns) if only else self._view

    def _both(self, part: str, kept: rewriter.Kept | None) -> str:
        """Return the condition for rows that satisfy `part` and are recent enough for the retention `kept`.

        An empty `part` stands for all rows, None as `kept` for no retention. An empty result stands for all rows.
        """
        if kept is None:
            return part
        if not part:
            return kept.condition
        if within := kept.within(part):
            return within
        if rewriter.covers(self._view, part, kept.condition, self._columns):
            return kept.condition
        if rewriter.covers(self._view, kept.condition, part, self._columns):
            return part
        return f"({part}) AND {kept.condition}"

    def _kept(self) -> rewriter.Kept | None:
        seconds = period(self._view.properties.get(RETENTION, ""))
        if seconds is None:
            return None
        return rewriter.kept(self._view, self._storage, self._columns, self._state.started_ms or 0, seconds)


def same(recorded: RefreshState, now: RefreshState) -> bool:
    """Return whether two refresh states are equal, apart from the time of the refresh and the condition `only`.

    `only` is the condition that the rows of a partial storage table satisfy.
    """
    return (
        (recorded.view_uuid, recorded.view_version) == (now.view_uuid, now.view_version)
        and recorded.stored == now.stored
        and set(recorded.sources) == set(now.sources)
        and set(recorded.children) == set(now.children)
    )


def _renamed(view: MaterializedView, column: Column) -> SqlError:
    """Return the error for renamed or reordered storage columns; `column` is a column in the wrong place.

    A refresh writes by position, and would write values to the wrong columns.
    """
    return SqlError(
        f"the columns of {view.storage}, the storage table of materialized view {view.name}, were renamed "
        f"or reordered by another tool: {quoted(column.name)} is at the place of another column; recreate "
        "the view with CREATE OR REPLACE MATERIALIZED VIEW",
        "55000",
    )
