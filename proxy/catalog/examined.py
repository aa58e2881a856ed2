"""The statistics of large tables, read from their manifests in the background and kept for the next looks."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from functools import partial

from pyiceberg.io import load_file_io
from pyiceberg.table.metadata import TableMetadataUtil

from proxy.catalog.documents import Remembered
from proxy.catalog.statistics import groups, statistics
from proxy.catalog.store import Store
from rewriter.model import Relation, Table
from rewriter.model.statistics import FEW_ROWS, Statistics

_log = logging.getLogger(__name__)
# Tables whose statistics are kept.
MOST_EXAMINED = 1024


class Examined:
    """The statistics of tables by UUID; `submit` runs a reading in a thread, for which no statement waits."""

    def __init__(self, store: Store, submit: Callable[[Callable[[], None]], object], remembered: int) -> None:
        self._store, self._submit = store, submit
        self._tables: Remembered[Hashable, Table] = Remembered(remembered)
        self._statistics: dict[str, tuple[int | None, Statistics | None]] = {}  # with the snapshot that was read
        self._groups = groups()
        self._running: set[str] = set()

    @property
    def running(self) -> bool:
        """Whether statistics are being read."""
        return bool(self._running)

    def start(self, relations: Iterable[Relation | None]) -> None:
        """Start reading the statistics of the large tables among these, unless those of their snapshot are known."""
        large = (each for each in relations if isinstance(each, Table) and (each.records or 0) > FEW_ROWS)
        for table in large:
            if table.uuid not in self._running and self._snapshot_read(table) != table.snapshot_id:
                self._running.add(table.uuid)
                self._submit(partial(self._examine, table))

    def with_statistics(self, key: tuple[Hashable, ...], relation: Relation) -> Relation:
        """Return a relation with its last statistics, the same object for the same `key` of its metadata."""
        _, read = self._statistics.get(relation.uuid, (None, None))
        if read is None or not isinstance(relation, Table):
            return relation
        return self._tables.get((*key, read), lambda: replace(relation, statistics=read))

    def _snapshot_read(self, table: Table) -> int | None:
        return self._statistics.get(table.uuid, (None, None))[0]

    def _examine(self, table: Table) -> None:
        """Read the statistics of a table's files; if they cannot be read, only the estimates are worse."""
        read, at = None, table.snapshot_id
        try:
            entry = self._store.look([table.name]).get(table.name)
            if entry is not None and entry.kind == "table":
                metadata = TableMetadataUtil.parse_obj(entry.load())
                io = load_file_io(dict(self._store.iceberg.properties), metadata.location)
                read, at = statistics(metadata, io, self._groups), metadata.current_snapshot_id
        except Exception as failure:  # metadata comes from any writer
            _log.warning("statistics unreadable table=%s error=%r", table.name, failure)
        if len(self._statistics) >= MOST_EXAMINED:
            self._statistics.pop(next(iter(self._statistics)), None)
        self._statistics[table.uuid] = at, read
        self._running.discard(table.uuid)
