"""The grains of time as a graph: an edge leads to a coarser grain whose buckets are unions of the finer one's."""

from __future__ import annotations

from functools import cache

import networkx as nx

# Ten minutes do not divide fifteen, and weeks straddle months and years: no edges there.
ROLL_UPS: nx.DiGraph[str] = nx.DiGraph(
    [
        ("second", "minute"),
        ("minute", "five_minute"),
        ("five_minute", "ten_minute"),
        ("five_minute", "fifteen_minute"),
        ("ten_minute", "thirty_minute"),
        ("fifteen_minute", "thirty_minute"),
        ("thirty_minute", "hour"),
        ("hour", "day"),
        ("day", "week"),
        ("day", "month"),
        ("month", "quarter"),
        ("quarter", "year"),
    ]
)
GRANULARITIES: tuple[str, ...] = tuple(ROLL_UPS)  # in the order of their sizes, in which they stand above
DATE_GRANULARITIES = frozenset({"day", "week", "month", "quarter", "year"})
SUB_HOUR_MINUTES = {"five_minute": 5, "ten_minute": 10, "fifteen_minute": 15, "thirty_minute": 30}


@cache
def rolls_up(fine: str, coarse: str) -> bool:
    """Whether each bucket of the coarse grain is a union of buckets of the fine one (or they are the same).

    >>> rolls_up("minute", "hour"), rolls_up("ten_minute", "fifteen_minute"), rolls_up("week", "month")
    (True, False, False)
    """
    return fine in ROLL_UPS and coarse in ROLL_UPS and nx.has_path(ROLL_UPS, fine, coarse)
