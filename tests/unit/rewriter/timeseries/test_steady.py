"""Conclusions about time zones, tried at all of their changes: buckets as Spark makes them, by java.time's rules."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest

from rewriter.timeseries import divides_at, same_buckets
from rewriter.timeseries.floor import floor
from rewriter.timeseries.steady import LENGTHS, is_steady
from rewriter.timeseries.zone_data import days_follow, histories
from rewriter.verify.borders import nested, same_borders

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SINCE = (-3_000_000_000, 0, 1_000_000_000, 1_700_000_000)
SHORT = ("minute", "five_minute", "ten_minute", "fifteen_minute", "thirty_minute", "hour")
KNOWN = (
    "America/New_York", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe", "America/St_Johns", "Pacific/Apia",
    "Africa/Casablanca", "America/Caracas", "Asia/Pyongyang", "Africa/Monrovia", "Asia/Kathmandu", "Europe/Dublin",
    "Pacific/Chatham",
)  # fmt: skip
# Every twelfth of all zones, and those with a history of their own.
ZONES = sorted({*KNOWN, *sorted(zone for zone in available_timezones() if "/" in zone and histories(zone))[::12]})


def instant(second: int, zone: ZoneInfo) -> datetime:
    return (EPOCH + timedelta(seconds=second)).astimezone(zone)


def begin(at: datetime, grain: str, zone: ZoneInfo) -> float:
    """Return the begin of a bucket as an instant: date_trunc() of the local time; shorter buckets are counted from
    their hour.
    """
    if grain in SHORT[1:5]:
        hour = begin(at, "hour", zone)
        return hour + int((at.timestamp() - hour) / LENGTHS[grain]) * LENGTHS[grain]  # DIV, towards zero
    wall = floor(at.replace(tzinfo=None), grain)
    # java.time keeps the offset where it is one of the wall clock's, and shifts over a gap.
    for offset in (at.utcoffset(), wall.replace(tzinfo=zone).utcoffset()):
        found = wall.replace(tzinfo=UTC) - (offset or timedelta(0))
        if found.astimezone(zone).replace(tzinfo=None) == wall:
            return found.timestamp()
    return wall.replace(tzinfo=zone).timestamp()


def seconds_around_changes(zone: str, since: int) -> set[int]:
    """Return seconds beside each change of a zone, and some between changes, from a time until 2045."""
    changes = [at for at, _ in histories(zone)[0].changes if at > since]
    later = [year for year in range(2030, 2045, 7) for year in (int(datetime(year, 3, 31, 1, tzinfo=UTC).timestamp()),)]
    beside = (-3601, -1800, -1, 0, 1, 1799, 3599, 3600, 86_399)
    return {at + more for at in (since, *changes[-12:], *changes[:4], *later) for more in beside if at + more >= since}


@pytest.mark.parametrize("since", SINCE)
def test_buckets_of_steady_zones_nest_in_hours_and_days(since: int) -> None:
    proved = 0
    for name in ZONES:
        zone = ZoneInfo(name)
        for grain in SHORT:
            if not is_steady(name, grain, since):
                continue
            proved += 1
            for second in seconds_around_changes(name, since):
                at = instant(second, zone)
                first = instant(int(begin(at, grain, zone)), zone)
                for coarse in ("hour", "day", "month"):
                    if first.timestamp() >= since:
                        assert begin(first, coarse, zone) == begin(at, coarse, zone), (name, grain, coarse, at)
    assert proved > (3 * len(ZONES) if since >= 0 else 0)


@pytest.mark.parametrize("since", SINCE)
def test_zones_with_the_same_buckets(since: int) -> None:
    utc = ZoneInfo("UTC")
    for name in ZONES:
        zone = ZoneInfo(name)
        for grain in SHORT:
            if same_buckets(grain, "UTC", name, since):
                for second in seconds_around_changes(name, since):
                    at = instant(second, zone)
                    assert begin(at, grain, zone) == begin(at.astimezone(utc), grain, utc), (name, grain, at)


@pytest.mark.parametrize("grain", ["hour", "day", "week", "month"])
def test_borders_divide_times_and_their_buckets_alike(grain: str) -> None:
    for name in ZONES:
        zone = ZoneInfo(name)
        for wall in (datetime(1988, 5, 1), datetime(2011, 12, 30), datetime(2024, 3, 31), datetime(2024, 11, 4)):
            border = floor(wall, grain)
            if not divides_at(border, grain, name):
                continue
            first = border.replace(tzinfo=zone).timestamp()
            for second in {int(first) + more for more in (-90_000, -7200, -1, 0, 1, 5400, 90_000)}:
                at = instant(second, zone)
                assert (at.timestamp() >= first) == (begin(at, grain, zone) >= first), (name, border, at)


@pytest.mark.parametrize("since", SINCE[1:])
def test_the_verifier_finds_the_same_by_counting(since: int) -> None:
    for name in KNOWN:
        for grain in SHORT:
            assert nested(grain, "day", "timestamp", name, since) or not is_steady(name, grain, since), (name, grain)
            mine, theirs = same_buckets(grain, "UTC", name, since), same_borders(grain, "UTC", name, since)
            assert theirs or not mine, (name, grain)


def test_an_hour_that_begins_while_clocks_are_put_forward() -> None:
    # From 02:45 to 03:45: Spark takes 04:00 for the begin of the hour of 03:50.
    since = 1_000_000_000
    for grain in SHORT[1:]:
        assert not is_steady("Pacific/Chatham", grain, since)
        assert not same_buckets(grain, "UTC", "Pacific/Chatham", since)
        assert not nested(grain, "day", "timestamp", "Pacific/Chatham", since)
        assert not same_borders(grain, "UTC", "Pacific/Chatham", since)


def test_a_day_that_comes_again() -> None:
    assert days_follow("Europe/Berlin", 0)
    assert not days_follow("America/St_Johns", 946_684_800)  # until 2011 the clocks went back at one past midnight
    assert not days_follow("Europe/Berlin", None)
    assert not days_follow("Nowhere/Land", 0)
