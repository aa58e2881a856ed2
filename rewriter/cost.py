"""Which of several matching views to read."""

from __future__ import annotations

from rewriter.match import Match
from rewriter.model import MaterializedView

UNKNOWN_SIZE = 1 << 62


def cost(view: MaterializedView, match: Match) -> tuple[bool, int, bool, int, str]:
    """Orders matches: those that read no table, then by least rows, no grouping again, fewest joins, and name."""
    storage = match.rewriting.storage
    records = UNKNOWN_SIZE if storage.records is None else storage.records
    return match.rewriting.union is not None, records, match.rolled_up, len(match.rewriting.tables), str(view.name)
