"""Recognizes time zones with a fixed offset, and zones that skipped dates."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import lru_cache

from rewriter.timeseries.literals import zone_info

_FIXED = re.compile(r"(?:Etc/)?(?:UTC|GMT|UCT|Zulu|Universal)(?:[+-]0)?\Z|Z\Z|(?:UTC|GMT|UT)?[+-]\d{1,2}(?::\d{2})?\Z")

# Areas whose zones never crossed the date line. Manila is an exception: until 1844 it had the date of America.
_DATED = frozenset({"Africa", "America", "Asia", "Atlantic", "Australia", "Europe", "Indian"})


@lru_cache(maxsize=64)
def is_fixed_offset(zone: str) -> bool:
    """Return whether a zone has one constant offset of whole minutes.

    In a zone with a constant offset, every bucket of a finer grain lies within one bucket of each coarser grain. For
    other zones, this nesting must be proved from the zone's offset changes.

    >>> is_fixed_offset("UTC"), is_fixed_offset("+05:30"), is_fixed_offset("Europe/Berlin")
    (True, True, False)
    """
    return _FIXED.match(zone) is not None


def offset_of(zone: str) -> int | None:
    """Return the constant UTC offset of a zone in seconds; None for a zone whose offset changes.

    >>> offset_of("-03:30"), offset_of("Europe/Berlin")
    (-12600, None)
    """
    info = zone_info(zone) if is_fixed_offset(zone) else None
    delta = info.utcoffset(datetime(2000, 1, 1)) if info is not None else None
    return delta // timedelta(seconds=1) if delta is not None else None


def has_left_out_days(zone: str) -> bool:
    """Return whether a zone has skipped dates, as zones that move across the date line do; True if not certain.

    >>> has_left_out_days("Asia/Manila"), has_left_out_days("Europe/Berlin"), has_left_out_days("MIT")
    (True, False, True)
    """
    area, _, place = zone.partition("/")
    return not is_fixed_offset(zone) and (area not in _DATED or place == "Manila")
