"""Replaces parts of a text and keeps the rest unchanged."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from rewriter.sql.blocks import SelectSpan


class Edit(NamedTuple):
    """An edit of a text: `text` replaces the characters from offset `start` up to, but not including, offset `end`."""

    start: int
    end: int
    text: str

    def within(self, span: SelectSpan) -> bool:
        """Return whether the edit lies within a span."""
        return span.start <= self.start and self.end <= span.end


def splice(sql: str, edits: Iterable[Edit]) -> str:
    """Return the text with all edits applied; raise ValueError if two edits overlap.

    >>> splice("SELECT a FROM t -- why", [Edit(14, 15, "v")])
    'SELECT a FROM v -- why'
    """
    pieces: list[str] = []
    done = 0
    for edit in sorted(edits):
        if edit.start < done:
            raise ValueError(f"edits of the SQL text overlap at character {edit.start}")
        pieces += (sql[done : edit.start], edit.text)
        done = edit.end
    pieces.append(sql[done:])
    return "".join(pieces)


def splice_within(sql: str, span: SelectSpan, edits: Iterable[Edit]) -> str:
    """Return the part of a text in a span, with the edits that lie within the span applied; other edits are ignored.

    >>> splice_within("SELECT (SELECT a FROM t)", SelectSpan(8, 23), [Edit(15, 16, "b"), Edit(0, 6, "select")])
    'SELECT b FROM t'
    """
    moved = (e._replace(start=e.start - span.start, end=e.end - span.start) for e in edits if e.within(span))
    return splice(sql[span.start : span.end], moved)
