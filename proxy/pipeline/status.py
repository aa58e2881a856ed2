"""The status of a view: fresh or not and why, since when, and the failure of its last refresh."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from proxy.catalog import Catalog
from proxy.hs2 import SqlError
from proxy.pipeline.statements import relations
from rewriter import Live, Reason, fresh_storage, live_storage
from rewriter.model import MaterializedView, Table, TableName

FRESH = "fresh"
REFRESH_ERROR = "viewgate.refresh-error"  # the property of the storage that holds the last failure, see `failures`


@dataclass(frozen=True)
class Status:
    """One word, what stands behind it, when the storage was filled, the last refresh's error, the tables it reads."""

    word: str
    reason: str
    refreshed_at: str | None
    last_error: str | None
    sources: tuple[TableName, ...]

    @property
    def fresh(self) -> bool:
        """Whether the storage holds what the query would return now, of the part that it says it holds.

        Not whether a refresh would change nothing: a policy of retention may let rows go of what is fresh.
        """
        return self.word == FRESH


async def status(catalog: Catalog, view: MaterializedView) -> Status:
    """Return whether the storage holds what the query would return now; whether it may be used is another question."""
    error = (await catalog.properties(view.storage)).get(REFRESH_ERROR)
    try:
        sources = relations(view.storage_query, view.session)
    except SqlError as failure:
        return Status("unknown", failure.message, None, error, ())
    below = (state.name for state in view.through)
    now = await catalog.current([view.name, view.storage, *sources, *below])
    storage = now[view.storage]
    found = fresh_storage(replace(view, rewrite=True), sources, now, partial=True)
    refreshed_at = _refreshed_at(storage) if isinstance(storage, Table) else None
    if isinstance(found, Table):
        part = f"its storage holds only the rows where {found.only}" if found.only else ""
        return Status(FRESH, part, refreshed_at, error, sources)
    live = isinstance(live_storage(replace(view, rewrite=True), sources, now), Live)
    how = "; queries read it with the appended rows where these are few" if live else ""
    never = found.reason is Reason.NEVER_REFRESHED
    return Status("never refreshed" if never else "stale", found.detail + how, refreshed_at, error, sources)


def _refreshed_at(storage: Table) -> str | None:
    if storage.refresh is None:
        return None
    at_ms = storage.refresh.started_ms or storage.snapshots[0].timestamp_ms
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(sep=" ", timespec="milliseconds")
