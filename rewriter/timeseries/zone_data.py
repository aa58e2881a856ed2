"""The offset changes of a zone in every available edition of the zone data (the IANA time zone database).

The editions of the JVM, of the operating system and of the package `tzdata` differ. So conclusions are never drawn from
one offset, but only from facts that hold in all editions, such as: since 1980, the zone's clocks have moved by
multiples of 3600 seconds. Clocks are moved by whole hours, in a few zones by half an hour, and since 1972 nowhere by
less than a minute.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from functools import cache
from importlib import resources
from itertools import chain, pairwise
from pathlib import Path
from typing import NamedTuple
from zoneinfo import TZPATH

from rewriter.timeseries.zone import is_fixed_offset, offset_of

_HEADER = struct.Struct(">4s1s15x6l")
_HOUR, _DAY = 3600, 86_400
_NAME = re.compile(r"[A-Za-z0-9_+-]+(?:/[A-Za-z0-9_+-]+)*\Z")
_TIME = r"[+-]?\d+(?::\d+){0,2}"
# The rule for changes after the last recorded one: `CET-1CEST,M3.5.0,M10.5.0/3`.
_RULE = re.compile(
    rf"(?:<[^>]+>|[A-Za-z]+)({_TIME})(?:(?:<[^>]+>|[A-Za-z]+)({_TIME})?,[^,/]+(?:/({_TIME}))?,[^,/]+(?:/({_TIME}))?)?\Z"
)


class History(NamedTuple):
    """The offset changes of a zone.

    `changes` are pairs of a time (seconds since 1970) and the UTC offset from that time on, in seconds.

    `rule` applies after the last of `changes`. The rule of Berlin is (3600, 7200, 7200, 10800): the standard offset,
    the summer offset, and the local times of day at which summer time starts and ends, all in seconds. The rule of a
    zone without daylight saving time has only two values, both the standard offset.
    """

    changes: tuple[tuple[int, int], ...]
    rule: tuple[int, ...]


def shift_of(zone: str, step: int, since: int | None) -> int | None:
    """Return the common remainder of a zone's offsets modulo `step` seconds, from `since` (seconds since 1970) on.

    Return None if the remainders differ, if an offset changes within a time bucket of `step` seconds, or if the zone's
    data is unknown. `since` may be None (unknown) only for a zone with a fixed offset; else the result is None. For
    steps of one second, the result is 0 in any zone, because all offsets are whole seconds.

    >>> shift_of("Europe/Berlin", 3600, 315532800), shift_of("Asia/Kolkata", 3600, 315532800), shift_of("UTC", 60, None)
    (0, 1800, 0)
    >>> shift_of("America/New_York", 60, None), shift_of("America/St_Johns", 3600, 946684800)
    (None, None)
    >>> shift_of("Nowhere/Land", 1, None)
    0
    """
    if step == 1:
        return 0
    if is_fixed_offset(zone):
        offset = offset_of(zone)
        return offset % step if offset is not None else None
    found = {_shift(history, step, since) for history in histories(zone)} if since is not None else set()
    return found.pop() if len(found) == 1 else None


def _shift(history: History, step: int, since: int) -> int | None:
    later = [change for change in history.changes if change[0] > since]
    before = [offset for at, offset in history.changes if at <= since]
    # A rule's times are on the clock before the change, which is a whole number of steps off if all offsets have the
    # same shift.
    offsets, times = [*before[-1:], *(offset for _, offset in later), *history.rule[:2]], history.rule[2:]
    shifts = {offset % step for offset in offsets}
    if len(shifts) != 1 or not before:
        return None
    if _skips_hours(history, since):
        return None
    (shift,) = shifts
    between = all((at + shift) % step == 0 for at, _ in later) and all(time % step == 0 for time in times)
    return shift if between else None


def _skips_hours(history: History, since: int) -> bool:
    """Return whether, after `since`, a clock skipped the start of an hour and continued within that hour.

    On the Chatham Islands, clocks go from 02:45 to 03:45. Then 03:00, Spark's date_trunc('HOUR') of 03:50, is a local
    time that does not exist; java.time moves 03:00 forward by the gap to 04:00, past the rows of the bucket.
    """
    return any(left < reached // _HOUR * _HOUR < reached for left, reached in _gaps(history, since))


def _ruled(rule: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Yield the pair of local times, in seconds of the day, just before and after a rule sets the clocks forward.

    Yield nothing for a rule without clock changes.
    """
    if len(rule) > 2:
        standard, summer, begins, ends = rule
        left = begins if summer > standard else ends
        yield left, left + abs(summer - standard)


def days_follow(zone: str, since: int | None) -> bool:
    """Return whether local dates never go back, for times from `since` (seconds since 1970) on.

    Local dates go back where clocks are set back just after midnight. Return False if the zone's data is unknown, and
    if `since` is unknown (None) for a zone whose offset changes.
    """
    return _holds_in_all(zone, since, _forward)


