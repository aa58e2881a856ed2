"""Time bounds of filters whose value is known only at execution, such as `current_date() - 30`.

The text of a bound shows whether the bound is the start of a time bucket: `current_date() - 30` is the start of a day,
`date_trunc('month', now())` is the start of a month, and `now() - INTERVAL 1 HOUR` is the start of no bucket. A grain
is the length of time buckets, such as "day"; a border is the start of a bucket.
"""

from __future__ import annotations

from math import gcd

from sqlglot import exp

from rewriter.block.since import least_of
from rewriter.block.traits import is_constant, is_literal
from rewriter.block.vocabulary import CAST_TYPES
from rewriter.functions.trees import cast, integer_of
from rewriter.schema import Uncertain, type_of
from rewriter.sql import interval_of
from rewriter.timeseries import (
    DATE_GRANULARITIES,
    GRANULARITIES,
    Grain,
    as_bucket,
    bucket_call,
    divides_instant,
    is_border,
    is_fixed_offset,
    keeps_whole,
    read_moment,
    rolls_up,
)
from rewriter.timeseries.bucket import DATE_TRUNC_UNITS, TEMPORAL
from rewriter.timeseries.granularity import SUB_HOUR_MINUTES
from rewriter.timeseries.literals import Moment
from rewriter.timeseries.zone_data import midnights_exist, shift_of

Tree = exp.Expr

# The length of the buckets of each grain, as a number and a unit, in a zone without offset changes.
_LENGTHS = {
    "second": (1, "SECOND"),
    "minute": (60, "SECOND"),
    **{grain: (minutes * 60, "SECOND") for grain, minutes in SUB_HOUR_MINUTES.items()},
    "hour": (3_600, "SECOND"),
    "day": (86_400, "SECOND"),
    "week": (604_800, "SECOND"),
    "month": (1, "MONTH"),
    "quarter": (3, "MONTH"),
    "year": (12, "MONTH"),
}


_ONE = exp.Literal.number(1)


def is_unknown(tree: Tree, zone: str) -> bool:
    """Return whether `tree` is a constant whose local time in `zone` is known only at execution.

    `current_date() - 30` is one. A TIMESTAMP literal with an offset is one in a zone whose offset changes, because its
    local time there depends on the edition of the zone data that Spark uses.
    """
    return is_constant(tree) and (not is_literal(tree) or instant_of(tree, zone) is not None)


def instant_of(bound: Tree, zone: str) -> int | None:
    """Return the instant of `bound`, a TIMESTAMP literal with an offset, in microseconds since 1970.

    Return None for other literals, and for all literals if `zone` has a fixed offset, in which `moment_of` gives the
    local time of the literal. In other zones, this local time depends on the edition of the zone data that Spark uses.
    """
    typed = not isinstance(bound, exp.Cast) or CAST_TYPES.get(bound.to.this) == "timestamp"
    text = bound.this if isinstance(bound, exp.Cast) else bound
    written = isinstance(text, exp.Literal) and text.is_string and typed and not is_fixed_offset(zone)
    moment = read_moment(text.name, "UTC") if written and read_moment(text.name, None) is None else None
    return moment.micros if moment is not None else None


def moment_of(bound: Tree, zone: str | None = None) -> Moment | None:
    """Return the local time of a literal bound; None for all other bounds.

    A literal with an offset is converted to the local time of `zone`, which must have a fixed offset; without `zone`,
    the result for such a literal is None.
    """
    text = bound.this if isinstance(bound, exp.Cast) else bound
    if not isinstance(text, exp.Literal) or not text.is_string:
        return None
    return read_moment(text.name, None) or (read_moment(text.name, zone) if zone is not None else None)


def divides(comparison: Tree, grain: Grain, kind: str, zone: str) -> bool:
    """Return whether a comparison of a time with a bound is true for all or for none of the times in each bucket.

    `comparison` is `t >= b`, `t > b`, `t <= b` or `t < b`. `grain` is the grain of the buckets, `kind` the type of the
    time, `zone` the session's time zone.

    law:    t >= b and t < b have one value for all times of a bucket if a bucket starts at b; d <= b and d > b have one
            value for all DATEs of a bucket if a bucket starts on the day after b
    query:  order_time >= current_date() - 30, day <= last_day(current_date())
    no:     `t >= now() - INTERVAL 7 DAYS`, because this bound lies within a bucket
    no:     `t <= b` for a TIMESTAMP, because it includes the first instant of the bucket that starts at b
    no:     `t >= date_trunc('day', now()) - INTERVAL 1 DAY` where clocks skip a midnight: that day starts at one
            o'clock, and one o'clock of the day before is not the start of a day
    """
    bound = comparison.expression
    instant = instant_of(bound, zone) if kind == "timestamp" else None
    if instant is not None:
        return divides_instant(instant + isinstance(comparison, (exp.LTE, exp.GT)), grain, zone)
    if not isinstance(grain, str):
        return False
    if not is_comparable(bound, kind, zone) and not stays_steady(bound, grain, kind, zone):
        return False
    if grain in DATE_GRANULARITIES and _is_moved_time(bound) and not midnights_exist(zone, least_of(bound)):
        return False
    if isinstance(comparison, (exp.GTE, exp.LT)):
        begun = _begun(bound)
    else:
        begun = _begun_behind(bound) if _type(bound) == kind == "date" else None
    return begun is not None and rolls_up(grain, begun)


