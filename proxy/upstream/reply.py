"""A reply that is on its way, and may take whoever waits for it along without a turn of the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any


class Reply(asyncio.Future[bytes]):
    """A future that `asyncio` knows as one. `resume`, if set, is called at once when there is a result or an error.

    `call` is what it answers; how long it may take depends on that. `late`, if set, gets what comes in after whoever
    waited was cancelled: the message, or None for an error.
    """

    call = b""
    resume: Callable[[], Any] | None = None
    late: Callable[[bytes | None], None] | None = None

    def deliver(self, message: bytes) -> None:
        """Take the reply, unless nobody wants it any more; to be called by a connection when it has read that."""
        if not self.done():
            self.set_result(message)
            self._go_on()
        elif self.late is not None:
            self.late(message)

    def fail(self, error: Exception) -> None:
        """Take an error in its place."""
        if not self.done():
            self.set_exception(error)
            self.get_loop().call_soon(self._go_on)  # a connection may be closed by anybody, in the midst of anything
        elif self.late is not None:
            self.late(None)

    async def or_late(self, late: Callable[[bytes | None], None]) -> bytes:
        """The reply; if whoever waits for it is cancelled, `late` is called with it."""
        self.late = late  # now: it may come in between a task's cancel and the turn in which the task hears of that
        try:
            return await self
        except asyncio.CancelledError:
            if not self.cancelled():
                late(None if self.exception() else self.result())
            raise

    def _go_on(self) -> None:
        resume, self.resume = self.resume, None
        if resume is not None:
            resume()
