"""Finds the time bucket that determines an expression, and the time bucket that an expression determines.

law:  an expression e is constant over the buckets of a grain if, for every t, e(t) is e(start of t's bucket). If finer
      buckets nest in these buckets, e(t) is also e(start of t's finer bucket), so that a view with any such bucket can
      compute e
no:   an instant cannot be computed from a label, because two instants have the same label on the day on which clocks
      are set back

A bucket determines an expression that is constant over the bucket; an expression determines a bucket if the bucket's
start can be computed from the expression's value. A label is a field or a text of a time, such as month(t). Functions
take `kind_of`, which returns an expression's type, and `since_of`, which returns a lower bound of the expression's
values (for a time, in seconds since 1970); both return None if unknown.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from sqlglot import exp

from rewriter.sql import interval_of
from rewriter.timeseries.bucket import DATE_TRUNC_UNITS, TEMPORAL, as_bucket, bucket_call, day_source, label_source
from rewriter.timeseries.granularity import DATE_GRANULARITIES, rolls_up
from rewriter.timeseries.literals import read_moment
from rewriter.timeseries.seconds import (
    INTEGERS,
    KindOf,
    SinceOf,
    count_of,
    cut_of,
    instant_of,
    never_known,
    rounded_of,
    seconds_of,
    shifted_of,
)
from rewriter.timeseries.steady import LENGTHS, divides_at, is_steady
from rewriter.timeseries.zone import has_left_out_days, is_fixed_offset, offset_of
from rewriter.timeseries.zone_data import dates_stay, shift_of

Tree = exp.Expr
# The type of a bucket's start that is a number of seconds.
SECONDS = "bigint"
# A named grain of the session's clock, or the number of seconds between two borders of instants.
Grain = str | int


class Factor(NamedTuple):
    """The time bucket that determines an expression: the bucket of `grain` that contains `source`.

    `month(date_trunc('day', t))` has the grain month. Its `within` is `date_trunc('day', t)`, the argument as typed,
    and its `source` is t, the time from which the argument is computed.
    """

    within: Tree
    source: Tree
    grain: Grain


class Told(NamedTuple):
    """The time bucket that an expression determines: the bucket of `grain` that contains `source`.

    `begin` converts the expression to the start of the bucket. `type` is the type of this start: a date or timestamp
    type, or BIGINT for a number of seconds since 1970.
    """

    source: Tree
    grain: Grain
    type: str
    begin: Callable[[Tree], Tree]


def nests(fine: Grain, coarse: Grain, kind: str, zone: str, since: int | None = None) -> bool:
    """Return whether each bucket of the grain `fine` lies within one bucket of `coarse`, in a time zone.

    A number as a grain is the seconds from one bucket's start to the next; for two numbers, `kind` and `zone` have no
    influence. `kind` is the type of the buckets. In any zone, buckets of whole days nest in each grain to which they
    roll up (`rolls_up`). Shorter buckets nest if, from the earliest time `since` on (in seconds since 1970, None if
    unknown), the zone's clocks move only at starts of these buckets, by multiples of the buckets' length.

    >>> nests("day", "month", "timestamp", "Europe/Berlin"), nests("hour", "day", "timestamp", "Europe/Berlin")
    (True, False)
    >>> nests("hour", "day", "timestamp", "Europe/Berlin", since=1_700_000_000)
    True
    >>> nests(3600, "day", "timestamp", "UTC"), nests(3600, "day", "timestamp", "+05:30"), nests(900, 3600, "", "")
    (True, False, True)
    """
    if isinstance(fine, int) and isinstance(coarse, int):
        return coarse % fine == 0
    if isinstance(fine, str) and isinstance(coarse, str):
        # Even equal grains need this proof: where a zone left its local mean time, the start of an hour may be moved
        # into the next hour.
        calendar = kind not in ("timestamp", SECONDS) or fine in DATE_GRANULARITIES or is_fixed_offset(zone)
        return rolls_up(fine, coarse) and (calendar or is_steady(zone, fine, since))
    return _aligned(fine, coarse, zone, since)


_THURSDAY = 3 * 86_400  # the day of the week on which 1970 began


def _aligned(fine: Grain, coarse: Grain, zone: str, since: int | None) -> bool:
    """Return whether a fine bucket starts wherever a coarse bucket starts, for times from `since` on, in a time zone.

    One of the grains is a number of seconds, the other one a name. `since` is in seconds since 1970 (None if unknown).
    """
    if isinstance(fine, int):
        # Every bucket longer than a day starts with a day.
        length = min(LENGTHS.get(str(coarse), 86_400), 86_400)
        return length % fine == 0 and shift_of(zone, fine, since) == 0
    length = LENGTHS.get(fine, 0)
    if not length or int(coarse) % length:
        return False
    shift = shift_of(zone, length, since)
    return shift is not None and (shift + (_THURSDAY if fine == "week" else 0)) % length == 0


# The most common kinds of expressions that are never functions of a bucket, excluded first.
_NEVER_OF_TIME = (exp.Column, exp.Literal, exp.Predicate, exp.Connector)


def factor_of(tree: Tree, kind_of: KindOf, zone: str, since_of: SinceOf = never_known) -> Factor | None:
    """Return the coarsest time bucket that determines the value of `tree`, as a Factor; None if no bucket does.

    `year(t)` gives the bucket of t of the grain year. `zone` is the session's time zone. `kind_of` returns the type of
    an expression. `since_of` returns a lower bound of the expression's values (for a time, in seconds since 1970); None
    if no bound is known.
    """
    if isinstance(tree, _NEVER_OF_TIME):
        return None
    labelled = (
        label_source(tree)
        or _of_moved(tree, zone)
        or _formatted(tree, kind_of, zone)
        or _beginning(tree, kind_of)
        or _counted(tree, kind_of, since_of)
        or _from_seconds(tree, kind_of, zone, since_of)
        or _of_text(tree)
        or _between(tree, kind_of, zone, since_of)
    )
    labelled = _of_shown(*labelled, kind_of, zone, since_of) if labelled is not None else None
    if labelled is None:
        return None
    moved = _before_step(*_before_months(*labelled), kind_of, zone, since_of)
    within, grain = _elsewhere(*moved, kind_of, zone, since_of)
    source = within
    while (told := told_by(source, kind_of, since_of)) is not None and nests(
        told.grain, grain, told.type, zone, since_of(told.source)
    ):
        source = told.source
    return Factor(within, number_of(source, kind_of, since_of), grain)


_OF_MONTHS = frozenset({"month", "quarter", "year"})


def _of_moved(tree: Tree, zone: str) -> tuple[Tree, Grain] | None:
    """Return the source and the grain of a bucket whose source is a time that is shifted or converted to another zone.

    `date_trunc('day', t + INTERVAL 2 HOURS)` gives `t + INTERVAL 2 HOURS` and day. Return None for other expressions.
    `zone` is the session's time zone.
    """
    bucket = as_bucket(tree)
    if bucket is None:
        return None
    moved = any(before(bucket.source) is not None for before in (_months_on, _step_of))
    moved |= _clock_of(bucket.source, zone) is not None
    return (bucket.source, bucket.grain) if moved else None


def _before_months(source: Tree, grain: Grain) -> tuple[Tree, Grain]:
    """Return (t, 'month') for a source that shifts t by whole months, if buckets of `grain` consist of whole months.

    `add_months(t, 3)` and quarter give t and month. Otherwise return `source` and `grain` unchanged.

    law: add_months(t, n) lies in the n-th month after the month of t; so all times of one month are moved to one month
    no:  buckets of days or weeks, because they do not consist of whole months
    no:  a number of months that is not a literal
    """
    time = _months_on(source) if grain in _OF_MONTHS else None
    return (time, "month") if time is not None else (source, grain)


def _months_on(source: Tree) -> Tree | None:
    moved = day_source(source) or source
    if not isinstance(moved, exp.Anonymous) or moved.name != "add_months" or len(moved.expressions) != 2:
        return None
    time, number = moved.expressions
    number = number.this if isinstance(number, exp.Neg) else number
    return time if isinstance(number, exp.Literal) and not number.is_string else None


def _before_step(source: Tree, grain: Grain, kind_of: KindOf, zone: str, since_of: SinceOf) -> tuple[Tree, Grain]:
    """Return the time t that `source` shifts by an interval, and a grain of t that determines the shifted bucket.

    The shifted bucket is the bucket of `source` by `grain`. `t + INTERVAL 2 HOURS` and day give t and hour, because all
    times of one hour are shifted to one day. The returned grain is the coarsest that is certain. `zone` is the
    session's time zone. `kind_of` returns the type of an expression. `since_of` returns a lower bound of the
    expression's values (for a time, in seconds since 1970); None if no bound is known. Return `source` and `grain`
    unchanged if `source` is no such shift, or if no grain is certain.

    law: floor((t + c) / n) is floor(t / n) + c / n if n divides c, and if clocks move only at borders of the buckets of
         n seconds, by multiples of n seconds
    law: t plus n days has the date of t plus n, and t plus n months lies in the n-th month after the month of t, if
         each local time that clocks skip is moved to a time of its own date
    no:  in zones whose offset changes, 24 hours are not a day, because a day may have 23 hours: only intervals of days
         and months move all times of one date to one date
    """
    step = _step_of(source)
    if step is None or isinstance(grain, int):
        return source, grain
    time, kind = source.this, kind_of(source.this)
    if kind not in TEMPORAL or (kind == "date" and step.unit == "second"):
        return source, grain
    whole = [g for g in step.grains if rolls_up(g, grain)]
    if kind == "timestamp" and not is_fixed_offset(zone):
        since = since_of(time)
        earliest = since - step.seconds - _APART if since is not None else None
        by_date, stays = step.unit in ("month", "day"), dates_stay(zone, earliest)
        whole = [g for g in whole if (by_date and stays if g in DATE_GRANULARITIES else is_steady(zone, g, earliest))]
    return (time, whole[0]) if whole else (source, grain)


class Step(NamedTuple):
    """A shift of a time by a constant interval, as in `t + INTERVAL 2 HOURS`.

    `seconds` is the length of the interval, in which a month counts as 31 days. `unit` says how Spark shifts: by a
    number of seconds ("second"), or on the calendar ("day" or "month").
    """

    seconds: int
    unit: str

    @property
    def grains(self) -> tuple[str, ...]:
        """The grains, the coarsest first, at which the shift moves each bucket into one bucket of the same grain.

        A shift by 2 hours has hour, minute and second; a shift by months has month and day.
        """
        if self.unit == "month":
            return ("month", "day")
        return tuple(g for g in ("day", "hour", "minute", "second") if self.seconds % LENGTHS[g] == 0)


_DAYS_OF = {"day": 1, "week": 7, "month": 31, "year": 12 * 31}


def _step_of(source: Tree) -> Step | None:
    """Return the constant interval that an expression adds to or subtracts from a time.

    `t + INTERVAL 2 HOURS` gives 7200 seconds. Return None for other expressions, and if the number of units is not an
    integer literal.
    """
    step = interval_of(source.expression) if isinstance(source, (exp.Add, exp.Sub)) else None
    if step is None:
        return None
    count, unit = step[0], step[1].lower()
    if unit in _DAYS_OF:
        return Step(count * _DAYS_OF[unit] * 86_400, "day" if unit in ("day", "week") else "month")
    return Step(count * LENGTHS[unit], "second") if unit in ("hour", "minute", "second") else None


# Lengths in seconds, the longest first. Most offsets of zones are multiples of one of them, so that buckets of that
# length have the same borders in all such zones.
_COMMON_STEPS = (3600, 1800, 900, 300, 60)
_STEPS = (86_400, *_COMMON_STEPS)


def _elsewhere(source: Tree, grain: Grain, kind_of: KindOf, zone: str, since_of: SinceOf) -> tuple[Tree, Grain]:
    """Return the time t that `source` converts to another zone, and a number of seconds in place of `grain`.

    All times t in one bucket of this number of seconds have local times in one bucket of `grain`: in a session in UTC,
    `from_utc_timestamp(t, 'Asia/Kolkata')` and hour give t and 1800, because hours in India start at half past. `zone`
    is the session's time zone. `kind_of` returns the type of an expression. `since_of` returns a lower bound of the
    expression's values (for a time, in seconds since 1970); None if no bound is known. Return `source` and `grain`
    unchanged for other sources, and if no such number is known.

    law: from_utc_timestamp(t, z) is t plus the offset of z. If all offsets of z are multiples of n seconds, and change
         only at starts of buckets of n seconds, all times of such a bucket get the same offset, and stay in one bucket
    no:  a session time zone whose offset changes, because the resulting local time may not exist there
    """
    clock = _clock_of(source, zone)
    if clock is None or kind_of(clock.time) != "timestamp" or not is_fixed_offset(zone):
        return source, grain
    since = since_of(clock.time)
    steps = (
        n for n in _COMMON_STEPS if nests(n, grain, "timestamp", clock.read) and shift_of(clock.zone, n, since) == 0
    )
    return next(((clock.time, step) for step in steps), (source, grain))


class Clock(NamedTuple):
    """The local time of `time` in `zone`, as a value that Spark interprets as a local time in the zone `read`.

    `from_utc_timestamp(t, 'Asia/Tokyo')` is the local time of t in Tokyo, and Spark interprets it in the session's
    zone.
    """

    time: Tree
    zone: str
    read: str


def _clock_of(source: Tree, zone: str) -> Clock | None:
    """Return `source` as a Clock if it is the local time of an instant in a named zone, otherwise None.

    `from_utc_timestamp(t, 'Asia/Tokyo')` is the local time of t in Tokyo, if t is an instant. `zone` is the session's
    time zone.

    law: if t is the local time of an instant in zone a, convert_timezone(a, b, t) is the local time of the instant in
         zone b
    """
    wall = source.this if isinstance(source, exp.Cast) and not source.args.get("safe") else source
    if isinstance(wall, exp.Anonymous) and wall.name == "convert_timezone":
        return converted(wall, zone)
    if not isinstance(source, exp.Anonymous) or source.name != "from_utc_timestamp" or len(source.expressions) != 2:
        return None
    time, shown = source.expressions
    return Clock(time, shown.name, zone) if isinstance(shown, exp.Literal) and shown.is_string else None


def converted(call: exp.Anonymous, zone: str) -> Clock | None:
    """Return a call of convert_timezone() as a Clock, if it converts the session's local time; None for other calls.

    `convert_timezone('Asia/Tokyo', CAST(t AS TIMESTAMP_NTZ))` gives the local time of t in Tokyo. A source zone before
    the target zone must have the same offset as the session's zone. The session's zone, `zone`, must have a fixed
    offset, because local times may be ambiguous in other zones.
    """
    *zones, local = call.expressions
    named = all(isinstance(each, exp.Literal) and each.is_string for each in zones)
    # A time cast to DATE is its day, not its local time.
    cast = isinstance(local, exp.Cast) and local.to.this == exp.DType.TIMESTAMPNTZ
    if not 1 <= len(zones) <= 2 or not named or not cast or not is_fixed_offset(zone):
        return None
    here = offset_of(zones[0].name) == offset_of(zone) if len(zones) == 2 else True
    return Clock(local.this, zones[-1].name, "UTC") if here and not local.args.get("safe") else None


def _counted(tree: Tree, kind_of: KindOf, since_of: SinceOf) -> tuple[Tree, Grain] | None:
    readers = (seconds_of, count_of, cut_of, rounded_of, instant_of, shifted_of)
    found = next((found for read in readers if (found := read(tree, kind_of, since_of)) is not None), None)
    return (found.source, found.step) if found is not None else None


def _formatted(tree: Tree, kind_of: KindOf, zone: str) -> tuple[Tree, Grain] | None:
    """Return the time and the grain that determine date_format() of this time; None for other expressions.

    `date_format(t, 'yyyy-MM')` gives t and month. `zone` is the session's time zone, and `kind_of` returns the type of
    an expression.
    """
    if not isinstance(tree, exp.Anonymous) or tree.name != "date_format" or len(tree.expressions) != 2:
        return None
    source, pattern = tree.expressions
    kind, grain = kind_of(source), finest_field(pattern)
    if kind == "date" and day_source(source) is None:
        settled = not has_left_out_days(zone)
    else:
        settled = kind in ("timestamp", "date") or (kind == "timestamp_ntz" and is_fixed_offset(zone))
    return (source, grain) if grain is not None and settled else None


# For each length of a time's text `2024-02-15 10:20:30.5`, the grain that this prefix determines.
_TOLD_UP_TO = {4: "year", 7: "month", 10: "day", 13: "hour", 16: "minute", 19: "second"}


def _beginning(tree: Tree, kind_of: KindOf) -> tuple[Tree, Grain] | None:
    """Return the time and the grain that determine a substring of the time's text; None for other expressions.

    `substring(CAST(t AS STRING), 1, 7)`, such as 2024-02, gives t and month. `kind_of` returns the type of an
    expression.

    law: the text of a time consists of its fields from year to microsecond; so its first characters are constant over a
         bucket. If the year has more than four digits or a sign, the same number of characters holds fewer fields, and
         is constant over a coarser bucket, too
    """
    if not isinstance(tree, exp.Anonymous) or tree.name != "substring" or len(tree.expressions) != 3:
        return None
    text, *place = tree.expressions
    is_text = isinstance(text, exp.Cast) and text.to.this in exp.DataType.TEXT_TYPES
    source: Tree = text.this if is_text else text
    whole = all(isinstance(number, exp.Literal) and number.name.isdigit() for number in place)
    if not whole or place[0].name == "0" or kind_of(source) not in ("timestamp", "timestamp_ntz"):
        return None
    last = int(place[0].name) + int(place[1].name) - 1
    grain = next((grain for most, grain in _TOLD_UP_TO.items() if last <= most), None)
    return (source, grain) if grain is not None else None


def _from_seconds(tree: Tree, kind_of: KindOf, zone: str, since_of: SinceOf) -> tuple[Tree, Grain] | None:
    if not isinstance(tree, exp.Anonymous) or tree.name != "from_unixtime" or not tree.expressions:
        return None
    grain = finest_field(tree.expressions[1]) if len(tree.expressions) == 2 else "second"
    return _shown(tree.expressions[0], grain, kind_of, zone, since_of) if grain is not None else None


def _shown(number: Tree, grain: str, kind_of: KindOf, zone: str, since_of: SinceOf) -> tuple[Tree, Grain] | None:
    """Return the column or TIMESTAMP from which `number` is computed, and a length of buckets of its values.

    `number` is an expression of seconds since 1970. All values in one bucket of the returned length give the same local
    time, truncated to `grain`. In UTC, `ms DIV 1000` and day give the column ms and the length 86400000. For a
    TIMESTAMP or a column of seconds, the length may also be a grain, such as hour. Return None if the expression is not
    supported.

    `zone` is the session's time zone. `kind_of` returns the type of an expression. `since_of` returns a lower bound of
    the expression's values (for a time, in seconds since 1970); None if no bound is known.

    law: if the local time is constant over buckets of k seconds, then the local time of `ms DIV n` seconds is constant
         over buckets of k * n units of `ms`
    """
    if isinstance(number, exp.Div):  # from_unixtime() casts the quotient to BIGINT
        number = exp.IntDiv(this=number.this, expression=number.expression)
    counted, times = seconds_of(number, kind_of, since_of), 1
    if counted is None:
        counted = count_of(number, kind_of, since_of)
        if counted is None or kind_of(counted.source) not in INTEGERS:
            return None
        times = counted.step
        counted = counted._replace(step=1)
    since = since_of(counted.source)
    since = since // times if since is not None else None
    if times == 1:
        return counted.source, grain if nests(counted.step, grain, "timestamp", zone, since) else counted.step
    return counted.source, scaled_grain(times, grain, zone, since)


def scaled_grain(times: int, grain: Grain, zone: str, since: int | None) -> int:
    """Return a bucket length for a column of, say, milliseconds, such that each bucket lies in a bucket of `grain`.

    In UTC, the grain day gives 86,400,000 for a column of milliseconds since 1970. `times` is the number of the
    column's units in a second, `zone` the session's time zone, and `since` a lower bound of the times in seconds since
    1970 (None if unknown). A number as `grain` is a length in seconds.
    """
    if isinstance(grain, int):
        return grain * times
    return next((n for n in _STEPS if nests(n, grain, "timestamp", zone, since)), 1) * times


def _of_text(tree: Tree) -> tuple[Tree, Grain] | None:
    """Return the from_unixtime() call in a date_trunc() or date_format(), and the grain that determines the value.

    `date_trunc('day', from_unixtime(sec))` gives `from_unixtime(sec)` and day. Return None for other expressions.

    query: date_trunc('day', from_unixtime(sec)), date_format(from_unixtime(sec), 'yyyy-MM')
    """
    if not isinstance(tree, exp.Anonymous) or len(tree.expressions) != 2:
        return None
    if tree.name == "date_trunc" and _is_shown(tree.expressions[1]):
        unit, text = tree.expressions
        grain = DATE_TRUNC_UNITS.get(unit.name.upper()) if isinstance(unit, exp.Literal) else None
    elif tree.name == "date_format" and _is_shown(tree.expressions[0]):
        text, pattern = tree.expressions
        grain = finest_field(pattern)
    else:
        return None
    return (text, grain) if grain is not None else None


def _is_shown(source: Tree) -> bool:
    return isinstance(source, exp.Anonymous) and source.name == "from_unixtime" and len(source.expressions) == 1


def _of_shown(source: Tree, grain: Grain, kind_of: KindOf, zone: str, since_of: SinceOf) -> tuple[Tree, Grain] | None:
    """Replace a source from_unixtime(n) by the column or TIMESTAMP that n is computed from, and `grain` by a length.

    In UTC, `from_unixtime(sec)` and day give `sec` and day, and `from_unixtime(ms DIV 1000)` and day give `ms` and
    86400000: all values of the new source in one bucket of this length have the same local time, truncated to `grain`.
    `zone` is the session's time zone. `kind_of` returns the type of an expression. `since_of` returns a lower bound of
    the expression's values (for a time, in seconds since 1970); None if no bound is known. Return any other source with
    its grain unchanged, and None if n is not supported.

    law: a text from from_unixtime() that is cast to a time has the same fields (year to second) as the original time
    no:  the same instant, because in an hour that clocks repeat two instants have one text
    """
    if not _is_shown(source) or not isinstance(grain, str):
        return source, grain
    return _shown(source.expressions[0], grain, kind_of, zone, since_of)


# The grains whose buckets determine how many whole units have passed since a constant on a border of the grain.
_UNITS = {
    "SECOND": ("second",),
    "MINUTE": ("minute",),
    "HOUR": ("hour",),
    "DAY": ("day",),
    "WEEK": ("week", "day"),
    "MONTH": ("month", "day"),
    "QUARTER": ("month", "day"),
    "YEAR": ("month", "day"),
}
# The largest offset of a zone, and the largest amount by which clocks were set back, are smaller than this.
_APART = 2 * 86_400


def _between(tree: Tree, kind_of: KindOf, zone: str, since_of: SinceOf) -> tuple[Tree, Grain] | None:
    """Return the time and the grain of a timestampdiff() from a constant to a time.

    The result is the same for all times in one bucket of the grain: `timestampdiff(HOUR, '2024-01-01', t)` gives t and
    hour if t cannot be before 2024. `zone` is the session's time zone. `kind_of` returns the type of an expression.
    `since_of` returns a lower bound of the expression's values (for a time, in seconds since 1970); None if no bound is
    known. Return None for other expressions, and for times that may lie before the constant.

    law: timestampdiff(HOUR, start, t) counts the full hours of the clock: if start is on a full hour, the count is the
         same over each hour; if start is at midnight, the counts of weeks, months and years are the same over each day
    no:  times before the start, because Spark truncates towards zero: the count 0 covers the hour before the start, too
    """
    if not isinstance(tree, exp.Anonymous) or tree.name != "timestampdiff":
        return None
    unit, start, time = tree.expressions
    text = start.this if isinstance(start, exp.Cast) else start
    begun = read_moment(text.name, None) if isinstance(text, exp.Literal) and text.is_string else None
    since = since_of(time)
    if begun is None or since is None or begun.micros // 1_000_000 > since - _APART:
        return None
    if kind_of(time) != "timestamp" or kind_of(start) not in ("timestamp", "date", "string"):
        return None
    grain = next((grain for grain in _UNITS.get(unit.name, ()) if divides_at(begun.wall, grain, zone)), None)
    return (time, grain) if grain is not None else None


# The pattern letters of java.time that Spark supports and that name fields of the calendar or the clock. Left out: week
# years, which Spark refuses; fractions; offsets, which change with the instant.
_FIELDS = {
    **dict.fromkeys("Gy", "year"),
    **dict.fromkeys("Qq", "quarter"),
    **dict.fromkeys("ML", "month"),
    **dict.fromkeys("DdEF", "day"),
    **dict.fromkeys("aHhKk", "hour"),
    "m": "minute",
    "s": "second",
}
_COARSEST_FIRST = ("year", "quarter", "month", "day", "hour", "minute", "second")
_QUOTED = re.compile(r"'[^']*'")
_PUNCTUATION = frozenset(" -/:.,_0123456789")


def finest_field(pattern: Tree) -> str | None:
    """Return the coarsest grain within whose buckets a date_format pattern gives the same text.

    Return None if the pattern is not a literal or has an unsupported letter.

    >>> [finest_field(exp.Literal.string(text)) for text in ("yyyy-MM", "yyyy-MM-dd'T'HH:00", "HH:mm:ss.SSS", "YYYY")]
    ['month', 'hour', None, None]
    """
    if not isinstance(pattern, exp.Literal) or not pattern.is_string:
        return None
    letters = set(_QUOTED.sub("", pattern.name)) - _PUNCTUATION
    if not letters <= _FIELDS.keys():
        return None
    return max((_FIELDS[letter] for letter in letters), key=_COARSEST_FIRST.index, default="year")


def told_by(tree: Tree, kind_of: KindOf, since_of: SinceOf = never_known) -> Told | None:
    """Return the time bucket that `tree` determines, as Told.

    `CAST(t AS DATE)` determines the bucket of t of the grain day. `kind_of` returns the type of an expression.
    `since_of` returns a lower bound of the expression's values (for a time, in seconds since 1970); None if no bound is
    known. Return None if the expression is not a bucket, a date, or seconds since 1970 rounded down.
    """
    if isinstance(tree, _NEVER_OF_TIME):
        return None
    bucket, day = as_bucket(tree), day_source(tree)
    if bucket is not None:
        source = day_source(bucket.source) if bucket.type == "date" else None
        zoned = source is not None and kind_of(source) in ("timestamp", "timestamp_ntz")
        time = source if zoned and source is not None else bucket.source
        return Told(number_of(time, kind_of, since_of), bucket.grain, bucket.type, _itself)
    if day is not None and kind_of(day) in ("timestamp", "timestamp_ntz", "string"):
        return Told(number_of(day, kind_of, since_of), "day", "date", _itself)
    return _begun_in_seconds(tree, kind_of, since_of) or _made_date(tree)


def number_of(time: Tree, kind_of: KindOf, since_of: SinceOf) -> Tree:
    """Return the integer column n for the time timestamp_seconds(n); any other time unchanged.

    `kind_of` returns the type of an expression. `since_of` returns a lower bound of the expression's values (for a
    time, in seconds since 1970); None if no bound is known.
    """
    found = instant_of(time, kind_of, since_of)
    counted = found is not None and found.step == 1 and kind_of(found.source) in INTEGERS
    return found.source if counted and found is not None else time


def _itself(tree: Tree) -> Tree:
    return tree


def _begun_in_seconds(tree: Tree, kind_of: KindOf, since_of: SinceOf) -> Told | None:
    if (found := instant_of(tree, kind_of, since_of)) is not None:
        return Told(found.source, found.step, "timestamp", _itself)
    if (found := seconds_of(tree, kind_of, since_of)) is not None:
        return Told(found.source, found.step, SECONDS, _itself)
    if (found := count_of(tree, kind_of, since_of)) is not None:
        step = exp.Literal.number(found.step)
        return Told(found.source, found.step, SECONDS, lambda tree: exp.Mul(this=tree, expression=step.copy()))
    return None


_ONE = exp.Literal.number(1)


def _made_date(tree: Tree) -> Told | None:
    """Return `tree` as a bucket of t if it is make_date(year(t), m, d), otherwise None.

    The bucket is t's year if m and d are 1, t's month if they are month(t) and 1, t's day if they are month(t) and
    day(t).
    """
    if not isinstance(tree, exp.Anonymous) or tree.name != "make_date" or len(tree.expressions) != 3:
        return None
    year, *rest = tree.expressions
    if not isinstance(year, exp.Anonymous) or year.name != "year" or len(year.expressions) != 1:
        return None
    (source,) = year.expressions
    fields = [exp.Anonymous(this=name, expressions=[source]) for name in ("month", "day")]
    for grain, expected in (("year", [_ONE, _ONE]), ("month", [fields[0], _ONE]), ("day", fields)):
        if rest == expected:
            return Told(source, grain, "date", _itself)
    return None


def date_of_fields(source: Tree, held: Callable[[Tree], Tree | None]) -> tuple[str, Tree] | None:
    """Return the grain and the first day, as a DATE, of the finest bucket that stored date fields determine.

    With stored year(t) AS y and month(t) AS m, the result is month and `make_date(y, m, 1)`. `held` returns the stored
    value of an expression such as year(source), or None if the storage table lacks the expression. Return None if the
    year is not stored.
    """

    def field(name: str) -> Tree | None:
        return held(exp.Anonymous(this=name, expressions=[source]))

    year, month, day = field("year"), field("month"), field("day")
    if year is None:
        return None
    grain = "year" if month is None else "month" if day is None else "day"
    parts = [year, month or _ONE.copy(), (day if month is not None else None) or _ONE.copy()]
    return grain, exp.Anonymous(this="make_date", expressions=[part.copy() for part in parts])


def fields_of(source: Tree, grain: Grain) -> tuple[Tree, ...]:
    """Return the date fields of `source` that together determine a bucket of `grain`: year(t) and month(t) for 'month'.

    Return an empty tuple for grains other than day, month and year.
    """
    names = {"day": ("year", "month", "day"), "month": ("year", "month"), "year": ("year",)}.get(str(grain), ())
    return tuple(exp.Anonymous(this=name, expressions=[source]) for name in names)


def begin_of(date: Tree, finer: Grain, grain: str, kind: str) -> Tree:
    """Return the start of the bucket of `grain` that contains `date`, cast to the type `kind`.

    `date` is the first day of a bucket of the grain `finer`. For the finer grain month, `make_date(y, m, 1)` and year
    give `timeseries(make_date(y, m, 1), 'year', 'date')`.
    """
    dates = date if finer == grain else bucket_call(date, grain, "date")
    return dates if kind == "date" else exp.TryCast(this=dates, to=exp.DataType.build(kind, dialect="spark"))
