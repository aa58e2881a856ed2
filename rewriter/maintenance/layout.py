"""Derives the default partitions and sort order of a storage table from its source tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlglot import exp

from rewriter.maintenance.stored import Stored
from rewriter.maintenance.targets import Targets, targets
from rewriter.model import Files, PartitionField, SortField, Table
from rewriter.timeseries.bucket import TEMPORAL

# With fewer bytes of the source table per storage partition, storage files get so small that their number costs more
# than partitions save.
LEAST_BYTES = 2**20
# With more partitions, a task keeps too many files open while it writes, which takes memory.
MOST_DERIVED = 200
# The partition transforms of a time, the finest first: finer partitions leave less to rewrite.
_TIMES = ("day", "month", "year")


def derived_partitions(stored: Stored, source: Table, files: Files) -> tuple[PartitionField, ...]:
    """Return the partition field of a storage table that follows from the partitions of `source`, in a tuple.

    Return an empty tuple if there is no such field. The field must give more than one and at most MOST_DERIVED (200)
    partitions. On average, `source` must have at least LEAST_BYTES (1 MiB) for each of these partitions. `files` are
    the files of `source`. `stored` is the view with its block and storage table.

    gives:  partitions by month, for a table partitioned by day and a view grouped by month
    no:     a key that does not follow from a partition column of the table
    no:     a table with fewer than LEAST_BYTES for each partition
    """
    for field in _fields(stored):
        laid_out = replace(stored, storage=replace(stored.storage, partitioned_by=(field,)))
        found = targets(laid_out, source.name, files)
        if isinstance(found, Targets) and 1 < len(set(found.of.values())) <= _most(source):
            return (field,)
    return ()


def _most(source: Table) -> int:
    return min(MOST_DERIVED, (source.size or 0) // LEAST_BYTES)


def _fields(stored: Stored) -> Iterator[PartitionField]:
    for output, column in zip(stored.block.outputs, stored.storage.columns, strict=True):
        if stored.block.keys is not None and output not in stored.block.keys:
            continue
        for transform in _TIMES if column.type in TEMPORAL else ("identity",):
            yield PartitionField(column.name, transform)


def inherited_order(stored: Stored, order: Sequence[SortField]) -> tuple[SortField, ...]:
    """Return the leading fields of a source's sort order (`order`) whose columns are outputs of the view.

    Each field gets the storage column's name. The result ends before the first field with a transform or with a column
    that is not an output; the result is empty for a view over several tables. `stored` is the view with its block and
    storage table.
    """
    if len(stored.block.tables) != 1:
        return ()
    (table,) = stored.block.tables
    names = {
        output.name: column.name
        for output, column in zip(stored.block.outputs, stored.storage.columns, strict=True)
        if isinstance(output, exp.Column) and output.table == table.id
    }
    kept = []
    for field in order:
        if field.transform != "identity" or field.column.lower() not in names:
            break
        kept.append(replace(field, column=names[field.column.lower()]))
    return tuple(kept)
