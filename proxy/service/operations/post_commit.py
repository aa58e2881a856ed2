"""The post-commit refresh, which runs after a statement's end on the upstream and before the client sees that end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

logger = logging.getLogger(__name__)


class PostCommit:
    """A task that can be awaited for some seconds or until a deadline (loop time), and cancelled; it never raises.

    `over` is called when the task has ended, or when the deadline has passed and it continues without the client.
    """

    def __init__(self, work: Callable[[], Awaitable[None]], deadline: float | None, over: Callable[[], None]) -> None:
        self._over = over
        self._deadline = deadline
        self._task = asyncio.ensure_future(self._run(work))

    async def wait(self, seconds: float | None = None) -> None:
        """Wait until the task ends, for at most `seconds`, or until the deadline."""
        clock = asyncio.get_running_loop().time
        left = None if self._deadline is None else max(self._deadline - clock(), 0)
        limits = [limit for limit in (seconds, left) if limit is not None]
        await asyncio.wait({self._task}, timeout=min(limits, default=None))
        if self._deadline is not None and clock() >= self._deadline:
            self._over()

    async def cancel(self) -> None:
        """Cancel the task, and wait for its end."""
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
