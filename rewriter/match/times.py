"""What is asked of a point in time, from the storage's buckets of it, or from its days."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from typing import NamedTuple, Protocol

from sqlglot import exp

from rewriter.block import Block, meaning, range_of
from rewriter.block.words import words
from rewriter.functions.times import OF_DATES
from rewriter.functions.trees import cast
from rewriter.match.bounds import divides, is_unknown, moment_of
from rewriter.match.candidate import Miss, Reason
from rewriter.schema import UNKNOWN, expression_type
from rewriter.timeseries import (
    DATE_GRANULARITIES,
    DATE_TRUNC_UNITS,
    Grain,
    as_bucket,
    begin_of,
    bucket_call,
    date_of_fields,
    day_source,
    factor_of,
    has_left_out_days,
    is_border,
    is_fixed_offset,
    label_source,
    nests,
    read_moment,
    told_by,
)
from rewriter.timeseries.bucket import TEMPORAL
from rewriter.timeseries.seconds import seconds_of

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


class Stored(NamedTuple):
    """A bucket of a point in time that the storage tells: its grain, and its begin over the storage with its type."""

    grain: Grain
    type: str
    begin: Tree


def read_time(tree: Tree, rows: Rows) -> Read:
    """A bucket, a label or a bound of a time that the storage holds coarser than it was; None for all else."""
    return (
        _bucket(tree, rows)
        or _midnight(tree, rows)
        or _factored(tree, rows)
        or _of_dates(tree, rows)
        or _compared(tree, rows)
        or _unfactored(tree, rows)
    )


def _kind(tree: Tree, rows: Rows) -> str | None:
    kind = expression_type(tree, rows.block)
    return None if kind == UNKNOWN else kind


def _stored(source: Tree, rows: Rows) -> Iterator[Stored]:
    """What the storage tells of the buckets of a point in time, its columns first."""
    wanted = meaning(source)
    for tree, column in rows.rows.items():
        told = told_by(tree, lambda node: _kind(node, rows))
        if told is not None and told.source == wanted:
            yield Stored(told.grain, told.type, told.begin(column.copy()))
    made = date_of_fields(wanted, rows.rows.get)
    if made is not None:
        yield Stored(made[0], "date", made[1])


def _bucket(tree: Tree, rows: Rows) -> Read:
    """A coarser bucket from a finer one.

    law:    every bucket of the stored grain lies within one bucket of the asked grain
    query:  timeseries(t, 'hour')
    view:   timeseries(t, 'minute') AS m
    gives:  timeseries(m, 'hour')
    no:     'week' to 'month', 'ten_minute' to 'fifteen_minute'
    """
    told = told_by(tree, lambda node: _kind(node, rows))
    asked, day = as_bucket(tree), day_source(tree)
    if told is None or not isinstance(told.grain, str) or (asked is None and day is None):
        return None
    grain, kind = told.grain, asked.type if asked is not None else "date"
    if asked is not None and day_source(asked.source) is not None and isinstance(rows.compute(asked.source), exp.Expr):
        return None  # the dates themselves are held

    def build(stored: Stored) -> Tree:
        if stored.type == "date":
            return begin_of(stored.begin, stored.grain, grain, kind)
        found = bucket_call(stored.begin, grain, stored.type)
        return found if kind == stored.type else cast(stored.begin if asked is None else found, kind)

    return _nested(told.source, grain, rows, build)


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
    return _nested(
        source, grain, rows, lambda stored: exp.Anonymous(this=tree.name, expressions=[unit.copy(), stored.begin])
    )


def _factored(tree: Tree, rows: Rows) -> Read:
    """A function of a bucket, as a label of a time is, from any bucket that nests in it.

    query:  year(t), date_format(t, 'yyyy-MM'), floor(unix_timestamp(t) / 3600)
    view:   timeseries(t, 'minute') AS m
    gives:  the same of m
    """
    factor = factor_of(tree, lambda node: _kind(node, rows), rows.zone)
    if factor is None:
        return None

    def build(stored: Stored) -> Tree:
        timed = stored.type == "date" and label_source(tree) is None and _kind(factor.within, rows) == "timestamp"
        begin = cast(stored.begin, "timestamp") if timed else stored.begin
        return tree.transform(lambda node: begin.copy() if node == factor.within else node)

    return _nested(factor.source, factor.grain, rows, build)


def _of_dates(tree: Tree, rows: Rows) -> Read:
    """A function of dates, of a time: Spark takes the date on which it lies.

    query:  date_sub(t, dayofweek(t) - 1)
    gives:  date_sub(CAST(m AS DATE), dayofweek(m) - 1)
    """
    if not isinstance(tree, exp.Anonymous) or tree.name not in OF_DATES:
        return None
    timed = [i for i in OF_DATES[tree.name] if i < len(tree.expressions) and _is_time(tree.expressions[i], rows)]
    if not timed or any(isinstance(rows.compute(tree.expressions[i]), exp.Expr) for i in timed):
        return None
    arguments = []
    for i, argument in enumerate(tree.expressions):
        computed = rows.compute(cast(argument, "date") if i in timed else argument)
        if isinstance(computed, Miss):
            return computed
        arguments.append(computed)
    return exp.Anonymous(this=tree.name, expressions=arguments)


def _unfactored(tree: Tree, rows: Rows) -> Miss | None:
    """What looks like a function of buckets and is none, where the storage has buckets."""
    if isinstance(tree, exp.Anonymous) and tree.name == "months_between":
        source, why = tree.expressions[0], "months_between() takes the time of the day, too"
    elif isinstance(tree, exp.IntDiv | exp.Mod):
        counted = seconds_of(tree.this, lambda node: _kind(node, rows))
        if counted is None:
            return None
        source, why = counted.source, "before 1970 DIV and % round up; floor() and pmod() round down"
    else:
        return None
    if isinstance(rows.compute(source), exp.Expr) or not any(True for _ in _stored(source, rows)):
        return None
    return Miss(Reason.COLUMN_NOT_IN_VIEW, f"{words(source)}: {why}")


def _is_time(tree: Tree, rows: Rows) -> bool:
    return _kind(tree, rows) in ("timestamp", "timestamp_ntz")


def _nested(source: Tree, grain: Grain, rows: Rows, build: Callable[[Stored], Tree]) -> Read:
    """What is built of the first of the storage's buckets that nest in those of a grain."""
    unproved = False
    for stored in _stored(source, rows):
        if nests(stored.grain, grain, stored.type, rows.zone):
            return build(stored)
        unproved |= nests(stored.grain, grain, stored.type, "UTC")
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
    kind = _kind(tree.this, rows)
    if kind not in TEMPORAL:
        return None
    stored = list(_stored(tree.this, rows))
    for each in stored:
        if _divides(tree, each.grain, str(kind), rows):
            bound = tree.expression
            if each.type == "date" and kind != "date" and day_source(bound) is None:
                bound = cast(bound, "date")
            return type(tree)(this=each.begin, expression=bound.copy())
    if not stored or not is_unknown(tree.expression) or not isinstance(rows.compute(tree.this), Miss):
        return None
    grains = ", ".join(str(each.grain) for each in stored)
    return Miss(
        Reason.COLUMN_NOT_IN_VIEW, f"{words(tree.this)}, and {words(tree)} may divide one of its buckets ({grains})"
    )


def _divides(tree: Tree, grain: Grain, kind: str, rows: Rows) -> bool:
    """Whether the comparison divides the buckets of a grain and type from each other, and none of them."""
    if is_unknown(tree.expression):
        return isinstance(grain, str) and divides(tree, grain, kind, rows.zone)
    moment = moment_of(tree.expression)
    inclusive = isinstance(tree, exp.LTE | exp.GT)
    # Only where the column is compared in its own type: a coercion would move the border.
    if moment is None or range_of(tree, rows.block, rows.zone) is None:
        return False
    # What lies behind an inclusive bound begins with the next value of the type: a day, or a microsecond, later.
    step = timedelta(days=1) if kind == "date" else timedelta(microseconds=1)
    try:
        wall = moment.wall + step if inclusive else moment.wall
    except OverflowError:
        return False
    if isinstance(grain, int):
        at = read_moment(wall.isoformat(sep=" "), rows.zone)
        return at is not None and is_fixed_offset(rows.zone) and at.micros % (grain * 1_000_000) == 0
    return (kind != "timestamp" or is_fixed_offset(rows.zone)) and is_border(wall, grain)