def _forward(history: History, since: int) -> bool:
    changes = [(at, before, after) for (_, before), (at, after) in pairwise(history.changes) if at > since]
    repeated = any((at - 1 + before) // _DAY > (at + after) // _DAY for at, before, after in changes)
    if len(history.rule) == 2:
        return not repeated
    standard, summer, begins, ends = history.rule
    back = ends if summer > standard else begins
    return not repeated and not 0 < back % _DAY < abs(summer - standard)


def dates_stay(zone: str, since: int | None) -> bool:
    """Return whether each local time that clocks skip is moved to a time of the same date, from `since` on.

    `since` is in seconds since 1970. In such a zone, a time plus n days has the date of the time plus n. Return False
    if the zone's data is unknown, and if `since` is unknown (None) for a zone whose offset changes.

    >>> dates_stay("America/New_York", 0), dates_stay("Pacific/Apia", 0), dates_stay("Pacific/Apia", 1_400_000_000)
    (True, False, True)
    """
    return _holds_in_all(zone, since, _keeps_dates)


def _keeps_dates(history: History, since: int) -> bool:
    gaps = _gaps(history, since)
    return all(left // _DAY == (reached + (reached - left) - 1) // _DAY for left, reached in gaps)


def midnights_exist(zone: str, since: int | None) -> bool:
    """Return whether clocks skip no midnight, for times from `since` (seconds since 1970) on.

    Where clocks skip midnight, as in Chile and Egypt, that day starts at one o'clock, and a day after this start is one
    o'clock again, which is not the start of a day. Return False if the zone's data is unknown, and if `since` is
    unknown (None) for a zone whose offset changes.

    >>> midnights_exist("America/New_York", 0), midnights_exist("Africa/Cairo", 0)
    (True, False)
    >>> midnights_exist("America/Sao_Paulo", 1_541_000_000), midnights_exist("America/Sao_Paulo", 1_600_000_000)
    (False, True)
    """
    return _holds_in_all(zone, since, _keeps_midnights)


def _keeps_midnights(history: History, since: int) -> bool:
    return all(-(-left // _DAY) * _DAY >= reached for left, reached in _gaps(history, since))


def _holds_in_all(zone: str, since: int | None, holds: Callable[[History, int], bool]) -> bool:
    """Return whether `holds` is true for the zone's history in all editions of the zone data, from `since` on.

    Return True for a zone with a fixed offset; otherwise False if the zone's data or `since` is unknown.
    """
    if is_fixed_offset(zone):
        return True
    found = histories(zone)
    return bool(found) and since is not None and all(holds(history, since) for history in found)


def _gaps(history: History, since: int) -> Iterator[tuple[int, int]]:
    """Yield, for each clock change after `since` that skips local times, the local times at which the skip starts and
    ends.

    Both are in seconds since 1970-01-01 00:00 local time. The yearly change by the history's rule is yielded once, as
    if on 1970-01-01, because the callers' results do not depend on the date.
    """
    changes = ((at + before, at + after) for (_, before), (at, after) in pairwise(history.changes) if at > since)
    return ((left, reached) for left, reached in chain(changes, _ruled(history.rule)) if reached > left)


@cache
def histories(zone: str) -> tuple[History, ...]:
    """Return a zone's offset changes in each available edition of the zone data.

    Empty if the package `tzdata` lacks the zone, or if the data of an edition is not supported.
    """
    texts = list(_editions(zone)) if _NAME.match(zone) else []
    found = [_read(text) for text in texts]
    return tuple(history for history in found if history is not None) if None not in found else ()


def _editions(zone: str) -> Iterator[bytes]:
    for folder in TZPATH:
        path = Path(folder, zone)
        if path.is_file():
            yield path.read_bytes()
    package = resources.files("tzdata").joinpath("zoneinfo", *zone.split("/"))
    yield package.read_bytes() if package.is_file() else b""


def _read(data: bytes) -> History | None:
    """Return the history in a TZif file (RFC 8536) of version 2 or later, from its 64-bit part; None if invalid."""
    if len(data) < _HEADER.size or data[:4] != b"TZif" or data[4:5] < b"2":
        return None
    _, _, utc, std, leaps, times, types, chars = _HEADER.unpack_from(data)
    start = _HEADER.size + times * 5 + types * 6 + chars + leaps * 8 + std + utc
    _, _, utc, std, leaps, times, types, chars = _HEADER.unpack_from(data, start)
    start += _HEADER.size
    moments = struct.unpack_from(f">{times}q", data, start)
    kinds = struct.unpack_from(f">{times}B", data, start + times * 8)
    place = start + times * 9
    offsets = [struct.unpack_from(">l", data, place + i * 6)[0] for i in range(types)]
    rule = _rule(data[place + types * 6 + chars + leaps * 12 + std + utc :].decode("ascii").strip("\n"))
    if rule is None:
        return None
    entries = [(-(2**62), offsets[0]), *((at, offsets[kind]) for at, kind in zip(moments, kinds, strict=True))]
    # Some changes only change the name, such as the last one, in 2038, of files that list all changes.
    changes = (later for earlier, later in pairwise(entries) if earlier[1] != later[1])
    return History((entries[0], *changes), rule)


def _rule(text: str) -> tuple[int, ...] | None:
    """Return the field `rule` of a History from a TZ string (`CET-1CEST,M3.5.0,M10.5.0/3`); None if unsupported."""
    found = _RULE.match(text)
    if found is None:
        return None
    standard, summer, begins, ends = found.groups()
    offset = -_seconds(standard)
    if "," not in text:
        return (offset, offset)
    return (
        offset,
        -_seconds(summer) if summer else offset + 3600,
        *(_seconds(time) if time else 7200 for time in (begins, ends)),
    )


def _seconds(text: str) -> int:
    hours, *rest = text.lstrip("+-").split(":")
    seconds = int(hours) * 3600 + sum(int(part) * unit for part, unit in zip(rest, (60, 1), strict=False))
    return -seconds if text.startswith("-") else seconds
