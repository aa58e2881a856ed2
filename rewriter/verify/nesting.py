"""Replaces `f(bucket(t))` by `f(t)`, where bucket(t) is a time bucket, if the function has the same value for both.

law: f(bucket(t)) is f(t) if f is constant over buckets of some grain, and each bucket of t lies within one bucket of
     this grain, such as an hour within a day
"""

from __future__ import annotations

from sqlglot import exp

from rewriter.block.since import since_of
from rewriter.functions.dates import COUNTED
from rewriter.functions.trees import call_of, cast
from rewriter.sql import columns_in, interval_of
from rewriter.timeseries import (
    DATE_GRANULARITIES,
    Grain,
    as_bucket,
    bucket_call,
    bucket_elsewhere,
    converted,
    day_source,
    is_border,
    is_fixed_offset,
    read_moment,
    rolls_up,
    zone_elsewhere,
)
from rewriter.timeseries.steady import LENGTHS
from rewriter.verify.borders import exists, keeps_dates, nested, same_borders
from rewriter.verify.forms import Forms

Tree = exp.Expr

# For each unit of an interval: its length in seconds, a month as 31 days.
_UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800, "month": 2_678_400}
_UNITS["year"] = 12 * _UNITS["month"]
_BY_DATE = ("day", "week", "month", "year")
_MONTHS = ("month", "quarter", "year")
_MILLIS = exp.Literal.number(1_000)
# The functions that make a TIMESTAMP of a number of fractions of a second since 1970, with the fractions in a second.
_OF_FRACTIONS = {name: times for name, times in COUNTED.items() if times > 1}


def nests(forms: Forms, fine: Grain, coarse: Grain, kind: str, source: Tree) -> bool:
    """Return whether each fine bucket of the time `source` lies within one coarse bucket, in the session's zone.

    `fine` and `coarse` are the lengths of the buckets: a name such as "day", or seconds. `kind` is the type of
    `source`.
    """
    return nested(fine, coarse, kind, forms.zone, earliest(forms, source))


def earliest(forms: Forms, time: Tree) -> int | None:
    """Return a lower bound of a time in the block's rows, in seconds since 1970; None if unknown."""
    declared = forms.block.type_of(time)
    kind = declared.type if declared is not None else None
    return since_of(time, forms.block.where, forms.block.since, forms.zone, kind)


def begins_second(forms: Forms, time: Tree) -> bool:
    """Return whether unix_timestamp() and unix_seconds() are known to be equal for a time.

    The two functions are equal for a time without a fraction of a second, and for a time that is never before 1970.
    """
    if as_bucket(time) is not None or instant(time) is not None:
        return True
    since = earliest(forms, time)
    return since is not None and since >= 0


def at_home(forms: Forms, tree: Tree) -> Tree | None:
    """Return a time bucket that is computed in another time zone as a bucket of the session's zone.

    In a session in UTC, `timeseries(t, 'minute', 'timestamp', 'Asia/Tokyo')` gives `timeseries(t, 'minute',
    'timestamp')`. Return None if the borders of the buckets may differ between the zones, and for other expressions.
    """
    bucket = bucket_elsewhere(tree)
    if bucket is None or bucket.grain in DATE_GRANULARITIES:
        return None
    same = same_borders(bucket.grain, zone_elsewhere(tree), forms.zone, earliest(forms, bucket.source))
    return bucket_call(bucket.source, bucket.grain, bucket.type) if same else None


_SHOWN = exp.Literal.string("yyyy-MM-dd HH:mm:ss")


def shown(forms: Forms, tree: Tree) -> Tree | None:
    """Return the t of date_format(t, 'yyyy-MM-dd HH:mm:ss'), a text that Spark reads back as the same second.

    Return None for other expressions.
    """
    text = is_call(tree, "date_format", 2) and tree.expressions[1] == _SHOWN
    time: Tree | None = tree.expressions[0] if text else None
    return time if time is not None and forms.kind(time) == "timestamp" else None


# The grains of buckets that determine the count of each unit; for units of whole days, buckets of days suffice.
_OF_UNITS = {
    "SECOND": ("second",),
    "MINUTE": ("minute",),
    "HOUR": ("hour",),
    "DAY": ("day",),
    "WEEK": ("week", "day"),
    **dict.fromkeys(("MONTH", "QUARTER", "YEAR"), ("month", "day")),
}


