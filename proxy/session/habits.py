"""What the client of a session is going to ask."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

_LONGEST = 1024  # bytes; what is asked of a result takes a hundred


@dataclass(slots=True)
class Habits:
    """The messages that were the first about the session's last result, and how heavy its first rows were.

    `closing` is the one that was the last about it.
    `schema` is the reply that tells the columns of a constant statement, under that and its upstream's session; the
    next one may be the same.
    `blocks` is how often it asks for rows at first: twice, where all were in the first block and it looks for more.
    """

    columns: bytes | None = None
    schema: tuple[Hashable, bytes] | None = None
    rows: bytes | None = None
    closing: bytes | None = None
    weight: int = 0
    blocks: int = 1


def repeatable(call: bytes) -> bytes | None:
    """The call, to be kept for a session's life, if it is as short as clients make it."""
    return call if len(call) <= _LONGEST else None
