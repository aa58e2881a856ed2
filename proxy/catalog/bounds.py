"""The least values of a storage table's times, from the column bounds in its manifests.

They tell since when the times of a view are, and with that which changes of a time zone's offset concern it. Rows that
delete files take away count too: a bound that is too low proves less, and nothing wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pyiceberg.conversions import from_bytes
from pyiceberg.io import FileIO
from pyiceberg.manifest import DataFile, DataFileContent
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.types import DateType, NestedField, PrimitiveType, TimestamptzType

# A storage table that is laid out in more manifests is not read for this: each is a file, and a statement waits.
MOST_MANIFESTS = 32
_SECONDS: Mapping[type, Callable[[int], int]] = {
    DateType: lambda days: days * 86_400,
    TimestamptzType: lambda micros: micros // 1_000_000,
}


def least_times(metadata: TableMetadata, io: FileIO) -> tuple[tuple[str, int], ...]:
    """Return columns of dates and instants with seconds since 1970 that no value of the current snapshot is before.

    Columns of which a file tells no bound, and those without values, are left out.
    """
    fields = [field for field in metadata.schema().fields if type(field.field_type) in _SECONDS]
    snapshot = metadata.current_snapshot()
    if snapshot is None or not fields:
        return ()
    manifests = snapshot.manifests(io)
    if len(manifests) > MOST_MANIFESTS:
        return ()
    files = [
        entry.data_file
        for manifest in manifests
        for entry in manifest.fetch_manifest_entry(io, discard_deleted=True)
        if entry.data_file.content is DataFileContent.DATA
    ]
    return tuple(_of_fields(fields, files))


def _of_fields(fields: Iterable[NestedField], files: Iterable[DataFile]) -> Iterator[tuple[str, int]]:
    filled = [file for file in files if file.record_count]
    for field in fields:
        found = [_lower(field, file) for file in filled if not _is_empty(field, file)]
        known = [at for at in found if at is not None]
        if found and len(known) == len(found):
            yield field.name, min(known)


def _is_empty(field: NestedField, file: DataFile) -> bool:
    """Whether a file has no value of a column but NULL."""
    nulls: Mapping[int, int] = file.null_value_counts or {}
    return nulls.get(field.field_id) == file.record_count


def _lower(field: NestedField, file: DataFile) -> int | None:
    bounds: Mapping[int, bytes] = file.lower_bounds or {}
    bound, kind = bounds.get(field.field_id), field.field_type
    if bound is None or not isinstance(kind, PrimitiveType):
        return None
    count: Any = from_bytes(kind, bound)
    return _SECONDS[type(kind)](count)
