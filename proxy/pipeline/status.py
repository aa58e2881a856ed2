"""Determines the status of a view: fresh or stale and why, the time and the error of the last refresh, and the lag.

The error is recorded as a property of the view's storage table, where other processes and the next start of Viewgate
find it. A refresh that succeeds removes the property in the commit that publishes the content. The property is only
information: whether a storage table is used depends on its freshness alone.

The history of freshness is computed, not sampled: each refresh records in its snapshot of the storage table which table
snapshots the refresh read, and the tables record when later snapshots were committed.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeVar

from proxy.catalog import Catalogs, Refreshed, Unavailable
from proxy.hs2 import SqlError
from proxy.hs2.status import first_message, own_words, root_message
from proxy.journal.texts import without_credentials
from proxy.pipeline.statements import relations
from rewriter import Live, Reason, fresh_storage, live_storage
from rewriter.model import MaterializedView, RefreshState, Relation, SourceState, Table, TableName, split_name

_Result = TypeVar("_Result")
FRESH = "fresh"
UNREADABLE = "unreadable"  # the status of a view in `Catalog.broken`
REFRESH_ERROR = "viewgate.refresh-error"  # the property of the storage that holds the last failure


@dataclass(frozen=True)
class Status:
    """A view's status as a word (fresh, stale, never refreshed, unknown), with the reason as text.

    `refreshed_at` is the time of the last refresh, None before the first refresh; `last_error` is the error of the last
    refresh, None if that refresh succeeded; `sources` are the tables that the view reads.

    `behind_ms` is the time of the first source commit that the storage table lacks, in milliseconds since 1970; None
    for a fresh view, a view that was never refreshed, and a view whose status is unknown. If the time of that commit is
    unknown, because the view was redefined or snapshots have expired, `behind_ms` is the time of the last refresh.
    """

    word: str
    reason: str
    refreshed_at: str | None
    last_error: str | None
    sources: tuple[TableName, ...]
    behind_ms: int | None = None

    @property
    def fresh(self) -> bool:
        """Whether the stored rows are the rows that the view's query would return now.

        If the storage table holds only a part of the view's rows, only that part is compared. The part shrinks with
        time if the view has a retention, so a refresh may still drop old rows from a fresh storage table.
        """
        return self.word == FRESH

    def lag_s(self, now_ms: int) -> float | None:
        """Return the seconds from `behind_ms` until `now_ms` (milliseconds since 1970); 0 for a fresh view; None for a
        view that was never refreshed, or whose status is unknown.
        """
        if self.fresh:
            return 0.0
        return None if self.behind_ms is None else max(now_ms - self.behind_ms, 0) / 1000


async def status(catalogs: Catalogs, view: MaterializedView) -> Status:
    """Return a view's status, from the current snapshots of its storage table and its sources.

    A fresh view need not be usable for a query: rewriting has further conditions, such as the session's settings.
    """
    error = (await catalogs.of(view.storage).properties(view.storage)).get(REFRESH_ERROR)
    try:
        sources = relations(view.storage_query, view.session)
    except SqlError as failure:
        return Status("unknown", failure.message, None, error, ())
    below = (state.name for state in view.through)
    now = await catalogs.current([view.name, view.storage, *sources, *below])
    storage = now[view.storage]
    found = fresh_storage(replace(view, rewrite=True), sources, now, partial=True)
    refreshed_at = _refreshed_at(storage) if isinstance(storage, Table) else None
    if isinstance(found, Table):
        part = f"the storage table holds only the rows where {found.only}" if found.only else ""
        return Status(FRESH, part, refreshed_at, error, sources)
    if why := await out_of_reach(catalogs, now, sources):
        return Status("unknown", why, refreshed_at, error, sources)
    live = live_storage(replace(view, rewrite=True), sources, now)
    rows = ("appended" if live.only_appends else "inserted and deleted") if isinstance(live, Live) else ""
    how = f"; queries read the view together with the {rows} rows if these are few" if rows else ""
    word = "never refreshed" if found.reason is Reason.NEVER_REFRESHED else "stale"
    behind_ms = _behind_ms(storage, now) if isinstance(storage, Table) else None
    return Status(word, found.detail + how, refreshed_at, error, sources, behind_ms)


async def out_of_reach(
    catalogs: Catalogs, now: Mapping[TableName, Relation | None], sources: Iterable[TableName]
) -> str:
    """Return why a view is the business of another Viewgate: one of its `sources` is in a catalog that is not in the
    settings. Return an empty text if there is no such source.

    `now` has the current relations. A catalog that is not in the settings is taken for a namespace of the view's own
    catalog (see `Session.resolve`), so that the source is neither found, nor is there such a namespace.
    """
    for name in sources:
        if now[name] is not None:
            continue
        if name.catalog not in catalogs:
            return _OUT_OF_REACH.format(source=name, catalog=name.catalog, kind="catalog")
        other = TableName(name.parts[1:])
        if len(other.parts) < 3:
            continue
        if all(namespace[0] != other.catalog for namespace in await catalogs[name.catalog].namespaces()):
            return _OUT_OF_REACH.format(source=other, catalog=other.catalog, kind="catalog and no namespace")
    return ""


_OUT_OF_REACH = (
    "the view reads {source}, and Viewgate knows no {kind} {catalog}; add the catalog to the settings as [[catalog]] "
    "if this Viewgate should refresh the view"
)


async def status_or_outage(catalogs: Catalogs, view: MaterializedView) -> Status:
    """Return a view's status for a listing; while a catalog that the view needs is unavailable, the status is unknown,
    with the reason.
    """
    try:
        return await status(catalogs, view)
    except Unavailable as outage:
        return Status("unknown", outage.message, None, None, ())


# As many as the threads of a catalog: the time limit of a call counts the wait for a thread.
_AT_ONCE = 4


async def of_each(
    views: Iterable[MaterializedView], ask: Callable[[MaterializedView], Awaitable[_Result]]
) -> list[_Result]:
    """Return the result of `ask` for each view, in the order of `views`; at most _AT_ONCE views are asked at once."""
    slots = asyncio.Semaphore(_AT_ONCE)

    async def asked(view: MaterializedView) -> _Result:
        async with slots:
            return await ask(view)

    return await asyncio.gather(*map(asked, views))


def _behind_ms(storage: Table, now: Mapping[TableName, Relation | None]) -> int | None:
    if storage.refresh is None:
        return None
    missed = [
        snapshot.timestamp_ms
        for source in storage.refresh.sources
        if isinstance(table := now.get(source.name), Table)
        for snapshot in table.since(source.snapshot_id)
    ]
    return min(missed, default=_refreshed_ms(storage))


def _refreshed_ms(storage: Table) -> int | None:
    if storage.refresh is None:
        return None
    return storage.refresh.started_ms or storage.snapshots[0].timestamp_ms


def _refreshed_at(storage: Table) -> str | None:
    at_ms = _refreshed_ms(storage)
    if at_ms is None:
        return None
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(sep=" ", timespec="milliseconds")


_CANCELLED = "the refresh was cancelled"
_LONGEST = 1000
_logger = logging.getLogger(__name__)


class Lost(SqlError):
    """The error raised if another refresh has committed first, or if the view was just replaced or dropped.

    This error is not a failure of the view, and is not recorded as the view's last refresh error.
    """


class OutOfReach(SqlError):
    """The error raised if a view reads a table of a catalog that is not in the settings.

    This error is not recorded as the view's last refresh error: another Viewgate may have the catalog, and refresh the
    view.
    """


def gone(view: MaterializedView) -> Lost:
    """Return the error for an operation whose view was replaced or dropped after the operation had started."""
    return Lost(
        f"materialized view {view.name} has just been replaced or dropped; the operation on its storage "
        f"table {view.storage} was not performed; try again if the view still exists",
        "40001",
    )


@asynccontextmanager
async def noted(catalogs: Catalogs, view: MaterializedView) -> AsyncIterator[None]:
    """Record the outcome of the refresh that the `with` block runs, as a property of the view's storage table.

    On failure or cancellation, store the error in the property and re-raise the error; on success, remove the property.
    Lost and OutOfReach are re-raised without being recorded.
    """
    try:
        yield
    except (Lost, OutOfReach):
        raise
    except asyncio.CancelledError:
        await asyncio.shield(_note(catalogs, view, _CANCELLED))
        raise
    except Exception as failure:
        _logger.warning("refresh failed view=%s error=%s", view.name, failure)
        await _note(catalogs, view, without_credentials(first_message(str(failure))))
        raise
    else:
        await _note(catalogs, view, None)


async def _note(catalogs: Catalogs, view: MaterializedView, message: str | None) -> None:
    now = datetime.now(UTC).isoformat(sep=" ", timespec="seconds")
    try:
        if message == _CANCELLED and (await status(catalogs, view)).fresh:  # it was cancelled during the commit
            return
        await catalogs.of(view.storage).note(view.storage, REFRESH_ERROR, message and f"{now}: {message[:_LONGEST]}")
    except Unavailable:  # which is logged once, at the start of the outage
        _logger.warning("refresh not recorded view=%s reason='the catalog is unavailable'", view.name)
    except Exception:  # the refresh's own error is reported
        _logger.exception("refresh not recorded view=%s", view.name)


_ABORTED = "Job aborted"
_PLACE = re.compile(r";? line \d+,? pos \d+;?$")
_UNRESOLVED = re.compile(
    r"\[UNRESOLVED_COLUMN\S*\] .*? (?P<name>`(?:[^`]|``)*`(?:\.`(?:[^`]|``)*`)*) cannot be resolved"
)


def headline(message: str) -> str:
    r"""Return Spark's error message without the query plan and without positions in SQL that Viewgate has written.

    >>> headline("Error running query: [X] no `a`. SQLSTATE: 42703; line 2 pos 10;\n'Project ['a]\n+- Relation t")
    '[X] no `a`. SQLSTATE: 42703'

    If a job was aborted, the message of the innermost cause is added:

    >>> headline("x.E: Job aborted: no\n\tat a.B.c(D.java:1)\nCaused by: x.F: /x (denied)\n\tat a.B.d(D.java:2)")
    'Job aborted: no: /x (denied)'
    """
    told = _PLACE.sub("", own_words(message).split("\n", 1)[0]).rstrip(" ;")
    root = root_message(message).strip().split("\n", 1)[0] if told.startswith(_ABORTED) else ""
    return told if root in told or told in root else f"{told}: {root}"


def explained(
    view: MaterializedView, failure: SqlError, refreshed: RefreshState | None, now: Mapping[TableName, Table]
) -> SqlError:
    """Return the error to report for a failed refresh: Spark's message without the query plan.

    If a source column that the last refresh read is missing now, the message names the column and the remedy instead.
    `refreshed` is the recorded refresh state, None before the first refresh; `now` are the current base tables by name.
    `failure` is Spark's error.
    """
    message = headline(failure.message)
    if gone := _gone(failure.message, refreshed, now):
        message = f"{gone}; restore the column, or recreate the view with CREATE OR REPLACE MATERIALIZED VIEW"
    if refreshed is not None:
        message += f" (the stored rows of {view.name} are unchanged)"
    return SqlError(message, failure.sql_state, failure.error_code)


def _gone(message: str, refreshed: RefreshState | None, now: Mapping[TableName, Table]) -> str:
    """Return a message that names the missing column and its table, if a missing column caused Spark's error `message`.

    The last refresh must have read the column, and the table must no longer have the column now. Return an empty text
    for any other error, or if `refreshed`, the recorded refresh state, is None. `now` are the current base tables by
    name.
    """
    missing = _UNRESOLVED.search(message)
    if missing is None or refreshed is None:
        return ""
    column = split_name(missing["name"])[-1].lower()
    for source in refreshed.sources:
        table = now.get(source.name)
        had = any(known.name.lower() == column for known in source.columns or ())
        if table is not None and had and table.column(column) is None:
            return f"the column {column} of {source.name} no longer exists"
    return ""


@dataclass(frozen=True)
class Span:
    """A period, in milliseconds since 1970, in which a view's storage table was fresh (True) or stale (False).

    `fresh` is None if the freshness in that period is unknown.
    """

    begin_ms: int
    end_ms: int
    fresh: bool | None


async def freshness(catalogs: Catalogs, view: MaterializedView) -> list[Span]:
    """Return the periods in which a view was fresh or stale, from its first recorded refresh until now."""
    refreshes = await catalogs.of(view.storage).refreshes(view.storage)
    sources = {source.name for refresh in refreshes for source in refresh.state.sources}
    return spans(refreshes, await catalogs.current(sources), time.time_ns() // 1_000_000)


def spans(refreshes: Sequence[Refreshed], tables: Mapping[TableName, Relation | None], now_ms: int) -> list[Span]:
    """Return a view's fresh and stale periods, from the times of its refreshes and of the commits to its sources.

    `refreshes` come earliest first; `tables` are the current source tables, by name. The last period ends at `now_ms`,
    in milliseconds since 1970.
    """
    ends = [*(later.at_ms for later in refreshes[1:]), now_ms]
    return [
        span
        for refresh, end_ms in zip(refreshes, ends, strict=False)
        for span in _of_refresh(refresh, tables, end_ms)
        if span.begin_ms < span.end_ms
    ]


def _of_refresh(refresh: Refreshed, tables: Mapping[TableName, Relation | None], end_ms: int) -> Iterator[Span]:
    missed = [_missed(source, tables.get(source.name), end_ms) for source in refresh.state.sources]
    if None in missed:
        yield Span(refresh.at_ms, end_ms, None)
        return
    stale_ms = min((max(at_ms, refresh.at_ms) for at_ms in missed if at_ms is not None), default=end_ms)
    yield Span(refresh.at_ms, min(stale_ms, end_ms), fresh=True)
    yield Span(stale_ms, end_ms, fresh=False)


def _missed(source: SourceState, table: Relation | None, end_ms: int) -> int | None:
    """Return the time of the first commit to a source table after the snapshot that a refresh read.

    Compactions are ignored, because they change no rows. Return `end_ms` if there is no such commit. Return None if the
    time is unknown, because the table was replaced, or because the snapshot has expired or was rolled back. Times are
    in milliseconds since 1970.
    """
    if not isinstance(table, Table) or table.uuid != source.uuid:
        return None
    if source.snapshot_id is not None and all(snapshot.id != source.snapshot_id for snapshot in table.snapshots):
        return None  # expired, or rolled back
    came = [s.timestamp_ms for s in table.since(source.snapshot_id) if s.operation != "replace"]
    return min(came, default=end_ms)
