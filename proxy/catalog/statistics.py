"""Reads the statistics of a table's data files from its manifests, for the rewriter's cost estimates.

Each manifest is read once, and cached by its path, because a manifest is never changed. Statistics include deleted
rows. The statistics of large tables are read in the background, and cached for later lookups.
"""

from __future__ import annotations

import logging
from array import array
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

from pyiceberg.conversions import from_bytes
from pyiceberg.io import FileIO, load_file_io
from pyiceberg.manifest import DataFile, DataFileContent, ManifestContent, ManifestFile
from pyiceberg.table.metadata import TableMetadata, TableMetadataUtil
from pyiceberg.types import (
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IcebergType,
    IntegerType,
    LongType,
    NestedField,
    PrimitiveType,
    StringType,
    TimestampType,
    TimestamptzType,
)

from proxy.catalog.documents import Remembered
from proxy.catalog.stores import Store
from rewriter.model import Relation, Table
from rewriter.model.statistics import FEW_ROWS, ColumnFiles, FileGroup, Point, Statistics

# Tables with more manifests, or more bytes in them, are estimated from their totals: some ten thousand files take
# seconds of processor time to read, and again after each compaction.
MOST_MANIFESTS = 256
MOST_BYTES = 4 << 20
# The number of values cached for all manifests, each of some ten bytes: two bounds per column and file.
MOST_VALUES = 4_000_000

Groups = Remembered[tuple[str, tuple[tuple[int, str], ...]], FileGroup]
# Bounds are kept only for these types. A column that once was an INT has bounds of four bytes.
_BOUNDED = (BooleanType, IntegerType, LongType, DateType, TimestampType, TimestamptzType, DecimalType, StringType,
            FloatType, DoubleType)  # fmt: skip
_WHOLE = (IntegerType, LongType, DateType, TimestampType, TimestamptzType)


def groups() -> Groups:
    """Return an empty cache of file statistics per manifest, which holds at most MOST_VALUES values."""
    return Remembered(MOST_VALUES, weight=lambda group: 1 + len(group.records) * (2 + 2 * len(group.columns)))


def statistics(metadata: TableMetadata, io: FileIO, known: Groups) -> Statistics | None:
    """Return the statistics of the current snapshot's data files; `known` caches the statistics per manifest.

    Return None if the table has no snapshot, more than MOST_MANIFESTS manifests, or more than MOST_BYTES bytes of
    manifests. `metadata` is the table's metadata, and `io` reads files.
    """
    snapshot = metadata.current_snapshot()
    manifests = snapshot.manifests(io) if snapshot is not None else []
    data = [manifest for manifest in manifests if manifest.content is ManifestContent.DATA]
    if snapshot is None or len(data) > MOST_MANIFESTS or sum(each.manifest_length for each in data) > MOST_BYTES:
        return None
    fields = [field for field in metadata.schema().fields if isinstance(field.field_type, PrimitiveType)]
    types = tuple((field.field_id, str(field.field_type)) for field in fields)

    def group_of(manifest: ManifestFile) -> FileGroup:
        return known.get((manifest.manifest_path, types), lambda: _group(_files(manifest, io), fields))

    return Statistics(snapshot.snapshot_id, tuple(map(group_of, data)))


def _files(manifest: ManifestFile, io: FileIO) -> list[DataFile]:
    """Return the data files in a manifest that are not deleted and have rows; `io` reads the manifest."""
    files = (entry.data_file for entry in manifest.fetch_manifest_entry(io, discard_deleted=True))
    return [file for file in files if file.content is DataFileContent.DATA and file.record_count]


def _group(files: Sequence[DataFile], fields: Sequence[NestedField]) -> FileGroup:
    return FileGroup(
        array("q", (file.record_count for file in files)),
        array("q", (file.file_size_in_bytes for file in files)),
        {field.field_id: _column(field.field_id, field.field_type, files) for field in fields},
    )