def counted_units(forms: Forms, tree: Tree) -> Tree:
    """Return timestampdiff() from a constant to a bucket as timestampdiff() from the constant to the bucket's time.

    `timestampdiff(DAY, TIMESTAMP '2020-01-01', date_trunc('DAY', t))` gives `timestampdiff(DAY, TIMESTAMP '2020-01-01',
    t)`. Return the call unchanged unless the constant is the start of a bucket, and is at least two days before the
    earliest time t that the filter allows.
    """
    unit, start, end = tree.expressions
    text = start.this if isinstance(start, exp.Cast) else start
    moment = read_moment(text.name, None) if isinstance(text, exp.Literal) and text.is_string else None
    if moment is None or forms.kind(end) != "timestamp" or not exists(moment.wall, forms.zone):
        return tree
    for grain in _OF_UNITS.get(unit.name, ()):
        time = finer(forms, end, grain) if is_border(moment.wall, grain) else None
        since = earliest(forms, time) if time is not None and forms.kind(time) == "timestamp" else None
        if time is not None and since is not None and since - 2 * _UNITS["day"] >= moment.micros // 1_000_000:
            return call_of(tree.name, unit, start, time)
    return tree


def clock_of(forms: Forms, tree: Tree) -> Tree | None:
    """Return the operand of a cast from TIMESTAMP_NTZ to TIMESTAMP, if the session's zone has a fixed offset.

    `CAST(n AS TIMESTAMP)` gives `n` for a TIMESTAMP_NTZ n. Return None for other expressions and zones.
    """
    zoneless = tree.this if isinstance(tree, exp.Cast) and not tree.args.get("safe") else None
    if zoneless is None or not is_fixed_offset(forms.zone) or forms.kind(tree) != "timestamp":
        return None
    return zoneless if forms.kind(zoneless) == "timestamp_ntz" else None


def finer(forms: Forms, source: Tree, grain: Grain) -> Tree | None:
    """Return the time t of a time bucket, if the bucket lies within a bucket of `grain`; None for other expressions.

    With the grain "day", `date_trunc('HOUR', t)` gives `t`, and `date_trunc('HOUR', t) + INTERVAL 1 DAY` gives `t +
    INTERVAL 1 DAY`: a time that is shifted by an interval or converted to another zone is returned shifted or
    converted.
    """
    if (clock := clock_of(forms, source)) is not None:
        local = finer(forms, clock, grain)
        return cast(local, "timestamp") if local is not None else None
    bucket = as_bucket(source)
    if bucket is not None and bucket.type == forms.kind(bucket.source):
        return bucket.source if nests(forms, bucket.grain, grain, bucket.type, bucket.source) else None
    if isinstance(source, exp.Anonymous) and source.name == "add_months" and grain in _MONTHS:
        # Dates of one month, moved by the same number of months, are in one month.
        time, number = finer(forms, source.expressions[0], "month"), source.expressions[1]
        settled = time is not None and not columns_in(number)
        return forms.normal(call_of(source.name, time, number)) if time is not None and settled else None
    if isinstance(source, (exp.Add, exp.Sub)) and isinstance(source.expression, exp.Interval):
        return _moved(forms, source, grain)
    if isinstance(source, exp.Anonymous) and source.name == "from_utc_timestamp":
        return _on_another_clock(forms, source, grain)
    if isinstance(source, exp.Anonymous) and source.name == "convert_timezone":
        return _converted(forms, source, grain)
    day = day_source(source)
    if day is not None and forms.kind(day) in ("timestamp", "timestamp_ntz"):
        return day if isinstance(grain, str) and rolls_up("day", grain) else None
    found = instant(source)
    made = found[0].expressions[0] if found is not None and isinstance(found[0], exp.Anonymous) else None
    number = made.this if isinstance(made, exp.Div) else made
    if found is None or (found[0].name in COUNTED and isinstance(number, exp.Column) and not is_counted(forms, number)):
        return None
    return found[0] if nests(forms, found[1], grain, "timestamp", found[0]) else None


def _moved(forms: Forms, moved: exp.Add | exp.Sub, grain: Grain) -> Tree | None:
    """Return `t + i` for `bucket(t) + i`, a time bucket shifted by an interval i, if both are in the same bucket of
    `grain`.

    `date_trunc('HOUR', t) + INTERVAL 2 HOURS` gives `t + INTERVAL 2 HOURS` for the grain "day". The shift must move
    each bucket of some grain, here hours, to a bucket of the same grain, and these buckets must lie within buckets of
    `grain`. Return None if this is not certain.
    """
    kind, (count, unit) = forms.kind(moved.this), interval_of(moved.expression) or (0, "")
    named = unit.lower()
    if named not in _UNITS or not columns_in(moved.this) or isinstance(grain, int):
        return None
    seconds = count * _UNITS[named]
    steps = [unit for unit in ("day", "hour", "minute", "second") if seconds % _UNITS[unit] == 0]
    if named in ("month", "year"):
        steps = ["month", "day"] if grain in _MONTHS else ["day"]
    for unit in steps:
        time = finer(forms, moved.this, unit) if rolls_up(unit, grain) else None
        if time is not None and _moves_whole(forms, time, kind, unit, seconds, by_date=named in _BY_DATE):
            return type(moved)(this=time, expression=moved.expression)
    return None


