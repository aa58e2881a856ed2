"""Reads the least and greatest values of a table's date, timestamp and integer columns from its manifests.

The rewriter uses these bounds as follows:

- With the bounds of a time column, it knows which offset changes of a time zone (daylight saving time) affect a view's
  rows. It can also close an open range: `ts >= x` becomes a range that ends at the greatest value.
- With the bounds of an integer column, it can prove that an average is exact.

Bounds may be wider than the values, because they also cover deleted rows; a proof from wider bounds is still correct.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pyiceberg.conversions import from_bytes
from pyiceberg.io import FileIO
from pyiceberg.manifest import DataFile, DataFileContent, ManifestFile
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.types import DateType, IntegerType, LongType, NestedField, PrimitiveType, TimestamptzType

from proxy.catalog.documents import Remembered

# A table with more manifests is not examined: each is a file, and a statement waits meanwhile.
MOST_MANIFESTS = 32
# Nor is a table with so many files that reading their bounds takes seconds.
MOST_BYTES = 4 << 20
Range = tuple[int, int]
# The ranges of columns by field id; None where a range is unknown.
Ranges = Mapping[int, Range | None]
# The ranges of the requested columns in a manifest, which never changes.
Known = Remembered[tuple[str, tuple[int, ...]], Ranges]
_SECONDS: Mapping[type, Callable[[int], int]] = {
    DateType: lambda days: days * 86_400,
    TimestamptzType: lambda micros: micros // 1_000_000,
}


def time_ranges(metadata: TableMetadata, io: FileIO) -> Iterator[tuple[str, int, int]]:
    """Yield the name, least and greatest value of each date and timestamp column in the current snapshot.

    The values are in seconds since 1970. TIMESTAMP_NTZ columns, columns without values, and columns without bounds
    in at least one file are left out; a table without a snapshot, or with more than MOST_MANIFESTS manifests, yields
    nothing. `metadata` is the table's metadata, and `io` reads files.
    """
    fields = [field for field in metadata.schema().fields if type(field.field_type) in _SECONDS]
    snapshot = metadata.current_snapshot()
    if snapshot is None or not fields:
        return
    manifests = snapshot.manifests(io)
    if len(manifests) > MOST_MANIFESTS:
        return
    yield from _of_fields(fields, [file for manifest in manifests for file in _filled(manifest, io)])


def integer_ranges(metadata: TableMetadata, io: FileIO, known: Known) -> Iterator[tuple[str, int, int]]:
    """Yield the name, least and greatest value of each INT and BIGINT column in the current snapshot.

    Columns without values, and columns without bounds in at least one file, are left out. `known` caches the bounds per
    manifest, so that each manifest of a growing table is read once. A table without a snapshot, or with more than
    MOST_MANIFESTS manifests or MOST_BYTES bytes of manifests, yields nothing. `metadata` is the table's metadata, and
    `io` reads files.
    """
    snapshot = metadata.current_snapshot()
    fields = [field for field in metadata.schema().fields if isinstance(field.field_type, IntegerType | LongType)]
    manifests = snapshot.manifests(io) if snapshot is not None and fields else []
    if len(manifests) > MOST_MANIFESTS or sum(manifest.manifest_length for manifest in manifests) > MOST_BYTES:
        return
    ids = tuple(field.field_id for field in fields)

    def ranges_of(manifest: ManifestFile) -> Ranges:
        return known.get((manifest.manifest_path, ids), lambda: _ranges(ids, _filled(manifest, io)))

    found = [ranges_of(manifest) for manifest in manifests]
    for field in fields:
        ranges = [each[field.field_id] for each in found if field.field_id in each]
        around = _around(ranges) if ranges else None
        if around is not None:
            yield field.name, *around


def _filled(manifest: ManifestFile, io: FileIO) -> list[DataFile]:
    """Return the data files in a manifest that are not deleted and have rows; `io` reads the manifest."""
    files = (entry.data_file for entry in manifest.fetch_manifest_entry(io, discard_deleted=True))
    return [file for file in files if file.content is DataFileContent.DATA and file.record_count]


def _of_fields(fields: Iterable[NestedField], files: Sequence[DataFile]) -> Iterator[tuple[str, int, int]]:
    for field in fields:
        found = [_seconds(field, file) for file in files if not _is_empty(field.field_id, file)]
        around = _around(found) if found else None
        if around is not None:
            yield field.name, *around


def _is_empty(field_id: int, file: DataFile) -> bool:
    """Return whether the column with this id has only NULLs in a file; False if the metadata does not count NULLs."""
    nulls: Mapping[int, int] = file.null_value_counts or {}
    return nulls.get(field_id) == file.record_count


def _seconds(field: NestedField, file: DataFile) -> Range | None:
    """Return the least and greatest value of a date or timestamp column in a file, in seconds since 1970.

    Return None if the file's metadata lacks one of the bounds.
    """
    kind = field.field_type
    bounds = [(each or {}).get(field.field_id) for each in (file.lower_bounds, file.upper_bounds)]
    if not isinstance(kind, PrimitiveType) or None in bounds:
        return None
    counts: list[Any] = [from_bytes(kind, bound) for bound in bounds if bound is not None]
    low, high = map(_SECONDS[type(kind)], counts)
    return low, high


def _ranges(ids: Iterable[int], files: Sequence[DataFile]) -> Ranges:
    """Return the least and greatest value over all files, by field id, for each column whose field id is in `ids`.

    The value is None for a column without bounds in at least one file. Columns that have only NULLs are left out.
    """
    found = {each: [_range(each, file) for file in files if not _is_empty(each, file)] for each in ids}
    return {each: _around(ranges) for each, ranges in found.items() if ranges}


def _range(field_id: int, file: DataFile) -> Range | None:
    lower, upper = ((bounds or {}).get(field_id) for bounds in (file.lower_bounds, file.upper_bounds))
    return (_whole(lower), _whole(upper)) if lower is not None and upper is not None else None


def _whole(bound: bytes) -> int:
    """Decode an integer bound of four bytes (INT) or eight bytes (BIGINT).

    A column that was changed from INT to BIGINT has bounds of both sizes.
    """
    return int.from_bytes(bound, "little", signed=True)


def _around(ranges: Sequence[Range | None]) -> Range | None:
    known = [each for each in ranges if each is not None]
    return (min(low for low, _ in known), max(high for _, high in known)) if len(known) == len(ranges) else None
