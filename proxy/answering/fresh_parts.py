"""Storage that is stale in some of its partitions: the others answer, and the tables answer the rest.

A change that is more than an append leaves those partitions fresh into whose source partitions no row came, and out of
which none went, as the manifests of its commits tell. They are read once for each state of a view and its tables,
beside the statements: one that would wait for them too long goes on without.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace

from cachetools import LRUCache

from proxy.catalog import Catalog
from rewriter import Bound, Definitions, FreshPart, Live, Reason, fresh_part, fresh_storage, live_storage, moments
from rewriter.model import MaterializedView, Relation, Table, TableName

_log = logging.getLogger("viewgate")

_PATIENCE_S = 0.2
_MOST_COMMITS = 50  # each has manifests of its own

Relations = Mapping[TableName, Relation | None]


@dataclass(frozen=True)
class _Stale:
    """A view whose storage lacks a change of one table that is more than an append; `why` tells of the change."""

    view: MaterializedView
    storage: Table
    sources: tuple[Table, ...]
    changed: Table
    why: str

    @property
    def key(self) -> Hashable:
        tables = (self.storage, *self.sources)
        return self.view.uuid, self.view.version, *((t.uuid, t.snapshot_id, t.schema_id) for t in tables)

    def part(self, fresh: FreshPart) -> Table:
        """Return the storage as one of which but a part may be read, and that as of now."""
        assert self.storage.refresh is not None
        now = {table.uuid: table.snapshot_id for table in self.sources}
        sources = tuple(replace(s, snapshot_id=now.get(s.uuid)) for s in self.storage.refresh.sources)
        refresh = replace(self.storage.refresh, sources=sources, only=fresh.only, behind=self.why)
        refresh = replace(refresh, stale_share=fresh.stale_share)
        return replace(self.storage, refresh=refresh)


class FreshParts:
    """The conditions of fresh partitions, by the states of views and tables."""

    def __init__(self, catalog: Catalog, most: int = 1024) -> None:
        self._catalog = catalog
        self._known: LRUCache[Hashable, asyncio.Task[FreshPart | None]] = LRUCache(most)

    async def within(self, definitions: Definitions, relations: Relations, bound: Bound) -> Relations:
        """Return the relations, with storage that is stale in parts as its fresh part.

        Where a bound on staleness allows an earlier moment, storage answers as it is.
        """
        stale = list(_stale(definitions, relations))
        if not stale or moments(definitions, relations, bound):
            return relations
        looks = {each: self._look(each) for each in stale}
        if pending := [look for look in looks.values() if not look.done()]:
            await asyncio.wait(pending, timeout=_PATIENCE_S)
        found = {each: look.result() for each, look in looks.items() if look.done()}
        return {**relations, **{each.storage.name: each.part(fresh) for each, fresh in found.items() if fresh}}

    def _look(self, stale: _Stale) -> asyncio.Task[FreshPart | None]:
        if stale.key not in self._known:
            self._known[stale.key] = asyncio.create_task(self._condition(stale))
        return self._known[stale.key]

    async def _condition(self, stale: _Stale) -> FreshPart | None:
        """Return the part that is still fresh; None if nobody can tell."""
        try:
            assert stale.storage.refresh is not None
            recorded = {state.uuid: state for state in stale.storage.refresh.sources}
            name, start = stale.changed.name, recorded[stale.changed.uuid].snapshot_id
            # Before the look that makes sure that no snapshot since the start has expired.
            files = await self._catalog.files(name, start, stale.changed.snapshot_id)
            looks = (self._catalog.change(t.name, recorded[t.uuid], t.snapshot_id) for t in stale.sources)
            changes = {change.name: change for change in await asyncio.gather(*looks)}
            changes[name] = replace(changes[name], files=files)
            return await asyncio.to_thread(fresh_part, stale.view, stale.storage, changes)
        except Exception as failure:  # manifests come from any writer; without them the view is just stale
            _log.warning("fresh partitions unknown view=%s error=%r", stale.view.name, failure)
            return None


def _stale(definitions: Definitions, relations: Relations) -> Iterator[_Stale]:
    """Yield the partitioned views over tables of which one has changed otherwise than by appends."""
    for name, storage in relations.items():
        view = definitions.by_storage.get(name)
        if view is None or view.through or not isinstance(storage, Table) or storage.refresh is None:
            continue
        if not storage.partitioned_by:
            continue
        recorded = {state.uuid: state for state in storage.refresh.sources}
        names = dict.fromkeys(definitions.sources[view.name])
        sources = tuple(table for source in names if isinstance(table := relations.get(source), Table))
        if len(sources) < len(names) or {table.uuid for table in sources} != recorded.keys():
            continue
        changed = [table for table in sources if table.snapshot_id != recorded[table.uuid].snapshot_id]
        if len(changed) != 1 or len([*changed[0].since(recorded[changed[0].uuid].snapshot_id)]) > _MOST_COMMITS:
            continue
        found = fresh_storage(view, names, relations, partial=True)
        if isinstance(found, Table) or found.reason is not Reason.STALE:
            continue
        if not isinstance(live_storage(view, names, relations), Live):
            yield _Stale(view, storage, sources, changed[0], found.detail)