def _is_moved_time(bound: Tree) -> bool:
    """Return whether a bound contains a TIMESTAMP plus or minus an interval, such as `now() - INTERVAL 1 DAY`."""
    sums = (each for each in bound.find_all(exp.Add, exp.Sub) if isinstance(each.expression, exp.Interval))
    return any(_type(each.this) == "timestamp" for each in sums)


def _type(tree: Tree) -> str | None:
    try:
        return type_of(tree, lambda column: None)
    except Uncertain:
        return None


def _begun(bound: Tree) -> str | None:
    """Return the coarsest grain that has a bucket starting at the bound, whenever the query runs.

    `current_date()` gives day. Return None if no grain is known to have such a bucket.
    """
    begun = _moved(bound) or _truncated(bound) or _converted(bound)
    return _at_least_a_day(begun) if _type(bound) == "date" else begun


def _at_least_a_day(begun: str | None) -> str:
    return begun if begun is not None and rolls_up("day", begun) else "day"


def _begun_behind(bound: Tree) -> str | None:
    """Return the coarsest grain that has a bucket starting on the day after the bound, whenever the query runs.

    `last_day(d)` gives month. Return None if no grain is known to have such a bucket.
    """
    if isinstance(bound, exp.Anonymous) and bound.name == "last_day":
        return "month"
    back = isinstance(bound, exp.Sub) or (isinstance(bound, exp.Anonymous) and bound.name == "date_sub")
    moved, days = [*bound.iter_expressions()][:2] if back else (bound, bound)
    one = interval_of(days) == (1, "DAY") or integer_of(days) == 1
    return _at_least_a_day(_begun(moved) if one else None)


