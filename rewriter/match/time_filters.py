"""Lemmas (see rewriter.match.derive) that derive filters on a time from the time buckets in the storage table."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

from sqlglot import exp

from rewriter.block.points import literal_value
from rewriter.block.words import words
from rewriter.functions.trees import cast, integer_of
from rewriter.functions.types import INTEGERS
from rewriter.match.bounds import divides, is_unknown, moment_of
from rewriter.match.held_times import Read, Rows, is_time, kind_of, other_zone, stored_buckets
from rewriter.match.reasons import Miss, Reason
from rewriter.sql import holds
from rewriter.timeseries import (
    DATE_GRANULARITIES,
    Grain,
    as_bucket,
    bucket_call,
    day_source,
    divides_at,
    is_border,
    nests,
)
from rewriter.timeseries.bucket import TEMPORAL
from rewriter.timeseries.factors import SECONDS
from rewriter.timeseries.floor import EPOCH
from rewriter.timeseries.seconds import MOST, scaled_of
from rewriter.timeseries.steady import LENGTHS
from rewriter.timeseries.zone_data import days_follow

Tree = exp.Expr

RANGES = (exp.GTE, exp.GT, exp.LTE, exp.LT)
_COMPARED = (*RANGES, exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.In)


def compared(tree: Tree, rows: Rows) -> Read:
    """Return a comparison of a time with the start of a bucket as a comparison of the stored bucket of that time.

    If `rows`, the storage columns, have `date_trunc('day', t) AS d`, `t >= '2024-01-01'` gives `d >= '2024-01-01'`.
    Return None for other comparisons, and if the storage table has no bucket that starts at the bound. Return a Miss if
    the bound is known only at execution and may lie within a bucket.

    law:    if a bucket starts at b, then t >= b is bucket(t) >= b, and t < b is bucket(t) < b
    no:     `t = b`, and `t <= b` for a TIMESTAMP, because it includes the first instant of the bucket that starts at b
    """
    kind = kind_of(tree.this, rows)
    if kind not in (*TEMPORAL, *INTEGERS):
        return None
    stored = [each.in_place_of(kind) for each in stored_buckets(tree.this, rows)]
    for each in stored:
        if kind in INTEGERS:
            if _divides_numbers(tree, each.grain, rows):
                return type(tree)(this=each.begin, expression=tree.expression.copy())
        elif _divides(tree, each.grain, str(kind), rows.zone):
            bound = tree.expression
            if each.type == "date" and kind != "date" and day_source(bound) is None:
                # Casting a text with an offset to DATE takes the written day, in any zone.
                elsewhere = isinstance(bound, exp.Literal) and moment_of(bound) is None
                bound = cast(cast(bound, str(kind)) if elsewhere else bound, "date")
            return type(tree)(this=each.begin, expression=bound.copy())
    if not stored or not is_unknown(tree.expression, rows.zone) or not isinstance(rows.compute(tree.this), Miss):
        return None
    grains = ", ".join(str(each.grain) for each in stored)
    return Miss(
        Reason.COLUMN_NOT_IN_VIEW,
        f"{words(tree.this)}: {words(tree)} may select a part of one of the view's time buckets ({grains}): if whole "
        "buckets are meant, round the bound, for example by date_trunc()",
    )


def truncated(tree: Tree, rows: Rows) -> Read:
    """Return a comparison of a converted time with the start of a bucket as a comparison of the time's bucket.

    Return None for other comparisons, and if the bucket cannot be derived. `rows` has the storage columns.

    law:    if a bucket starts at b, then x >= b is bucket(x) >= b, and x < b is bucket(x) < b
    query:  from_utc_timestamp(t, 'America/New_York') >= '2024-01-01'
    view:   date_trunc('minute', t) AS m
    gives:  date_trunc('day', from_utc_timestamp(m, 'America/New_York')) >= '2024-01-01'
    """
    kind = kind_of(tree.this, rows)
    if isinstance(tree.this, exp.Column) or kind not in ("timestamp", "timestamp_ntz") or as_bucket(tree.this):
        return None
    if isinstance(rows.compute(tree.this), exp.Expr):
        return None
    for grain in ("day", "hour", "minute"):
        computed = rows.compute(bucket_call(tree.this, grain, kind)) if _divides(tree, grain, kind, rows.zone) else None
        if isinstance(computed, exp.Expr):
            return type(tree)(this=computed, expression=tree.expression.copy())
    return None


def joined_day(tree: Tree, rows: Rows) -> Read:
    """Return a comparison of a time with a date of a joined table as a comparison of the time's date.

    Return None for other comparisons, and if the time's date cannot be derived. Return None, too, if clocks in the
    session's zone may be set back across midnight: a later time may then have an earlier date. `rows` has the storage
    columns.

    law:    t >= day is date(t) >= day, and t < day is date(t) < day, because Spark compares t with the midnight at
            which the day starts
    query:  JOIN dates d ON t >= d.date AND t < date_add(d.date, 1)
    view:   date_trunc('hour', t) AS h
    gives:  CAST(h AS DATE) >= d.date AND CAST(h AS DATE) < date_add(d.date, 1)
    no:     `t > day` and `t <= day`, because t may be the midnight
    """
    mirrored = isinstance(tree, (exp.LTE, exp.GT))
    time, day = (tree.expression, tree.this) if mirrored else (tree.this, tree.expression)
    if not is_time(time, rows) or kind_of(day, rows) != "date" or not holds(day, exp.Column):
        return None
    follow = kind_of(time, rows) == "timestamp_ntz" or days_follow(rows.zone, rows.since(time))
    if not follow or isinstance(rows.compute(time), exp.Expr):
        return None
    date, bound = rows.compute(cast(time, "date")), rows.compute(day)
    if isinstance(date, Miss) or isinstance(bound, Miss):
        return None
    sides = (bound, date) if mirrored else (date, bound)
    return type(tree)(this=sides[0], expression=sides[1])


def dated(tree: Tree, rows: Rows) -> Read:
    """Return a comparison of a time's date with the first day of a bucket as a comparison of the stored bucket.

    Return None for other comparisons, and if the storage table has no bucket of the time that starts on that day.
    `rows` has the storage columns.

    law:    if a bucket of whole days starts on a day, then date(t) >= day is date(bucket(t)) >= day, in every time zone
    query:  to_date(t) >= '2024-02-01'
    view:   date_trunc('month', t) AS m
    gives:  CAST(m AS DATE) >= '2024-02-01'
    """
    source = day_source(tree.this)
    if source is None or not is_time(source, rows) or isinstance(rows.compute(tree.this), exp.Expr):
        return None
    for stored in (each.in_place_of("timestamp") for each in stored_buckets(source, rows)):
        if stored.grain in DATE_GRANULARITIES and _begins(tree, str(stored.grain), rows):
            begin = stored.begin if stored.type == "date" else cast(stored.begin, "date")
            return type(tree)(this=begin, expression=tree.expression.copy())
    return None


def _begins(tree: Tree, grain: str, rows: Rows) -> bool:
    """Return whether a comparison of a date is true for all or for none of the days of each bucket of the grain.

    For `day >= bound` and `day < bound`, the bound must be the first day of a bucket; for `day > bound` and
    `day <= bound`, the last day. `rows` has the session's time zone.
    """
    if is_unknown(tree.expression, rows.zone):
        return divides(tree, grain, "date", rows.zone)
    days = literal_value(tree.expression, "date", rows.zone)
    if days is None:
        return False
    try:
        first = EPOCH + timedelta(days=days + isinstance(tree, (exp.LTE, exp.GT)))
    except OverflowError:
        return False
    return is_border(first, grain)


def absent(tree: Tree, rows: Rows) -> Read:
    """Return IS [NOT] NULL of a time as IS [NOT] NULL of its stored bucket; None if no bucket of the time is stored.

    `rows` has the storage columns.
    """
    if not isinstance(tree.expression, exp.Null) or kind_of(tree.this, rows) not in (*TEMPORAL, *INTEGERS):
        return None
    if isinstance(rows.compute(tree.this), exp.Expr):
        return None
    made = scaled_of(tree.this, partial(kind_of, rows=rows), rows.since)
    found = next(stored_buckets(tree.this if made is None else made.source, rows), None)
    return exp.Is(this=found.begin, expression=exp.Null()) if found is not None else None


def undecided(tree: Tree, rows: Rows) -> Miss | None:
    """Return a Miss that explains why the stored buckets of a time do not decide a comparison of the time.

    Return None for other expressions, and if the storage table has no bucket of the time. `rows` has the storage
    columns.

    query:  t <= '2024-02-01', t = '2024-02-01', t >= '2024-02-01 10:30:00'
    view:   date_trunc('day', t) AS d
    """
    time = tree.this
    kind = kind_of(time, rows) if isinstance(tree, _COMPARED) else None
    if kind not in (*TEMPORAL, *INTEGERS) or isinstance(rows.compute(time), exp.Expr):
        return None
    if (elsewhere := other_zone(time, rows)) is not None:
        return elsewhere
    stored = [each.in_place_of(kind) for each in stored_buckets(time, rows)]
    if not stored:
        return None
    unit = "" if kind in INTEGERS else " s"  # a column of numbers may count milliseconds
    grains = ", ".join(
        dict.fromkeys(f"{each.grain}{unit}" if isinstance(each.grain, int) else each.grain for each in stored)
    )
    begins = kind in TEMPORAL and isinstance(tree, RANGES) and not is_unknown(tree.expression, rows.zone)
    if begins and any(_divides(tree, each.grain, str(kind), "UTC") for each in stored):
        return Miss(
            Reason.ZONE_NOT_PROVED,
            f"{words(tree)} may select a part of one of the view's time buckets ({grains}) in the time zone "
            f"{rows.zone}: use finer buckets in the view or, if earlier rows do not matter, a later bound",
        )
    return Miss(
        Reason.COLUMN_NOT_IN_VIEW,
        f"{words(time)}: {words(tree)} may select a part of one of the view's buckets ({grains}): use finer buckets "
        "in the view or, if whole buckets are meant, compare with the start of a bucket by >= or <",
    )


def _divides_numbers(tree: Tree, grain: Grain, rows: Rows) -> bool:
    """Return whether comparing a BIGINT with a literal has one result for all seconds of each bucket of the grain.

    The BIGINT is a number of seconds since 1970. Return False if this is not certain. `rows` has the session's time
    zone, and a lower bound of the BIGINT if the query implies one.
    """
    least = integer_of(tree.expression)
    if least is None or abs(least) >= MOST:
        return False
    border = least + isinstance(tree, (exp.LTE, exp.GT))
    steps = [grain] if isinstance(grain, int) else [LENGTHS[grain]] if grain in LENGTHS else []
    since = rows.since(tree.this)
    return any(border % step == 0 and nests(grain, step, SECONDS, rows.zone, since) for step in steps)


def _divides(tree: Tree, grain: Grain, kind: str, zone: str) -> bool:
    """Return whether a comparison of a time is certainly true for all or for none of the times of each bucket.

    `grain` is the grain of the buckets, `kind` the type of the time, and `zone` the time zone.
    """
    if is_unknown(tree.expression, zone):
        return divides(tree, grain, kind, zone)
    moment = moment_of(tree.expression, zone if kind == "timestamp" else None)
    inclusive = isinstance(tree, (exp.LTE, exp.GT))
    # Spark must compare in the type of the time: if it casts the column instead, the border is another.
    if moment is None or literal_value(tree.expression, kind, zone) is None:
        return False
    # The values beyond an inclusive bound begin one day (DATE) or one microsecond later.
    step = timedelta(days=1) if kind == "date" else timedelta(microseconds=1)
    try:
        wall = moment.wall + step if inclusive else moment.wall
    except OverflowError:
        return False
    if kind == "timestamp" or isinstance(grain, int):
        return divides_at(wall, grain, zone)
    return is_border(wall, grain)
