"""The lag of views behind their tables."""

from __future__ import annotations

from proxy.catalog import Catalog
from proxy.pipeline.status import status
from rewriter.model import MaterializedView, RefreshState, Table


async def lag_s(catalog: Catalog, view: MaterializedView, now_ms: int) -> float | None:
    """Return the seconds since the first commit that a view's storage lacks: 0 if it is fresh.

    None for a view that was never refreshed. Where no commit tells, because the view was defined anew or the snapshots
    have expired, the seconds since the last refresh.
    """
    if (await status(catalog, view)).fresh:
        return 0.0
    storage = (await catalog.current([view.storage]))[view.storage]
    if not isinstance(storage, Table) or storage.refresh is None:
        return None
    since_ms = await _first_missed_ms(catalog, storage.refresh)
    if since_ms is None:
        since_ms = storage.refresh.started_ms or storage.snapshots[0].timestamp_ms
    return max(now_ms - since_ms, 0) / 1000


async def _first_missed_ms(catalog: Catalog, refresh: RefreshState) -> int | None:
    now = await catalog.current([source.name for source in refresh.sources])
    missed = [
        snapshot.timestamp_ms
        for source in refresh.sources
        if isinstance(table := now[source.name], Table)
        for snapshot in table.since(source.snapshot_id)
    ]
    return min(missed, default=None)
