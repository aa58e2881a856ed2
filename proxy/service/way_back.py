"""The way back from a rewriting to the client's own statement, which takes over where the rewritten one fails."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from proxy.hs2 import SqlError
from proxy.service.statement import Statement


class WayBack:
    """Open until it is shut, or the statement's time is over; taken at most once, and then to its end."""

    def __init__(self, original: Statement | None) -> None:
        self._original = original
        self._passing: asyncio.Task[SqlError | None] | None = None

    @property
    def open(self) -> bool:
        """Whether the original may still take over."""
        return self._original is not None and not self._original.expired

    def shut(self) -> None:
        """Have it taken no more: rows are out, or the client wants none."""
        self._original = None

    def take(self, run: Callable[[Statement], Coroutine[Any, Any, SqlError | None]]) -> None:
        """Have the original take over by `run`, which goes on though whoever waits for it goes away."""
        original, self._original = self._original, None
        assert original is not None
        self._passing = asyncio.create_task(run(original))
        self._passing.add_done_callback(_seen)

    async def passed(self) -> SqlError | None:
        """Return when nobody is on the way: what has kept the original from taking over, if it should."""
        return None if self._passing is None else await asyncio.shield(self._passing)


def _seen(passing: asyncio.Task[SqlError | None]) -> None:
    """An error is for those who wait; nobody may be left of them."""
    if not passing.cancelled():
        passing.exception()
