"""The data files of a table and the partitions in which files came or went, read from its manifests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import Any

from pyiceberg.manifest import DataFileContent, ManifestEntry, ManifestEntryStatus, ManifestFile
from pyiceberg.table import Table as IcebergTable
from pyiceberg.table.snapshots import Snapshot

from rewriter.model import DataFile, Files, PartitionField, Value

_EPOCH = datetime(1970, 1, 1)


def files(table: IcebergTable, start: int | None, end: int | None, *, live: bool = True) -> Files:
    """Return the live files at `end`, unless they are not asked for, and the files added and removed since `start`."""
    head = table.metadata.snapshot_by_id(end) if end is not None else None
    if head is None:
        return Files(_fields(table), ())
    manifests = head.manifests(table.io) if live else ()
    there = [entry for manifest in manifests for entry in _entries(table, manifest, live=True)]
    came_and_went = list(_since(table, head, start))
    everything = (*there, *came_and_went)
    one_layout = all(entry.data_file.spec_id == table.metadata.default_spec_id for entry in everything)
    times = {snapshot.snapshot_id: snapshot.timestamp_ms for snapshot in table.metadata.snapshots}

    def listed(entries: Iterable[ManifestEntry]) -> tuple[DataFile, ...]:
        return tuple(_file(entry, times) for entry in entries)

    return Files(
        fields=_fields(table) if one_layout else None,
        live=listed(entry for entry in there if entry.data_file.content is DataFileContent.DATA),
        came=listed(entry for entry in came_and_went if entry.status is ManifestEntryStatus.ADDED),
        went=listed(entry for entry in came_and_went if entry.status is ManifestEntryStatus.DELETED),
    )


def _file(entry: ManifestEntry, times: Mapping[int, int]) -> DataFile:
    data = entry.data_file
    added_ms = times.get(entry.snapshot_id) if entry.snapshot_id is not None else None
    return DataFile(data.file_path, _partition(entry), data.record_count, added_ms)


def _since(table: IcebergTable, head: Snapshot, start: int | None) -> Iterator[ManifestEntry]:
    """Yield the files that snapshots after `start` added and removed, delete files too; compaction moves rows only."""
    at: Snapshot | None = head
    while at is not None and at.snapshot_id != start:
        if at.summary is None or at.summary.operation.value != "replace":
            for manifest in at.manifests(table.io):
                if manifest.added_snapshot_id == at.snapshot_id:
                    yield from (e for e in _entries(table, manifest, live=False) if e.snapshot_id == at.snapshot_id)
        at = table.metadata.snapshot_by_id(at.parent_snapshot_id) if at.parent_snapshot_id is not None else None


def _entries(table: IcebergTable, manifest: ManifestFile, *, live: bool) -> Iterator[ManifestEntry]:
    for entry in manifest.fetch_manifest_entry(table.io, discard_deleted=live):
        if live or entry.status is not ManifestEntryStatus.EXISTING:
            yield entry


def _fields(table: IcebergTable) -> tuple[PartitionField, ...]:
    schema = table.schema()
    return tuple(
        PartitionField(schema.find_column_name(field.source_id) or "", str(field.transform), field.name)
        for field in table.spec().fields
    )


def _partition(entry: ManifestEntry) -> tuple[Value, ...]:
    record = entry.data_file.partition
    return tuple(_value(record[at]) for at in range(len(record)))


def _value(value: Any) -> Value:
    """Return dates as days, times as microseconds, and values of other types as text that equals itself."""
    if isinstance(value, datetime):
        return (value.replace(tzinfo=None) - _EPOCH) // timedelta(microseconds=1)
    if isinstance(value, date):
        return (value - _EPOCH.date()).days
    return value if value is None or isinstance(value, int | str) else repr(value)
