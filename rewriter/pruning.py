"""Finds the data files that a filter cannot exclude, by the bounds of their columns, as Iceberg does in scan planning.

The filter `x > 4` excludes a file in which the greatest x is 4.

law:    a file with a row that satisfies the filter is never excluded
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rewriter.block import RangeSet
from rewriter.model.statistics import ColumnFiles, FileGroup, Point

# The values that a conjunction of comparisons with constants allows each column, by field id.
Wanted = Mapping[int, RangeSet]


def kept(group: FileGroup, wanted: Wanted) -> Iterator[int]:
    """Yield the positions, in `group`, of the files that may contain a row that satisfies a filter.

    `wanted` has the values that the filter allows, by the column's field id. A file with unknown bounds is included.

    >>> column = ColumnFiles(sizes=(8, 8), nulls=(0, 0), lower=(1, 5), upper=(4, 9))
    >>> group = FileGroup(records=(2, 2), sizes=(40, 40), columns={7: column})
    >>> list(kept(group, {7: RangeSet.compare(">", 4)}))
    [1]
    """
    told = [(group.columns[field_id], values) for field_id, values in wanted.items() if field_id in group.columns]
    for at, records in enumerate(group.records):
        if all(_may_hold(column, at, records, values) for column, values in told):
            yield at


def _may_hold(column: ColumnFiles, at: int, records: int, values: RangeSet) -> bool:
    """Return whether a column may have one of the values in the file at position `at`, which has `records` rows.

    Return True if the file does not record the column's bounds.
    """
    nulls = column.nulls[at]
    if values.null and nulls != 0:
        return True
    if nulls == records:
        return False
    lower, upper = column.lower[at], column.upper[at]
    return any(
        _reaches(lower, high.value, closed=high.closed) and _reaches(low.value, upper, closed=low.closed)
        for low, high in values.intervals
    )


def _reaches(low: Point | None, high: Point | None, *, closed: bool) -> bool:
    """Return whether values from `low` on may be less than `high`, or equal to `high` if `closed`.

    Return True if a bound is unknown (None). NaN counts as unknown, too, because each comparison with NaN is false.
    """
    if low is None or high is None:
        return True
    return not (low > high or (low == high and not closed))  # type: ignore[operator]  # of one kind within a column
