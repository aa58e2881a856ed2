"""Periods of time as users write them in properties, and the word for none."""

from __future__ import annotations

import re

NEVER = "never"

_PERIOD = re.compile(r"([1-9]\d{0,5}) *(second|minute|hour|day)s?", re.IGNORECASE)
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}
ALLOWED = "a number of seconds, minutes, hours or days, such as '10 minutes'"


def period(text: str) -> int | None:
    """Return a period in seconds; None for a text that is none.

    >>> period("10 minutes"), period("1 day"), period("0 hours"), period("often")
    (600, 86400, None, None)
    """
    found = _PERIOD.fullmatch(text.strip())
    return int(found[1]) * _SECONDS[found[2].lower()] if found else None
