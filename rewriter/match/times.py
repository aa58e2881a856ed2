"""What is asked of a point in time, from the storage's buckets of it, or from its days."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from typing import Protocol

from sqlglot import exp

from rewriter.block import Block, meaning, range_of
from rewriter.block.words import words
from rewriter.functions.trees import cast
from rewriter.match.bounds import divides, is_unknown, moment_of
from rewriter.match.candidate import Miss, Reason
from rewriter.timeseries import (
    DATE_GRANULARITIES,
    DATE_TRUNC_UNITS,
    as_bucket,
    bucket_call,
    day_source,
    has_left_out_days,
    is_border,
    is_fixed_offset,
    label_source,
    rolls_up,
)

Tree = exp.Expr
Read = Tree | Miss | None


class Rows(Protocol):
    """What a view offers of single rows: by (normalized) expression, and what is computed of those."""

    @property
    def rows(self) -> Mapping[Tree, Tree]:
        """The storage's columns by the meaning of what they hold."""

    @property
    def block(self) -> Block:
        """The query's block."""

    @property
    def zone(self) -> str:
        """The session's time zone."""

    def compute(self, tree: Tree) -> Tree | Miss:
        """A row expression over the storage."""


def read_time(tree: Tree, rows: Rows) -> Read:
    """A bucket, a label or a bound of a time that the storage holds coarser than it was; None for all else."""
    return _bucket(tree, rows) or _midnight(tree, rows) or _label(tree, rows) or _compared(tree, rows)


def _buckets(source: Tree, rows: Rows) -> Iterator[tuple[str, str, Tree]]:
    """Grain, type and storage column of each bucket of a point in time that the storage holds."""
    for tree, column in rows.rows.items():
        bucket = as_bucket(tree)
        if bucket is not None and bucket.source == meaning(source):
            yield bucket.grain, bucket.type, column


def _day(source: Tree, rows: Rows) -> Tree | None:
    """The storage's column of the dates on which a point in time lies."""
    return next((column for tree, column in rows.rows.items() if day_source(tree) == meaning(source)), None)


def _proved(kind: str, zone: str) -> bool:
    return kind != "timestamp" or is_fixed_offset(zone)


def _bucket(tree: Tree, rows: Rows) -> Read:
    """A coarser bucket from a finer one.

    law:    every bucket of the stored grain lies within one bucket of the asked grain
    query:  timeseries(t, 'hour')
    view:   timeseries(t, 'minute') AS m
    gives:  timeseries(m, 'hour')
    no:     'week' to 'month', 'ten_minute' to 'fifteen_minute'
    """
    asked = as_bucket(tree)
    if asked is None:
        return None
    grain, kind = asked.grain, asked.type
    found = _from_buckets(asked.source, grain, rows, lambda column, kind: bucket_call(column, grain, kind))
    day = _day(asked.source, rows) if not isinstance(found, exp.Expr) and rolls_up("day", grain) else None
    if day is not None:
        # A bucket of whole days is the midnight of its first one, in any zone.
        return cast(day if grain == "day" else bucket_call(day.copy(), grain, "date"), kind)
    return found if found is not None else _bucket_of_days(asked.source, grain, rows)


def _bucket_of_days(dates: Tree, grain: str, rows: Rows) -> Read:
    """`trunc(CAST(t AS DATE), 'MONTH')` is the date of t's month."""
    source = day_source(dates)
    if source is None or isinstance(rows.compute(dates), exp.Expr):
        return None
    found = _from_buckets(source, grain, rows, lambda column, kind: bucket_call(column, grain, kind))
    return cast(found, "date") if isinstance(found, exp.Expr) else found


