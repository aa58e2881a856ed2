"""Opens sessions on the upstream servers, queues sessions that must wait, and parks idle sessions.

The admission policy (`policy`) decides on which server a session is opened, and which sessions wait or are parked. A
health check opens a session, because an accepted connection alone does not show that a server works.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Collection, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from enum import StrEnum
from functools import partial
from itertools import islice
from time import monotonic
from typing import Any, Protocol

from proxy.hs2 import Query, SqlError, Unreachable
from proxy.upstream.opening import OWN_SESSION, open_session
from proxy.upstream.policy import FairQueue, Place, Verdict, best, lacking
from proxy.upstream.session import UpstreamSession
from proxy.upstream.terms import OWN, Timeouts, Upstream

logger = logging.getLogger(__name__)


class Steering(StrEnum):
    """An operator's action on an upstream server.

    New sessions and statements wait for a paused server; a draining server gets no new sessions. RESUME ends both
    states.
    """

    PAUSE = "pause"
    RESUME = "resume"
    DRAIN = "drain"


class Parkable(Protocol):
    """A client session whose upstream session the pool can close while the client session is idle."""

    place: Place | None

    def park(self) -> Coroutine[Any, Any, None] | None:
        """Take the upstream session from the client session; return a coroutine that closes the upstream session.

        The coroutine never raises. Return None if the client session has no upstream session.
        """
        ...


class Upstreams:
    """The pool of upstream servers: opens each session on the server with the least load relative to its weight.

    If every server has reached its limit of sessions, or of sessions being opened, new sessions wait in a queue. The
    queue serves principals (users who logged in) round robin. Idle client sessions are then parked to make room: their
    upstream sessions are closed, and opened again when they are needed.
    """

    def __init__(self, upstreams: Sequence[Upstream], timeouts: Timeouts | None = None) -> None:
        if not upstreams:
            raise ValueError("a pool needs at least one upstream server: configure an [[upstream]]")
        self.timeouts = timeouts or Timeouts()
        self.places = [Place(upstream, self.timeouts) for upstream in upstreams]
        self.answered = asyncio.Event()  # set once any server has opened a session
        self._waiting: FairQueue[asyncio.Future[Place]] = FairQueue()
        self._idle: dict[Parkable, float] = {}  # the first has been idle for longest
        self._parking: set[asyncio.Task[None]] = set()
        self._sweep: asyncio.TimerHandle | None = None

    @property
    def full(self) -> bool:
        """Whether a new session would have to wait for room; False if no server is usable at all."""
        return any(place.usable for place in self.places) and (bool(self._waiting) or best(self.places) is None)

    @property
    def problems(self) -> str:
        """The errors of the failed servers, joined by semicolons; empty if no server has failed.

        Servers that are draining are left out.
        """
        problems = [place.problem.message for place in self.places if place.problem and not place.terms.draining]
        return "; ".join(problems)

    @property
    def unready(self) -> str:
        """The reasons why no server opens sessions, joined by semicolons; empty if a server answers.

        A server answers if it has opened a session, has not failed since, and is not draining.
        """
        if any(place.answers for place in self.places):
            return ""
        return "; ".join(place.trouble for place in self.places)

    @property
    def waiting(self) -> int:
        """The number of sessions that wait for room on a server."""
        return len(self._waiting)

    @property
    def longest_wait(self) -> float:
        """The time that the oldest waiting session has waited, in seconds; 0 if no session waits."""
        return self._waiting.longest_wait

    async def open(self, user: str | None, message: bytes, principal: str = "") -> tuple[UpstreamSession, bytes]:
        """Wait until a server has room, and open a session there.

        Return the session with the server's reply to OpenSession. `user` is None for a session of Viewgate itself;
        `message` is the OpenSession request; `principal` is the user who logged in, empty if that is also `user`. Raise
        SqlError if no server can open the session, or if a server refuses the session.
        """
        tried: set[Place] = set()
        since, again = monotonic(), False
        while True:
            place = await self._turn(principal or user or OWN, tried, since if again else None)
            began = _now()
            try:
                session, reply = await open_session(place, user, message, self.timeouts)
            except BaseException as error:
                again = self._not_opened(place, error, began, tried)
                place.opening -= 1
                self._left(place)
                if not again:
                    raise
                continue
            place.opening -= 1
            session.left = partial(self._ended, place)
            self.well(place)
            return session, reply

    async def open_own(self, user: str | None = None) -> UpstreamSession:
        """Open a session for Viewgate's own statements, as `user` or (None) as Viewgate; return the session."""
        session, _ = await self.open(user, OWN_SESSION)
        return session

    def well(self, place: Place) -> None:
        """Record that a server has opened a session, and admit waiting sessions that now have room."""
        place.well()
        self.answered.set()
        self.grant()

    def failed(self, place: Place, problem: SqlError) -> None:
        """Mark a server as failed; if no server is usable any more, raise an error in the sessions that wait."""
        place.failed(problem)
        self._send_away()

    def reconfigure(self, upstreams: Sequence[Upstream]) -> None:
        """Apply a new list of configured servers.

        A server whose address and login are known gets its new settings, a new server is added, and a server that is no
        longer configured is drained.
        """
        known = {place.upstream: place for place in self.places}
        for upstream in upstreams:
            if upstream in known:
                known.pop(upstream).settle(upstream)
            else:
                self.places.append(Place(upstream, self.timeouts))
        for upstream, place in known.items():
            place.settle(replace(upstream, terms=replace(upstream.terms, draining=True)))
        self._settled()

    def steer(self, name: str, steering: Steering) -> None:
        """Pause, resume or drain the server named host:port until the next `reconfigure`; ignore an unknown name."""
        for place in self.places:
            if str(place.upstream) == name:
                logger.info("upstream steering=%s name=%s", steering, name)
                (place.statements.pause if steering is Steering.PAUSE else place.statements.resume)()
                place.terms = replace(place.terms, draining=steering is Steering.DRAIN)
        self._settled()

    def _settled(self) -> None:
        """Act on changed settings: park idle sessions of draining servers, and admit waiting sessions to other servers.

        If no server is usable, raise an error in the waiting sessions. To park a session is to close its upstream
        session.
        """
        for attachment in [a for a in self._idle if a.place is not None and a.place.terms.draining]:
            self._park(attachment)
        self.grant()
        self._send_away()

    def busy(self, attachment: Parkable) -> None:
        """Record that a client session is in use, so that it is not parked (its upstream session closed)."""
        self._idle.pop(attachment, None)

    def rests(self, attachment: Parkable) -> None:
        """Record that a client session is idle, so that it may be parked (its upstream session closed).

        If the server of the session is draining, the session is parked at once. Otherwise the session is parked when
        other sessions need room, or when it has been idle for the `park` timeout.
        """
        if attachment.place and attachment.place.terms.draining:
            self._park(attachment)
            return
        self._idle[attachment] = _now()
        if self._waiting:
            self._make_room()
        if self._idle and self._sweep is None:
            self._sweep = asyncio.get_running_loop().call_later(self.timeouts.park, self._park_idle)

    def grant(self) -> None:
        """Admit waiting sessions as far as servers have room, and park idle sessions if more room is needed."""
        while self._waiting and (place := best(self.places)) is not None:
            turn = self._waiting.next()
            if not turn.done():
                turn.set_result(place.reserve())
        if self._waiting:
            self._make_room()

    def give_back(self, closing: Coroutine[Any, Any, None]) -> None:
        """Run the coroutine `closing`, which closes an upstream session, in the background."""
        task = asyncio.create_task(closing)
        self._parking.add(task)
        task.add_done_callback(self._parking.discard)

    async def parked(self) -> None:
        """Wait until all upstream sessions that are being closed in the background are closed."""
        while self._parking:
            await asyncio.wait(self._parking)

    def close(self) -> None:
        """Stop the timer that parks idle sessions, and close the servers' control connections."""
        if self._sweep is not None:
            self._sweep.cancel()
            self._sweep = None
        for place in self.places:
            place.control.close()

    def _send_away(self) -> None:
        """Raise an error in all sessions that wait for room if no upstream server is usable; otherwise do nothing."""
        if any(place.usable for place in self.places):
            return
        while self._waiting:
            turn = self._waiting.next()
            if not turn.done():
                turn.set_exception(self._none())

    async def _turn(self, principal: str, tried: Collection[Place], since: float | None) -> Place:
        """Wait until a server has room, reserve room for one session, and return the server.

        `principal` is the user who logged in; the queue serves principals round robin. `tried` are the servers on which
        this session could not be opened. `since` is None at the first call for a session. If the returned server then
        does not open the session, this method is called again, with `since` as the time (on the monotonic clock) from
        which the session has waited; the session then goes to the head of the queue. Raise Unreachable if no server
        outside `tried` is usable.
        """
        place = None if self._waiting and since is None else best(self.places, tried)
        if place is not None:
            return place.reserve()
        if not self._untried(tried):
            raise self._none()
        turn: asyncio.Future[Place] = asyncio.get_running_loop().create_future()
        if since is None:
            self._waiting.add(principal, turn)
        else:
            self._waiting.put_back(principal, turn, since)
        self.grant()
        try:
            return await turn
        except asyncio.CancelledError:
            self._waiting.remove(principal, turn)
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                turn.result().opening -= 1
                self._left(turn.result())
            raise

    def _make_room(self) -> None:
        """Park as many idle sessions as are needed to make room for the waiting sessions, the longest idle first."""
        too_few = lacking(self.places, len(self._waiting), len(self._parking))
        for attachment in list(islice(self._idle, max(too_few, 0))):
            self._park(attachment)

    def _not_opened(self, place: Place, error: BaseException, began: float, tried: set[Place]) -> bool:
        """Record that a server did not open a session; return whether to try again, on this or another server.

        `error` is the reason, and `began` the start of the attempt on the event loop's clock. Return False for an error
        other than Unreachable, such as a refused login. Also return False if the server works for other sessions and no
        further server is usable. After an Unreachable, the server is added to `tried`, unless the server is only
        saturated.
        """
        if not isinstance(error, Unreachable):
            return False
        verdict = place.verdict(error, began)
        if verdict is Verdict.SATURATED:  # after a short delay, one waiting session probes the server
            asyncio.get_running_loop().call_later(place.saturated(error), self.grant)
            return True
        tried.add(place)
        if verdict is Verdict.AVOIDED:
            return self._untried(tried)
        self.failed(place, error)
        return True

    def _untried(self, tried: Collection[Place]) -> bool:
        return any(place.usable and place not in tried for place in self.places)

    def _ended(self, place: Place) -> None:
        place.relieved()
        self._left(place)

    def _left(self, place: Place) -> None:
        place.sessions -= 1
        if not place.sessions and place.terms.draining:
            logger.info("%s is drained: no session uses the server any more", place.upstream.named)
        self.grant()

    def _none(self) -> SqlError:
        return Unreachable(
            self.problems
            or "all upstreams are being drained: try again when an operator has resumed one, in a session with the "
            "database viewgate.system"
        )

    def _park(self, attachment: Parkable) -> None:
        """Park one client session: detach its upstream session at once, and close that session in the background."""
        self._idle.pop(attachment, None)
        closing = attachment.park()
        if closing is not None:
            self.give_back(closing)

    def _park_idle(self) -> None:
        """Park the client sessions that have been idle for the `park` timeout, and schedule the next check."""
        self._sweep = None
        now, park = _now(), self.timeouts.park
        for attachment, since in list(self._idle.items()):
            if since + park > now:
                self._sweep = asyncio.get_running_loop().call_later(since + park - now, self._park_idle)
                return
            self._park(attachment)


