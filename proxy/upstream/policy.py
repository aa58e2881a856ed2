"""The admission policy: which upstream server gets a new session, and which sessions and statements wait.

    a session is opened     on a usable server with room: fewer sessions than its limit, and at most 16 sessions that
                            are being opened (one, if the server is saturated). Of several such servers, the server
                            with the fewest sessions relative to its weight is chosen
    without room            the session waits; principals (users who logged in) are served round robin. Idle sessions
                            are parked, the longest idle first, as many as the waiting sessions need
    without usable server   the session gets an error at once, and so does each waiting session
    a statement runs        if it gets one of the server's slots; else it waits, also round robin by principal.
                            Viewgate's own statements have separate slots, half as many

The health of a server, as the attempts to open a session show it:

    well ──no session can be opened, no other connection gets replies──▶ failed ──a session is opened──▶ well
      └──no session can be opened, but other connections get replies──▶ saturated ──a session is opened──▶ well

    failed        no new sessions for 0.5 s, then for twice as long after each further failure, up to 30 s
    saturated     no free thread: after half a second, or when a session ends, one session at a time is tried
    paused        by an operator: new sessions and statements wait
    draining      by an operator, or removed from the settings: no new sessions, idle sessions are parked at once,
                  also those whose last result is still being closed

To park a client session is to close its upstream session. `pool` carries out these decisions.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Collection, Sequence
from enum import Enum
from time import monotonic
from typing import Generic, TypeVar

from proxy.hs2 import SqlError, Unreachable
from proxy.upstream.connection import Control, Pulse
from proxy.upstream.dial import NotLetIn
from proxy.upstream.terms import Terms, Timeouts, Upstream

T = TypeVar("T")


class FairQueue(Generic[T]):
    """A queue that serves principals (users who logged in) round robin, and the items of each in order of arrival.

    >>> queue = FairQueue()
    >>> for principal, item in [("ann", 1), ("ann", 2), ("ann", 3), ("bob", 4)]:
    ...     queue.add(principal, item)
    >>> [queue.next() for _ in range(len(queue))]
    [1, 4, 2, 3]
    """

    def __init__(self) -> None:
        self._waiting: dict[str, deque[T]] = {}  # the first principal is served next
        self._since: dict[int, float] = {}  # by the item's identity: since when it waits

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def __bool__(self) -> bool:
        return bool(self._waiting)

    @property
    def longest_wait(self) -> float:
        """The time that the oldest item has waited, in seconds; 0 if the queue is empty."""
        return monotonic() - min(self._since.values()) if self._since else 0.0

    def add(self, principal: str, item: T) -> None:
        self._waiting.setdefault(principal, deque()).append(item)
        self._since[id(item)] = monotonic()

    def put_back(self, principal: str, item: T, since: float) -> None:
        """Put an item of a principal (a user who logged in) at the head of the queue, to be served next.

        `since` is the time from which the item has waited, on the monotonic clock.
        """
        own = self._waiting.pop(principal, deque())
        own.appendleft(item)
        self._since[id(item)] = since
        self._waiting = {principal: own, **self._waiting}

    def remove(self, principal: str, item: T) -> None:
        """Remove an item of a principal (a user who logged in) from the queue; do nothing if the item is not queued."""
        own = self._waiting.get(principal)
        if own is not None and item in own:
            own.remove(item)
            del self._since[id(item)]
            if not own:
                del self._waiting[principal]

    def next(self) -> T:
        """Remove and return the next item; the principal (user) of the item then becomes the last to be served."""
        principal = next(iter(self._waiting))
        own = self._waiting.pop(principal)
        item = own.popleft()
        del self._since[id(item)]
        if own:
            self._waiting[principal] = own
        return item


class Slots:
    """A counting semaphore for a server's slots, with a queue that serves principals (users who logged in) round robin.

    A slot is the permission to run a statement; each slot that is taken must be given back. The number of slots can be
    changed, and the granting of slots can be paused.

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
        """Whether a slot (the permission to run a statement) can be taken without waiting."""
        return not self.paused and self.taken < self._limit and not self._queue

    @property
    def waiting(self) -> int:
        """The number of statements that wait in the queue for a slot (the permission to run)."""
        return len(self._queue)

    @property
    def longest_wait(self) -> float:
        """The time that the oldest request for a slot has waited, in seconds; 0 if the queue is empty."""
        return self._queue.longest_wait

    def take(self) -> bool:
        """Take a slot (the permission to run) if one is free and no request waits; return whether a slot was taken."""
        if not self.free:
            return False
        self.taken += 1
        return True

    async def wait(self, principal: str) -> None:
        """Take a slot (the permission to run a statement); until one is free, wait in the queue.

        `principal` is the user who logged in; the queue serves principals round robin.
        """
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
        """Give a slot (the permission to run) back; the next waiting request then gets a slot."""
        self.taken -= 1
        self._grant()

    def resize(self, limit: int) -> None:
        """Change the number of slots to `limit`.

        If more than `limit` slots are taken, they stay taken until they are given back.
        """
        self._limit = limit
        self._grant()

    def pause(self) -> None:
        """Grant no slots (permissions to run a statement) until `resume` is called; requests wait meanwhile."""
        self.paused = True

    def resume(self) -> None:
        """Grant slots (permissions to run a statement) again after a pause, first to waiting requests."""
        self.paused = False
        self._grant()

    def _grant(self) -> None:
        while self._queue and not self.paused and self.taken < self._limit:
            turn = self._queue.next()
            if not turn.done():
                self.taken += 1
                turn.set_result(None)


