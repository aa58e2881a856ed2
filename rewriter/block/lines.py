"""Inverts monotone expressions of a column, to turn a predicate over the expression into a predicate over the column.

A comparison of `coalesce(n, 0)` or `CAST(ts AS DATE)` with a constant is equivalent to a comparison of n or ts:
`coalesce(n, 0) < 5` to `n < 5 OR n IS NULL`. A Line has the function `back`, which maps a set of the expression's
values to the set of the values of its subject, n or ts.

law:    f(x) is in S if and only if x is in back(S); NULL counts as a value
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlglot import exp

from rewriter.block.form import Block
from rewriter.block.points import is_double, literal_value, same_in_double, type_of_number
from rewriter.block.ranges import Bound, Interval, RangeSet
from rewriter.block.vocabulary import CAST_TYPES
from rewriter.functions.types import FRACTIONS, INTEGERS, Uncertain, as_decimal, common, holds_all
from rewriter.timeseries import as_bucket, border_behind, day_source, is_fixed_offset, micros_of, next_border, wall_of
from rewriter.timeseries.bucket import TEMPORAL
from rewriter.timeseries.floor import floor
from rewriter.timeseries.literals import read_moment

Tree = exp.Expr
Back = Callable[[RangeSet], RangeSet | None]

_DAY = 86_400_000_000
_COALESCING = ("coalesce", "nvl")


@dataclass(frozen=True)
class Line:
    """A monotone expression of one subject, a column or a time bucket.

    - `kind`: the type of the values that `back` takes
    - `back`: takes a set of the expression's values, and returns the set of the subject's values that give them: for
      `coalesce(n, 0)`, {0} gives {0, NULL}. Returns None if the set cannot be computed
    - `wide`: the type in which Spark compares the expression, if it is wider than `kind`, such as decimal(38,2) for
      `CAST(n AS DECIMAL(38,2))`; else empty
    """

    subject: Tree
    kind: str
    back: Back = lambda values: values
    wide: str = ""

    def value(self, literal: Tree, zone: str) -> Any | None:
        """Return a constant, with which the expression is compared, as a value comparable with the expression's values.

        Return None if `literal` is not a constant. Return None, too, if Spark might round the constant or the
        expression's value, because it compares both as DOUBLE, or as a DECIMAL with too few digits for both, as in
        `CAST(n AS DECIMAL(38,2)) > 0.995`. `zone` is the time zone of TIMESTAMP literals.
        """
        if self.wide != "double":
            return literal_value(literal, self.wide or self.kind, zone)
        value = literal_value(literal, self.kind, zone)
        return value if value is not None and same_in_double(value) else None


def comparable(kind: str) -> bool:
    """Return whether the rewriter can order the values of a type as Spark does.

    True for numbers, dates, timestamps, booleans, and strings of the default collation, which Spark orders by their
    bytes. False for binary values, arrays, structs, and strings of other collations.
    """
    return (
        kind in INTEGERS
        or kind in FRACTIONS
        or kind in TEMPORAL
        or kind in ("string", "boolean")
        or bool(as_decimal(kind))
    )


def line_of(tree: Tree, block: Block, zone: str, *, through: bool = False) -> Line | None:
    """Return a monotone expression as a Line; None for unsupported expressions.

    The Line maps a set of the expression's values to the set of values of its subject: the column or time bucket within
    the expression, as n in `coalesce(n, 0)`. `block` is the block of the expression, `zone` the session's time zone.
    With `through`, the subject of a time's bucket, date or year is the time itself. Without `through`, a bucket is its
    own subject, and the result is None for a date or year of a time.
    """
    column = block.type_of(tree)
    if column is not None:
        return Line(tree, column.type) if comparable(column.type) else None
    timed = _of_time(tree, block, zone) if through else None
    if timed is not None:
        return timed
    if (bucket := as_bucket(tree)) is not None:
        return Line(tree, bucket.type)
    if isinstance(tree, exp.Cast):
        return _widened(tree, block, zone, through)
    if isinstance(tree, exp.Anonymous) and tree.name in _COALESCING and len(tree.expressions) == 2:
        return _coalesced(tree, block, zone, through)
    return None


def _widened(tree: exp.Cast, block: Block, zone: str, through: bool) -> Line | None:
    """Return the Line of a number cast to a wider type that represents all values of the number; None for other casts.

    For an INT column n, the Line of `CAST(n AS BIGINT)` has the subject n. `block` is the block of the expression,
    `zone` the session's time zone. With `through`, the subject of a time's bucket, date or year is the time itself.
    """
    inner = line_of(tree.this, block, zone, through=through)
    kind = tree.to.sql("spark").lower().replace(", ", ",")
    if inner is None or inner.kind in FRACTIONS:
        return None
    if inner.wide == "double":
        return inner if kind == "double" else None
    exact = holds_all(kind, inner.kind) or (kind == "double" and inner.kind in INTEGERS)
    return replace(inner, wide=kind) if exact else None


def _coalesced(tree: exp.Anonymous, block: Block, zone: str, through: bool) -> Line | None:
    """Return the Line of coalesce(x, c) with a constant c; None for other calls.

    The value c stands for x = c and for x IS NULL: `coalesce(x, 0) < 5` gives `x < 5 OR x IS NULL`. `block` is the
    block of the expression, `zone` the session's time zone. With `through`, the subject of a time's bucket, date or
    year is the time itself.

    no:   a DOUBLE c with an integer x, because Spark then compares x as a DOUBLE
    """
    inner, literal = line_of(tree.expressions[0], block, zone, through=through), tree.expressions[1]
    if inner is None or inner.kind in FRACTIONS or (inner.kind in TEMPORAL and not _typed(literal, inner.kind)):
        return None
    value = inner.value(literal, zone)
    if value is None or (inner.kind in INTEGERS and (value.denominator != 1 or is_double(literal))):
        return None
    wide = inner.wide
    if inner.kind in INTEGERS or as_decimal(inner.kind) is not None:
        try:
            wide = common(wide or inner.kind, type_of_number(literal))
        except Uncertain:
            return None
    point = RangeSet.of([value])

    def back(values: RangeSet) -> RangeSet | None:
        held = inner.back(RangeSet(values.intervals))
        return None if held is None else RangeSet(held.intervals, null=point.within(values))

    return replace(inner, back=back, wide=wide) if inner.subject == tree.expressions[0] else None


def _typed(literal: Tree, kind: str) -> bool:
    return isinstance(literal, exp.Cast) and CAST_TYPES.get(literal.to.this) == kind


def _of_time(tree: Tree, block: Block, zone: str) -> Line | None:
    """Return the Line of a time's bucket, date or year, such as `year(ts)`, with the time as its subject.

    Return None for other expressions, and for a TIMESTAMP unless the session's time zone, `zone`, has a fixed offset.
    """
    bucket, day = as_bucket(tree), day_source(tree)
    if bucket is not None:
        source, grain, shown = bucket.source, bucket.grain, bucket.type
    elif day is not None:
        source, grain, shown = day, "day", "date"
    elif isinstance(tree, exp.Anonymous) and tree.name == "year" and len(tree.expressions) == 1:
        source, grain, shown = tree.expressions[0], "year", "int"
    else:
        return None
    column = block.type_of(source)
    kind = column.type if column is not None else ""
    if kind not in TEMPORAL or (kind == "timestamp" and not is_fixed_offset(zone)):
        return None
    steps = _Steps(grain, kind, shown, zone)
    return Line(source, shown, steps.back)


@dataclass(frozen=True)
class _Steps:
    """The function that maps a time of type `kind` to the start of its bucket, which has the type `shown`.

    For `CAST(ts AS DATE)` with a TIMESTAMP ts, `grain` is day, `kind` timestamp and `shown` date. If `shown` is int,
    the function maps the time to its year. `zone` is the session's time zone.
    """

    grain: str
    kind: str
    shown: str
    zone: str

    def back(self, values: RangeSet) -> RangeSet | None:
        """Return the set of times that the function maps into `values`; None if a bound is beyond the year 9999."""
        try:
            return RangeSet.joined([RangeSet(tuple(self._intervals(values)), values.null)])
        except (ValueError, OverflowError):
            return None

    def _intervals(self, values: RangeSet) -> Iterator[Interval]:
        for low, high in values.intervals:
            since = None if low.value is None else self._begin(low.value, after=not low.closed)
            until = None if high.value is None else self._begin(high.value, after=high.closed)
            yield Interval(Bound(since, since is not None), Bound(until, False))

    def _begin(self, value: int, *, after: bool) -> int:
        """Return the least time that the function maps to `value` or more; with `after`, to more than `value`.

        `value` is in the unit of the type `shown`: days since 1970 for date, a year for int, else microseconds since
        1970. The result is in days since 1970 if the times are of type DATE, else in microseconds since 1970.
        """
        wall = self._wall(value)
        border = next_border(floor(wall, self.grain), self.grain) if after else border_behind(wall, self.grain)
        micros = micros_of(border)
        return micros // _DAY if self.kind == "date" else micros - self._offset(self.kind)

    def _wall(self, value: int) -> datetime:
        if self.shown == "int":
            return datetime(value, 1, 1)
        return wall_of(value * _DAY if self.shown == "date" else value + self._offset(self.shown))

    def _offset(self, kind: str) -> int:
        """Return the zone's offset from UTC in microseconds if `kind` is timestamp; 0 for types without a zone."""
        moment = read_moment("1970-01-01", self.zone) if kind == "timestamp" else None
        return -moment.micros if moment is not None else 0
