"""The granularities of time buckets (grains) as a graph.

An edge leads from a grain to each coarser grain whose buckets are unions of the finer buckets.
"""

from __future__ import annotations

import re
from functools import cache

# No edges from ten to fifteen minutes, which ten does not divide, nor from weeks, which straddle months and years.
ROLL_UPS: dict[str, tuple[str, ...]] = {
    "second": ("minute",),
    "minute": ("five_minute",),
    "five_minute": ("ten_minute", "fifteen_minute"),
    "ten_minute": ("thirty_minute",),
    "fifteen_minute": ("thirty_minute",),
    "thirty_minute": ("hour",),
    "hour": ("day",),
    "day": ("week", "month"),
    "week": (),
    "month": ("quarter",),
    "quarter": ("year",),
    "year": (),
}
GRANULARITIES: tuple[str, ...] = tuple(ROLL_UPS)  # from fine to coarse, the order above
DATE_GRANULARITIES = frozenset({"day", "week", "month", "quarter", "year"})
SUB_HOUR_MINUTES = {"five_minute": 5, "ten_minute": 10, "fifteen_minute": 15, "thirty_minute": 30}


@cache
def rolls_up(fine: str, coarse: str) -> bool:
    """Return whether each bucket of the coarse grain is a union of buckets of the fine grain, or the grains are equal.

    >>> rolls_up("minute", "hour"), rolls_up("ten_minute", "fifteen_minute"), rolls_up("week", "month")
    (True, False, False)
    """
    if fine not in ROLL_UPS or coarse not in ROLL_UPS:
        return False
    return fine == coarse or any(rolls_up(coarser, coarse) for coarser in ROLL_UPS[fine])


_NAMED = re.compile(r"\s*(?:(\d{1,4})\s*)?([a-z]+)\s*\Z", re.IGNORECASE)
# Units as other engines write them. `m` is a minute; `M` is refused, because it is a month in Java, pandas and Grafana.
_UNITS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), (1, "second")),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), (60, "second")),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), (3600, "second")),
    **dict.fromkeys(("d", "day", "days"), (1, "day")),
    **dict.fromkeys(("w", "week", "weeks"), (1, "week")),
    **dict.fromkeys(("mon", "mons", "month", "months"), (1, "month")),
    **dict.fromkeys(("q", "quarter", "quarters"), (3, "month")),
    **dict.fromkeys(("y", "yr", "yrs", "year", "years"), (12, "month")),
}
# By length and unit. "24 hours" is not a day, which may be longer; "7 days" is not a week, which begins on Monday.
_SIZES = {
    **{(60 * minutes, "second"): grain for grain, minutes in SUB_HOUR_MINUTES.items()},
    (1, "second"): "second",
    (60, "second"): "minute",
    (3600, "second"): "hour",
    (1, "day"): "day",
    (1, "week"): "week",
    (1, "month"): "month",
    (3, "month"): "quarter",
    (12, "month"): "year",
}


def grain_named(text: str) -> str | None:
    """Return the grain with this name ('hour') or of this length ('15 minutes'); None for other texts.

    >>> [grain_named(text) for text in ("Hour", "15 minutes", "1h", "3 months", "24 hours", "7 minutes", "1M")]
    ['hour', 'fifteen_minute', 'hour', 'quarter', None, None, None]
    """
    if text.lower() in GRANULARITIES:
        return text.lower()
    found = _NAMED.match(text)
    if found is None or found[2].lower() not in _UNITS or found[2] == "M":
        return None
    length, unit = _UNITS[found[2].lower()]
    return _SIZES.get((int(found[1] or 1) * length, unit))


_MULTIPLES = (
    "a length must equal one of these, as 5, 10, 15, 30 and 60 minutes, 3 and 12 months and 4 quarters do, or the same "
    "minutes in seconds"
)
# A length and unit that may be taken for a grain, and why it is none.
_MISTAKEN = {
    (86_400, "second"): "a day may have 23 or 25 hours: write 'day'",
    (7, "day"): "weeks start on Monday: write 'week'",
}


def grain_remedy(text: str) -> str:
    """Return the remedy, as text for a message, for a text that names no grain.

    >>> grain_remedy("7 days")
    "weeks start on Monday: write 'week'"
    >>> grain_remedy("3M")
    "M may be minutes or months: write '3 minutes' or '3 months'"
    """
    found = _NAMED.match(text)
    if found is None or found[2].lower() not in _UNITS:
        return _MULTIPLES
    count = int(found[1] or 1)
    if found[2] == "M":
        minutes, months = (f"'{count} {unit}{'s' * (count != 1)}'" for unit in ("minute", "month"))
        return f"M may be minutes or months: write {minutes} or {months}"
    length, unit = _UNITS[found[2].lower()]
    return _MISTAKEN.get((count * length, unit), _MULTIPLES)
