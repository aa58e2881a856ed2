"""All operations on one Iceberg catalog, as coroutines; blocking calls run in a few threads."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from pyiceberg.table import Table as IcebergTable

from proxy.catalog import commits
from proxy.catalog.changes import files
from proxy.catalog.commits import Published, append
from proxy.catalog.documents import CacheUse, Document, Entry, Remembered
from proxy.catalog.inventory import Listed
from proxy.catalog.past import Refreshed, refreshes_of
from proxy.catalog.reach import TIMEOUT_S, Reach, Unavailable
from proxy.catalog.relations import Relations, asked
from proxy.catalog.stores import CatalogError, Store
from proxy.catalog.tables import recorded_summary, sort_fields
from proxy.catalog.views import Unusable, is_materialized, materialized_view, plain_view
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


class Views(NamedTuple):
    """The views of one catalog, before the views that their queries read are expanded.

    - `materialized`, `plain`: the views with and without a storage table
    - `broken`: the reason why a view's metadata cannot be used, with the remedy, by view name; the two tuples leave
      out these views
    """

    materialized: tuple[MaterializedView, ...] = ()
    plain: tuple[PlainView, ...] = ()
    broken: Mapping[TableName, str] = MappingProxyType({})


class Catalog:
    """A client of one Iceberg catalog that caches view definitions and table metadata, and commits refreshes.

    - `views`: the views as of the last read; the same object until the metadata of a view changes
    - `due_at`: the time, by `time.monotonic`, before which `due` is false once the views have been read
    """

    def __init__(
        self, store: Store, *, poll_ms: int | None = None, remembered: int = 4096, timeout: float = TIMEOUT_S
    ) -> None:
        self.name = store.name
        self._store = store
        self._poll_ms = poll_ms
        self._reach = Reach(self.name, store.namespaces, timeout)
        self._reach.back.append(self.invalidate)
        self._relations = Relations(store, self._reach.submit, remembered)
        self._known_views: Remembered[tuple[TableName, str], _View] = Remembered(4 * remembered)
        self.views = Views()
        self._locations: dict[TableName, str] | None = None
        self._polling = asyncio.Lock()
        self.due_at = _AT_ONCE

    @property
    def lower_names(self) -> bool:
        """Whether the catalog stores names in lower case and looks them up ignoring case; true for a Hive Metastore."""
        return self._store.lower_names

    @property
    def metadata_use(self) -> CacheUse:
        """The hits, misses and entries of the cache of table metadata."""
        return self._relations.use

    @property
    def available(self) -> bool:
        """Whether the catalog answered the last call; true before the first call."""
        return self._reach.available

    @property
    def outage(self) -> str:
        """The start and the cause of the present outage; empty while the catalog is available."""
        return self._reach.outage

    @property
    def due(self) -> bool:
        """Whether the views should be read again before they are used: they were never read, or not recently.

        While the catalog is unavailable, the last known views are used.
        """
        known = self._locations is not None  # before the first read there are none
        return not known or (time.monotonic() >= self.due_at and self._reach.available)

    @property
    def needed(self) -> bool:
        """Whether the views were never read, or were changed through Viewgate since the last read."""
        return self._locations is None or self.due_at == _AT_ONCE

    async def open(self) -> None:
        """Open the catalog, unless it is open; an outage begins if the catalog is unavailable.

        Raise CatalogError if the catalog cannot be opened until its settings are changed.
        """
        try:
            await self._answer(lambda: asked(lambda: self._store.iceberg))
        except Unavailable as failure:
            if isinstance(failure.__cause__, CatalogError):
                raise failure.__cause__ from None

    async def read_views(self) -> None:
        """Read the views again if they are due.

        During an outage of the catalog, keep the last known views; but raise Unavailable if the views were never read,
        or if a view was changed through Viewgate since the last read.
        """
        async with self._polling:
            if time.monotonic() >= self.due_at:
                await self._look_for_change()

    def check(self) -> None:
        """Raise Unavailable while the catalog is unavailable; do nothing otherwise."""
        self._reach.check()

    def invalidate(self) -> None:
        """Make the next statement read the views again, because a view was created, changed or dropped."""
        self.due_at = _AT_ONCE

    async def current(self, names: Sequence[TableName]) -> Mapping[TableName, Relation | None]:
        """Return the current table or view of each name that exists; all names are looked up at once.

        The value is None for a table or view with unreadable metadata. Raise Unavailable if the catalog is unavailable.
        """
        return await self._answer(lambda: self._relations.look(list(names)))

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

    async def sort_out(
        self, names: Sequence[TableName], read: Collection[TableName]
    ) -> tuple[Mapping[TableName, Relation | None], Mapping[TableName, Entry]]:
        """Return the current views among `names`, and the catalog entries of the tables among `names` that are in
        `read`.

        Raise Unavailable if the catalog is unavailable.
        """
        return await self._answer(lambda: self._relations.sort_out(names, read))

    async def documents(self, entries: Mapping[TableName, Entry]) -> Mapping[TableName, Document]:
        """Return the metadata of tables, read from the files in `entries`; raise the error of an unreadable file."""
        return await self._answer(lambda: {name: entry.load() for name, entry in entries.items()})

    async def before_rollbacks(
        self, storages: Sequence[TableName], found: Mapping[TableName, Relation | None]
    ) -> Mapping[TableName, Relation | None]:
        """Return the earlier state of each storage table of which a source was rolled back after the refresh.

        The earlier state is that of the last refresh whose source snapshots all still exist; a storage table without
        such a refresh is left out. `found` has the current storage tables and sources, whose catalogs may differ.
        """
        return await self._answer(lambda: self._relations.refreshed_before(storages, found))

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
        """Return all tables and views whose names `wanted` accepts, ordered by name; storage tables count as tables.

        Tables and views with unreadable metadata are left out.
        """
        return await self._at_length(lambda: self._relations.inventory(wanted))

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
        return await self._at_length(lambda: files(self._loaded(name), start, end))

    async def touched(self, name: TableName, start: int | None, end: int | None) -> Files:
        """Return the files added and removed between the snapshots `start` and `end`, without the list of all files.

        If `start` is None or no longer in the table's history, return the files that any commit up to `end` added or
        removed. If `end` is None (a table without a snapshot), return no files. Only the manifests of the commits
        between the snapshots are read, so that the cost grows with the change, not with the table.
        """
        return await self._at_length(lambda: files(self._loaded(name), start, end, live=False))

    async def location(self, name: TableName) -> str:
        """Return the root directory of the files of an existing table."""
        return await self._at_length(lambda: self._loaded(name).location())

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
        main is no longer at the snapshot `base` (None: a table without a snapshot), and NotCommitted for any other
        error of the commit.
        """
        prefixes = tuple(remove_prefixes)
        # Without a time limit, because a commit may succeed after a time-out.
        return await asyncio.wrap_future(
            self._reach.submit(
                lambda: commits.publish(self._store.iceberg, storage, branch, base, set_properties, prefixes)
            )
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
        self._store.close()

    def when_back(self, resume: Callable[[], None]) -> None:
        """Call `resume` each time the catalog becomes available again."""
        self._reach.back.append(resume)

    async def _answer(self, call: Callable[[], _Result]) -> _Result:
        """Run a call for which a statement waits, in a thread; raise Unavailable if the call fails or takes
        too long.
        """
        return await self._reach.answer(call)

    def _loaded(self, name: TableName) -> IcebergTable:
        return self._store.iceberg.load_table(name.parts[1:])

    async def _at_length(self, call: Callable[[], _Result]) -> _Result:
        """Run a call that may take long, in a thread; raise Unavailable if the catalog no longer answers."""
        return await self._reach.at_length(call)

    async def _look_for_change(self) -> None:
        needed = self.needed
        try:
            await self._look_again()
        except Unavailable:
            if needed:
                raise

    async def _look_again(self) -> None:
        needed = self.due_at == _AT_ONCE
        poll_ms = self._store.poll_ms if self._poll_ms is None else self._poll_ms
        self.due_at = time.monotonic() + poll_ms / 1000  # before the read, so that an invalidate() during it counts
        try:
            await self._poll()
        # also for a cancel; the known views may be used for a while, unless a new read was requested
        except BaseException:
            if needed:
                self.due_at = _AT_ONCE
            raise

    async def _poll(self) -> None:
        entries = await self._answer(lambda: asked(self._store.views))
        locations = {name: entry.location for name, entry in entries.items()}
        # A view with an unreadable file is read again: the problem may pass, or the view may be dropped.
        if locations == self._locations and not self.views.broken:
            return
        views = await self._answer(lambda: {name: self._view(name, entry) for name, entry in sorted(entries.items())})
        read = Views(
            tuple(view for view in views.values() if isinstance(view, MaterializedView)),
            tuple(view for view in views.values() if isinstance(view, PlainView)),
            MappingProxyType(
                {name: f"{view}; {remedy(name)}" for name, view in views.items() if isinstance(view, Unusable)}
            ),
        )
        if read != self.views:
            self.views = read
        self._locations = locations

    def _view(self, name: TableName, entry: Entry) -> _View:
        try:
            return self._known_views.get((name, entry.location), lambda: _view(name, entry))
        except Exception as failure:  # one broken view must not hide the others
            reason = (
                failure
                if isinstance(failure, Unusable)
                else Unusable(f"the view's metadata cannot be read: {failure!r}")
            )
            if name not in self.views.broken:
                _log.warning("view not used view=%s reason=%s: %s", name, reason, remedy(name))
            return reason


def remedy(view: TableName) -> str:
    """Return the remedy for a view whose metadata cannot be used, as the end of a message."""
    return f"restore the metadata, or remove the view: DROP MATERIALIZED VIEW {view.sql()}"


def _view(name: TableName, entry: Entry) -> MaterializedView | PlainView | None:
    document = entry.load()
    if is_materialized(document):
        return materialized_view(name, document)
    try:
        return plain_view(name, document)
    except Unusable as why:  # Spark cannot read it either, so that it belongs to another engine
        _log.info("plain view ignored view=%s reason=%s: queries over the view go to Spark unchanged", name, why)
        return None
