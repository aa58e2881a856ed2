"""Replace pieces of a text and leave the rest as it is, byte for byte."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Edit(NamedTuple):
    """Put `text` where the characters from `start` up to `end` stand."""

    start: int
    end: int
    text: str


def splice(sql: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made; they must not overlap.

    >>> splice("SELECT a FROM t -- why", [Edit(14, 15, "v")])
    'SELECT a FROM v -- why'
    """
    pieces: list[str] = []
    done = 0
    for edit in sorted(edits):
        if edit.start < done:
            raise ValueError(f"edits overlap at {edit.start}")
        pieces += (sql[done : edit.start], edit.text)
        done = edit.end
    pieces.append(sql[done:])
    return "".join(pieces)