def _moves_whole(forms: Forms, time: Tree, kind: str, unit: str, seconds: int, *, by_date: bool) -> bool:
    """Return whether a shift of a time by `seconds` moves each bucket of the grain `unit` to one bucket of this grain.

    A shift by 2 hours moves hours to hours, but does not move days to days. `kind` is the type of the time. With
    `by_date`, the shift is a number of days or months on the calendar.

    law: in a zone whose offset changes, a shift by days or months moves each date to one date, if this holds for the
         local times that clocks skip: Spark moves a skipped time forward, and the later time must have the same date.
         A shift by a multiple of n seconds moves each bucket of n seconds to one bucket of n seconds, if clocks change
         only where these buckets start
    """
    if kind != "timestamp" or is_fixed_offset(forms.zone):
        return kind in ("timestamp", "timestamp_ntz") or (kind == "date" and by_date)
    since = earliest(forms, time)
    if since is None:
        return False
    since -= seconds + 2 * _UNITS["day"]
    if unit in DATE_GRANULARITIES:
        return by_date and keeps_dates(forms.zone, since)
    return nested(unit, "hour", kind, forms.zone, since)


def _on_another_clock(forms: Forms, shown: Tree, grain: Grain) -> Tree | None:
    """Return `from_utc_timestamp(t, z)` for `shown`, a call such as `from_utc_timestamp(date_trunc('HOUR', t), z)`.

    Return None unless both calls always fall into the same bucket of `grain`: hours must lie within buckets of `grain`,
    and hours must start at the same instants in UTC, in the session's zone and in z. The same holds for other grains
    below a day in place of the hour.
    """
    begun, zone = shown.expressions
    bucket, rounded = as_bucket(begun), instant(begun)
    time, fine = (bucket.source, bucket.grain) if bucket is not None else (rounded[0], "") if rounded else (None, "")
    if rounded is not None:
        fine = next((name for name, seconds in LENGTHS.items() if seconds == rounded[1]), "")
    if time is None or fine in DATE_GRANULARITIES or not fine or not is_fixed_offset(forms.zone):
        return None
    since = earliest(forms, time)
    # The borders are the same in UTC, in the session's zone and in the other zone.
    together = all(same_borders(fine, "UTC", other, since) for other in (forms.zone, zone.name))
    if not isinstance(zone, exp.Literal) or not together or not nested(fine, grain, "timestamp", forms.zone):
        return None
    return call_of(shown.name, time, zone)


def _converted(forms: Forms, call: exp.Anonymous, grain: Grain) -> Tree | None:
    """Return `convert_timezone(a, b, t)` for a call such as `convert_timezone(a, b, date_trunc('HOUR', t))`.

    Return None unless both calls always fall into the same bucket of `grain`: hours must lie within buckets of `grain`,
    and hours must start at the same instants in UTC, in the session's zone and in b. The same holds for other grains
    below a day in place of the hour.
    """
    clock = converted(call, forms.zone)
    bucket = as_bucket(clock.time) if clock is not None else None
    if clock is None or bucket is None or bucket.grain in DATE_GRANULARITIES:
        return None
    since = earliest(forms, bucket.source)
    together = all(same_borders(bucket.grain, "UTC", other, since) for other in (forms.zone, clock.zone))
    if not together or not nested(bucket.grain, grain, "timestamp", "UTC"):
        return None
    return call_of(call.name, *call.expressions[:-1], cast(bucket.source, "timestamp_ntz"))


