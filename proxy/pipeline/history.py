"""Since when a view's storage was fresh and since when not, read from the snapshots of the storage and of its tables.

Nothing is sampled: each refresh tells in its snapshot which snapshots of the tables it has read, and the tables know
when the next ones came.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from proxy.catalog import Catalog, Refreshed
from rewriter.model import MaterializedView, Relation, SourceState, Table, TableName


@dataclass(frozen=True)
class Span:
    """A time during which the storage was fresh, or was not; None where the tables no longer know."""

    begin_ms: int
    end_ms: int
    fresh: bool | None


async def freshness(catalog: Catalog, view: MaterializedView) -> list[Span]:
    """Return how fresh a view's storage was, from its first refresh that is still known until now."""
    refreshes = await catalog.refreshes(view.storage)
    sources = {source.name for refresh in refreshes for source in refresh.state.sources}
    return spans(refreshes, await catalog.current(sources), time.time_ns() // 1_000_000)


def spans(refreshes: Sequence[Refreshed], tables: Mapping[TableName, Relation | None], now_ms: int) -> list[Span]:
    """Return a view's spans of freshness, by its refreshes, the earliest first, and its tables' snapshots."""
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
    """Return when the first rows came that a refresh has not read, else `end_ms`; None where that is not known."""
    if not isinstance(table, Table) or table.uuid != source.uuid:
        return None
    if source.snapshot_id is not None and all(snapshot.id != source.snapshot_id for snapshot in table.snapshots):
        return None  # expired, or rolled back
    came = [s.timestamp_ms for s in table.since(source.snapshot_id) if s.operation != "replace"]
    return min(came, default=end_ms)
