"""Parses date and time literals into local times and instants."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_MOMENT = re.compile(
    r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T](\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,6}))?)?"
    r"(Z|[+-]\d{2}:\d{2})?)?)?)?\Z"
)
_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::(\d{2}))?\Z")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Moment(NamedTuple):
    """A local date and time `wall`, and the microseconds since 1970-01-01 00:00.

    The microseconds count from 00:00 UTC if a time zone was given, else from 00:00 local time.
    """

    wall: datetime
    micros: int


def read_moment(text: str, zone: str | None) -> Moment | None:
    """Return the time that a literal such as `2024-01-31` or `2024-01-31 12:30[:00[.5]][Z|+01:00]` names.

    Return None for other texts, and for an unknown zone. As in Spark, `2024` and `2024-1` are the first of January, and
    fields may have one digit. `zone` is the zone of the local time; None for a TIMESTAMP_NTZ or DATE.

    A local time in a gap or an overlap of the zone becomes the instant that java.time chooses. A text with an offset is
    parsed only for zones with a fixed offset: in other zones a local hour may occur twice.

    >>> read_moment("2024-01-01", "+01:00").micros - read_moment("2024-01-01", None).micros
    -3600000000
    >>> read_moment("2024-01-01 00:30Z", "-01:00").wall, read_moment("2024-01-01 00:30Z", None)
    (datetime.datetime(2023, 12, 31, 23, 30), None)
    """
    match = _MOMENT.match(text.strip(" "))
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction, offset = match.groups()
    micro = int((fraction or "0").ljust(6, "0"))
    try:
        begun = datetime(int(year), int(month or 1), int(day or 1))
        wall = begun.replace(hour=int(hour or 0), minute=int(minute or 0), second=int(second or 0), microsecond=micro)
        info = UTC if zone is None else zone_info(zone)
    except ValueError:
        return None
    if info is None:
        return None
    if offset is not None:
        given = zone_info(offset)
        if given is None or zone is None or not isinstance(info, timezone):
            return None
        try:
            instant = wall.replace(tzinfo=given).astimezone(info)
        except OverflowError:
            return None
        return Moment(instant.replace(tzinfo=None), (instant - _EPOCH) // timedelta(microseconds=1))
    return Moment(wall, (wall.replace(tzinfo=info) - _EPOCH) // timedelta(microseconds=1))


def zone_info(zone: str) -> timezone | ZoneInfo | None:
    """Return the time zone with this name, as Spark writes it; None if the name is unknown.

    >>> zone_info("GMT-3") is not None, zone_info("Nowhere/Land")
    (True, None)
    """
    if zone in ("Z", "UTC", "GMT", "UT", "Etc/UTC"):
        return UTC
    if match := _OFFSET.match(zone):
        sign, hours, minutes = match.groups()
        delta = timedelta(hours=int(hours), minutes=int(minutes or 0))
        return timezone(-delta if sign == "-" else delta)
    try:
        return ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError):
        return None


def is_skipped(wall: datetime, zone: str) -> bool:
    """Return whether clocks skip both a local time and the microsecond before the local time.

    Spark moves such a local time forward. The first skipped local time is not counted, because it names the instant of
    the clock change: a bucket that starts at the first skipped local time starts at this instant.

    >>> is_skipped(datetime(2024, 3, 10, 2, 30), "America/New_York"), is_skipped(datetime(2024, 3, 10, 2), "UTC")
    (True, False)
    >>> is_skipped(datetime(2024, 3, 10, 2), "America/New_York")
    False
    """
    info = zone_info(zone)
    try:
        nearby = (wall, wall - timedelta(microseconds=1))
        return info is not None and all(
            each.replace(tzinfo=info).astimezone(UTC).astimezone(info).replace(tzinfo=None) != each for each in nearby
        )
    except OverflowError:
        return False
