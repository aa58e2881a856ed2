"""Decides whether time buckets nest, by enumerating their borders.

A grain is the length of buckets, a name such as "day" or a number of seconds; a border is the start of a bucket. Fine
buckets nest in coarse buckets if each border of a coarse bucket is also a border of a fine bucket.

The matcher proves nesting from lengths and zone offsets; this module compares borders one by one, so that an error in
the matcher's proof is noticed.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache, lru_cache
from itertools import chain

from rewriter.timeseries import Grain, is_border, is_fixed_offset, micros_of, next_border, offset_of
from rewriter.timeseries.granularity import DATE_GRANULARITIES, GRANULARITIES
from rewriter.timeseries.literals import zone_info

_MICROS, _DAY = 1_000_000, 86_400
_EPOCH = datetime(1970, 1, 1)
_UTC = _EPOCH.replace(tzinfo=UTC)
# Offset changes are searched until this time (2039): the rules of zones repeat from then on.
_LAST = 2_208_988_800
# Two years from a Monday, with a leap year: in any other years, the borders of the grains coincide in the same way.
_BEGIN, _END = datetime(2023, 1, 2), datetime(2025, 1, 6)


def nested(fine: Grain, coarse: Grain, kind: str, zone: str, since: int | None = None) -> bool:
    """Return whether each fine bucket of times from `since` on lies within one coarse bucket.

    `since` is in seconds since 1970, None if unknown; `kind` is the type of the times (date, timestamp, timestamp_ntz),
    `zone` the session's time zone.

    >>> nested("minute", "hour", "timestamp", "UTC"), nested("hour", 86400, "timestamp", "+01:00")
    (True, True)
    >>> nested(60, 90, "timestamp", "UTC")
    False
    """
    if isinstance(fine, int) and isinstance(coarse, int):
        return coarse % fine == 0
    if fine in (1, "second") and kind == "timestamp":
        return isinstance(coarse, int) or coarse in GRANULARITIES  # all offsets are whole seconds
    zoned = kind == "timestamp" and not is_fixed_offset(zone)
    if fine == coarse and not zoned:
        return True
    if kind != "timestamp" and (isinstance(fine, int) or isinstance(coarse, int)):
        return False
    if zoned:
        if fine in DATE_GRANULARITIES:  # a bucket of whole days begins on the same day in every zone
            return coarse in DATE_GRANULARITIES and _all_borders(str(fine), str(coarse), 0)
        offsets = _offsets(zone, fine, since)
        return bool(offsets) and all(_all_borders(fine, coarse, offset) for offset in offsets)
    return _all_borders(fine, coarse, (offset_of(zone) or 0) if kind == "timestamp" else 0)


def same_borders(grain: str, one: str, other: str, since: int | None) -> bool:
    """Return whether buckets of `grain`, shorter than a day, start at the same instants in two zones from `since` on.

    `since` is in seconds since 1970. If `since` is None (unknown) and one of the zones has a variable offset, return
    False.

    >>> same_borders("minute", "UTC", "Asia/Kolkata", 0), same_borders("hour", "UTC", "Asia/Kolkata", 0)
    (True, False)
    """
    both = [_offsets(zone, grain, since) for zone in (one, other)]
    seconds = {border.second + 60 * border.minute for border in _borders(grain, 0)}
    shifted = [{(second - offset) % 3600 for second in seconds for offset in offsets} for offsets in both]
    return all(both) and shifted[0] == shifted[1] and len(shifted[0]) == len(seconds)


def exists(wall: datetime, zone: str) -> bool:
    """Return whether a local time exists in a zone.

    A time that clocks skipped when they were put forward does not exist. Return False for an unknown zone, too.

    >>> exists(datetime(2011, 12, 30), "Pacific/Apia"), exists(datetime(2011, 12, 30), "UTC")
    (False, True)
    """
    info = zone_info(zone)
    return info is not None and wall.replace(tzinfo=info).astimezone(UTC).astimezone(info).replace(tzinfo=None) == wall


def keeps_dates(zone: str, since: int | None) -> bool:
    """Return whether Spark moves each local time that clocks skip to a later time of the same date, from `since` on.

    `since` is in seconds since 1970. If `since` is None (unknown) and the zone has a variable offset, return False.

    >>> keeps_dates("Europe/Berlin", 0), keeps_dates("Pacific/Apia", 0), keeps_dates("UTC", None)
    (True, False, True)
    """
    if is_fixed_offset(zone):
        return True
    first, changes = _history(zone, since) if since is not None else (None, ())
    moved = ((at + before, at + 2 * after - before - 1) for at, before, after in changes if after > before)
    return first is not None and all(low // _DAY == high // _DAY for low, high in moved)


def _offsets(zone: str, grain: Grain, since: int | None) -> frozenset[int]:
    """Return the UTC offsets (seconds) that a zone has from the time `since` on.

    Return an empty set if the offsets are unknown or if an offset change splits a bucket of `grain`.
    """
    if is_fixed_offset(zone):
        return frozenset({offset_of(zone) or 0})
    first, changes = _history(zone, since) if since is not None else (None, ())
    walls = [(at + offset, offset) for at, *both in changes for offset in both]
    # If clocks are put forward within an hour, the start of that hour does not exist.
    if any(at + before < (at + after) // 3600 * 3600 < at + after for at, before, after in changes):
        return frozenset()
    if first is None or not all(_is_border(_EPOCH + timedelta(seconds=wall), grain, o) for wall, o in walls):
        return frozenset()
    return frozenset({first, *(offset for _, offset in walls)})


@lru_cache(maxsize=1024)  # a filter may begin at any second, so that the keys are unbounded
def _history(zone: str, since: int) -> tuple[int | None, tuple[tuple[int, int, int], ...]]:
    """Return a zone's UTC offset at the time `since`, and all later changes: time, offset before and offset after.

    All values are in seconds, and times are seconds since 1970. The offset at `since` is None for an unknown zone, and
    for a time before the year 1.
    """
    try:
        first = _offset(zone_info(zone), since)
        years = range((_EPOCH + timedelta(seconds=since)).year, (_EPOCH + timedelta(seconds=_LAST)).year)
        later = chain.from_iterable(_changes(zone, year) for year in years)
        return first, tuple(change for change in later if change[0] > since)
    except OverflowError:  # before the year 1
        return None, ()


@lru_cache(maxsize=32_768)  # a filter may begin in any year, so each year is scanned once
def _changes(zone: str, year: int) -> tuple[tuple[int, int, int], ...]:
    """Return each change of a zone's UTC offset in a year: its time, the offset before and the offset after, in
    seconds.

    Times are seconds since 1970.
    """
    info, found = zone_info(zone), []
    begin, end = ((datetime(each, 1, 1) - _EPOCH) // timedelta(seconds=1) for each in (year, year + 1))
    before = _offset(info, begin)
    for day in range(begin, end, _DAY):
        low, high, after = day, day + _DAY, _offset(info, day + _DAY)
        while before != after and high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if _offset(info, middle) == before else (low, middle)
        if before is not None and after is not None and before != after:
            found.append((high, before, after))
        before = after
    return tuple(found)


def _offset(info: tzinfo | None, at: int) -> int | None:
    return _seconds((_UTC + timedelta(seconds=at)).astimezone(info).utcoffset()) if info is not None else None


def _seconds(delta: timedelta | None) -> int:
    return delta // timedelta(seconds=1) if delta is not None else 0


@cache
def _all_borders(fine: Grain, coarse: Grain, offset: int) -> bool:
    """Return whether each border of the coarse buckets is a border of the fine buckets, at a UTC offset in seconds."""
    if coarse == "second" or (isinstance(coarse, str) and coarse not in GRANULARITIES):
        return False
    return all(_is_border(wall, fine, offset) for wall in _borders(coarse, offset))


def _is_border(wall: datetime, grain: Grain, offset: int) -> bool:
    if isinstance(grain, str):
        return is_border(wall, grain)
    return (micros_of(wall) - offset * _MICROS) % (grain * _MICROS) == 0


def _borders(grain: Grain, offset: int) -> Iterator[datetime]:
    """Yield the starts of consecutive buckets of a grain as local times, enough to compare the grain with any other
    grain.

    Days and longer buckets are yielded for two years, shorter buckets for two days, and buckets of a number of seconds
    for at most 1000 buckets. `offset` is the UTC offset in seconds.
    """
    if isinstance(grain, int):
        first = micros_of(_BEGIN) // (grain * _MICROS) * grain
        ends = min(_END, _BEGIN + timedelta(seconds=grain * 1000))
        step, wall = timedelta(seconds=grain), datetime(1970, 1, 1) + timedelta(seconds=first + offset)
        while wall < ends:
            yield wall
            wall += step
        return
    wall = _BEGIN if grain in ("week", "day") or grain not in DATE_GRANULARITIES else datetime(2023, 1, 1)
    ends = _END if grain in DATE_GRANULARITIES else _BEGIN + timedelta(days=2)
    while wall < ends:
        yield wall
        wall = next_border(wall, grain)
