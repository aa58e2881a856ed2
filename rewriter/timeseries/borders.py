"""The borders of buckets around a wall-clock time, in a zone of a fixed offset."""

from __future__ import annotations

from datetime import datetime, timedelta

from rewriter.timeseries.granularity import SUB_HOUR_MINUTES

_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_STEPS = {"second": timedelta(seconds=1), "minute": timedelta(minutes=1), "hour": timedelta(hours=1)} | {
    "day": timedelta(days=1),
    "week": timedelta(days=7),
}


def is_border(wall: datetime, grain: str) -> bool:
    """Whether a bucket of the grain begins at this time.

    >>> is_border(datetime(2024, 1, 1), "week"), is_border(datetime(2024, 1, 1, 0, 10), "fifteen_minute")
    (True, False)
    """
    return border_before(wall, grain) == wall


def border_before(wall: datetime, grain: str) -> datetime:
    """The last border that is not behind the time.

    >>> border_before(datetime(2024, 2, 29, 10, 44), "fifteen_minute"), border_before(datetime(2024, 5, 3), "quarter")
    (datetime.datetime(2024, 2, 29, 10, 30), datetime.datetime(2024, 4, 1, 0, 0))
    """
    if grain == "second":
        return wall.replace(microsecond=0)
    if grain == "minute" or grain in SUB_HOUR_MINUTES:
        width = SUB_HOUR_MINUTES.get(grain, 1)
        return wall.replace(minute=wall.minute - wall.minute % width, second=0, microsecond=0)
    if grain == "hour":
        return wall.replace(minute=0, second=0, microsecond=0)
    day = wall.replace(hour=0, minute=0, second=0, microsecond=0)
    if grain == "week":
        return day - timedelta(days=day.weekday())
    if grain in _MONTHS:
        return day.replace(month=day.month - (day.month - 1) % _MONTHS[grain], day=1)
    return day


def border_behind(wall: datetime, grain: str) -> datetime:
    """The first border that is not before the time.

    >>> border_behind(datetime(2024, 12, 2), "month"), border_behind(datetime(2024, 1, 1), "week")
    (datetime.datetime(2025, 1, 1, 0, 0), datetime.datetime(2024, 1, 1, 0, 0))
    """
    before = border_before(wall, grain)
    return before if before == wall else next_border(before, grain)


def next_border(border: datetime, grain: str) -> datetime:
    """The border after a border."""
    if grain in _MONTHS:
        months = border.month - 1 + _MONTHS[grain]
        return border.replace(year=border.year + months // 12, month=months % 12 + 1)
    return border + _STEPS.get(grain, timedelta(minutes=SUB_HOUR_MINUTES.get(grain, 0)))
