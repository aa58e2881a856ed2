"""Determines the changes of a table between two snapshots.

The summaries of the snapshots show the kind of change and the row counts. The manifests list the table's data files,
and the files that were added or removed, with their partitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import Any

from pyiceberg.manifest import DataFileContent, ManifestEntry, ManifestEntryStatus, ManifestFile
from pyiceberg.table import Table as IcebergTable
from pyiceberg.table.snapshots import Snapshot

from proxy.catalog.documents import Document
from proxy.catalog.tables import ancestry, columns_of, operation
from rewriter.model import Change, ChangeKind, Column, DataFile, Files, PartitionField, SourceState, TableName, Value

_TOUCHING = ("added-data-files", "deleted-data-files", "added-delete-files", "removed-delete-files")


def change(name: TableName, document: Document, recorded: SourceState, end: int | None) -> Change:
    """Return how a table changed from the snapshot in `recorded` to the snapshot `end`.

    Each of the two snapshots is None if the table had no snapshot. The kind of the change is UNKNOWN if one of the two
    snapshots has expired or was rolled back.
    """
    start = recorded.snapshot_id
    snapshots = {raw["snapshot-id"]: raw for raw in document.get("snapshots") or ()}
    kind, reason, between = _between(document, start, end)
    return Change(
        name=name,
        kind=kind,
        start=start,
        end=end,
        columns=columns_of(document),
        recorded=recorded.columns or (),
        start_columns=_columns_at(document, snapshots.get(start)),
        end_columns=_columns_at(document, snapshots.get(end)),
        reason=reason,
        added=sum(_number(raw, "added-records") for raw in between),
        removed=sum(_number(raw, "deleted-records") for raw in between),
        records=_number(snapshots.get(end) or {}, "total-records"),
        row_deletes=any(
            _number(raw, "total-delete-files")
            for raw in (*between, snapshots.get(start) or {}, snapshots.get(end) or {})
        ),
    )


def _between(
    document: Document, start: int | None, end: int | None
) -> tuple[ChangeKind, str, tuple[dict[str, Any], ...]]:
    if start == end:
        return ChangeKind.UNCHANGED, "", ()
    line = list(ancestry(document))
    ids = [raw["snapshot-id"] for raw in line]
    if end not in ids:
        return ChangeKind.UNKNOWN, f"snapshot {end} is not in the table's current history", ()
    line = line[ids.index(end) :]
    if start is None:  # the table was empty: all current rows were added
        return ChangeKind.APPENDED, "", tuple(line)
    if start not in ids:
        return (
            ChangeKind.UNKNOWN,
            (
                f"snapshot {start} is not in the table's current history: the table was rolled back or replaced, or "
                "the snapshot expired"
            ),
            (),
        )
    between = tuple(_until(line, start))
    return _kind(between, snapshot_of(document, start)), "", between


def snapshot_of(document: Document, snapshot_id: int) -> dict[str, Any]:
    """Return the snapshot with this id from a table's metadata, as JSON; the snapshot must exist."""
    return next(raw for raw in document["snapshots"] if raw["snapshot-id"] == snapshot_id)


def _until(line: list[dict[str, Any]], start: int) -> Iterator[dict[str, Any]]:
    for raw in line:
        if raw["snapshot-id"] == start:
            return
        yield raw


def _kind(between: tuple[dict[str, Any], ...], start: Mapping[str, Any]) -> ChangeKind:
    parents = (*between[1:], start)
    kinds = {_effect(raw, parent) for raw, parent in zip(between, parents, strict=True)}
    for kind in (ChangeKind.CHANGED, ChangeKind.APPENDED):
        if kind in kinds:
            return kind
    return ChangeKind.UNCHANGED


def _effect(raw: Mapping[str, Any], parent: Mapping[str, Any]) -> ChangeKind:
    """Return the kind of change that the snapshot `raw` made to the rows of its `parent` snapshot.

    - UNCHANGED: the snapshot is a compaction, or the file counts in both snapshots' summaries show that no file was
      added or removed (some writers record no counts)
    - APPENDED: rows were only added
    - CHANGED: any other change
    """
    if operation(raw) == "replace":
        return ChangeKind.UNCHANGED
    counts = "total-data-files" in _summary(raw) and "total-data-files" in _summary(parent)
    same = counts and _number(raw, "total-data-files") == _number(parent, "total-data-files")
    if same and not any(_number(raw, key) for key in _TOUCHING):
        return ChangeKind.UNCHANGED
    if operation(raw) == "append" and not any(_number(raw, key) for key in _TOUCHING[1:]):
        return ChangeKind.APPENDED
    return ChangeKind.CHANGED


def _summary(raw: Mapping[str, Any]) -> Mapping[str, str]:
    return raw.get("summary") or {}


def _number(raw: Mapping[str, Any], key: str) -> int:
    value = _summary(raw).get(key, "0")
    return int(value) if value.isdecimal() else 0


def _columns_at(document: Document, snapshot: Mapping[str, Any] | None) -> tuple[Column, ...]:
    if snapshot is None:
        return columns_of(document)
    return columns_of(document, snapshot.get("schema-id"))


_EPOCH = datetime(1970, 1, 1)


def files(table: IcebergTable, start: int | None, end: int | None, *, live: bool = True) -> Files:
    """Return the files added and removed between the snapshots `start` and `end`; if `live`, also all files at `end`.

    Return no files if `end` is None or has expired. If `start` is None or not an ancestor of `end`, return the files
    that any commit up to `end` added or removed.
    """
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
    """Yield the manifest entries of all files, delete files included, that were added or removed between two snapshots.

    The snapshots are `start` and `head`. Files of compactions (operation `replace`) are left out. If `start` is None
    or not an ancestor of `head`, all commits up to `head` are included.
    """
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
    """Return a partition value in a form that can be compared: a date as days, a time as microseconds since 1970.

    Integers, strings and NULL are returned unchanged, values of other types as their `repr`.
    """
    if isinstance(value, datetime):
        return (value.replace(tzinfo=None) - _EPOCH) // timedelta(microseconds=1)
    if isinstance(value, date):
        return (value - _EPOCH.date()).days
    return value if value is None or isinstance(value, int | str) else repr(value)
