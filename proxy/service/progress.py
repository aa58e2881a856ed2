"""How far an operation is, for clients that draw a progress bar: beeline asks for it with each status."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from proxy.upstream import Stage, progress_response
from proxy.wire import find

if TYPE_CHECKING:
    from proxy.service.call import Call

_GET_PROGRESS = (1, 2)
_LOOK_AGAIN = 0.5  # seconds between two looks


class HowFar:
    """What one operation's client is told; looked up now and then only."""

    def __init__(self, started_ms: int) -> None:
        self._started_ms = started_ms
        self._looked_at = float("-inf")
        self._seen: Any = None

    async def told(self, call: Call, look: Callable[[], Awaitable[tuple[Stage, ...] | None]]) -> Any:
        """The progress, if the client wants to know and it can be known; else None."""
        asked = find(call.message, _GET_PROGRESS)
        if asked is None or not call.message[asked.start]:
            return None
        now = asyncio.get_running_loop().time()
        if now - self._looked_at >= _LOOK_AGAIN:
            self._looked_at = now
            stages = await look()
            self._seen = progress_response(stages, self._started_ms) if stages else None
        return self._seen
