"""Computes Spark's date functions for constant arguments.

The functions raise ValueError or OverflowError for results after the year 9999.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta


def plus_days(day: date, days: int) -> date:
    """Return the date that is `days` days after `day`, or before it if `days` is negative."""
    return day + timedelta(days=days)


def plus_months(day: date, months: int) -> date:
    """Return the date `months` months after `day`: the same day of the month, or the last day of a shorter month.

    >>> str(plus_months(date(2024, 3, 31), -1))
    '2024-02-29'
    """
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    last = plus_days(date(year + month // 11, (month + 1) % 12 + 1, 1), -1).day
    return date(year, month + 1, min(day.day, last))


DATE_STEPS: Mapping[str, Callable[[date, int], date]] = {
    "date_add": plus_days,
    "date_sub": lambda day, days: plus_days(day, -days),
    "add_months": plus_months,
}

# By function: the microseconds of the unit in which it counts a time since 1970. All but unix_timestamp() round down.
UNITS_SINCE_1970: Mapping[str, int] = {
    "unix_timestamp": 1_000_000,
    "unix_seconds": 1_000_000,
    "unix_millis": 1_000,
    "unix_micros": 1,
}

# Functions from a count since 1970 to an instant, with the number of counts per second.
COUNTED: Mapping[str, int] = {"timestamp_seconds": 1, "timestamp_millis": 1_000, "timestamp_micros": 1_000_000}

# Functions whose result type is the setting spark.sql.timestampType. Others, such as timestamp('2024-01-01') and now(),
# return a TIMESTAMP with every setting.
OF_TIMESTAMP_TYPE = frozenset({"to_timestamp", "try_to_timestamp", "make_timestamp", "try_make_timestamp"})


def counted_instant(name: str, count: int) -> datetime:
    """Return the UTC time to which the function `name` converts the integer `count`.

    `name` is timestamp_seconds, timestamp_millis or timestamp_micros: `count` is a number of seconds, milliseconds or
    microseconds since 1970.

    >>> str(counted_instant("timestamp_millis", -500))
    '1969-12-31 23:59:59.500000'
    """
    return datetime(1970, 1, 1) + timedelta(microseconds=count * 1_000_000 // COUNTED[name])


# Functions from whole numbers to an interval, with the units of their arguments.
MADE_INTERVALS: Mapping[str, tuple[str, ...]] = {
    "make_interval": ("YEAR", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"),
    "make_dt_interval": ("DAY", "HOUR", "MINUTE", "SECOND"),
    "make_ym_interval": ("YEAR", "MONTH"),
}
