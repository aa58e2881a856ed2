"""Reads tables and views, current and past, from their metadata files; the calls block.

Any engine may have written the metadata: a table or view whose metadata cannot be read is logged once and not used for
rewriting; other tables and views are not affected.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TypeVar

from pyiceberg.io import load_file_io
from pyiceberg.table.metadata import TableMetadataUtil

from proxy.catalog.bounds import Known, integer_ranges, time_ranges
from proxy.catalog.changes import change
from proxy.catalog.documents import CacheUse, Document, Entry, Remembered, is_broken
from proxy.catalog.inventory import Listed, listed
from proxy.catalog.past import before_rollbacks
from proxy.catalog.reach import StoreFailure
from proxy.catalog.refresh_state import STORAGE_OF
from proxy.catalog.statistics import Examined
from proxy.catalog.stores import Store
from proxy.catalog.tables import misspelled, table
from proxy.catalog.views import view_state
from rewriter.model import (
    Change,
    ChangeKind,
    Relation,
    SourceState,
    Table,
    TableName,
)

_log = logging.getLogger(__name__)
_Result = TypeVar("_Result")


class Relations:
    """The tables and views of one catalog, cached by metadata location."""

    def __init__(self, store: Store, background: Callable[[Callable[[], None]], object], remembered: int) -> None:
        self._store = store
        self._known: Remembered[tuple[TableName, str, bool], Relation] = Remembered(remembered)
        self.examined = Examined(store, background, remembered)
        self._ranged: frozenset[TableName] = frozenset()
        self._ranges: Known = Remembered(4 * remembered)
        self._properties: Remembered[tuple[TableName, str], Mapping[str, str]] = Remembered(remembered)
        self._pasts: Remembered[Hashable, Mapping[TableName, Table | None]] = Remembered(remembered // 16)
        self._told: set[tuple[TableName, str]] = set()
        self._listed: Mapping[tuple[TableName, str], Listed] = {}

    @property
    def use(self) -> CacheUse:
        """The hits, misses and entries of the cache of tables and views."""
        return self._known.use

    def range_of(self, names: Iterable[TableName]) -> bool:
        """Request that later lookups of these tables include the least and greatest value of each integer column.

        Return whether this is the first such request for at least one of the tables.
        """
        before, self._ranged = self._ranged, self._ranged.union(names)
        return self._ranged != before

    def entries(self, names: Sequence[TableName]) -> Mapping[TableName, Entry]:
        """Return the current catalog entry of each name that exists; raise StoreFailure if the catalog fails."""
        return asked(lambda: self._store.look(names))

    def look(self, names: list[TableName]) -> dict[TableName, Relation | None]:
        """Return the current table or view of each name that exists; None if its metadata is unreadable.

        Raise StoreFailure if the catalog fails.
        """
        return {name: self._relation(name, entry) for name, entry in self.entries(names).items()}

    def sort_out(
        self, names: Sequence[TableName], read: Collection[TableName]
    ) -> tuple[Mapping[TableName, Relation | None], Mapping[TableName, Entry]]:
        """Return the current views among `names`, and the catalog entries of the tables among `names` that are in
        `read`.

        Raise StoreFailure if the catalog fails.
        """
        entries = self.entries(names)
        views = {name: self._relation(name, entry) for name, entry in entries.items() if entry.kind != "table"}
        return views, {name: entry for name, entry in entries.items() if entry.kind == "table" and name in read}

    def refreshed_before(
        self, storages: Sequence[TableName], found: Mapping[TableName, Relation | None]
    ) -> Mapping[TableName, Table | None]:
        """Return each table in `storages` as of its last refresh from source snapshots that have not been rolled back.

        `found` has the current tables. Storage tables without such a refresh are left out.
        """
        entries = self.entries(storages)
        heads = frozenset((table.uuid, table.snapshot_id) for table in found.values() if isinstance(table, Table))
        locations = frozenset(entry.location for entry in entries.values())
        try:
            return self._pasts.get(
                (locations, heads),
                lambda: before_rollbacks({name: entry.load() for name, entry in entries.items()}, found),
            )
        except Exception as failure:  # metadata comes from any writer, as in _relation
            _log.warning(
                "earlier refreshes unreadable storages=%s error=%r: no view with one of these storage tables answers "
                "until its next refresh",
                ",".join(map(str, storages)),
                failure,
            )
            return {}

    def _relation(self, name: TableName, entry: Entry) -> Relation | None:
        try:
            key = name, entry.location, name in self._ranged
            found = self._known.get(key, lambda: self._loaded(name, entry))
            return self.examined.with_statistics(key, found)
        except Exception as failure:  # metadata comes from any writer; unreadable tables are not used for rewriting
            self._say_unreadable(name, entry, failure)
            return None

    def _loaded(self, name: TableName, entry: Entry) -> Relation:
        document = entry.load()
        if entry.kind != "table":
            return view_state(name, document)
        for key in misspelled(document.get("properties") or {}):
            if (name, key) not in self._told:
                self._told.add((name, key))
                _log.warning(
                    "property unknown table=%s property=%s: the property has no effect; correct its name", name, key
                )
        found = table(name, document)
        timed = any(column.type in ("timestamp", "date") for column in found.columns)
        storage = timed and STORAGE_OF in (document.get("properties") or {})
        try:
            return self._bounded(found, document, storage) if storage or name in self._ranged else found
        except Exception as failure:  # only proofs that need bounds are missed
            _log.warning(
                "column bounds unreadable table=%s error=%r: views that need the bounds are not used", name, failure
            )
            return found

    def _bounded(self, table: Table, document: Document, storage: bool) -> Table:
        """Return the table with the least and greatest values of its columns, read from its manifests.

        The values of date and timestamp columns are read if `storage` is true: the table is a storage table with such
        columns. The values of integer columns are read if `range_of` was called for the table.
        """
        metadata = TableMetadataUtil.parse_obj(document)
        io = load_file_io(dict(self._store.iceberg.properties), metadata.location)
        times = list(time_ranges(metadata, io)) if storage else []
        least, most = (tuple((name, each[place]) for name, *each in times) for place in (0, 1))
        ranges = tuple(integer_ranges(metadata, io, self._ranges)) if table.name in self._ranged else ()
        return replace(table, least=least, most=most, ranges=ranges)

    def _say_unreadable(self, name: TableName, entry: Entry, failure: Exception) -> None:
        """Log a metadata file as unreadable, but only once, because every statement tries to read the file again."""
        if (name, entry.location) not in self._told:
            self._told.add((name, entry.location))
            _log.warning(
                "metadata unreadable table=%s location=%s error=%r: views that need this table are not used",
                name,
                entry.location,
                failure,
            )

    def forget_broken(self, name: TableName) -> bool:
        """Remove a table from the catalog if its metadata file is missing or broken; return whether it was removed."""
        entry = self.entries([name]).get(name)
        if entry is None or entry.kind != "table" or not is_broken(entry.load):
            return False
        self._store.iceberg.drop_table(name.parts[1:])
        return True

    def properties(self, name: TableName) -> Mapping[str, str]:
        """Return the properties of a table; empty if the table does not exist or its metadata cannot be read."""
        entry = self.entries([name]).get(name)
        if entry is None or entry.kind != "table":
            return {}
        try:
            return self._properties.get(
                (name, entry.location), lambda: MappingProxyType(entry.load().get("properties", {}))
            )
        except Exception as failure:  # as above
            self._say_unreadable(name, entry, failure)
            return {}

    def read(self, name: TableName, read: Callable[[Document], _Result], none: _Result) -> _Result:
        """Return the result of `read` for a table's current metadata; return `none` if the table does not exist."""
        entry = self.entries([name]).get(name)
        return read(entry.load()) if entry is not None and entry.kind == "table" else none

    def change(self, name: TableName, recorded: SourceState, end: int | None) -> Change:
        """Return how a table changed from the snapshot in `recorded` to the snapshot `end` (None: the table has no
        snapshot).

        The kind of the change is UNKNOWN if the table no longer exists. Raise StoreFailure if the catalog fails.
        """
        entry = self.entries([name]).get(name)
        if entry is None or entry.kind != "table":
            return Change(name, ChangeKind.UNKNOWN, recorded.snapshot_id, end, (), reason="the table no longer exists")
        return change(name, entry.load(), recorded, end)

    def inventory(self, wanted: Callable[[TableName], bool]) -> list[Listed]:
        """Return the tables and views whose names `wanted` accepts, sorted by name.

        Tables and views with unreadable metadata are logged and left out. Raise StoreFailure if the catalog fails.
        """
        entries = asked(lambda: self._store.relations(wanted))
        made = ((name, self._listing(name, entry)) for name, entry in sorted(entries.items()))
        found = {name: one for name, one in made if one is not None}
        # Only current tables are worth caching; with all of them cached, a listing reads no file.
        kept = {key: one for key, one in self._listed.items() if not wanted(key[0])}
        self._listed = kept | {(name, entries[name].location): one for name, one in found.items()}
        return list(found.values())

    def _listing(self, name: TableName, entry: Entry) -> Listed | None:
        try:
            return self._listed.get((name, entry.location)) or listed(name, entry)
        except Exception as failure:  # metadata comes from any writer; an unreadable table does not hide the others
            _log.warning(
                "metadata unreadable name=%s location=%s error=%r: the table or view is not listed",
                name,
                entry.location,
                failure,
            )
            return None


def asked(call: Callable[[], _Result]) -> _Result:
    """Return the result of a call to the catalog; if the call fails with any error, raise StoreFailure."""
    try:
        return call()
    except Exception as failure:
        raise StoreFailure from failure
