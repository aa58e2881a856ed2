"""The part of a stale view's storage that is still fresh: the partitions from whose source partitions no row came or
went.
"""

from __future__ import annotations

from collections.abc import Mapping

from rewriter.block import Unsupported
from rewriter.maintenance.partial_storage import MOST_RANGES, outside
from rewriter.maintenance.plan import column_problem
from rewriter.maintenance.stored import stored
from rewriter.maintenance.targets import targets
from rewriter.model import Change, ChangeKind, MaterializedView, Table, TableName


def fresh_part(view: MaterializedView, storage: Table, changes: Mapping[TableName, Change]) -> str:
    """Return the condition for the storage rows that the changes of one source leave as they are; empty if unknown.

    law:    as for the refresh of whole partitions: what lies in the other targets is computed from other source rows
    gives:  day < DATE '2024-03-01' OR day > DATE '2024-03-01' OR day IS NULL
    no:     more than one changed source; a target of which the partitions of the source tell nothing; partitions by an
            expression over a column, by which no file of the source would be left out when the others are read
    """
    held = stored(view, storage, {name: change.columns for name, change in changes.items()})
    if isinstance(held, str) or column_problem(held, changes):
        return ""
    change, *more = (change for change in changes.values() if change.kind is not ChangeKind.UNCHANGED)
    if more or change.kind is ChangeKind.UNKNOWN or change.touched is None:
        return ""
    found = targets(held, change.name, change.touched)
    if isinstance(found, str) or not 0 < len(found.touched) <= MOST_RANGES:
        return ""
    if any(link.tree != link.column for link in found.links):
        return ""
    try:
        rest = outside(view, found.condition_of_touched)
    except Unsupported:
        return ""
    return f"({storage.only}) AND ({rest})" if rest and storage.only else rest
