"""One upstream server as the pool sees it: its load, its health, its slots, its control connection.

    well ──no session can be opened, and nothing is heard of it──▶ failed ──a session is opened──▶ well
      └──no session can be opened, but it answers elsewhere──▶ saturated ──a session is opened──▶ well

A failed server rests, for twice as long after each further failure. A saturated one is tried by one session at a time.
A server has slots for as many statements as it runs at a time; a fair queue has the others wait, by principal.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from time import monotonic
from typing import Generic, TypeVar

from proxy.hs2 import SqlError
from proxy.upstream.connection import Connection, Pulse, connect
from proxy.upstream.terms import OWN, Terms, Timeouts, Upstream

T = TypeVar("T")


class FairQueue(Generic[T]):
    """A queue that serves principals in turn, and the requests of each in order of arrival.

    >>> queue = FairQueue()
    >>> for principal, item in [("ann", 1), ("ann", 2), ("ann", 3), ("bob", 4)]:
    ...     queue.add(principal, item)
    >>> [queue.next() for _ in range(len(queue))]
    [1, 4, 2, 3]
    """

    def __init__(self) -> None:
        self._waiting: dict[str, deque[T]] = {}  # the first principal is next
        self._since: dict[int, float] = {}  # by the item's identity: when it came; the oldest is first

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def __bool__(self) -> bool:
        return bool(self._waiting)

    @property
    def longest_wait(self) -> float:
        """The seconds for which the oldest item has waited; 0 if there is none."""
        return monotonic() - next(iter(self._since.values())) if self._since else 0.0

    def add(self, principal: str, item: T) -> None:
        self._waiting.setdefault(principal, deque()).append(item)
        self._since[id(item)] = monotonic()

    def put_back(self, principal: str, item: T) -> None:
        """Have an item that was taken out, or would have been, be the next one."""
        own = self._waiting.pop(principal, deque())
        own.appendleft(item)
        self._since[id(item)] = monotonic()
        self._waiting = {principal: own, **self._waiting}

    def remove(self, principal: str, item: T) -> None:
        """Take an item out that waits no longer; one that is not there is no error."""
        own = self._waiting.get(principal)
        if own is not None and item in own:
            own.remove(item)
            del self._since[id(item)]
            if not own:
                del self._waiting[principal]

    def next(self) -> T:
        """Take the next item out; its principal goes to the end."""
        principal = next(iter(self._waiting))
        own = self._waiting.pop(principal)
        item = own.popleft()
        del self._since[id(item)]
        if own:
            self._waiting[principal] = own
        return item


class Slots:
    """A number of slots; each that is taken must be given back.

    >>> slots = Slots(1)
    >>> slots.take(), slots.take()
    (True, False)
    """

    __slots__ = ("_limit", "_queue", "paused", "taken")

    def __init__(self, limit: int) -> None:
        self.taken = 0
        self.paused = False
        self._limit = limit
        self._queue: FairQueue[asyncio.Future[None]] = FairQueue()

    @property
    def free(self) -> bool:
        """Whether one could be had at once."""
        return not self.paused and self.taken < self._limit and not self._queue

    @property
    def waiting(self) -> int:
        """The number of queued statements."""
        return len(self._queue)

    @property
    def longest_wait(self) -> float:
        """The seconds for which the oldest of the queued statements has waited."""
        return self._queue.longest_wait

    def take(self) -> bool:
        """Take a slot if one is free and no other request waits."""
        if not self.free:
            return False
        self.taken += 1
        return True

    async def wait(self, principal: str) -> None:
        """Take a slot when it is the principal's turn."""
        if self.take():
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.add(principal, turn)
        try:
            await turn
        except asyncio.CancelledError:
            self._queue.remove(principal, turn)
            if turn.done() and not turn.cancelled():
                self.give_back()
            raise

    def give_back(self) -> None:
        """Let the next one in."""
        self.taken -= 1
        self._grant()

    def resize(self, limit: int) -> None:
        """Have more slots from now on, or fewer as they are given back."""
        self._limit = limit
        self._grant()

    def pause(self) -> None:
        """Grant no slot until `resume`; requests wait."""
        self.paused = True

    def resume(self) -> None:
        """Give slots again."""
        self.paused = False
        self._grant()

    def _grant(self) -> None:
        while self._queue and not self.paused and self.taken < self._limit:
            turn = self._queue.next()
            if not turn.done():
                self.taken += 1
                turn.set_result(None)


class Control:
    """Opened at the first call, opened again when it was lost; shared by all sessions of an upstream."""

    def __init__(self, upstream: Upstream, timeouts: Timeouts, pulse: Pulse) -> None:
        self.upstream = upstream
        self._timeouts = timeouts
        self._pulse = pulse
        self._connection: Connection | None = None
        self._opening = asyncio.Lock()

    async def call(self, message: bytes) -> bytes:
        """Relay a call that is answered at once and can be repeated without harm."""
        connection = await self._connected()
        try:
            return await connection.call(message)
        except SqlError:
            return await (await self._connected()).call(message)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    async def _connected(self) -> Connection:
        async with self._opening:
            if self._connection is None or not self._connection.alive:
                user, password = self.upstream.user or OWN, self.upstream.password or OWN
                connecting = connect(self.upstream, user, password, self._timeouts, self._pulse)
                self._connection = await asyncio.create_task(connecting)  # who calls need not be a task
            return self._connection


