"""The post-commit refresh: after a write has ended, materialized views are refreshed before the client sees the end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

logger = logging.getLogger(__name__)


class PostCommit:
    """The task of a post-commit refresh, which can be awaited and cancelled; the methods never raise.

    `work` runs the refresh. `deadline`, a time of the event loop's clock, limits the client's wait but not the task.
    `over` is called when the task has ended, or when the deadline has passed during a wait; `over` may be called
    several times.
    """

    def __init__(self, work: Callable[[], Awaitable[None]], deadline: float | None, over: Callable[[], None]) -> None:
        self._over = over
        self._deadline = deadline
        self._task = asyncio.ensure_future(self._run(work))

    async def wait(self, seconds: float | None = None) -> None:
        """Wait until the task ends, for at most `seconds` (None for no limit), and not beyond the deadline."""
        clock = asyncio.get_running_loop().time
        left = None if self._deadline is None else max(self._deadline - clock(), 0)
        limits = [limit for limit in (seconds, left) if limit is not None]
        await asyncio.wait({self._task}, timeout=min(limits, default=None))
        if self._deadline is not None and clock() >= self._deadline:
            self._over()

    async def cancel(self) -> None:
        """Cancel the task and wait until it has ended."""
        self._task.cancel()
        await asyncio.wait({self._task})
        self._over()  # otherwise not called if the task had not begun

    async def _run(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except Exception:
            logger.exception("post-commit refresh failed")
        finally:
            self._over()
