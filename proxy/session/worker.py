"""What a process that serves clients says of itself."""

from __future__ import annotations

from typing import NamedTuple


class Worker(NamedTuple):
    """Its process id, and how many sessions it has and statements it knows to run."""

    process: int
    sessions: int
    statements: int
