"""Computes borders (starts) of time buckets at or after a local time, in a zone with a fixed offset."""

from __future__ import annotations

from datetime import datetime, timedelta

from rewriter.timeseries.floor import floor
from rewriter.timeseries.granularity import SUB_HOUR_MINUTES

_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_STEPS = {"second": timedelta(seconds=1), "minute": timedelta(minutes=1), "hour": timedelta(hours=1)} | {
    "day": timedelta(days=1),
    "week": timedelta(days=7),
}


def is_border(wall: datetime, grain: str) -> bool:
    """Return whether a bucket of the grain (such as 'week') starts at this local time.

    >>> is_border(datetime(2024, 1, 1), "week"), is_border(datetime(2024, 1, 1, 0, 10), "fifteen_minute")
    (True, False)
    """
    return floor(wall, grain) == wall


def border_behind(wall: datetime, grain: str) -> datetime:
    """Return the first start of a bucket of the grain at or after a local time.

    >>> border_behind(datetime(2024, 12, 2), "month"), border_behind(datetime(2024, 1, 1), "week")
    (datetime.datetime(2025, 1, 1, 0, 0), datetime.datetime(2024, 1, 1, 0, 0))
    """
    before = floor(wall, grain)
    return before if before == wall else next_border(before, grain)


def next_border(border: datetime, grain: str) -> datetime:
    """Return the start of the bucket after the bucket of the grain that starts at `border`.

    Raise ValueError or OverflowError after the year 9999.
    """
    if grain in _MONTHS:
        months = border.month - 1 + _MONTHS[grain]
        return border.replace(year=border.year + months // 12, month=months % 12 + 1)
    return border + _STEPS.get(grain, timedelta(minutes=SUB_HOUR_MINUTES.get(grain, 0)))
