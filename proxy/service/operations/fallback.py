"""The fallback to the client's own statement, which takes over where the rewritten one fails.

open ──shut──▶ shut                   rows are out, the client wants none, or the time is over
  └──take──▶ taken ──▶ passed         the original runs in the place of the rewritten statement
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from proxy.hs2 import SqlError
from proxy.service.call import Statement


class Fallback:
    """Open until it is shut, or the statement's time is over; taken at most once, and then to its end.

    `report` is called with the error of the rewritten statement, once its original has not failed.
    """

    def __init__(self, original: Statement | None, report: Callable[[SqlError], None] | None = None) -> None:
        self._original = original
        self._report = report
        self._failure: SqlError | None = None  # of the rewritten statement
        self._passing: asyncio.Task[SqlError | None] | None = None

    @property
    def open(self) -> bool:
        """Whether the original may still take over."""
        return self._original is not None and not self._original.expired

    def shut(self) -> None:
        """Rule out the fallback from now on."""
        self._original = None

    def take(self, failure: SqlError | None, run: Callable[[Statement], Coroutine[Any, Any, SqlError | None]]) -> None:
        """Have the original take over by `run`, which ends on its own even if the waiting client goes away."""
        original, self._original = self._original, None
        assert original is not None
        self._failure = failure
        self._passing = asyncio.create_task(run(original))
        self._passing.add_done_callback(_seen)

    async def passed(self) -> SqlError | None:
        """Return when the original has taken over, at once if it need not; return the error that prevented that."""
        return None if self._passing is None else await asyncio.shield(self._passing)

    def original_succeeded(self) -> None:
        """Report the failure of the rewritten statement, if there was one."""
        if self._failure is not None and self._report is not None:
            self._report(self._failure)


NO_FALLBACK = Fallback(None)  # which is never open


def _seen(passing: asyncio.Task[SqlError | None]) -> None:
    """Take note of an error that no client may wait for any more."""
    if not passing.cancelled():
        passing.exception()
