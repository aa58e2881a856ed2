"""Session time zones, as far as roll-up needs them."""

from __future__ import annotations

import re

_FIXED = re.compile(r"(?:Etc/)?(?:UTC|GMT|UCT|Zulu|Universal)(?:[+-]0)?\Z|Z\Z|(?:UTC|GMT|UT)?[+-]\d{1,2}(?::\d{2})?\Z")


def is_fixed_offset(zone: str) -> bool:
    """Whether the zone never changes its offset, and the offset is of whole minutes.

    There every bucket of a finer grain lies within one bucket of each coarser one.
    A zone with a history of offsets needs a proof over that history first.

    >>> is_fixed_offset("UTC"), is_fixed_offset("+05:30"), is_fixed_offset("Europe/Berlin")
    (True, True, False)
    """
    return _FIXED.match(zone) is not None
