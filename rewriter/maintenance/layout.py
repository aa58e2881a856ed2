"""The default layout of storage, derived from the layout of its tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlglot import exp

from rewriter.maintenance.stored import Stored
from rewriter.maintenance.targets import Targets, targets
from rewriter.model import Files, PartitionField, SortField, Table
from rewriter.timeseries.bucket import TEMPORAL

# Below this much of a table in each target, files are so small that more of them cost more than they save.
LEAST_BYTES = 2**20
# More of them are more files that a task holds open while it writes: memory that a refresh did not need before.
MOST_DERIVED = 200
# A type's ways of being partitioned, from the finest: one of the finer gives less to write anew.
_TIMES = ("day", "month", "year")


def derived_partitions(stored: Stored, source: Table, files: Files) -> tuple[PartitionField, ...]:
    """Return the partition fields of storage that follow from a source's; none if they would not pay.

    gives:  a table by day, a view by month: the month
    no:     a key that follows from no partition column; a table of which each target has next to nothing
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
    """Return the leading columns of a source's sort order that the storage has."""
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
