"""What the client of a session is going to ask."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Habits:
    """The messages that were the first about the session's last result, and how heavy its first rows were."""

    columns: bytes | None = None
    rows: bytes | None = None
    weight: int = 0
