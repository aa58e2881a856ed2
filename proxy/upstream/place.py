"""One upstream as the pool sees it: how much it has to do, and whether it can be relied on."""

from __future__ import annotations

import asyncio
import logging

from proxy.hs2 import SqlError
from proxy.upstream.connection import Timeouts, Upstream
from proxy.upstream.control import Control
from proxy.upstream.slots import Slots

logger = logging.getLogger(__name__)

LOST = "08S01"
_FIRST_REST, _LONGEST_REST = 0.5, 30.0  # seconds for which one that has failed is left alone, doubled each time


class Place:
    """Counts the sessions on an upstream, and knows whether new ones can be opened there."""

    def __init__(self, upstream: Upstream, timeouts: Timeouts) -> None:
        self.upstream = upstream
        self.terms = upstream.terms
        self.control = Control(upstream, timeouts)
        self.sessions = 0
        self.statements = Slots(self.terms.statements)
        self.version: int | None = None  # of the protocol, as it last said
        self.info: dict[int, bytes] = {}  # what it has said of itself, which is the same for every session
        self.problem: SqlError | None = None
        self.well_at = float("-inf")
        self.closes = False  # whether it was ever seen to close a session: its first one starts a metastore, in seconds
        self._rest = _FIRST_REST
        self._rests_until = float("-inf")

    @property
    def usable(self) -> bool:
        """Whether it takes sessions at all: it may have failed so long ago that it is worth another try."""
        return not self.terms.draining and (self.problem is None or _now() >= self._rests_until)

    @property
    def room(self) -> bool:
        """Whether it could take one more session."""
        return self.sessions < self.terms.sessions

    @property
    def load(self) -> float:
        """What it has to do, with one more session, for its share."""
        return (self.sessions + 1) / self.terms.weight

    def settle(self, upstream: Upstream) -> None:
        """Go on under other terms."""
        self.terms = upstream.terms
        self.statements.resize(self.terms.statements)

    def well(self) -> None:
        """Take note that it has opened a session."""
        if self.problem is not None:
            logger.info("%s is back", self.upstream.named)
        self.problem, self._rest, self.well_at = None, _FIRST_REST, _now()

    def failed(self, problem: SqlError) -> None:
        """Take note that it has not, and leave it alone for a while."""
        if self.problem is None:
            logger.warning("%s; it gets no new sessions until it is back", problem.message)
        self.problem = problem
        self.info.clear()  # another version may come back
        self._rests_until = _now() + self._rest
        self._rest = min(2 * self._rest, _LONGEST_REST)


def _now() -> float:
    return asyncio.get_running_loop().time()
