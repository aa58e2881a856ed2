"""Runs a coroutine without a task, as far as it waits for upstreams' replies alone: a relayed call does no more.

A task gets its turns from the event loop, one at its start and one behind each reply, and each costs a system call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from proxy.upstream import Reply


# Before a stand-in that answers at once, a statement took 0.82 to 0.97 of the time with this instead of a task for each
# call: benchmarks/beside.py.
class Steps:
    """A coroutine that runs where `start` is called, and where a reply comes in; anything else it awaits as a task.

    Until then it is no task: `asyncio.timeout` and the like cannot be used before the first such wait.
    """

    __slots__ = ("_coroutine", "_done", "_ended", "_reply", "_task")

    def __init__(self, coroutine: Coroutine[Any, Any, None]) -> None:
        self._coroutine = coroutine
        self._reply: Reply | None = None  # which is waited for
        self._task: asyncio.Task[None] | None = None
        self._done = False
        self._ended: asyncio.Future[None] | None = None  # made for the first who waits

    def start(self) -> None:
        """Run it up to its next wait."""
        self._run(self._coroutine.send, None)

    def _run(self, step: Callable[[Any], Any], value: Any) -> None:
        self._reply = None
        try:
            waits_for = step(value)
        except (StopIteration, asyncio.CancelledError):
            self._end()
            return
        if isinstance(waits_for, Reply):
            waits_for._asyncio_future_blocking = False  # how an awaited future knows that it was taken note of
            waits_for.resume = self.start
            self._reply = waits_for
            return
        self._task = asyncio.get_running_loop().create_task(_Rest(self._coroutine, waits_for))
        self._task.add_done_callback(self._end)

    def cancel(self) -> None:
        """Have it raise CancelledError where it waits."""
        reply = self._reply
        if self._task is not None:
            self._task.cancel()
        elif reply is not None:
            reply.resume = None
            reply.cancel()
            self._run(self._coroutine.throw, asyncio.CancelledError())

    async def wait(self) -> None:
        """Return at its end."""
        if self._done:
            return
        if self._ended is None:
            self._ended = asyncio.get_running_loop().create_future()
        await asyncio.shield(self._ended)

    def _end(self, _: object = None) -> None:
        self._done = True
        if self._ended is not None:
            self._ended.set_result(None)


class _Rest(Coroutine[Any, Any, None]):
    """A coroutine that waits for something already, which is the first that its task shall hear of."""

    def __init__(self, coroutine: Coroutine[Any, Any, None], waits_for: Any) -> None:
        self._coroutine = coroutine
        self._waits_for = waits_for

    def send(self, value: Any) -> Any:
        waits_for, self._waits_for = self._waits_for, None
        return self._coroutine.send(value) if waits_for is None else waits_for

    def throw(self, *error: Any) -> Any:
        self._waits_for = None
        return self._coroutine.throw(*error)

    def close(self) -> None:
        self._coroutine.close()

    def __await__(self) -> Any:
        return self
