"""Lemmas (see rewriter.match.derive) that derive expressions over a time from stored time buckets or dates."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from sqlglot import exp

from rewriter.block.words import words
from rewriter.functions.times import OF_DATES
from rewriter.functions.trees import cast
from rewriter.functions.types import INTEGERS
from rewriter.match.held_times import Read, Rows, Stored, is_time, kind_of, other_zone, stored_buckets
from rewriter.match.reasons import Miss, Reason
from rewriter.match.time_filters import RANGES
from rewriter.sql import columns_in
from rewriter.timeseries import (
    DATE_GRANULARITIES,
    DATE_TRUNC_UNITS,
    Grain,
    as_bucket,
    begin_of,
    bucket_call,
    day_source,
    factor_of,
    has_left_out_days,
    label_source,
    nests,
    scaled_grain,
    told_by,
)
from rewriter.timeseries.seconds import Scaled, SinceOf, scaled_of, seconds_of

Tree = exp.Expr


def bucket(tree: Tree, rows: Rows) -> Read:
    """Return a time bucket, or a date, computed from a stored finer bucket; None if no finer bucket is stored.

    Return a Miss if finer buckets are stored, but were computed in another time zone, or may lie in two coarser buckets
    in the session's zone. `rows` has the storage columns.

    law:    a bucket can be computed from a finer bucket if every finer bucket lies within one bucket of the requested
            grain
    query:  timeseries(t, 'hour')
    view:   timeseries(t, 'minute') AS m
    gives:  timeseries(m, 'hour')
    no:     'month' from 'week', or 'fifteen_minute' from 'ten_minute', because a finer bucket may lie in two coarser
            ones
    """
    asked = as_bucket(tree)
    if asked is None and day_source(tree) is None:
        return None
    told = told_by(tree, lambda node: kind_of(node, rows), rows.since)
    if told is None or not isinstance(told.grain, str):
        return None
    grain, kind = told.grain, asked.type if asked is not None else "date"
    if asked is not None and day_source(asked.source) is not None and isinstance(rows.compute(asked.source), exp.Expr):
        return None  # storage holds the dates themselves

    def build(stored: Stored) -> Tree:
        stored = stored.in_place_of(kind)
        if stored.type == "date":
            return begin_of(stored.begin, stored.grain, grain, kind)
        found = bucket_call(stored.begin, grain, stored.type)
        return found if kind == stored.type else cast(stored.begin if asked is None else found, kind)

    return _nested(told.source, grain, rows, build)


def midnight(tree: Tree, rows: Rows) -> Read:
    """Return date_trunc() of a DATE, which Spark returns as a TIMESTAMP, computed from a stored finer bucket of DATEs.

    Return None for other expressions, if the storage table has no finer bucket, and in a zone that has skipped dates.
    `rows` has the storage columns.

    law:    date_trunc() of a date equals date_trunc() of the first day of a finer bucket of the date, if the date
            exists in the session time zone
    query:  date_trunc('quarter', d)
    view:   trunc(d, 'MONTH') AS m
    gives:  date_trunc('quarter', m)
    no:     a zone that skipped the last day of a month, because Spark converts that day to the following day
    """
    if tree.name != "date_trunc" or len(tree.expressions) != 2:
        return None
    unit, source = tree.expressions
    # A unit that is not a literal may be a column with the name of a unit.
    grain = DATE_TRUNC_UNITS.get(unit.name.upper(), "") if isinstance(unit, exp.Literal) else ""
    declared = rows.block.type_of(source)
    dates = declared is not None and declared.type == "date"
    if not dates or grain not in DATE_GRANULARITIES or has_left_out_days(rows.zone):
        return None
    return _nested(
        source, grain, rows, lambda stored: exp.Anonymous(this=tree.name, expressions=[unit.copy(), stored.begin])
    )


def factored(tree: Tree, rows: Rows) -> Read:
    """Return a function whose value is constant within a bucket, such as year(), computed from a stored finer bucket.

    Return None for other functions, and if the storage table has no finer bucket. Return a Miss if finer buckets are
    stored, but were computed in another time zone, or may lie in two coarser buckets in the session's zone. `rows` has
    the storage columns.

    query:  year(t), date_format(t, 'yyyy-MM'), floor(unix_timestamp(t) / 3600)
    view:   timeseries(t, 'minute') AS m
    gives:  the same functions of m
    """
    factor = factor_of(tree, lambda node: kind_of(node, rows), rows.zone, rows.since)
    if factor is None:
        return None

    def build(stored: Stored) -> Tree:
        stored = stored.in_place_of(kind_of(factor.within, rows))
        timed = stored.type == "date" and label_source(tree) is None and kind_of(factor.within, rows) == "timestamp"
        begin = cast(stored.begin, "timestamp") if timed else stored.begin

        def put(node: Tree) -> Tree:
            if node != factor.within:
                return node
            of_dates = isinstance(node.parent, exp.Anonymous) and node.parent.name in OF_DATES
            return (stored.begin if of_dates else begin).copy()

        return tree.transform(put)

    return _nested(factor.source, factor.grain, rows, build)


def scaled(tree: Tree, rows: Rows) -> Read:
    """Return a bucket or a function of an instant made of milliseconds, computed from a stored bucket of milliseconds.

    Return None for other expressions, and if the storage table has no finer bucket. `rows` has the storage columns.

    query:  date_trunc('day', timestamp_millis(ms)), year(timestamp_millis(ms))
    view:   ms DIV 60000 AS m, if ms is never negative
    gives:  date_trunc('day', timestamp_millis(m * 60000)), year(timestamp_millis(m * 60000))
    """
    asked = _asked_of(tree, rows, rows.since)
    if asked is None:
        return None
    found, grain, since = asked.number, asked.grain, rows.since(asked.time)
    number = found.source

    def build(stored: Stored) -> Tree:
        begin = stored.in_place_of(kind_of(number, rows)).begin
        return tree.transform(lambda node: begin.copy() if node == number else node)

    return _nested(number, scaled_grain(found.times, grain, rows.zone, since), rows, build)


# The kinds of expressions that may be a bucket, or a function, of an instant made of milliseconds.
INSTANTS = (exp.Anonymous, exp.Cast, exp.IntDiv, exp.Mul, exp.Sub)


class _Asked(NamedTuple):
    """The time bucket on which an expression depends: the bucket of `grain` that contains the instant `time`.

    `number` is the integer column of milliseconds or microseconds since 1970 from which the instant is made.
    """

    time: Tree
    number: Scaled
    grain: Grain


def _asked_of(tree: Tree, rows: Rows, since_of: SinceOf) -> _Asked | None:
    """Return the bucket of an instant such as `timestamp_millis(n)` that determines the value of an expression.

    `year(timestamp_millis(n))` gives the bucket of the grain year. Return None for other expressions. `rows` has the
    query's block, and `since_of` returns a lower bound of a column (None if unknown).
    """
    kind = partial(kind_of, rows=rows)
    # Most queries have no such columns; and each operand of a long sum comes here, which need not be searched again.
    if not isinstance(tree, INSTANTS) or not any(kind(column) in INTEGERS for column in columns_in(tree)):
        return None
    told = told_by(tree, kind, since_of) if as_bucket(tree) or day_source(tree) is not None else None
    factor = factor_of(tree, kind, rows.zone, since_of) if told is None else None
    of = (told.source, told.grain) if told is not None else (factor.within, factor.grain) if factor else None
    found = scaled_of(of[0], kind, since_of) if of is not None else None
    return _Asked(of[0], found, of[1]) if of is not None and found is not None else None


def of_dates(tree: Tree, rows: Rows) -> Read:
    """Return a date function of a TIMESTAMP, computed from the timestamp's date; None for other expressions.

    Return a Miss if the date cannot be derived. `rows` has the storage columns.

    query:  date_sub(t, dayofweek(t) - 1)
    view:   timeseries(t, 'hour') AS m
    gives:  date_sub(CAST(m AS DATE), dayofweek(m) - 1)
    """
    if tree.name not in OF_DATES:
        return None
    timed = [i for i in OF_DATES[tree.name] if i < len(tree.expressions) and is_time(tree.expressions[i], rows)]
    if not timed or all(isinstance(rows.compute(tree.expressions[i]), exp.Expr) for i in timed):
        return None
    arguments = []
    for i, argument in enumerate(tree.expressions):
        computed = rows.compute(cast(argument, "date") if i in timed else argument)
        if isinstance(computed, Miss):
            return computed
        arguments.append(computed)
    return exp.Anonymous(this=tree.name, expressions=arguments)


def unfactored(tree: Tree, rows: Rows) -> Miss | None:
    """Return a Miss that explains why months_between(), timestampdiff(), DIV or % of a time cannot be computed from the
    time's stored buckets.

    DIV and % are applied to the time's seconds, as in `unix_timestamp(t) % 3600`. This function runs after all lemmas
    have failed to compute the expression. Return None for other expressions, and if the storage table has no buckets
    of the time. `rows` has the storage columns.
    """
    if isinstance(tree, exp.Anonymous) and tree.name == "months_between":
        source = tree.expressions[0]
        why = "months_between() depends on the time of day: call months_between() with dates"
    elif isinstance(tree, (exp.IntDiv, exp.Mod)):
        counted = seconds_of(tree.this, lambda node: kind_of(node, rows), lambda time: 0)
        if counted is None:
            return None
        source, why = counted.source, "DIV and % round up before 1970: use floor() and pmod(), which round down"
    elif isinstance(tree, exp.Anonymous) and tree.name == "timestampdiff" and not columns_in(tree.expressions[1]):
        source, start = tree.expressions[2], words(tree.expressions[1])
        why = (
            f"timestampdiff() rounds towards {start}: filter by a time at least two days after that constant, which "
            "must be the start of a bucket, or use an earlier constant"
        )
    else:
        return None
    if isinstance(rows.compute(source), exp.Expr) or not any(True for _ in stored_buckets(source, rows)):
        return None
    return Miss(Reason.COLUMN_NOT_IN_VIEW, f"{words(source)}: the view's time buckets do not suffice, because {why}")


def unbounded(tree: Tree, rows: Rows) -> Miss | None:
    """Return a Miss if stored buckets of a BIGINT column are unusable because the column has no known bounds.

    Only a bounded BIGINT can be a number of seconds since 1970. Return None for other expressions. `rows` has the
    storage columns.
    """
    kind = partial(kind_of, rows=rows)
    factor = None if isinstance(tree, RANGES) else factor_of(tree, kind, rows.zone, _from_0)
    source = tree.this if isinstance(tree, RANGES) else factor.source if factor is not None else None
    if not isinstance(source, exp.Column) and (asked := _asked_of(tree, rows, _from_0)) is not None:
        source = asked.number.source
    if not isinstance(source, exp.Column) or kind(source) != "bigint" or rows.since(source) is not None:
        return None
    stored = (told for held in rows.rows if (told := told_by(held, kind, _from_0)) is not None)
    unknown = any(told.source == source for told in stored) and isinstance(rows.compute(source), Miss)
    return Miss(Reason.BOUNDS_UNKNOWN, words(source)) if unknown else None


_2000 = 946_684_800  # the seconds from 1970 to 2000


def _from_0(node: Tree) -> int:
    return 0


def _nested(source: Tree, grain: Grain, rows: Rows, build: Callable[[Stored], Tree]) -> Read:
    """Return `build(stored)` for the first stored bucket of `source` that lies within one bucket of the grain `grain`.

    Return None if the storage table has no such bucket. Return a Miss if finer buckets of `source` are stored, but were
    computed in another time zone, or may lie in two buckets of `grain` in the session's zone. `rows` has the storage
    columns.
    """
    unproved = False
    for stored in stored_buckets(source, rows):
        if nests(stored.grain, grain, stored.type, rows.zone, rows.since(source)):
            return build(stored)
        unproved |= nests(stored.grain, grain, stored.type, "UTC")
    if isinstance(rows.compute(source), Miss) and (elsewhere := other_zone(source, rows)) is not None:
        return elsewhere
    if unproved and isinstance(rows.compute(source), Miss):
        remedy = "use finer buckets in the view"
        if any(nests(stored.grain, grain, stored.type, rows.zone, _2000) for stored in stored_buckets(source, rows)):
            remedy += f", or exclude times before changes of the zone's offset, as by {words(source)} >= '2000-01-01'"
        return Miss(
            Reason.ZONE_NOT_PROVED,
            f"the view's buckets may cross borders of the query's buckets in the time zone {rows.zone}: {remedy}",
        )
    return None