logger = logging.getLogger(__name__)

# seconds for which a failed server gets no new sessions; doubled after each failure
_FIRST_REST, _LONGEST_REST = 0.5, 30.0

# Sessions that may be opened concurrently. A Java server queues 50 connections for acceptance, and the kernel drops
# further ones silently; opening a session is bound by the processor, so more requests at once do not make it faster.
OPENINGS = 16
_BREATHER = 0.5  # seconds without new sessions for a server that has no free thread


class Verdict(Enum):
    """The meaning of a failed attempt to open a session on a server.

    REFUSED: the server works, and refuses this session. SATURATED: the server has no free thread. AVOIDED: the server
    works for other sessions, so this session tries another server. FAILED: the server is down.
    """

    REFUSED = "refused"
    SATURATED = "saturated"
    AVOIDED = "avoided"
    FAILED = "failed"


class Place:
    """One upstream server of the pool: its load, its health, its slots, and its room for new sessions."""

    def __init__(self, upstream: Upstream, timeouts: Timeouts) -> None:
        self.upstream = upstream
        self.terms = upstream.terms
        self.pulse = Pulse()
        self.control = Control(upstream, timeouts, self.pulse)
        self.sessions = 0
        self.opening = 0  # the sessions that are still being opened; `sessions` includes them
        self.statements = Slots(self.terms.statements)
        self.questions = Slots(_questions(self.terms))
        self.version: int | None = None  # of the protocol, as the server last reported it
        self.info: dict[int, bytes] = {}  # its replies to GetInfo, which are the same for every session
        self.problem: SqlError | None = None
        self.well_at = float("-inf")
        # whether the server has ever answered CloseSession: at first it may not, because it starts a metastore, which
        # takes seconds
        self.closes = False
        self._patience = timeouts.handshake
        self._rest = _FIRST_REST
        self._rests_until = float("-inf")
        self._saturated = False
        self._saturated_until = float("-inf")

    @property
    def usable(self) -> bool:
        """Whether the pool may open sessions on the server.

        False while the server is draining (gets no new sessions), and after a failure until the retry delay has passed.
        """
        return not self.terms.draining and (self.problem is None or _now() >= self._rests_until)

    @property
    def standing(self) -> str:
        """The state of the server as shown to operators: up, down, paused or draining."""
        if self.terms.draining:
            return "draining"
        if self.paused:
            return "paused"
        return "down" if self.problem is not None else "up"

    @property
    def answers(self) -> bool:
        """Whether the server has opened a session and has not failed since; False for a draining server."""
        return self.well_at > float("-inf") and self.problem is None and not self.terms.draining

    @property
    def trouble(self) -> str:
        """The reason why no sessions are opened on the server, with the remedy; empty if no reason is known."""
        # Without another upstream, only sessions with this database can be opened.
        resume = f"RESUME VIEWGATE UPSTREAM '{self.upstream}' in a session with the database viewgate.system, or SIGHUP"
        if self.terms.draining:
            return f"{self.upstream.named} is being drained until {resume}"
        problem = "" if self.problem is None else self.problem.message
        if self.paused:
            return f"{self.upstream.named} is paused until {resume}{problem and f': {problem}'}"
        return problem or ("" if self.answers else f"{self.upstream.named} has not answered yet")

    @property
    def room(self) -> bool:
        """Whether the limits on sessions, and on sessions being opened, allow one more session on the server now."""
        return self.sessions < self.terms.sessions and self.openings > 0 and _now() >= self._saturated_until

    @property
    def openings(self) -> int:
        """The number of further sessions that may be opened at the same time as the sessions being opened now.

        0 for a paused server; on a saturated server (without a free thread), one session may be opened at a time.
        """
        return 0 if self.paused else (1 if self._saturated else OPENINGS) - self.opening

    @property
    def paused(self) -> bool:
        """Whether an operator has paused the server: new sessions and statements wait until the server is resumed."""
        return self.statements.paused

    @property
    def vacancies(self) -> int:
        """The number of further sessions that the configured limit allows.

        0 for a paused server, and for a saturated server (without a free thread).
        """
        return 0 if self.paused or self._saturated else max(self.terms.sessions - self.sessions, 0)

    @property
    def load(self) -> float:
        """The load of the server after one more session: the number of sessions divided by the server's weight."""
        return (self.sessions + 1) / self.terms.weight

    def reserve(self) -> Place:
        """Count one more session that is being opened on the server, and return the server."""
        self.sessions += 1
        self.opening += 1
        return self

    def verdict(self, error: SqlError, began: float) -> Verdict:
        """Return the verdict about the server after an attempt to open a session has failed with `error`.

        `began` is the start of the attempt, on the event loop's clock.
        """
        if not isinstance(error, Unreachable):
            return Verdict.REFUSED
        if isinstance(error, NotLetIn) and self.lives():
            return Verdict.SATURATED
        return Verdict.AVOIDED if self.well_at >= began else Verdict.FAILED

    def settle(self, upstream: Upstream) -> None:
        """Apply the changed settings in `upstream` and end a pause.

        Only new connections use a changed transport or login.
        """
        self.upstream = self.control.upstream = upstream
        self.terms = upstream.terms
        self.statements.resume()
        self.statements.resize(self.terms.statements)
        self.questions.resize(_questions(self.terms))

    def well(self) -> None:
        """Record that the server has opened a session; the server is then neither failed nor saturated."""
        if self.problem is not None:
            logger.info("upstream recovered name=%s", self.upstream)
        if self._saturated:
            logger.info("upstream no longer saturated name=%s", self.upstream)
        self.problem, self._rest, self.well_at, self._saturated = None, _FIRST_REST, _now(), False

    def lives(self) -> bool:
        """Return whether the server has replied on any connection recently, within the `handshake` timeout.

        A server that replies but opens no session is busy, not down.
        """
        return self.pulse.at >= _now() - self._patience

    def saturated(self, problem: SqlError) -> float:
        """Mark the server as saturated (without a free thread); return the seconds until a session may be opened again.

        `problem` is the error that shows the saturation.
        """
        if not self._saturated:
            logger.warning(
                "upstream saturated name=%s reason=%r: new sessions are queued", self.upstream, problem.message
            )
        self._saturated, self._saturated_until = True, _now() + _BREATHER
        return _BREATHER

    def relieved(self) -> None:
        """Record that a session on the server has ended, and so freed a thread of the server.

        On a saturated server (without a free thread), another session may then be opened at once.
        """
        self._saturated_until = float("-inf")

    def failed(self, problem: SqlError) -> None:
        """Mark the server as failed because of an error; sessions are opened again only after the retry delay."""
        if self.problem is None:
            logger.warning(
                "upstream failed name=%s reason=%r: no new sessions until the server recovers",
                self.upstream,
                problem.message,
            )
        self.problem, self._saturated = problem, False
        self.info.clear()  # a server of another version may replace the failed one
        if _now() >= self._rests_until:  # attempts that fail at the same time count once
            self._rests_until = _now() + self._rest
            self._rest = min(2 * self._rest, _LONGEST_REST)


def _questions(terms: Terms) -> int:
    """Return how many of Viewgate's own statements, such as queries for settings, may run on the server at a time.

    The number is half of the statements of clients that `terms` allows. The number is limited because Spark Thrift
    Server refuses statements when all its threads are busy and its queue of 100 statements is full.
    """
    return max(terms.statements // 2, 1)


def _now() -> float:
    return asyncio.get_running_loop().time()


def best(places: Sequence[Place], tried: Collection[Place] = ()) -> Place | None:
    """Return the usable server with room and the least load, without the servers in `tried`; None if there is none."""
    fit = [place for place in places if place.usable and place.room and place not in tried]
    return min(fit, key=lambda place: place.load, default=None)


def lacking(places: Sequence[Place], waiting: int, leaving: int) -> int:
    """Return how many idle sessions to park (close upstream) to make room for waiting sessions; below 1 means none.

    `waiting` is the number of waiting sessions, `leaving` the number of upstream sessions that are being closed.
    """
    usable = [place for place in places if place.usable]
    can_open = sum(max(place.openings, 0) for place in usable)
    return min(waiting, can_open) - leaving - sum(place.vacancies for place in usable)
