"""Computes constants that depend on the time of execution, such as `now() - INTERVAL 7 DAYS`, for an assumed time.

The values are for cost estimates, never for proofs: a plan runs later than the assumed time, and daylight saving time
is ignored.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from sqlglot import exp

from rewriter.functions.dates import DATE_STEPS, UNITS_SINCE_1970, plus_months
from rewriter.functions.trees import integer_of
from rewriter.sql import interval_of
from rewriter.timeseries import as_bucket, read_moment
from rewriter.timeseries.floor import floor, micros_of, wall_of
from rewriter.timeseries.granularity import grain_named

Tree = exp.Expr

_SECOND = 1_000_000
_LENGTHS = {
    "SECOND": timedelta(seconds=1),
    "MINUTE": timedelta(minutes=1),
    "HOUR": timedelta(hours=1),
    "DAY": timedelta(days=1),
    "WEEK": timedelta(weeks=1),
}
_MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}
# The grains to which date_format rounds a date down with these patterns.
_FORMATS = {"yyyy-MM-dd": "day", "yyyy-MM-01": "month", "yyyy-01-01": "year"}


def value_at(now: datetime, constant: Tree) -> datetime | None:
    """Return the local time that a constant has if it is computed at the local time `now`; None if the value is
    unknown.

    >>> from rewriter.functions.trees import call_of
    >>> week = exp.Interval(this=exp.Literal.string("7"), unit=exp.Var(this="DAYS"))
    >>> str(value_at(datetime(2024, 2, 8, 10), exp.Sub(this=call_of("current_timestamp"), expression=week)))
    '2024-02-01 10:00:00'
    """
    try:
        return _time(constant, now)
    except (OverflowError, ValueError):  # outside the years 1 to 9999
        return None


def _time(tree: Tree, now: datetime) -> datetime | None:
    if isinstance(tree, exp.Literal):
        moment = read_moment(tree.name, None) if tree.is_string else None
        return moment.wall if moment is not None else None
    if isinstance(tree, exp.Cast):
        time = _time(tree.this, now)
        return _floor(time, "day") if tree.to.this is exp.DataType.Type.DATE else time
    if isinstance(tree, (exp.Add, exp.Sub)):
        return _moved(_time(tree.this, now), tree.expression, -1 if isinstance(tree, exp.Sub) else 1)
    if (bucket := as_bucket(tree)) is not None:
        return _floor(_time(bucket.source, now), bucket.grain)
    return _called(tree.name, tree.expressions, now) if isinstance(tree, exp.Anonymous) else None


def _called(name: str, arguments: Sequence[Tree], now: datetime) -> datetime | None:
    if name in ("current_timestamp", "localtimestamp"):
        return now
    if name == "current_date":
        return floor(now, "day")
    if name in ("timestamp_seconds", "from_unixtime"):
        seconds = _seconds(arguments[0], now)
        return wall_of(seconds * _SECOND) if seconds is not None else None
    if name == "make_date":
        year, month, day = _year(arguments[0], now), integer_of(arguments[1]), integer_of(arguments[2])
        return datetime(year, month, day) if year and month and day else None
    if name == "timestampadd":
        return _plus(_time(arguments[2], now), integer_of(arguments[1]), arguments[0].name.upper())
    if name == "date_trunc":
        return _floor(_time(arguments[1], now), grain_named(arguments[0].name))
    time = _time(arguments[0], now) if arguments else None
    if name in ("date_format", "trunc"):
        unit = arguments[1].name
        return _floor(time, _FORMATS.get(unit) if name == "date_format" else grain_named(unit))
    if time is None:
        return None
    if name == "last_day":
        return _at_midnight(plus_months(time.date().replace(day=1), 1)) - timedelta(days=1)
    count = integer_of(arguments[1]) if name in DATE_STEPS else None
    return _at_midnight(DATE_STEPS[name](time.date(), count)) if count is not None else None


def _moved(time: datetime | None, step: Tree, sign: int) -> datetime | None:
    """Return a time plus (`sign` 1) or minus (`sign` -1) an interval or a number of days; None if the time or the step
    is unknown.
    """
    if not isinstance(step, exp.Interval):
        return _plus(time, integer_of(step), "DAY", sign)
    count, unit = interval_of(step) or (None, "")
    return _plus(time, count, unit, sign)


def _plus(time: datetime | None, count: int | None, unit: str, sign: int = 1) -> datetime | None:
    """Return a time plus (`sign` 1) or minus (`sign` -1) a number of units, such as 3 HOURS; None if the time or the
    number is unknown.
    """
    if time is None or count is None:
        return None
    if unit in _MONTHS:
        return datetime.combine(plus_months(time.date(), sign * count * _MONTHS[unit]), time.time())
    return time + sign * count * _LENGTHS[unit] if unit in _LENGTHS else None


def _seconds(tree: Tree, now: datetime) -> int | None:
    """Return the value of a constant number of seconds since 1970, such as `unix_timestamp() - 3600`.

    The local time `now` is treated as if it were a time in UTC. Return None for other expressions.
    """
    if isinstance(tree, (exp.Add, exp.Sub)):
        seconds, step = _seconds(tree.this, now), _product(tree.expression)
        return seconds + (-step if isinstance(tree, exp.Sub) else step) if seconds is not None and step else None
    counts = isinstance(tree, exp.Anonymous) and UNITS_SINCE_1970.get(tree.name) == _SECOND
    time = _time(tree.expressions[0], now) if counts else None
    return micros_of(time) // _SECOND if time is not None else None


def _product(tree: Tree) -> int | None:
    """Return the value of an integer literal, or of a product such as `7 * 86400`; None for other expressions."""
    if isinstance(tree, exp.Mul):
        one, other = _product(tree.this), _product(tree.expression)
        return one * other if one is not None and other is not None else None
    return integer_of(tree)


def _year(tree: Tree, now: datetime) -> int | None:
    """Return the value of a constant year, such as `year(current_date()) - 1`; None if the year is unknown."""
    if isinstance(tree, (exp.Add, exp.Sub)):
        year, step = _year(tree.this, now), integer_of(tree.expression)
        return year + (-step if isinstance(tree, exp.Sub) else step) if year is not None and step is not None else None
    time = _time(tree.expressions[0], now) if isinstance(tree, exp.Anonymous) and tree.name == "year" else None
    return time.year if time is not None else integer_of(tree)


def _floor(time: datetime | None, grain: str | None) -> datetime | None:
    return floor(time, grain) if time is not None and grain is not None else None


def _at_midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)
