"""Finds the partitions of a stale view's storage table that are still fresh: their source rows are unchanged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from rewriter.block import Unsupported
from rewriter.maintenance.partial_storage import MOST_RANGES, outside
from rewriter.maintenance.plan import column_problem
from rewriter.maintenance.stored import stored
from rewriter.maintenance.targets import targets
from rewriter.model import Change, ChangeKind, MaterializedView, Table, TableName


class FreshPart(NamedTuple):
    """The fresh part of a stale storage table: `only` is the SQL condition that the fresh rows satisfy.

    `stale_share` is the share (0 to 1) of the changed source's rows that contribute to the stale storage partitions.
    """

    only: str
    stale_share: float


def fresh_part(view: MaterializedView, storage: Table, changes: Mapping[TableName, Change]) -> FreshPart | None:
    """Return the part of a storage table that a source's change leaves fresh; None if this part is empty or unknown.

    `changes` has the changes of all sources since the refresh. The target of a source partition is the storage
    partition to which its rows contribute.

    law:    if only source partitions with the target day 2024-03-01 have changed, the rows of all other storage
            partitions were computed from unchanged source rows, and are fresh
    gives:  day < DATE '2024-03-01' OR day > DATE '2024-03-01' OR day IS NULL
    no:     more than one changed source
    no:     storage partitions that do not follow from the source's partitions
    no:     partitions by an expression of a column, because a read of the stale rows from the source would not skip any
            file
    """
    held = stored(view, storage, {name: change.columns for name, change in changes.items()})
    if isinstance(held, str) or column_problem(held, changes):
        return None
    change, *more = (change for change in changes.values() if change.kind is not ChangeKind.UNCHANGED)
    if more or change.kind is ChangeKind.UNKNOWN or change.files is None:
        return None
    found = targets(held, change.name, change.files)
    if isinstance(found, str) or not 0 < len(found.touched) <= MOST_RANGES:
        return None
    if any(link.tree != link.column for link in found.links):
        return None
    try:
        rest = outside(view, found.condition_of_touched)
    except Unsupported:
        return None
    only = f"({storage.only}) AND ({rest})" if storage.only else rest
    return FreshPart(only, found.share) if rest else None
