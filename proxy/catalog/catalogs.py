"""The tables and views of all configured catalogs, as one: the operations that concern several catalogs at once.

`Catalogs` finds the catalog of a table by the first part of the table's full name. Operations on a single table are
those of its catalog: `catalogs.of(name).publish(…)`. All others are here, because a statement may join tables of
several catalogs, and a view may read tables of other catalogs than its own.

The catalogs of a statement's names are each read once, in parallel. Within a SQL database, one SELECT returns one state
of all tables. Tables of different catalogs are each in a state that was current while the statement was planned, as in
Spark, which looks up one table after the other.

While a catalog is unavailable, its tables and views are unknown, and statements over the other catalogs are answered as
usual. Unavailable is raised only if a statement needs a table of an unavailable catalog.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import is_
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from cachetools import LRUCache

from proxy.catalog.catalog import Catalog, Views
from proxy.catalog.documents import CacheUse, Entry
from proxy.catalog.inventory import Kind, Listed
from proxy.catalog.past import rolled_back, tables_then
from proxy.catalog.reach import Unavailable
from proxy.hs2 import SqlError
from rewriter import AsOf, View, by_name, in_place
from rewriter.model import MaterializedView, PlainView, Relation, Table, TableName

_log = logging.getLogger(__name__)
_Result = TypeVar("_Result")
_PASTS = 256
# How long a statement waits for a catalog whose views are known, so that a catalog that hangs does not delay the
# statements over the others.
_PATIENCE_S = 0.5


class Looked(NamedTuple):
    """The result of a lookup in several catalogs.

    - `relations`: the tables and views by name; None for a name that is unknown
    - `silent`: the reason why a catalog gave no answer, by the catalog's name
    """

    relations: Mapping[TableName, Relation | None]
    silent: Mapping[str, str] = MappingProxyType({})


class Catalogs:
    """The configured Iceberg catalogs, in the order of the settings, by their names in Spark."""

    def __init__(self, catalogs: Iterable[Catalog]) -> None:
        self._catalogs = {catalog.name: catalog for catalog in catalogs}
        self._lower = frozenset(catalog.name for catalog in self if catalog.lower_names)
        self._polls: dict[str, asyncio.Task[None]] = {}
        self._merging = asyncio.Lock()
        self._merged: tuple[Views, ...] = ()
        self._definitions: tuple[MaterializedView, ...] = ()
        self._plain: tuple[PlainView, ...] = ()
        self._broken: Mapping[TableName, str] = MappingProxyType({})
        self._pasts: LRUCache[Hashable, Mapping[TableName, Table | None]] = LRUCache(_PASTS)

    def __iter__(self) -> Iterator[Catalog]:
        return iter(self._catalogs.values())

    def __contains__(self, name: object) -> bool:
        return name in self._catalogs

    def __len__(self) -> int:
        return len(self._catalogs)

    def __getitem__(self, name: str) -> Catalog:
        return self._catalogs[name]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the catalogs in Spark, in the order of the settings."""
        return tuple(self._catalogs)

    def of(self, table: TableName) -> Catalog:
        """Return the catalog of a table or view; raise SqlError 0A000 if Viewgate does not know the catalog."""
        found = self._catalogs.get(table.catalog)
        if found is None:
            known = f"catalog {self.names[0]}" if len(self) == 1 else f"catalogs {', '.join(self.names)}"
            full = TableName((self.names[0], *(table.namespace or ("<namespace>",)), table.table))
            raise SqlError(
                f"{table} is not in the {known}, the only {'one' if len(self) == 1 else 'ones'} with materialized "
                f"views; write the full name, such as {full}",
                "0A000",
            )
        return found

    def check(self) -> None:
        """Raise Unavailable while all catalogs are unavailable; do nothing otherwise."""
        if not any(catalog.available for catalog in self):
            for catalog in self:
                catalog.check()

    @property
    def metadata_use(self) -> CacheUse:
        """The hits, misses and entries of the caches of table metadata, of all catalogs together."""
        return CacheUse(*map(sum, zip(*(catalog.metadata_use for catalog in self), strict=True)))

    @property
    def broken(self) -> Mapping[TableName, str]:
        """The reason why a view's metadata cannot be used, with the remedy, by view name; `definitions` leaves out
        these views.
        """
        return self._broken

    @property
    def plain(self) -> tuple[PlainView, ...]:
        """The plain views (views without a storage table) that the last read of the view definitions found."""
        return self._plain

    async def definitions(self) -> tuple[MaterializedView, ...]:
        """Return all materialized views; the same tuple object until the metadata of a view changes.

        The result has the last known views of an unavailable catalog. Raise Unavailable if no catalog can be read, and
        the views of each were never read or were changed through Viewgate since the last read.
        """
        now = time.monotonic()
        passed = not self._merged or any(catalog.due_at <= now for catalog in self)
        if passed and (due := [catalog for catalog in self if catalog.due]):
            await self._read(due)
        if not self._is_merged():
            await self._merge()
        return self._definitions

    async def view(self, name: TableName) -> MaterializedView | None:
        """Return the materialized view with this name, read from the catalog now; None if no such view exists.

        Raise Unavailable if the catalog is unavailable.
        """
        catalog = self._catalogs.get(name.catalog)
        if catalog is None:
            return None
        catalog.check()
        catalog.invalidate()
        await catalog.read_views()
        return next((view for view in await self.definitions() if view.name == name), None)

    async def views(self) -> Mapping[TableName, View]:
        """Return all materialized and plain views by name; raise Unavailable as `definitions` does."""
        definitions = await self.definitions()
        return by_name(self._plain, definitions)

    async def read_through(self, view: MaterializedView) -> MaterializedView:
        """Return the definition `view` with its field `through` set to the views that the definition's query reads.

        The definition need not be in the catalog yet, so that CREATE can check the new view first.
        """
        others = [other for other in await self.definitions() if other.name != view.name]
        *_, found = await asyncio.to_thread(lambda: in_place([*others, view], self._plain))
        return found

    def invalidate(self, changed: Iterable[TableName] | None = None) -> None:
        """Make the next statement read the definitions again, because a view was created, changed or dropped.

        The next statement waits for the catalogs of the names in `changed` only; for all catalogs if `changed` is None,
        because the names are not known.
        """
        for catalog in self if changed is None else self._grouped(changed):
            catalog.invalidate()

    async def current(self, names: Iterable[TableName]) -> Mapping[TableName, Relation | None]:
        """Return the current table or view of each name; all names of a catalog are looked up at once.

        The value is None for a name that does not exist, is in none of the catalogs, or has unreadable metadata. Raise
        Unavailable if the catalog of a name is unavailable.
        """
        wanted = tuple(dict.fromkeys(names))
        return (await self.look(wanted, wanted)).relations

    async def look(self, names: Iterable[TableName], needed: Collection[TableName]) -> Looked:
        """Return what `current` returns, and the unavailable catalogs, whose relations are unknown.

        Raise Unavailable only if the catalog of a name in `needed` is unavailable.
        """
        wanted = tuple(dict.fromkeys(names))
        groups = self._grouped(wanted)
        found, silent = await self._answers(groups, needed, lambda each: each.current(groups[each]))
        known = {name: relation for each in found.values() for name, relation in each.items()}
        return Looked({name: known.get(name) for name in wanted}, silent)

    def range_of(self, names: Iterable[TableName]) -> bool:
        """Request that later lookups of these tables include the least and greatest value of each integer column.

        Return whether this is the first such request for at least one of the tables.
        """
        first = [catalog.range_of(own) for catalog, own in self._grouped(names).items()]
        return any(first)

    def examine(self, relations: Iterable[Relation | None]) -> None:
        """Start to read the file statistics of the large tables among `relations` in a thread; later lookups of the
        tables include the statistics.

        Until the statistics of a new snapshot are read, a table keeps the statistics of its previous snapshot.
        """
        tables = {relation.name: relation for relation in relations if isinstance(relation, Table)}
        for catalog, own in self._grouped(tables).items():
            catalog.examine([tables[name] for name in own])

    async def past(self, names: Iterable[TableName], moments: Mapping[TableName, AsOf], zone: str) -> Looked:
        """Return the relations that a statement with time travel reads, by name.

        - A table in `moments` is returned at the snapshot or time that `moments` has for it; strings are times in the
          time zone `zone`.
        - A storage table is returned as of a refresh from the base tables at these snapshots or times.
        - A view is returned as it is now.

        The value is None for a table whose past state is unknown, and for a table that is neither in `moments` nor a
        storage table. Raise Unavailable if the catalog of a table in `moments` is unavailable.
        """
        read = {view.storage for view in await self.definitions()} | moments.keys()
        groups = self._grouped(names)
        found, silent = await self._answers(groups, moments, lambda each: each.sort_out(groups[each], read))
        views = {name: view for own, _ in found.values() for name, view in own.items()}
        entries = {catalog: own for catalog, (_, own) in found.items()}
        tables = await self._tables_then(entries, moments, zone)
        return Looked({**dict.fromkeys(name for own in groups.values() for name in own), **views, **tables}, silent)

    async def before_rollbacks(self, found: Mapping[TableName, Relation | None]) -> Mapping[TableName, Relation | None]:
        """Return `found` with older states of the storage tables whose last refresh read a rolled-back snapshot.

        Such a storage table is returned as of its last refresh from source snapshots that all still exist. Without such
        a refresh, the table is returned in its current state. The result is only for answering queries: a refresh works
        on the current state of the storage table.
        """
        groups = self._grouped(rolled_back(found))
        if not groups:
            return found
        earlier, _ = await self._answers(groups, (), lambda each: each.before_rollbacks(groups[each], found))
        return {**found, **{name: table for own in earlier.values() for name, table in own.items()}}

    async def inventory(self, wanted: Callable[[TableName], bool], of: Iterable[Catalog] | None = None) -> list[Listed]:
        """Return the tables and views of the catalogs `of` (None: all) whose names `wanted` accepts, ordered by name.

        Tables and views with unreadable metadata are left out, and so are those of unavailable catalogs; raise
        Unavailable if all these catalogs are unavailable.
        """
        found = await self.from_each(self if of is None else of, lambda catalog: catalog.inventory(wanted))
        if not found:
            return []
        storages = {view.storage for view in await self.definitions()}
        listed = (one for own in found.values() for one in own)
        return sorted(
            (replace(one, kind=Kind.STORAGE) if one.name in storages else one for one in listed),
            key=lambda one: one.name,
        )

    async def from_each(
        self, catalogs: Iterable[Catalog], ask: Callable[[Catalog], Awaitable[_Result]]
    ) -> Mapping[Catalog, _Result]:
        """Return the reply of each catalog that is available; raise Unavailable if none of them is."""
        asked = dict.fromkeys(catalogs)
        found, silent = await self._answers(asked, (), ask)
        if silent and not found:
            raise Unavailable("; ".join(silent.values()))
        return found

    def when_back(self, resume: Callable[[], None]) -> None:
        """Call `resume` each time one of the catalogs becomes available again."""
        for catalog in self:
            catalog.when_back(resume)

    def close(self) -> None:
        """Stop the threads of all catalogs, and close their connections."""
        for poll in self._polls.values():
            poll.cancel()
        for catalog in self:
            catalog.close()

    def _grouped(self, names: Iterable[TableName]) -> dict[Catalog, list[TableName]]:
        """Return the names by catalog, each once; names in other catalogs are left out."""
        groups: dict[Catalog, list[TableName]] = {}
        for name in dict.fromkeys(names):
            if (catalog := self._catalogs.get(name.catalog)) is not None:
                groups.setdefault(catalog, []).append(name)
        return groups

    async def _answers(
        self,
        catalogs: Collection[Catalog],
        needed: Collection[TableName],
        ask: Callable[[Catalog], Awaitable[_Result]],
    ) -> tuple[dict[Catalog, _Result], dict[str, str]]:
        """Ask the catalogs in parallel; return the replies, and the reason for each catalog without a reply.

        Raise Unavailable for a catalog without a reply if `needed` has a name of this catalog.
        """
        if len(catalogs) == 1:  # without a task: most statements concern one catalog
            (catalog,) = catalogs
            replies = [await _reply(ask(catalog))]
        else:
            replies = await asyncio.gather(*(_reply(ask(catalog)) for catalog in catalogs))
        found: dict[Catalog, _Result] = {}
        silent: dict[str, str] = {}
        for catalog, reply in zip(catalogs, replies, strict=True):
            if not isinstance(reply, Unavailable):
                found[catalog] = reply
            elif any(name.catalog == catalog.name for name in needed):
                raise reply
            else:
                silent[catalog.name] = reply.message
        return found, silent

    async def _tables_then(
        self, entries: Mapping[Catalog, Mapping[TableName, Entry]], moments: Mapping[TableName, AsOf], zone: str
    ) -> Mapping[TableName, Table | None]:
        """Return the past state of the tables in `entries` (see `tables_then`), from the cache or newly computed."""
        locations = frozenset((name, entry.location) for own in entries.values() for name, entry in own.items())
        key = (locations, frozenset(moments.items()), zone)
        if (known := self._pasts.get(key)) is not None:
            return known
        try:
            read = await asyncio.gather(*(catalog.documents(own) for catalog, own in entries.items()))
            documents = {name: document for own in read for name, document in own.items()}
            self._pasts[key] = tables = await asyncio.to_thread(tables_then, documents, moments, zone)
        except Unavailable:
            raise
        except Exception as failure:  # metadata comes from any writer; unreadable tables are not used for rewriting
            _log.warning(
                "metadata unreadable tables=%s error=%r: no view answers time travel queries on these tables",
                ",".join(map(str, moments)),
                failure,
            )
            return {}
        return tables

    async def _read(self, due: Sequence[Catalog]) -> None:
        """Read the views of these catalogs again, in parallel.

        If their views are needed now (see `Catalog.needed`), wait for them; otherwise, if there are other catalogs,
        wait for a short time only. Raise Unavailable if the views of every catalog are needed, but not available.
        """
        if len(self) == 1:
            await due[0].read_views()
            return
        needed = [catalog for catalog in due if catalog.needed]
        polls = [self._poll(catalog) for catalog in due if not catalog.needed]
        # Not the shared read, which may have begun before the change for which the views are needed.
        replies = await asyncio.gather(*(_reply(catalog.read_views()) for catalog in needed))
        if polls:
            await asyncio.wait(polls, timeout=_PATIENCE_S)
        failures = [reply for reply in replies if reply is not None]
        if len(failures) == len(self):
            raise failures[0]

    def _poll(self, catalog: Catalog) -> asyncio.Task[None]:
        """Return the task that reads a catalog's views again; statements share it, and none of them cancels it."""
        running = self._polls.get(catalog.name)
        if running is None or running.done():
            running = self._polls[catalog.name] = asyncio.create_task(catalog.read_views())
            running.add_done_callback(lambda done: done.cancelled() or done.exception())  # also if nobody waits
        return running

    def _is_merged(self) -> bool:
        return len(self._merged) == len(self) and all(map(is_, self._merged, (each.views for each in self)))

    async def _merge(self) -> None:
        """Merge the views of all catalogs, and expand the views, also of other catalogs, that a view's query reads."""
        async with self._merging:
            if self._is_merged():
                return
            merged = tuple(catalog.views for catalog in self)
            plain = tuple(self._anywhere(view) for views in merged for view in views.plain)
            broken = {name: reason for views in merged for name, reason in views.broken.items()}
            written = []
            for view in (view for views in merged for view in views.materialized):
                if view.storage.catalog in self:
                    written.append(self._anywhere(view))
                else:
                    broken[view.name] = (
                        f"the storage table {view.storage} is in none of Viewgate's catalogs; add its catalog to the "
                        f"settings as [[catalog]], or remove the view: DROP MATERIALIZED VIEW {view.name.sql()}"
                    )
            definitions = await asyncio.to_thread(in_place, written, plain)
            if (definitions, plain) != (self._definitions, self._plain):
                self._definitions, self._plain = definitions, plain
            self._broken = MappingProxyType(broken)
            self._merged = merged

    def _anywhere(self, view: _AnyView) -> _AnyView:
        """Return a view whose query may name tables of all catalogs."""
        return replace(view, catalogs=frozenset(self._catalogs), lower_names=self._lower)


_AnyView = TypeVar("_AnyView", MaterializedView, PlainView)


async def _reply(asked: Awaitable[_Result]) -> _Result | Unavailable:
    try:
        return await asked
    except Unavailable as silence:
        return silence
