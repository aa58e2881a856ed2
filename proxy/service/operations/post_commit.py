"""The post-commit refresh, which follows a statement's end on the upstream before its client is told of that end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

logger = logging.getLogger(__name__)


class PostCommit:
    """A task that can be waited for, for some seconds or until a deadline (loop time), and cancelled; it never fails.

    `over` is called when the task has ended, or when the deadline has passed and it goes on without the client.
    """

    def __init__(self, work: Callable[[], Awaitable[None]], deadline: float | None, over: Callable[[], None]) -> None:
        self._over = over
        self._deadline = deadline
        self._task = asyncio.ensure_future(self._run(work))

    async def wait(self, seconds: float | None = None) -> None:
        """Return when the task ends, after so many seconds, or at the deadline."""
        clock = asyncio.get_running_loop().time
        left = None if self._deadline is None else max(self._deadline - clock(), 0)
        limits = [limit for limit in (seconds, left) if limit is not None]
        await asyncio.wait({self._task}, timeout=min(limits, default=None))
        if self._deadline is not None and clock() >= self._deadline:
            self._over()

    async def cancel(self) -> None:
        """Cancel the task and return when it has ended."""
        self._task.cancel()
        await asyncio.wait({self._task})
        self._over()  # which nothing else does if it had not even begun

    async def _run(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except Exception:
            logger.exception("post-commit refresh failed")
        finally:
            self._over()
