"""All that Viewgate asks of an Iceberg catalog, awaited; the blocking calls run on a few threads."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from pyiceberg.io import load_file_io
from pyiceberg.table.metadata import TableMetadataUtil

from proxy.catalog import commits
from proxy.catalog.bounds import Known, integer_ranges, time_ranges
from proxy.catalog.changes import change, files
from proxy.catalog.commits import Published, append
from proxy.catalog.documents import Document, Remembered, is_broken
from proxy.catalog.inventory import Kind, Listed, listed
from proxy.catalog.past import Refreshed, before_rollbacks, refreshes_of, rolled_back, tables_then
from proxy.catalog.reach import TIMEOUT_S, Reach, StoreFailure, Threads, Unavailable
from proxy.catalog.refresh_state import STORAGE_OF
from proxy.catalog.statistics import Examined
from proxy.catalog.stores import Entry, Store
from proxy.catalog.tables import misspelled, recorded_summary, sort_fields, table
from proxy.catalog.views import Unusable, is_materialized, materialized_view, plain_view, view_state
from rewriter import AsOf, View, by_name, in_place
from rewriter.model import (
    Change,
    ChangeKind,
    Files,
    MaterializedView,
    PlainView,
    Relation,
    SortField,
    SourceState,
    Table,
    TableName,
)

if TYPE_CHECKING:
    import pyarrow as pa  # a quarter of a second of a start, and the journal's table alone needs it

_log = logging.getLogger(__name__)
_Result = TypeVar("_Result")
_View = MaterializedView | PlainView | Unusable | None
_AT_ONCE = 0.0


class Catalog:
    """Definitions of materialized views, relations as they are now, and the commit that ends a refresh."""

    def __init__(
        self, store: Store, *, poll_ms: int | None = None, remembered: int = 4096, timeout: float = TIMEOUT_S
    ) -> None:
        self.name = store.iceberg.name
        self._store = store
        self._poll_s = (store.poll_ms if poll_ms is None else poll_ms) / 1000
        self._reach = Reach(self.name, store.namespaces, timeout)
        self._reach.back.append(self.invalidate)
        self._long = Threads(4, "catalog-long")  # manifests and commits, for which no statement's look waits
        self._relations: Remembered[tuple[TableName, str, bool], Relation] = Remembered(remembered)
        self._examined = Examined(store, self._long.submit, remembered)
        self._ranged: frozenset[TableName] = frozenset()
        self._ranges: Known = Remembered(4 * remembered)
        self._properties: Remembered[tuple[TableName, str], Mapping[str, str]] = Remembered(remembered)
        self._views: Remembered[tuple[TableName, str], _View] = Remembered(4 * remembered)
        self._pasts: Remembered[Hashable, Mapping[TableName, Table | None]] = Remembered(remembered // 16)
        self._told: set[tuple[TableName, str]] = set()
        self._listed: Mapping[tuple[TableName, str], Listed] = {}
        self._definitions: tuple[MaterializedView, ...] = ()
        self._plain: tuple[PlainView, ...] = ()
        self._locations: dict[TableName, str] | None = None
        self._broken: Mapping[TableName, str] = MappingProxyType({})
        self._polling = asyncio.Lock()
        self._due = _AT_ONCE

    @property
    def broken(self) -> Mapping[TableName, str]:
        """Views that cannot be read, with the reason; they are left out of the definitions."""
        return self._broken

    @property
    def plain(self) -> tuple[PlainView, ...]:
        """The views without storage, as they were when the definitions were looked at."""
        return self._plain

    async def definitions(self) -> tuple[MaterializedView, ...]:
        """Return all materialized views; the same tuple until the metadata of any view changes.

        While the catalog is unavailable, they are those that were known before.
        """
        known = self._locations is not None  # before the first look none are
        if known and (time.monotonic() < self._due or not self._reach.available):
            return self._definitions
        async with self._polling:
            if time.monotonic() >= self._due:
                await self._look_for_change()
        return self._definitions

    async def view(self, name: TableName) -> MaterializedView | None:
        """Return the materialized view of a name at this moment."""
        self._reach.check()
        self.invalidate()
        return next((view for view in await self.definitions() if view.name == name), None)

    async def views(self) -> Mapping[TableName, View]:
        """Return all views by their names, plain ones too."""
        return by_name(self._plain, await self.definitions())

    async def read_through(self, view: MaterializedView) -> MaterializedView:
        """Return a new view with the views that it reads replaced by their definitions."""
        others = [other for other in await self.definitions() if other.name != view.name]
        *_, found = await asyncio.to_thread(lambda: in_place([*others, view], self._plain))
        return found

    def invalidate(self) -> None:
        """Look again at the next statement: a view was created, changed or dropped."""
        self._due = _AT_ONCE

    async def current(self, names: Iterable[TableName]) -> Mapping[TableName, Relation | None]:
        """Return each name's table or view now, in one look; None if there is none that can be read."""
        wanted = tuple(dict.fromkeys(names))
        ours = [name for name in wanted if name.catalog == self.name]
        found = await self._answer(lambda: self._look(ours)) if ours else {}
        return {name: found.get(name) for name in wanted}

    def range_of(self, names: Iterable[TableName]) -> bool:
        """Look up the ranges of these tables' integer columns, too, from now on; return whether that is new of any."""
        before, self._ranged = self._ranged, self._ranged.union(names)
        return self._ranged != before

    def examine(self, relations: Iterable[Relation | None]) -> None:
        """Start reading the statistics of large tables from their manifests, in a thread of their own; later looks
        return tables with them.

        Until the statistics of a new snapshot are read, a table keeps those of the last one.
        """
        self._examined.start(relations)

    async def past(
        self, names: Iterable[TableName], moments: Mapping[TableName, AsOf], zone: str
    ) -> Mapping[TableName, Relation | None]:
        """Look at the moments that a statement names: its tables then, storage as of a refresh then, views as now.

        None where that cannot be told, and for any other table.
        """
        storages = {view.storage for view in await self.definitions()}
        wanted = tuple(dict.fromkeys(name for name in names if name.catalog == self.name))
        return await self._answer(lambda: self._looked_back(wanted, moments, zone, storages))

    async def before_rollbacks(self, found: Mapping[TableName, Relation | None]) -> Mapping[TableName, Relation | None]:
        """Return the relations, with storage as of an earlier refresh where a table was rolled back behind the last.

        To be read only: a refresh replaces what is current.
        """
        names = rolled_back(found)
        return {**found, **await self._answer(lambda: self._refreshed_before(names, found))} if names else found

    async def taken(self, name: TableName) -> bool:
        """Return whether there is a table or view of that name now, one that cannot be read too."""
        return bool(await self._answer(lambda: self._looked([name])))

    async def properties(self, table: TableName) -> Mapping[str, str]:
        """Return the properties of a table now; none where there is no table that can be read."""
        return await self._answer(lambda: self._table_properties(table))

    async def order(self, table: TableName) -> tuple[SortField, ...]:
        """Return the sort order of a table's new files."""
        return await self._answer(lambda: self._read(table, sort_fields, ()))

    async def recorded(self, storage: TableName) -> Mapping[str, str]:
        """Return the refresh state in the summary of a storage table's snapshot; empty if there is none."""
        return await self._answer(lambda: self._read(storage, recorded_summary, {}))

    async def refreshes(self, storage: TableName) -> Sequence[Refreshed]:
        """Return the refreshes of a storage table whose snapshots are still known, the earliest first."""
        return await self._answer(lambda: self._read(storage, partial(refreshes_of, storage), []))

    async def namespaces(self) -> Sequence[tuple[str, ...]]:
        """Return all namespaces."""
        return await self._answer(lambda: _asked(self._store.namespaces))

    async def inventory(self, wanted: Callable[[TableName], bool]) -> list[Listed]:
        """Return all tables and views whose names are wanted, in the order of their names; unreadable ones are left
        out.
        """
        self._reach.check()
        storages = {view.storage for view in await self.definitions()}
        found = await self._at_length(lambda: self._inventory(wanted))
        return [replace(one, kind=Kind.STORAGE) if one.name in storages else one for one in found]

    async def change(self, name: TableName, recorded: SourceState, end: int | None) -> Change:
        """Return the change of a table between the state recorded by a refresh and the snapshot now seen."""
        return await self._at_length(lambda: self._change(name, recorded, end))

    async def files(self, name: TableName, start: int | None, end: int | None) -> Files:
        """Return a table's data files at `end`, and the files added and removed since `start`."""
        load = self._store.iceberg.load_table
        return await self._at_length(lambda: files(load(name.parts[1:]), start, end))

    async def touched(self, name: TableName, start: int | None, end: int | None) -> Files:
        """Return only the added and removed files, from the manifests of just these commits, whose number is the
        cost.
        """
        load = self._store.iceberg.load_table
        return await self._at_length(lambda: files(load(name.parts[1:]), start, end, live=False))

    async def location(self, name: TableName) -> str:
        """Return the directory of a table."""
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
        """Publish in one commit: properties, main := the branch's head, no staged branches; Conflict if main is not
        at `base`.
        """
        prefixes = tuple(remove_prefixes)
        return await self._at_length(
            lambda: commits.publish(self._store.iceberg, storage, branch, base, set_properties, prefixes)
        )

    async def note(self, table: TableName, key: str, value: str | None) -> None:
        """Set a property of a table, or remove it; nothing happens where there is no such table."""
        await self._at_length(lambda: commits.note(self._store.iceberg, table, key, value))

    async def drop_branch(self, storage: TableName, branch: str) -> None:
        """Forget a staged branch of a storage table."""
        await self._at_length(lambda: commits.drop_branch(self._store.iceberg, storage, branch))

    def append(self, name: TableName, rows: pa.Table) -> None:
        """Append rows to a table, which is made where there is none; block until that is done, raise what fails."""
        append(self._store.iceberg, name, rows)

    async def forget_broken(self, table: TableName) -> bool:
        """Take a table out of the catalog if its metadata file is gone or broken; return whether that was so."""
        return await self._at_length(lambda: self._forgotten(table))

    def close(self) -> None:
        """Let the threads and connections go."""
        self._reach.close()
        self._long.close()
        self._store.close()

    def when_back(self, resume: Callable[[], None]) -> None:
        """Have a function called each time that the catalog answers again."""
        self._reach.back.append(resume)

    async def _answer(self, call: Callable[[], _Result]) -> _Result:
        """Return the result of a call for which a statement waits; raise Unavailable after the time limit."""
        return await self._reach.answer(call)

    async def _at_length(self, call: Callable[[], _Result]) -> _Result:
        return await asyncio.wrap_future(self._long.submit(call))

    def _looked(self, names: Sequence[TableName]) -> Mapping[TableName, Entry]:
        return _asked(lambda: self._store.look(names))

    def _look(self, names: list[TableName]) -> dict[TableName, Relation | None]:
        return {name: self._relation(name, entry) for name, entry in self._looked(names).items()}

    def _looked_back(
        self, names: Sequence[TableName], moments: Mapping[TableName, AsOf], zone: str, storages: Collection[TableName]
    ) -> Mapping[TableName, Relation | None]:
        entries = self._looked(names)
        views = {name: self._relation(name, entry) for name, entry in entries.items() if entry.kind != "table"}
        read = {name: entry for name, entry in entries.items() if name in moments or name in storages}
        read = {name: entry for name, entry in read.items() if entry.kind == "table"}
        locations = frozenset((name, entry.location) for name, entry in read.items())
        try:
            tables = self._pasts.get(
                (locations, frozenset(moments.items()), zone),
                lambda: tables_then({name: entry.load() for name, entry in read.items()}, moments, zone),
            )
        except Exception as failure:  # metadata comes from any writer; what cannot be read is not rewritten
            _log.warning("past unreadable tables=%s error=%r", ",".join(map(str, moments)), failure)
            tables = {}
        return {**dict.fromkeys(names), **views, **tables}

    def _refreshed_before(
        self, storages: Sequence[TableName], found: Mapping[TableName, Relation | None]
    ) -> Mapping[TableName, Table | None]:
        entries = self._looked(storages)
        heads = frozenset((table.uuid, table.snapshot_id) for table in found.values() if isinstance(table, Table))
        locations = frozenset(entry.location for entry in entries.values())
        try:
            return self._pasts.get(
                (locations, heads),
                lambda: before_rollbacks({name: entry.load() for name, entry in entries.items()}, found),
            )
        except Exception as failure:  # as above
            _log.warning("past unreadable tables=%s error=%r", ",".join(map(str, storages)), failure)
            return {}

    def _relation(self, name: TableName, entry: Entry) -> Relation | None:
        try:
            key = name, entry.location, name in self._ranged
            found = self._relations.get(key, lambda: self._loaded(name, entry))
            return self._examined.with_statistics(key, found)
        except Exception as failure:  # metadata comes from any writer; what cannot be read is not rewritten
            self._say_unreadable(name, entry, failure)
            return None

    def _loaded(self, name: TableName, entry: Entry) -> Relation:
        document = entry.load()
        if entry.kind != "table":
            return view_state(name, document)
        for key in misspelled(document.get("properties") or {}):
            if (name, key) not in self._told:
                self._told.add((name, key))
                _log.warning("property unknown table=%s property=%s", name, key)
        found = table(name, document)
        timed = any(column.type in ("timestamp", "date") for column in found.columns)
        storage = timed and STORAGE_OF in (document.get("properties") or {})
        try:
            return self._bounded(found, document, storage) if storage or name in self._ranged else found
        except Exception as failure:  # only what is proved with bounds is missed
            _log.warning("column bounds unreadable table=%s error=%r", name, failure)
            return found

    def _bounded(self, table: Table, document: Document, storage: bool) -> Table:
        """Return a table with the ranges of its times, if it is storage, or with those of its integers."""
        metadata = TableMetadataUtil.parse_obj(document)
        io = load_file_io(dict(self._store.iceberg.properties), metadata.location)
        times = list(time_ranges(metadata, io)) if storage else []
        least, most = (tuple((name, each[place]) for name, *each in times) for place in (0, 1))
        ranges = tuple(integer_ranges(metadata, io, self._ranges)) if table.name in self._ranged else ()
        return replace(table, least=least, most=most, ranges=ranges)

    def _say_unreadable(self, name: TableName, entry: Entry, failure: Exception) -> None:
        """Log a metadata file that cannot be read, once: it never changes, and every statement reads it again."""
        if (name, entry.location) not in self._told:
            self._told.add((name, entry.location))
            _log.warning("metadata unreadable table=%s location=%s error=%r", name, entry.location, failure)

    def _forgotten(self, name: TableName) -> bool:
        entry = self._looked([name]).get(name)
        if entry is None or entry.kind != "table" or not is_broken(entry.load):
            return False
        self._store.iceberg.drop_table(name.parts[1:])
        return True

    def _inventory(self, wanted: Callable[[TableName], bool]) -> list[Listed]:
        entries = self._store.relations(wanted)
        made = ((name, self._listing(name, entry)) for name, entry in sorted(entries.items()))
        found = {name: one for name, one in made if one is not None}
        # Only what is there now is worth remembering; with all of it at hand, a listing reads no file.
        kept = {key: one for key, one in self._listed.items() if not wanted(key[0])}
        self._listed = kept | {(name, entries[name].location): one for name, one in found.items()}
        return list(found.values())

    def _listing(self, name: TableName, entry: Entry) -> Listed | None:
        try:
            return self._listed.get((name, entry.location)) or listed(name, entry)
        except Exception as failure:  # metadata comes from any writer; one that cannot be read hides no other
            _log.warning(
                "metadata unreadable name=%s location=%s error=%r: it is not listed", name, entry.location, failure
            )
            return None

    def _table_properties(self, name: TableName) -> Mapping[str, str]:
        entry = self._looked([name]).get(name)
        if entry is None or entry.kind != "table":
            return {}
        try:
            return self._properties.get(
                (name, entry.location), lambda: MappingProxyType(entry.load().get("properties", {}))
            )
        except Exception as failure:  # as above
            self._say_unreadable(name, entry, failure)
            return {}

    def _read(self, name: TableName, read: Callable[[Document], _Result], none: _Result) -> _Result:
        """Return a table's metadata now; empty if there is no such table."""
        entry = self._looked([name]).get(name)
        return read(entry.load()) if entry is not None and entry.kind == "table" else none

    def _change(self, name: TableName, recorded: SourceState, end: int | None) -> Change:
        entry = self._store.look([name]).get(name)
        if entry is None or entry.kind != "table":
            return Change(name, ChangeKind.UNKNOWN, recorded.snapshot_id, end, (), reason="it is no longer there")
        return change(name, entry.load(), recorded, end)

    async def _look_for_change(self) -> None:
        """Look again; where views are known and none was changed here, a catalog that fails meanwhile does no harm."""
        needed = self._due == _AT_ONCE
        try:
            await self._look_again()
        except Unavailable:
            if needed or self._locations is None:
                raise

    async def _look_again(self) -> None:
        needed = self._due == _AT_ONCE
        self._due = time.monotonic() + self._poll_s  # before the look: invalidate() during it counts
        try:
            await self._poll()
        except BaseException:  # a cancel too; what was known may do for a while, unless this look was asked for
            if needed:
                self._due = _AT_ONCE
            raise

    async def _poll(self) -> None:
        entries = await self._answer(lambda: _asked(self._store.views))
        locations = {name: entry.location for name, entry in entries.items()}
        # A view whose file could not be read is looked at again: that may pass, or the view be dropped.
        if locations == self._locations and not self._broken:
            return
        views = await self._answer(lambda: {name: self._view(name, entry) for name, entry in entries.items()})
        plain = tuple(view for _, view in sorted(views.items()) if isinstance(view, PlainView))
        written = [view for _, view in sorted(views.items()) if isinstance(view, MaterializedView)]
        definitions = await asyncio.to_thread(in_place, written, plain)
        if (definitions, plain) != (self._definitions, self._plain):
            self._definitions, self._plain = definitions, plain
        self._broken = MappingProxyType({name: str(view) for name, view in views.items() if isinstance(view, Unusable)})
        self._locations = locations

    def _view(self, name: TableName, entry: Entry) -> _View:
        try:
            return self._views.get((name, entry.location), lambda: _view(name, entry))
        except Exception as failure:  # one broken view never hides the others
            reason = failure if isinstance(failure, Unusable) else Unusable(f"its metadata cannot be read: {failure!r}")
            if name not in self._broken:
                _log.warning("view left out view=%s: %s", name, reason)
            return reason


def _asked(call: Callable[[], _Result]) -> _Result:
    """Return the catalog's answer; what fails here is the catalog, and not one table's metadata."""
    try:
        return call()
    except Exception as failure:
        raise StoreFailure from failure


def _view(name: TableName, entry: Entry) -> _View:
    document = entry.load()
    if is_materialized(document):
        return materialized_view(name, document)
    try:
        return plain_view(name, document)
    except Unusable as why:  # Spark cannot read it either: it is another engine's
        _log.info("view not expanded view=%s: %s", name, why)
        return None