def next_begin(bound: Tree, grain: str, kind: str) -> Tree:
    """Return the SQL expression for the end of the bucket that contains the bound; the bound is cast to type `kind`.

    The grain "day" and the kind "timestamp" give `date_trunc('DAY', CAST(bound AS TIMESTAMP)) + INTERVAL 1 DAY`.
    """
    length, counted = _LENGTHS[grain]
    # an interval of days, so that DATE + interval is a DATE
    units = ("day", "hour", "minute", "second") if counted == "SECOND" else ("month",)
    unit, one = next((unit, _LENGTHS[unit][0]) for unit in units if length % _LENGTHS[unit][0] == 0)
    interval = exp.Interval(this=exp.Literal.string(str(length // one)), unit=exp.var(unit.upper()))
    return exp.Add(this=last_begin(bound, grain, kind), expression=interval)


def last_begin(bound: Tree, grain: str, kind: str) -> Tree:
    """Return the SQL expression for the start of the bucket that contains the bound; the bound is cast to type `kind`.

    The grain "day" gives `date_trunc('DAY', bound)` for a bound of type `kind`.
    """
    source = bound.copy()
    return bucket_call(source if _type(bound) == kind else cast(source, kind), grain, kind)


def is_comparable(bound: Tree, kind: str, zone: str) -> bool:
    """Return whether comparing the local times of a time and a bound gives the same result as comparing their instants.

    If the results are the same, `t >= b` equals `bucket(t) >= b` for a bound b at which a bucket starts. `kind` is the
    type of the time, `zone` the session's time zone. Return False if the time or the bound depends on a zone whose
    offset changes, because clocks may then go back, and if the bound is not a time.
    """
    zoned = kind == "timestamp" or _is_zoned(bound)
    return _type(bound) in TEMPORAL and (not zoned or is_fixed_offset(zone))


def stays_steady(bound: Tree, grain: str, kind: str, zone: str) -> bool:
    """Return whether the offset of `zone` is constant within each bucket from the bound on, whenever the query runs.

    `grain` is the grain of the buckets, and `kind` the type of the bucketed time. Return False if a constant offset
    cannot be proved.
    """
    # A DATE or TIMESTAMP_NTZ has every midnight, even one that clocks in the session's zone skip.
    if _type(bound) not in TEMPORAL or (kind != "timestamp" and grain in DATE_GRANULARITIES):
        return False
    since = least_of(bound)
    return since is not None and keeps_whole(grain, zone, since)


def _is_zoned(bound: Tree) -> bool:
    """Return whether a bound's time of day depends on the session's time zone, as for `now()`; False for a DATE."""
    of = _type(bound)
    operands = (tree for tree in bound.iter_expressions() if not isinstance(tree, (exp.DataType, exp.Interval)))
    return of == "timestamp" or (of != "date" and any(map(_is_zoned, operands)))


def _moved(bound: Tree) -> str | None:
    """Return the coarsest grain that has a bucket starting at a bound that is a time plus or minus an interval.

    `date_trunc('month', now()) - INTERVAL 1 DAY` gives day. Return None for other bounds, and if no grain is known to
    have such a bucket.
    """
    step: tuple[int, str] | None = None
    if isinstance(bound, (exp.Add, exp.Sub)) and isinstance(bound.expression, exp.Interval):
        step, moved = _step(bound.expression), bound.this
    elif isinstance(bound, exp.Anonymous) and bound.name == "add_months":
        step, moved = (1, "MONTH"), bound.expressions[0]
    elif isinstance(bound, exp.Anonymous) and bound.name == "timestampadd":
        unit, count, moved = bound.expressions
        whole = integer_of(count)
        # In local time, the shift may be longer or shorter than this number of seconds, but only by whole hours.
        step = (gcd(whole * _LENGTHS[unit.name.lower()][0], 3600), "SECOND") if whole is not None else None
    begun = _begun(moved) if step is not None else None
    if step is None or begun is None:
        return None
    return next((g for g in reversed(GRANULARITIES) if rolls_up(g, begun) and _kept(g, *step)), None)


def length_of(grain: str) -> int:
    """Return the approximate length in seconds of a bucket of this grain; a month counts as 30 days."""
    length, unit = _LENGTHS[grain]
    return length if unit == "SECOND" else length * 30 * 86_400


def _step(interval: exp.Interval) -> tuple[int, str] | None:
    """Return the length of an interval in the unit SECOND or MONTH: (7200, 'SECOND') for `INTERVAL 2 HOURS`.

    Return None if the length is not a whole number.
    """
    count, unit = interval_of(interval) or (0, "")
    length = _LENGTHS.get(unit.lower())
    return (count * length[0], length[1]) if length else None


def _kept(grain: str, length: int, unit: str) -> bool:
    """Return whether the start of each bucket of this grain, shifted by `length` units, is the start of a bucket again.

    `unit` is SECOND or MONTH: a day's start shifted by 86400 seconds is a day's start again, shifted by 3600 it is not.
    """
    mine, counted = _LENGTHS[grain]
    return length % mine == 0 if counted == unit else unit == "MONTH" and rolls_up(grain, "day")


def _truncated(bound: Tree) -> str | None:
    bucket = as_bucket(bound)
    if bucket is not None:
        return bucket.grain
    if isinstance(bound, exp.Anonymous) and bound.name == "timestamp_seconds":
        return "second"
    if isinstance(bound, exp.Anonymous) and bound.name == "make_date" and bound.expressions[2:] == [_ONE]:
        return "year" if bound.expressions[1] == _ONE else "month"
    if isinstance(bound, exp.Anonymous) and bound.name == "to_utc_timestamp" and len(bound.expressions) == 2:
        return _begun_elsewhere(*bound.expressions)
    if isinstance(bound, exp.Anonymous) and bound.name in ("date_trunc", "trunc") and len(bound.expressions) == 2:
        unit = bound.expressions[0 if bound.name == "date_trunc" else 1]
        return DATE_TRUNC_UNITS.get(unit.name.upper()) if isinstance(unit, exp.Literal) else None
    return None


def _begun_elsewhere(text: Tree, zone: Tree) -> str | None:
    """Return the coarsest grain, at most an hour, that has a bucket in UTC starting at `to_utc_timestamp(text, zone)`.

    '2024-01-01 00:00:00' in Europe/Berlin gives hour. Return None if no grain is known to have such a bucket, for
    example if `text` or `zone` is not a literal.
    """
    moment = moment_of(text) if isinstance(zone, exp.Literal) and zone.is_string else None
    if moment is None:
        return None
    since = moment.micros // 1_000_000 - 2 * 86_400
    grains = ("hour", "thirty_minute", "fifteen_minute", "five_minute", "minute", "second")
    return next(
        (g for g in grains if is_border(moment.wall, g) and shift_of(zone.name, _LENGTHS[g][0], since) == 0), None
    )


def _of_number(bound: exp.Cast) -> str | None:
    """Return the coarser of the grains "minute" and "second" that has a bucket starting at a cast of from_unixtime(n).

    `bound` is `CAST(from_unixtime(n) AS TIMESTAMP)` with a literal n: the result is minute if n is a multiple of 60,
    else second. Return None for other casts.
    """
    text = bound.this
    if not isinstance(text, exp.Anonymous) or text.name != "from_unixtime" or len(text.expressions) != 1:
        return None
    seconds = text.expressions[0]
    whole = isinstance(seconds, exp.Literal) and not seconds.is_string and seconds.name.isdigit()
    return ("minute" if int(seconds.name) % 60 == 0 else "second") if whole else None


def _converted(bound: Tree) -> str | None:
    """Return the coarsest grain that has a bucket starting at a bound cast to another type, whenever the query runs.

    `CAST(current_date() AS TIMESTAMP)` gives day. Return None for other bounds, and if no grain is known to have such a
    bucket.
    """
    if isinstance(bound, exp.Cast) and CAST_TYPES.get(bound.to.this) in TEMPORAL and _type(bound.this) in TEMPORAL:
        return _begun(bound.this)
    return _of_number(bound) if isinstance(bound, exp.Cast) and _type(bound) == "timestamp" else None
