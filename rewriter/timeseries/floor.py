"""Computes starts of time buckets in Python, for decisions made before a statement is sent to Spark."""

from __future__ import annotations

from datetime import datetime, timedelta

from rewriter.timeseries.granularity import SUB_HOUR_MINUTES

EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)


def wall_of(micros: int) -> datetime:
    """Return the local date and time that is `micros` microseconds after 1970-01-01 00:00 local time.

    Raise OverflowError outside the years 1 to 9999.
    """
    return EPOCH + timedelta(microseconds=micros)


def micros_of(wall: datetime) -> int:
    """Return a local date and time as microseconds since 1970-01-01 00:00 local time."""
    return (wall - EPOCH) // _MICROSECOND


def floor(wall: datetime, grain: str) -> datetime:
    """Return the start of the bucket of `grain` that contains a local time, in a zone with a fixed offset.

    >>> str(floor(datetime(2024, 5, 15, 10, 47, 30), "fifteen_minute")), str(floor(datetime(2024, 5, 15), "quarter"))
    ('2024-05-15 10:45:00', '2024-04-01 00:00:00')
    """
    second = wall.replace(microsecond=0)
    if grain in ("second", "minute"):
        return second if grain == "second" else second.replace(second=0)
    if grain in SUB_HOUR_MINUTES:
        return second.replace(second=0, minute=wall.minute - wall.minute % SUB_HOUR_MINUTES[grain])
    hour = second.replace(second=0, minute=0)
    if grain == "hour":
        return hour
    day = hour.replace(hour=0)
    return {
        "day": day,
        "week": day - timedelta(days=day.weekday()),
        "month": day.replace(day=1),
        "quarter": day.replace(day=1, month=day.month - (day.month - 1) % 3),
        "year": day.replace(day=1, month=1),
    }[grain]