logger = logging.getLogger(__name__)

_FIRST_REST, _LONGEST_REST = 0.5, 30.0  # seconds for which one that has failed is left alone, doubled each time

# Sessions that are opened at a time. A Java server has 50 connections wait for being accepted, and the kernel drops
# further ones without a word; opening a session is work for a processor, which goes no faster for being asked at once.
OPENINGS = 16
_BREATHER = 0.5  # seconds that a server gets which has no thread to spare


class Place:
    """Counts the sessions on an upstream, and knows whether new ones can be opened there."""

    def __init__(self, upstream: Upstream, timeouts: Timeouts) -> None:
        self.upstream = upstream
        self.terms = upstream.terms
        self.pulse = Pulse()
        self.control = Control(upstream, timeouts, self.pulse)
        self.sessions = 0
        self.opening = 0  # those of the sessions that are not there yet
        self.statements = Slots(self.terms.statements)
        self.questions = Slots(_questions(self.terms))
        self.version: int | None = None  # of the protocol, as it last said
        self.info: dict[int, bytes] = {}  # what it has said of itself, which is the same for every session
        self.problem: SqlError | None = None
        self.well_at = float("-inf")
        self.closes = False  # whether it was ever seen to close a session: its first one starts a metastore, in seconds
        self._patience = timeouts.handshake
        self._rest = _FIRST_REST
        self._rests_until = float("-inf")
        self._saturated = False
        self._saturated_until = float("-inf")

    @property
    def usable(self) -> bool:
        """Whether it takes sessions at all: it may have failed so long ago that it is worth another try."""
        return not self.terms.draining and (self.problem is None or _now() >= self._rests_until)

    @property
    def standing(self) -> str:
        """The state of the server for operators: up, down, paused or draining."""
        if self.terms.draining:
            return "draining"
        if self.paused:
            return "paused"
        return "down" if self.problem is not None else "up"

    @property
    def answers(self) -> bool:
        """Whether it has opened a session, and the last one that was tried: it gets new ones."""
        return self.well_at > float("-inf") and self.problem is None and not self.terms.draining

    @property
    def room(self) -> bool:
        """Whether it could take one more session, and open it now."""
        return self.sessions < self.terms.sessions and self.openings > 0 and _now() >= self._saturated_until

    @property
    def openings(self) -> int:
        """The number of sessions that may be opened concurrently; a single one probes a saturated server."""
        return 0 if self.paused else (1 if self._saturated else OPENINGS) - self.opening

    @property
    def paused(self) -> bool:
        """Whether new sessions and statements wait until it is resumed."""
        return self.statements.paused

    @property
    def vacancies(self) -> int:
        """The number of sessions with known room: a saturated server holds sessions of other proxies."""
        return 0 if self._saturated else max(self.terms.sessions - self.sessions, 0)

    @property
    def load(self) -> float:
        """The load with one more session, relative to the server's weight."""
        return (self.sessions + 1) / self.terms.weight

    def settle(self, upstream: Upstream) -> None:
        """Go on under other terms; new connections are made as it says now."""
        self.upstream = self.control.upstream = upstream
        self.terms = upstream.terms
        self.statements.resume()
        self.statements.resize(self.terms.statements)
        self.questions.resize(_questions(self.terms))

    def well(self) -> None:
        """Take note that it has opened a session."""
        if self.problem is not None:
            logger.info("upstream recovered name=%s", self.upstream)
        if self._saturated:
            logger.info("upstream no longer saturated name=%s", self.upstream)
        self.problem, self._rest, self.well_at, self._saturated = None, _FIRST_REST, _now(), False

    def lives(self) -> bool:
        """Return whether it was heard of lately: one that lets nobody in is busy then, and not gone."""
        return self.pulse.at >= _now() - self._patience

    def saturated(self, problem: SqlError) -> float:
        """Mark the server as saturated; return the retry delay in seconds."""
        if not self._saturated:
            logger.warning(
                "upstream saturated name=%s reason=%r: new sessions are queued", self.upstream, problem.message
            )
        self._saturated, self._saturated_until = True, _now() + _BREATHER
        return _BREATHER

    def relieved(self) -> None:
        """Take note that a session has ended there, whose thread is free again."""
        self._saturated_until = float("-inf")

    def failed(self, problem: SqlError) -> None:
        """Take note that it has not, and leave it alone for a while."""
        if self.problem is None:
            logger.warning(
                "upstream failed name=%s reason=%r: it gets no new sessions until it recovers",
                self.upstream,
                problem.message,
            )
        self.problem, self._saturated = problem, False
        self.info.clear()  # another version may come back
        if _now() >= self._rests_until:  # of those that fail together, one counts
            self._rests_until = _now() + self._rest
            self._rest = min(2 * self._rest, _LONGEST_REST)


def _questions(terms: Terms) -> int:
    """Return the limit of concurrent statements of Viewgate's own, which look up clients' session settings.

    Spark Thrift Server refuses those for which it has neither a thread nor a place in its queue, which has 100.
    """
    return max(terms.statements // 2, 1)


def _now() -> float:
    return asyncio.get_running_loop().time()
