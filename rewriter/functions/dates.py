"""What functions of a constant date and a number give; they raise ValueError or OverflowError beyond the year 9999."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta


def plus_days(day: date, days: int) -> date:
    """The date so many days later."""
    return day + timedelta(days=days)


def plus_months(day: date, months: int) -> date:
    """The same day of a later month, or the last one that it has.

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