def _midnight(tree: Tree, rows: Rows) -> Read:
    """The midnight on which a bucket of a date begins.

    law:    date_trunc() of a date is that of the first day of its bucket, in a zone that has had this very date
    query:  date_trunc('quarter', d)
    view:   trunc(d, 'MONTH') AS m
    gives:  date_trunc('quarter', m)
    no:     where a zone left out the last day of a month: Spark takes that day for the next
    """
    if not isinstance(tree, exp.Anonymous) or tree.name != "date_trunc" or len(tree.expressions) != 2:
        return None
    unit, source = tree.expressions
    # A column may have the name of a unit.
    grain = DATE_TRUNC_UNITS.get(unit.name.upper(), "") if isinstance(unit, exp.Literal) else ""
    declared = rows.block.type_of(source)
    dates = declared is not None and declared.type == "date"
    if not dates or grain not in DATE_GRANULARITIES or has_left_out_days(rows.zone):
        return None
    return _from_buckets(
        source, grain, rows, lambda column, _: exp.Anonymous(this=tree.name, expressions=[unit.copy(), column])
    )


def _label(tree: Tree, rows: Rows) -> Read:
    """A label of a time (`year(t)`) from a bucket over which the label is constant, or from its date."""
    labelled = label_source(tree)
    if labelled is None:
        return None
    source, grain = labelled

    def relabel(column: Tree, kind: str) -> Tree:
        return tree.transform(lambda node: column.copy() if node == source else node)

    day = _day(source, rows) if rolls_up("day", grain) else None
    return relabel(day, "date") if day is not None else _from_buckets(source, grain, rows, relabel)


def _from_buckets(source: Tree, grain: str, rows: Rows, build: Callable[[Tree, str], Tree]) -> Read:
    unproved = False
    for stored_grain, kind, column in _buckets(source, rows):
        if rolls_up(stored_grain, grain):
            if _proved(kind, rows.zone):
                return build(column.copy(), kind)
            unproved = True
    if unproved and isinstance(rows.compute(source), Miss):
        return Miss(Reason.ZONE_NOT_PROVED, f"buckets of {rows.zone} are not known to nest")
    return None


def _compared(tree: Tree, rows: Rows) -> Read:
    """A comparison of a time with a bucket's border as one of the bucket.

    law:    t >= border  is  bucket(t) >= border;  t < border  is  bucket(t) < border
    no:     `=`, and `<=` on a TIMESTAMP, which takes one instant of the bucket above
    """
    if not isinstance(tree, exp.GTE | exp.LT | exp.LTE | exp.GT):
        return None
    buckets = [(*bucket, tree.expression) for bucket in _buckets(tree.this, rows)]
    day, declared = _day(tree.this, rows), rows.block.type_of(tree.this)
    if day is not None and declared is not None and declared.type in ("timestamp", "timestamp_ntz"):
        bound = tree.expression
        buckets.append(("day", declared.type, day, bound if day_source(bound) is not None else cast(bound, "date")))
    for grain, kind, column, bound in buckets:
        if _divides(tree, grain, kind, rows):
            return type(tree)(this=column.copy(), expression=bound.copy())
    if not buckets or not is_unknown(tree.expression) or not isinstance(rows.compute(tree.this), Miss):
        return None
    grains = ", ".join(grain for grain, *_ in buckets)
    return Miss(
        Reason.COLUMN_NOT_IN_VIEW, f"{words(tree.this)}, and {words(tree)} may divide one of its buckets ({grains})"
    )


def _divides(tree: Tree, grain: str, kind: str, rows: Rows) -> bool:
    """Whether the comparison divides the buckets of a grain and type from each other, and none of them."""
    if is_unknown(tree.expression):
        return divides(tree, grain, kind, rows.zone)
    moment = moment_of(tree.expression)
    inclusive = isinstance(tree, exp.LTE | exp.GT)
    # Only where the column is compared in its own type: a coercion would move the border.
    if moment is None or range_of(tree, rows.block, rows.zone) is None or (inclusive and kind != "date"):
        return False
    try:  # A DATE d: d <= '2024-01-31' is d < '2024-02-01'.
        wall = moment.wall + timedelta(days=1) if inclusive else moment.wall
    except OverflowError:
        return False
    return _proved(kind, rows.zone) and is_border(wall, grain)