def _column(field_id: int, kind: IcebergType, files: Sequence[DataFile]) -> ColumnFiles:
    def counts(of: Callable[[DataFile], Mapping[int, int] | None]) -> Sequence[int | None]:
        return _dense([(of(file) or {}).get(field_id) for file in files])

    def bounds(of: Callable[[DataFile], Mapping[int, bytes] | None]) -> Sequence[Point | None]:
        return _dense([_point(kind, (of(file) or {}).get(field_id)) for file in files])

    return ColumnFiles(
        counts(lambda file: file.column_sizes),
        counts(lambda file: file.null_value_counts),
        bounds(lambda file: file.lower_bounds),
        bounds(lambda file: file.upper_bounds),
    )


def _dense(values: list[Any]) -> Sequence[Any]:
    """Return a list of integers as an array with eight bytes per integer; return any other list as a tuple."""
    return array("q", values) if all(type(value) is int for value in values) else tuple(values)


def _point(kind: IcebergType, bound: bytes | None) -> Point | None:
    """Decode a bound of a column of the type `kind` into a value that the rewriter compares with constants.

    Return None if the bound is absent, or if the type is not supported.
    """
    if bound is None or not isinstance(kind, _BOUNDED):
        return None
    if isinstance(kind, _WHOLE):
        return int.from_bytes(bound, "little", signed=True)
    if isinstance(kind, DoubleType) and len(bound) == 4:  # the column once was a FLOAT
        kind = FloatType()
    value: Any = from_bytes(kind, bound)
    if isinstance(value, Decimal):
        return Fraction(value)
    return int(value) if isinstance(value, bool) else value


_log = logging.getLogger(__name__)
# The number of tables whose statistics are cached.
MOST_EXAMINED = 1024


class Examined:
    """The file statistics of large tables by table UUID, read in the background.

    `submit` runs a function in a thread; at most `remembered` tables with statistics are cached.
    """

    def __init__(self, store: Store, submit: Callable[[Callable[[], None]], object], remembered: int) -> None:
        self._store, self._submit = store, submit
        self._tables: Remembered[Hashable, Table] = Remembered(remembered)
        self._statistics: dict[str, tuple[int | None, Statistics | None]] = {}  # with the snapshot that was read
        self._groups = groups()
        self._running: set[str] = set()

    @property
    def running(self) -> bool:
        """Whether the statistics of any table are being read at present."""
        return bool(self._running)

    def start(self, relations: Iterable[Relation | None]) -> None:
        """Start to read the statistics of the tables in `relations` with more than FEW_ROWS rows, in the background.

        A table is left out if the statistics of its current snapshot were read already, or if its statistics are being
        read.
        """
        large = (each for each in relations if isinstance(each, Table) and (each.records or 0) > FEW_ROWS)
        for table in large:
            if table.uuid not in self._running and self._snapshot_read(table) != table.snapshot_id:
                self._running.add(table.uuid)
                self._submit(partial(self._examine, table))

    def with_statistics(self, key: tuple[Hashable, ...], relation: Relation) -> Relation:
        """Return a table with the statistics that were read last; return a view, or a table without statistics,
        unchanged.

        For the same metadata (`key`) and statistics, the result is the same object, so that caches by object identity
        work.
        """
        _, read = self._statistics.get(relation.uuid, (None, None))
        if read is None or not isinstance(relation, Table):
            return relation
        return self._tables.get((*key, read), lambda: replace(relation, statistics=read))

    def _snapshot_read(self, table: Table) -> int | None:
        return self._statistics.get(table.uuid, (None, None))[0]

    def _examine(self, table: Table) -> None:
        """Read and store the statistics of a table's files; if this fails, only log the error, because estimates are
        optional.
        """
        read, at = None, table.snapshot_id
        try:
            entry = self._store.look([table.name]).get(table.name)
            if entry is not None and entry.kind == "table":
                metadata = TableMetadataUtil.parse_obj(entry.load())
                io = load_file_io(dict(self._store.iceberg.properties), metadata.location)
                read, at = statistics(metadata, io, self._groups), metadata.current_snapshot_id
        except Exception as failure:  # metadata comes from any writer
            _log.warning(
                "statistics unreadable table=%s error=%r: costs are estimated without statistics", table.name, failure
            )
        if len(self._statistics) >= MOST_EXAMINED:
            self._statistics.pop(next(iter(self._statistics)), None)
        self._statistics[table.uuid] = at, read
        self._running.discard(table.uuid)
