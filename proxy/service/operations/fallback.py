"""The fallback to the client's original statement, which runs if the rewritten statement fails.

    open ──shut──▶ shut     the original statement must not run: rows were sent, or the client has cancelled or closed
      │                     the operation
      └────take──▶ taken    a task runs the original statement; `passed` waits for the end of the task

After the statement's deadline, an open fallback counts as shut.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from proxy.hs2 import SqlError
from proxy.service.call import Statement


class Fallback:
    """The fallback of one rewritten statement to the client's original statement.

    The fallback is open until `shut` or `take` is called, or the statement's deadline has passed. `original` is the
    client's statement; if it is None, the fallback is never open. `report` is called with the error of the rewritten
    statement after the original statement has succeeded.
    """

    def __init__(self, original: Statement | None, report: Callable[[SqlError], None] | None = None) -> None:
        self._original = original
        self._report = report
        self.failure: SqlError | None = None  # the rewritten statement's error
        self._passing: asyncio.Task[SqlError | None] | None = None

    @property
    def open(self) -> bool:
        """Whether the original statement may still run in place of the rewritten statement."""
        return self._original is not None and not self._original.expired

    def shut(self) -> None:
        """Close the fallback: from now on, the original statement must not run."""
        self._original = None

    def take(self, failure: SqlError | None, run: Callable[[Statement], Coroutine[Any, Any, SqlError | None]]) -> None:
        """Run the original statement with the function `run`, in a task that continues even if the client leaves.

        `run` returns the error of the original statement, None after a success. `failure` is the error of the rewritten
        statement. The fallback must be open.
        """
        original, self._original = self._original, None
        assert original is not None
        self.failure = failure
        self._passing = asyncio.create_task(run(original))
        self._passing.add_done_callback(_seen)

    async def passed(self) -> SqlError | None:
        """Wait for the end of the task that `take` has started.

        Return the error if the original statement could not run or has failed, else None. Return None at once if `take`
        was not called.
        """
        return None if self._passing is None else await asyncio.shield(self._passing)

    def original_succeeded(self) -> None:
        """Call `report` with the error of the rewritten statement, because the original statement has succeeded.

        Do nothing if the rewritten statement has not failed.
        """
        if self.failure is not None and self._report is not None:
            self._report(self.failure)


NO_FALLBACK = Fallback(None)  # never open


def _seen(passing: asyncio.Task[SqlError | None]) -> None:
    """Retrieve the exception of the task; otherwise asyncio would log the exception as never retrieved."""
    if not passing.cancelled():
        passing.exception()