def instant(tree: Tree) -> tuple[Tree, int] | None:
    """Return the t and n of an expression that rounds a TIMESTAMP t down to n seconds; None for other expressions.

    The expression has the form `timestamp_seconds(floor(unix_seconds(t) / n) * n)`, or `timestamp_millis(floor(ms / m)
    * m)` of a column, where n is m / 1000 and t is `timestamp_millis(ms)`.

    law: if n divides m, then floor(floor(x / m) * m / n) is floor(x / n), rounded down to a multiple of m / n
    """
    if not isinstance(tree, exp.Anonymous) or len(tree.expressions) != 1:
        return None
    (seconds,) = tree.expressions
    if tree.name in _OF_FRACTIONS:
        found, times = stepped(seconds), _OF_FRACTIONS[tree.name]
        if found is None or not isinstance(found[0], exp.Column) or found[1] % times:
            return None
        return call_of(tree.name, found[0]), found[1] // times
    if tree.name != "timestamp_seconds":
        return None
    if isinstance(seconds, exp.Div) and seconds.expression == _MILLIS and (found := stepped(seconds.this)) is not None:
        if not isinstance(found[0], exp.Column) or found[1] % 1_000:
            return None
        return call_of(tree.name, exp.Div(**{**seconds.args, "this": found[0]})), found[1] // 1_000
    ratio = seconds.expressions[0] if is_call(seconds, "floor") else None
    if isinstance(ratio, exp.Div) and is_whole(ratio.expression) and (found := stepped(ratio.this)) is not None:
        counted, unit = found[0], int(ratio.expression.name)
        whole = call_of("floor", exp.Div(**{**ratio.args, "this": counted}))
        return (call_of(tree.name, whole), found[1] // unit) if found[1] % unit == 0 else None
    found = stepped(seconds)
    if found is not None:
        counted, step = found
        return (counted.expressions[0] if is_call(counted, "unix_seconds") else call_of(tree.name, counted)), step
    return (seconds.expressions[0], 1) if is_call(seconds, "unix_seconds") else None


def is_counted(forms: Forms, tree: Tree) -> bool:
    """Return whether an expression is a number of seconds since 1970 that the verifier can compare after rounding.

    Return True for unix_seconds(), for an INT column, and for a BIGINT column with a known lower bound.
    """
    if not isinstance(tree, exp.Column):
        return is_call(tree, "unix_seconds")
    kind = forms.kind(tree)
    return kind in ("tinyint", "smallint", "int") or (kind == "bigint" and earliest(forms, tree) is not None)


def counted_down(forms: Forms, seconds: Tree, step: int) -> Tree | None:
    """Return the seconds before rounding, if they are rounded down to a multiple of n and n divides `step`.

    With the step 3600, `floor(s / 60) * 60` gives `s`, and `unix_seconds(date_trunc('MINUTE', t))` gives
    `unix_seconds(t)`. Return None for other expressions.
    """
    found = stepped(seconds)
    if found is not None:
        return found[0] if step % found[1] == 0 and is_counted(forms, found[0]) else None
    time = finer(forms, seconds.expressions[0], step) if is_call(seconds, "unix_seconds") else None
    return forms.normal(call_of("unix_seconds", time)) if time is not None else None


def is_after_1970(forms: Forms, seconds: Tree, step: int) -> bool:
    """Return whether a number of seconds since 1970 is never negative, even before a rounding that `seconds` contains.

    For `floor(s / 60) * 60`, return whether s is never negative. For `unix_seconds(date_trunc('HOUR', t))`, return
    whether t is never before 1970, provided that each hour lies within a bucket of `step` seconds.
    """
    rounded = stepped(seconds)
    counted = counted_down(forms, seconds, step) or (rounded[0] if rounded is not None else seconds)
    if not is_counted(forms, counted):
        return False
    since = earliest(forms, counted if isinstance(counted, exp.Column) else counted.expressions[0])
    return since is not None and since >= 0


def stepped(seconds: Tree) -> tuple[Tree, int] | None:
    """Return the s and n of `floor(s / n) * n`, where s is unix_seconds(t) or a column; None for other expressions."""
    if not isinstance(seconds, exp.Mul):
        return None
    for counted, step in ((seconds.this, seconds.expression), (seconds.expression, seconds.this)):
        if is_call(counted, "floor") and isinstance(counted.expressions[0], exp.Div):
            ratio = counted.expressions[0]
            told = is_call(ratio.this, "unix_seconds") or isinstance(ratio.this, exp.Column)
            if ratio.expression == step and is_whole(step) and told:
                return ratio.this, int(step.name)
    return None


def is_call(tree: Tree, name: str, arguments: int = 1) -> bool:
    """Return whether an expression is a call of the function `name` with this number of arguments."""
    return isinstance(tree, exp.Anonymous) and tree.name == name and len(tree.expressions) == arguments


def is_whole(tree: Tree, most: int = 2**31) -> bool:
    """Return whether an expression is an integer literal n with 0 < n < `most`."""
    return isinstance(tree, exp.Literal) and not tree.is_string and tree.name.isdigit() and 0 < int(tree.name) < most
