"""Estimates the number of rows of a view from the bounds of its keys: integers, dates and times.

Iceberg's manifests do not count distinct values. An integer column has at most as many distinct values as there are
integers between its bounds; the number of distinct strings, and so the size of a view grouped by a string, is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from math import exp as power
from math import prod

from sqlglot import exp

from rewriter.block import Block
from rewriter.functions.types import INTEGERS
from rewriter.model import Table
from rewriter.timeseries import as_bucket, day_source
from rewriter.timeseries.steady import LENGTHS

Tree = exp.Expr

# A view with at least this share of its table's rows takes about as long to read as the table.
NEARLY = 0.5
_DAY, _MICROS = 86_400, 1_000_000
_TIMES = ("timestamp", "timestamp_ntz")
# The seconds of the shortest bucket of each grain.
_SHORTEST = LENGTHS | {"month": 28 * _DAY, "quarter": 90 * _DAY, "year": 365 * _DAY}


@dataclass(frozen=True)
class Size:
    """The estimated number of rows of a view; `of` is the number of rows of its largest table.

    `unknown` are the grouping keys whose number of distinct values is unknown. `rows` counts each of these keys as one
    value: with n values of such a key, the view may have up to n times as many rows.
    """

    rows: int
    of: int
    unknown: tuple[str, ...] = ()

    @property
    def is_nearly_whole(self) -> bool:
        """Whether the view would have at least the share NEARLY of its table's rows."""
        return self.rows >= NEARLY * self.of

    def __str__(self) -> str:
        if not self.unknown:
            return f"about {self.rows:,} rows; the table has {self.of:,}"
        keys = ", ".join(self.unknown)
        return (
            f"size unknown: about {self.rows:,} rows times the number of values of {keys}, which Iceberg does not count"
        )


def size_of(now: int, keys: Mapping[str, Tree], block: Block, table: Table) -> Size:
    """Return the estimated size of a view that has `now` rows, after `keys` (expressions by their texts) are added.

    `block` is the query to answer, over whose tables the keys are expressions; `table` is the view's largest table. If
    1,000 groups are possible in a table of 1,000 rows, about 632 groups are estimated.

    law:    n rows, each in one of D equally probable groups, fall into about D * (1 - exp(-n / D)) groups
    """
    counts = {text: _values(tree, block, table) for text, tree in keys.items()}
    possible = max(now, 1) * prod(count for count in counts.values() if count is not None)
    rows = table.records or 0
    filled = possible * (1 - power(-rows / possible))
    return Size(min(rows, round(filled)), rows, tuple(text for text, count in counts.items() if count is None))


def _values(tree: Tree, block: Block, table: Table) -> int | None:
    """Return the greatest possible number of distinct values of a key: a column of a table, or a time bucket of it.

    `block` is the query over whose tables the key is written. Return None if the column is not an integer, date or
    time, or if its bounds are unknown.
    """
    bucket, day = as_bucket(tree), day_source(tree)
    source = bucket.source if bucket is not None else day if day is not None else tree
    declared = block.type_of(source)
    column = table.column(declared.name) if declared is not None else None
    if column is None or not (column.type in (*INTEGERS, "date") or column.type in _TIMES):
        return None
    bounds = _bounds(table, column.field_id)
    if bounds is None:
        return None
    grain = bucket.grain if bucket is not None else "day" if day is not None else ""
    unit = _DAY if column.type == "date" else 1
    step = max(1, _SHORTEST[grain] // unit) if grain else 1
    if column.type in _TIMES:
        step *= _MICROS if grain else 1
    return (bounds[1] - bounds[0]) // step + 1


def _bounds(table: Table, field_id: int) -> tuple[int, int] | None:
    """Return the least and the greatest value of a column with integer bounds.

    Return None if a file does not record the bounds. `field_id` is the column's id in Iceberg.
    """
    columns = [group.columns.get(field_id) for group in (table.statistics.groups if table.statistics else ())]
    lower = [*chain.from_iterable(column.lower if column is not None else (None,) for column in columns)]
    upper = [*chain.from_iterable(column.upper if column is not None else (None,) for column in columns)]
    least = [bound for bound in lower if isinstance(bound, int)]
    most = [bound for bound in upper if isinstance(bound, int)]
    whole = bool(least) and len(least) == len(lower) and len(most) == len(upper)
    return (min(least), max(most)) if whole else None
