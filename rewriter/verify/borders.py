"""Whether buckets nest, found out by counting: each border of the coarse ones is tried on the fine ones.

The matcher reasons about lengths and offsets; this module knows nothing of that, and looks at borders.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache

from rewriter.timeseries import Grain, is_border, is_fixed_offset, micros_of, next_border
from rewriter.timeseries.granularity import DATE_GRANULARITIES, GRANULARITIES
from rewriter.timeseries.literals import zone_info

_MICROS = 1_000_000
# From a Monday, through a leap year: borders of all grains fall together here only where they do anywhere.
_BEGIN, _END = datetime(2023, 1, 2), datetime(2025, 1, 6)


def nested(fine: Grain, coarse: Grain, kind: str, zone: str) -> bool:
    """Return whether each fine bucket of times of a type lies within one coarse bucket.

    >>> nested("minute", "hour", "timestamp", "UTC"), nested("hour", 86400, "timestamp", "+01:00")
    (True, True)
    >>> nested(60, 90, "timestamp", "UTC")
    False
    """
    if isinstance(fine, int) and isinstance(coarse, int):
        return coarse % fine == 0
    zoned = kind == "timestamp" and not is_fixed_offset(zone)
    if fine == coarse and not zoned:
        return True
    if kind != "timestamp" and (isinstance(fine, int) or isinstance(coarse, int)):
        return False
    if zoned:
        # A day's bucket begins on that day, in any zone; what is finer is not proved.
        return fine in DATE_GRANULARITIES and coarse in DATE_GRANULARITIES and _all_borders(str(fine), str(coarse), 0)
    return _all_borders(fine, coarse, _offset(zone) if kind == "timestamp" else 0)


def _offset(zone: str) -> int:
    info = zone_info(zone)
    delta = info.utcoffset(None) if info is not None else None
    return delta // timedelta(seconds=1) if delta is not None else 0


@cache
def _all_borders(fine: Grain, coarse: Grain, offset: int) -> bool:
    """Whether each border of the coarse buckets is one of the fine buckets, at an offset."""
    if coarse == "second" or (isinstance(coarse, str) and coarse not in GRANULARITIES):
        return False
    return all(_is_border(wall, fine, offset) for wall in _borders(coarse, offset))


def _is_border(wall: datetime, grain: Grain, offset: int) -> bool:
    if isinstance(grain, str):
        return is_border(wall, grain)
    return (micros_of(wall) - offset * _MICROS) % (grain * _MICROS) == 0


def _borders(grain: Grain, offset: int) -> Iterator[datetime]:
    """The borders of a grain, of short buckets over some days only."""
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
