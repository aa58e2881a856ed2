"""All operations on an Iceberg catalog, as coroutines; blocking calls run in a few threads."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from proxy.catalog import commits
from proxy.catalog.changes import files
from proxy.catalog.commits import Published, append
from proxy.catalog.documents import CacheUse, Entry, Remembered
from proxy.catalog.inventory import Kind, Listed
from proxy.catalog.past import Refreshed, refreshes_of, rolled_back
from proxy.catalog.reach import TIMEOUT_S, Reach, Threads, Unavailable
from proxy.catalog.relations import Relations, asked
from proxy.catalog.stores import Store
from proxy.catalog.tables import recorded_summary, sort_fields
from proxy.catalog.views import Unusable, is_materialized, materialized_view, plain_view
from rewriter import AsOf, View, by_name, in_place
from rewriter.model import (
    Change,
    Files,
    MaterializedView,
    PlainView,
    Relation,
    SortField,
    SourceState,
    TableName,
)

if TYPE_CHECKING:
    import pyarrow as pa  # importing it takes a quarter of a second, and only the journal's table needs it

_log = logging.getLogger(__name__)
_Result = TypeVar("_Result")
_View = MaterializedView | PlainView | Unusable | None
_AT_ONCE = 0.0


class Catalog:
    """A client of the Iceberg catalog that caches view definitions and table metadata, and commits refreshes."""

    def __init__(
        self, store: Store, *, poll_ms: int | None = None, remembered: int = 4096, timeout: float = TIMEOUT_S
    ) -> None:
        self.name = store.iceberg.name
        self._store = store
        self._poll_s = (store.poll_ms if poll_ms is None else poll_ms) / 1000
        self._reach = Reach(self.name, store.namespaces, timeout)
        self._reach.back.append(self.invalidate)
        self._long = Threads(4, "catalog-long")  # for manifests and commits, so that statements do not wait for these
        self._relations = Relations(store, self._long.submit, remembered)
        self._views: Remembered[tuple[TableName, str], _View] = Remembered(4 * remembered)
        self._definitions: tuple[MaterializedView, ...] = ()
        self._plain: tuple[PlainView, ...] = ()
        self._locations: dict[TableName, str] | None = None
        self._broken: Mapping[TableName, str] = MappingProxyType({})
        self._polling = asyncio.Lock()
        self._due = _AT_ONCE

    @property
    def lower_names(self) -> bool:
        """Whether the catalog stores names in lower case and looks them up ignoring case; true for a Hive Metastore."""
        return self._store.lower_names

    @property
    def broken(self) -> Mapping[TableName, str]:
        """The reason why a view's metadata cannot be used, with the remedy, by view name; `definitions` leaves out
        these views.
        """
        return self._broken

    @property
    def metadata_use(self) -> CacheUse:
        """The hits, misses and entries of the cache of table metadata."""
        return self._relations.use

    @property
    def plain(self) -> tuple[PlainView, ...]:
        """The plain views (views without a storage table) that the last read of the view definitions found."""
        return self._plain

    async def definitions(self) -> tuple[MaterializedView, ...]:
        """Return all materialized views; the same tuple object until the metadata of a view changes.

        While the catalog is unavailable, return the last known views. Raise Unavailable if the views were never read,
        or if the outage begins with the first read after a view was changed through Viewgate.
        """
        known = self._locations is not None  # before the first read there are none
        if known and (time.monotonic() < self._due or not self._reach.available):
            return self._definitions
        async with self._polling:
            if time.monotonic() >= self._due:
                await self._look_for_change()
        return self._definitions

    async def view(self, name: TableName) -> MaterializedView | None:
        """Return the materialized view with this name, read from the catalog now; None if no such view exists.

        Raise Unavailable if the catalog is unavailable.
        """
        self._reach.check()
        self.invalidate()
        return next((view for view in await self.definitions() if view.name == name), None)

    async def views(self) -> Mapping[TableName, View]:
        """Return all materialized and plain views by name.

        While the catalog is unavailable, return the last known views; `definitions` says when Unavailable is raised.
        """
        return by_name(self._plain, await self.definitions())

    async def read_through(self, view: MaterializedView) -> MaterializedView:
        """Return the definition `view` with its field `through` set to the views that the definition's query reads.

        The definition need not be in the catalog yet, so that CREATE can check the new view first.
        """
        others = [other for other in await self.definitions() if other.name != view.name]
        *_, found = await asyncio.to_thread(lambda: in_place([*others, view], self._plain))
        return found

    def invalidate(self) -> None:
        """Make the next statement read the definitions again, because a view was created, changed or dropped."""
        self._due = _AT_ONCE

    async def current(self, names: Iterable[TableName]) -> Mapping[TableName, Relation | None]:
        """Return the current table or view of each name; all names are looked up at once.

        The value is None for a name that does not exist, is in another catalog, or has unreadable metadata. Raise
        Unavailable if the catalog is unavailable.
        """
        wanted = tuple(dict.fromkeys(names))
        ours = [name for name in wanted if name.catalog == self.name]
        found = await self._answer(lambda: self._relations.look(ours)) if ours else {}
        return {name: found.get(name) for name in wanted}

    def range_of(self, names: Iterable[TableName]) -> bool:
        """Request that later lookups of these tables include the least and greatest value of each integer column.

        Return whether this is the first such request for at least one of the tables.
        """
        return self._relations.range_of(names)

    def examine(self, relations: Iterable[Relation | None]) -> None:
        """Start to read the file statistics of the large tables among `relations` in a thread; later lookups of the
        tables include the statistics.

        Until the statistics of a new snapshot are read, a table keeps the statistics of its previous snapshot.
        """
        self._relations.examined.start(relations)

    async def past(
        self, names: Iterable[TableName], moments: Mapping[TableName, AsOf], zone: str
    ) -> Mapping[TableName, Relation | None]:
        """Return the relations that a statement with time travel reads, by name.

        - A table in `moments` is returned at the snapshot or time that `moments` has for it; strings are times in the
          time zone `zone`.
        - A storage table is returned as of a refresh from the base tables at these snapshots or times.
        - A view is returned as it is now.

        The value is None for a table whose past state is unknown, and for a table that is neither in `moments` nor a
        storage table.
        """
        storages = {view.storage for view in await self.definitions()}
        wanted = tuple(dict.fromkeys(name for name in names if name.catalog == self.name))
        return await self._answer(lambda: self._relations.look_back(wanted, moments, zone, storages))

    async def before_rollbacks(self, found: Mapping[TableName, Relation | None]) -> Mapping[TableName, Relation | None]:
        """Return `found`, with older states of the storage tables whose last refresh read a snapshot that was rolled
        back.

        Such a storage table is returned as of its last refresh from source snapshots that all still exist. Without such
        a refresh, the table is returned in its current state. The result is only for answering queries: a refresh works
        on the current state of the storage table.
        """
        names = rolled_back(found)
        return (
            {**found, **await self._answer(lambda: self._relations.refreshed_before(names, found))} if names else found
        )

    async def taken(self, name: TableName) -> bool:
        """Return whether a table or view with this name exists, even if its metadata cannot be read."""
        return bool(await self._answer(lambda: self._relations.entries([name])))

    async def properties(self, table: TableName) -> Mapping[str, str]:
        """Return a table's current properties; empty if the table does not exist or its metadata cannot be read."""
        return await self._answer(lambda: self._relations.properties(table))

    async def order(self, table: TableName) -> tuple[SortField, ...]:
        """Return the sort order of a table's new files; empty if new files are not sorted, or if the table does not
        exist.
        """
        return await self._answer(lambda: self._relations.read(table, sort_fields, ()))

    async def recorded(self, storage: TableName) -> Mapping[str, str]:
        """Return the snapshot summary entries that record a storage table's refresh state; empty if there are none."""
        return await self._answer(lambda: self._relations.read(storage, recorded_summary, {}))

    async def refreshes(self, storage: TableName) -> Sequence[Refreshed]:
        """Return the recorded refreshes of a storage table, the earliest first; a refresh whose snapshot has expired is
        left out.
        """
        return await self._answer(lambda: self._relations.read(storage, partial(refreshes_of, storage), []))

    async def namespaces(self) -> Sequence[tuple[str, ...]]:
        """Return all namespaces of the catalog."""
        return await self._answer(lambda: asked(self._store.namespaces))

    async def inventory(self, wanted: Callable[[TableName], bool]) -> list[Listed]:
        """Return all tables and views whose names `wanted` accepts, ordered by name.

        Tables and views with unreadable metadata are left out.
        """
        self._reach.check()
        storages = {view.storage for view in await self.definitions()}
        found = await self._at_length(lambda: self._relations.inventory(wanted))
        return [replace(one, kind=Kind.STORAGE) if one.name in storages else one for one in found]

    async def change(self, name: TableName, recorded: SourceState, end: int | None) -> Change:
        """Return how a table changed from the snapshot in `recorded`, which a refresh read, to the snapshot `end`.

        `end` is None for a table without a snapshot. The kind of the change is UNKNOWN if one of the two snapshots has
        expired or was rolled back.
        """
        return await self._at_length(lambda: self._relations.change(name, recorded, end))

    async def files(self, name: TableName, start: int | None, end: int | None) -> Files:
        """Return a table's data files at the snapshot `end`, and the files added and removed since the earlier snapshot
        `start`.

        If `start` is None or no longer in the table's history, return the files that any commit up to `end` added or
        removed. If `end` is None (a table without a snapshot), return no files.
        """
        load = self._store.iceberg.load_table
        return await self._at_length(lambda: files(load(name.parts[1:]), start, end))

    async def touched(self, name: TableName, start: int | None, end: int | None) -> Files:
        """Return the files added and removed between the snapshots `start` and `end`, without the list of all files.

        If `start` is None or no longer in the table's history, return the files that any commit up to `end` added or
        removed. If `end` is None (a table without a snapshot), return no files. Only the manifests of the commits
        between the snapshots are read, so that the cost grows with the change, not with the table.
        """
        load = self._store.iceberg.load_table
        return await self._at_length(lambda: files(load(name.parts[1:]), start, end, live=False))

    async def location(self, name: TableName) -> str:
        """Return the root directory of the files of an existing table."""
        load = self._store.iceberg.load_table
        return await self._at_length(lambda: load(name.parts[1:]).location())

    async def publish(
        self,
        storage: TableName,
        branch: str,
        base: int | None,
        set_properties: Mapping[str, str],
        remove_prefixes: Iterable[str],
    ) -> Published:
        """Publish a refresh of the table `storage` in one commit, and return the new snapshot and its number of rows.

        The commit moves main to the head of `branch`, and drops the branches of all refreshes. It sets the properties
        in `set_properties`, and removes other properties that start with one of `remove_prefixes`. Raise Conflict if
        main is no longer at the snapshot `base` (None: a table without a snapshot).
        """
        prefixes = tuple(remove_prefixes)
        return await self._at_length(
            lambda: commits.publish(self._store.iceberg, storage, branch, base, set_properties, prefixes)
        )

    async def note(self, table: TableName, key: str, value: str | None) -> None:
        """Set the property `key` of a table, or remove the property if `value` is None; ignore a missing table."""
        await self._at_length(lambda: commits.note(self._store.iceberg, table, key, value))

    async def drop_branch(self, storage: TableName, branch: str) -> None:
        """Remove the branch of a storage table to which a refresh has written its rows; a missing branch is ignored."""
        await self._at_length(lambda: commits.drop_branch(self._store.iceberg, storage, branch))

    def append(self, name: TableName, rows: pa.Table) -> None:
        """Append rows to a table, which is created if it is missing. The call blocks, and raises the errors of
        pyiceberg.
        """
        append(self._store.iceberg, name, rows)

    async def forget_broken(self, table: TableName) -> bool:
        """Remove a table from the catalog if its metadata file is missing or broken; return whether it was removed."""
        return await self._at_length(lambda: self._relations.forget_broken(table))

    def close(self) -> None:
        """Stop the catalog's threads, and close its connections."""
        self._reach.close()
        self._long.close()
        self._store.close()

    def when_back(self, resume: Callable[[], None]) -> None:
        """Call `resume` each time the catalog becomes available again."""
        self._reach.back.append(resume)

    async def _answer(self, call: Callable[[], _Result]) -> _Result:
        """Run a call for which a statement waits, in a thread; raise Unavailable if the call fails or takes
        too long.
        """
        return await self._reach.answer(call)

    async def _at_length(self, call: Callable[[], _Result]) -> _Result:
        return await asyncio.wrap_future(self._long.submit(call))

    async def _look_for_change(self) -> None:
        """Read the definitions of all views again if the metadata of a view has changed.

        During an outage of the catalog, keep the last known definitions; but raise Unavailable if the definitions were
        never read, or if a view was changed through Viewgate since the last read.
        """
        needed = self._due == _AT_ONCE
        try:
            await self._look_again()
        except Unavailable:
            if needed or self._locations is None:
                raise

    async def _look_again(self) -> None:
        needed = self._due == _AT_ONCE
        self._due = time.monotonic() + self._poll_s  # before the read, so that an invalidate() during it counts
        try:
            await self._poll()
        # also for a cancel; the known views may be used for a while, unless a new read was requested
        except BaseException:
            if needed:
                self._due = _AT_ONCE
            raise

    async def _poll(self) -> None:
        entries = await self._answer(lambda: asked(self._store.views))
        locations = {name: entry.location for name, entry in entries.items()}
        # A view with an unreadable file is read again: the problem may pass, or the view may be dropped.
        if locations == self._locations and not self._broken:
            return
        views = await self._answer(lambda: {name: self._view(name, entry) for name, entry in entries.items()})
        plain = tuple(view for _, view in sorted(views.items()) if isinstance(view, PlainView))
        written = [view for _, view in sorted(views.items()) if isinstance(view, MaterializedView)]
        definitions = await asyncio.to_thread(in_place, written, plain)
        if (definitions, plain) != (self._definitions, self._plain):
            self._definitions, self._plain = definitions, plain
        self._broken = MappingProxyType(
            {name: f"{view}; {_remedy(name)}" for name, view in views.items() if isinstance(view, Unusable)}
        )
        self._locations = locations

    def _view(self, name: TableName, entry: Entry) -> _View:
        try:
            return self._views.get((name, entry.location), lambda: _view(name, entry, lower_names=self.lower_names))
        except Exception as failure:  # one broken view must not hide the others
            reason = (
                failure
                if isinstance(failure, Unusable)
                else Unusable(f"the view's metadata cannot be read: {failure!r}")
            )
            if name not in self._broken:
                _log.warning("view not used view=%s reason=%s: %s", name, reason, _remedy(name))
            return reason


def _remedy(view: TableName) -> str:
    return f"restore the metadata, or remove the view: DROP MATERIALIZED VIEW {view.sql()}"


def _view(name: TableName, entry: Entry, *, lower_names: bool) -> _View:
    document = entry.load()
    if is_materialized(document):
        return replace(materialized_view(name, document), lower_names=lower_names)
    try:
        return replace(plain_view(name, document), lower_names=lower_names)
    except Unusable as why:  # Spark cannot read it either, so that it belongs to another engine
        _log.info("plain view ignored view=%s reason=%s: queries over the view go to Spark unchanged", name, why)
        return None