def _now() -> float:
    return asyncio.get_running_loop().time()


_SOON = 1.0  # seconds between checks while a server is not healthy


@asynccontextmanager
async def in_session(where: Upstream, user: str | None, timeouts: Timeouts | None = None) -> AsyncIterator[Query]:
    """Open a session for Viewgate's own statements, yield a function that runs statements in it, and close the session.

    `where` is the server; `user` is the session's user, None for Viewgate itself. At the end, wait until the network
    connections are closed, because the event loop may end next.
    """
    upstreams = Upstreams([where], timeouts)
    try:
        session = await upstreams.open_own(user)
        try:
            yield session.query
        finally:
            await session.close()
    finally:
        upstreams.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(upstreams.timeouts.close):
                await asyncio.gather(*(place.pulse.gone.wait() for place in upstreams.places))


async def watch(pool: Upstreams) -> None:
    """Check each upstream server at intervals, except servers that have opened a session recently; never return."""
    while True:
        await asyncio.gather(*(look(pool, place) for place in pool.places))
        well = all(place.problem is None for place in pool.places)
        await asyncio.sleep(pool.timeouts.health if well else min(_SOON, pool.timeouts.health))


async def look(pool: Upstreams, place: Place) -> None:
    """If the health check of a server is due, open and close a session on the server, and record the result.

    The check is due if the server has failed, or has opened no session within the `health` interval. A draining server
    is not checked.
    """
    lately = asyncio.get_running_loop().time() - place.well_at < pool.timeouts.health
    if place.terms.draining or (place.problem is None and lately):
        return
    session = None
    try:
        session, _ = await open_session(place, None, OWN_SESSION, pool.timeouts)
    except SqlError as error:
        verdict = place.verdict(error, began=float("inf"))
        if verdict is Verdict.SATURATED:
            return
        if verdict is Verdict.FAILED:
            pool.failed(place, error)
            return
        # A server that refuses Viewgate's own login still works for clients.
    pool.well(place)
    if session is not None:
        await session.close()
