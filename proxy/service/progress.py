"""How far an operation is, for clients that draw a progress bar: beeline asks for it with each status."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from proxy.upstream import Stage, progress_response
from proxy.wire import find

if TYPE_CHECKING:
    from proxy.service.call import Call

logger = logging.getLogger(__name__)

_GET_PROGRESS = (1, 2)
_LOOK_AGAIN = 0.5  # seconds between two looks


class HowFar:
    """What one operation's client is told; looked up now and then only.

    Beeline holds the lines of the log back until it is told of no bar, and from then on writes them over any that comes
    later: so an operation has one all the time, before its first stage and between the refreshes that follow it, too;
    or, where nobody knew of stages at first, never.
    """

    def __init__(self, started_ms: int) -> None:
        self._started_ms = started_ms
        self._looked_at = float("-inf")
        self._stages: dict[int, Stage] = {}
        self._known = True
        self._seen: Any = None

    async def told(self, call: Call, look: Callable[[], Awaitable[tuple[Stage, ...] | None]]) -> Any:
        """The progress, if the client wants to know and it can be known; else None."""
        asked = find(call.message, _GET_PROGRESS)
        if asked is None or not call.message[asked.start] or not self._known:
            return None
        now = asyncio.get_running_loop().time()
        if now - self._looked_at >= _LOOK_AGAIN:
            self._looked_at = now
            try:
                stages = await look()
            except Exception as error:  # the statement itself goes well
                logger.warning("how far a statement is could not be found out: %r", error)
                stages = None
            if self._seen is None and stages is None:
                self._known = False
                return None
            self._note(stages or ())
            self._seen = progress_response(tuple(self._stages.values()), self._started_ms)
        return self._seen

    def _note(self, stages: tuple[Stage, ...]) -> None:
        """What is no longer told of has ended."""
        ended = {number: replace(stage, completed=stage.tasks, running=0) for number, stage in self._stages.items()}
        self._stages = ended | {stage.id: stage for stage in stages}
