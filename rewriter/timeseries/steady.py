"""Decides where time buckets start in a zone, and whether they nest.

A zone is steady for buckets of some length, at most an hour, if its clocks move only at starts of such buckets, and by
multiples of this length. Berlin, where clocks move by an hour on the hour, is steady for buckets of an hour. Lord Howe
Island, where clocks move by half an hour, is steady only for buckets of half an hour and shorter ones.

law: let n seconds be an hour or a part that divides it, and let all offsets of a zone have the same remainder modulo n
     (1800 for n = 3600 in India). If the offset changes only at starts of buckets, the buckets of n seconds start at
     the same instants whatever the offset, and each longer bucket (hour, day, week, month, quarter or year) starts
     with one of these buckets

In all functions, `since` is the earliest time, in seconds since 1970; None if unknown.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from rewriter.timeseries.borders import is_border
from rewriter.timeseries.granularity import DATE_GRANULARITIES
from rewriter.timeseries.zone_data import days_follow, shift_of

# The grains whose buckets all have the same length at a fixed offset, with this length in seconds.
LENGTHS = {"second": 1, "minute": 60, "five_minute": 300, "ten_minute": 600, "fifteen_minute": 900}
LENGTHS |= {"thirty_minute": 1800, "hour": 3600, "day": 86_400, "week": 604_800}
_HOUR, _DAY, _MICROS = 3600, 86_400, 1_000_000
_EPOCH = datetime(1970, 1, 1)


def is_steady(zone: str, grain: str, since: int | None) -> bool:
    """Return whether each bucket of a grain lies within one bucket of every coarser grain, from `since` on.

    `since` is in seconds since 1970. Return False for grains longer than an hour, and, except for the grain second, if
    the zone's offsets from `since` on are not known.

    >>> is_steady("Australia/Lord_Howe", "thirty_minute", 1_000_000_000)
    True
    >>> is_steady("Australia/Lord_Howe", "hour", 1_000_000_000), is_steady("Asia/Kolkata", "hour", 0)
    (False, True)
    """
    return 0 < LENGTHS.get(grain, 0) <= _HOUR and shift_of(zone, LENGTHS[grain], since) is not None


def same_buckets(grain: str, one: str, other: str, since: int | None) -> bool:
    """Return whether buckets of a grain start at the same times in the zones `one` and `other`, from `since` on.

    `since` is in seconds since 1970. Return False for grains longer than an hour, and if the offsets of one of the
    zones from `since` on are not known.

    >>> since = 1_700_000_000
    >>> same_buckets("hour", "UTC", "America/New_York", since), same_buckets("hour", "UTC", "Asia/Kolkata", since)
    (True, False)
    """
    if not 0 < LENGTHS.get(grain, 0) <= _HOUR:
        return False
    shift = shift_of(one, LENGTHS[grain], since)
    return shift is not None and shift == shift_of(other, LENGTHS[grain], since)


def keeps_whole(grain: str, zone: str, since: int | None) -> bool:
    """Return whether clocks in `zone` are never set back across the start of a bucket of `grain`, from `since` on.

    If clocks were set back across the start of a bucket, instants after this change would lie in the bucket before it
    again. `since` is in seconds since 1970. Return False if the zone's offsets from `since` on are not known.

    >>> keeps_whole("day", "Europe/Berlin", 0), keeps_whole("hour", "Australia/Lord_Howe", 1_000_000_000)
    (True, False)
    """
    return days_follow(zone, since) if grain in DATE_GRANULARITIES else is_steady(zone, grain, since)


def divides_at(wall: datetime, grain: str | int, zone: str) -> bool:
    """Return whether each bucket of a grain lies wholly before a local time, or wholly at or after that time.

    A number as `grain` is a length in seconds: these buckets start at multiples of the length since 1970-01-01 00:00
    UTC, in every zone. `wall` is the local time in `zone`.

    >>> divides_at(datetime(2024, 1, 15), "day", "Europe/Berlin"), divides_at(datetime(2024, 1, 15, 1), "day", "UTC")
    (True, False)
    >>> divides_at(datetime(1880, 1, 1), "hour", "Europe/Berlin"), divides_at(datetime(2024, 1, 15, 5), 3600, "-03:30")
    (False, False)
    """
    # No offset, and no gap or overlap of a clock, is longer than a day.
    since = (wall - _EPOCH) // timedelta(seconds=1) - 2 * _DAY
    if isinstance(grain, int):
        return shift_of(zone, grain, since) == 0 and (wall - _EPOCH) % timedelta(seconds=grain) == timedelta(0)
    return is_border(wall, grain) and keeps_whole(grain, zone, since)


def divides_instant(micros: int, grain: str | int, zone: str) -> bool:
    """Return whether each bucket of a grain lies wholly before an instant, or wholly at or after that instant.

    `micros` is the instant, in microseconds since 1970. A number as `grain` is a length in seconds: these buckets start
    at multiples of the length since 1970-01-01 00:00 UTC, in every zone.

    law: an instant is a border of buckets if the instant plus `shift` is a multiple of the bucket length; `shift` is
         the offset modulo the bucket length, which must be the same for all offsets since two days before the instant
    no:  buckets longer than an hour, because the start of a day depends on the edition of the zone data

    >>> divides_instant(1_704_067_200_000_000, "hour", "America/New_York")
    True
    >>> divides_instant(1_704_067_200_000_000, "hour", "Asia/Kolkata"), divides_instant(1, 60, "America/New_York")
    (False, False)
    """
    length = grain if isinstance(grain, int) else LENGTHS.get(grain, _DAY)
    if isinstance(grain, str) and length > _HOUR:
        return False
    shift = 0 if isinstance(grain, int) else shift_of(zone, length, micros // _MICROS - 2 * _DAY)
    return shift is not None and (micros + shift * _MICROS) % (length * _MICROS) == 0
