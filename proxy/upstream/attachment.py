"""The upstream's side of a client session: attached while it is used, and replayed on another upstream session later.

    detached ──hold──▶ attaching ──OpenSession and the kept statements──▶ attached ──all let go──▶ idle
        ▲                  ▲                                                 │  ▲                  │  │
        │                  └──────────────hold, after its connection is lost─┘  └──────hold────────┘  │
        └──────────────────────────────────parked: for others, or after a while───────────────────────┘

A state that cannot be replayed pins it: a pinned session is never parked, and is lost with its connection.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Coroutine
from typing import Any

from proxy.hs2 import ResultSet, SqlError, Unreachable
from proxy.upstream.place import Place
from proxy.upstream.pool import Upstreams
from proxy.upstream.session import UpstreamSession
from proxy.wire import find, read_map, value_bytes, with_field, write_map
from proxy.wire.message import MAP
from rewriter.model import split_name, ticked

MOST_KEPT = 64  # statements; to repeat more is no longer reasonable
_READS = re.compile(r"\s*SET(\s+-v|\s+[^\s=;]+)?\s*;?\s*", re.IGNORECASE)
_MOVES = re.compile(r"\s*(USE|SET\s+CATALOG)\b", re.IGNORECASE)
_SETS = re.compile(r"\s*(SET|RESET)\b", re.IGNORECASE)
_BEARS_ON_MOVES = re.compile("catalog|case", re.IGNORECASE)
_SUBSTITUTES = "${"
_ELSEWHERE = "spark_catalog"  # a catalog whose namespace is none of its own is to be entered from another


class Kept:
    """SET, RESET and USE, as they were sent.

    >>> kept = Kept()
    >>> for sql in ("SET a = 1", "USE lake", "USE demo", "SET a", "SET a = 1"):
    ...     kept.add(sql)
    >>> kept.texts, kept.moves
    (('USE lake', 'USE demo', 'SET a = 1'), 2)
    >>> kept.settle(kept.texts, "lake", "demo"), kept.texts
    (True, ('SET a = 1', 'USE `lake`.`demo`'))
    """

    __slots__ = ("texts",)

    def __init__(self) -> None:
        self.texts: tuple[str, ...] = ()

    @property
    def moves(self) -> int:
        """The number of statements that lead to another namespace."""
        return sum(_MOVES.match(text) is not None for text in self.texts)

    def add(self, sql: str) -> None:
        """Take note of one more; the same text before it is dropped where nothing in between depends on it."""
        if _READS.fullmatch(sql):
            return
        at = max((number for number, text in enumerate(self.texts) if text == sql), default=None)
        if at is not None and not any(_depends(text, sql) for text in (*self.texts[at + 1 :], sql)):
            self.texts = (*self.texts[:at], *self.texts[at + 1 :])
        self.texts = (*self.texts, sql)

    def settle(self, before: tuple[str, ...], catalog: str, namespace: str) -> bool:
        """Have the one way to a namespace, written as Spark does, in place of all that led there `before`.

        False where that has changed since.
        """
        if self.texts[: len(before)] != before:
            return False
        enter = f"USE {ticked(catalog)}"
        names = ".".join(ticked(name) for name in split_name(namespace))
        there = (f"{enter}.{names}",) if namespace else (f"USE {_ELSEWHERE}", enter)
        stays = (text for text in before if not _MOVES.match(text))
        self.texts = (*stays, *there, *self.texts[len(before) :])
        return True


def _depends(text: str, before: str) -> bool:
    """Return whether what a statement does may depend on one before it, which is not the same.

    >>> _depends("USE b", "USE a"), _depends("USE b", "SET x = 1"), _depends("SET y = ${x}", "SET x = 1")
    (True, False, True)
    """
    if _SUBSTITUTES in text:
        return True
    if text == before or (_SETS.match(text) and not _MOVES.match(text)):
        return False
    return not _SETS.match(before) or _BEARS_ON_MOVES.search(before) is not None


logger = logging.getLogger(__name__)

_IRREPLACEABLE = "Its temporary views, variables and functions are lost with it. Open a new session and try again."
_CLOSED, _NO_SESSION = "The session is closed", "08003"
_CONFIGURATION, _NAMESPACE = (1, 4), b"use:database"  # of an OpenSession
_WHERE = "SELECT current_catalog(), current_database() FROM VALUES (1)"  # with a FROM it is no job


class Attachment:
    """The upstream session of a client session, which stays attached between `hold` and `let_go`. At other times it may
    be parked, or lost without harm: OpenSession and the kept statements are replayed in a new one. A statement that
    cannot be replayed pins it.

    `moved` is called when the session is replayed on another upstream server than before.
    """

    __slots__ = (
        *("_attaching", "_closed", "_holders", "_kept", "_leaving", "_live", "_message", "_moved", "_pinned"),
        *("_pool", "_principal", "_user", "place"),
    )

    def __init__(self, pool: Upstreams, user: str, principal: str, message: bytes) -> None:
        self._pool = pool
        self._user = user
        self._principal = principal
        self._message = message
        self._live: UpstreamSession | None = None
        self._attaching: asyncio.Task[bytes] | None = None
        self._holders = 0
        self._kept = Kept()
        self._leaving: asyncio.Event | None = None  # until it is known where that leaves it
        self._pinned = False
        self._closed = False
        self._moved: Callable[[], None] | None = None
        self.place: Place | None = None

    @property
    def info(self) -> dict[int, bytes]:
        """The upstream's replies to GetInfo, by kind; callers add to them."""
        return (self.place or self._pool.places[0]).info

    @property
    def attached(self) -> bool:
        """Whether there is an upstream session now, and alive."""
        return self._live is not None and self._live.alive

    @property
    def saturated(self) -> bool:
        """Whether a statement would have to wait: for a session, or behind other statements."""
        if self._live is None or not self._live.alive:
            return self._attaching is not None or self._pool.full
        return not self._live.place.statements.free

    def watch(self, moved: Callable[[], None]) -> None:
        """Set the function to call when the session moves to another upstream."""
        self._moved = moved

    async def open(self) -> bytes | None:
        """Attach it for the first time: the upstream's reply. None if that takes long, or if there is no room yet."""
        known = any(place.version is not None for place in self._pool.places)
        if known and self._pool.full:
            return None
        self._holders += 1
        try:
            reply = await self._attach(self._pool.timeouts.handshake if known else None)
        except BaseException:  # who wanted it may be gone: nobody else knows of it
            self._abandon()
            raise
        self.let_go()
        return reply

    @property
    def version(self) -> int:
        """The latest version of the protocol that upstreams were seen to speak."""
        return max(place.version for place in self._pool.places if place.version is not None)

    async def hold(self) -> UpstreamSession:
        """Return the upstream session, attached if need be; it stays attached until as many `let_go` have followed."""
        self._holders += 1
        if self._holders == 1:
            self._pool.busy(self)
        if self._live is not None and self._live.alive and len(self._kept.texts) <= MOST_KEPT:
            return self._live
        try:
            return await self._ready()
        except BaseException:
            self.let_go()
            raise

    def let_go(self) -> None:
        """Use it no more."""
        self._holders -= 1
        if not self._holders and self._live is not None and not self._pinned and not self._closed:
            self._pool.rests(self)

    def keep(self, sql: str) -> None:
        """Take note of a statement that has changed the session, and that has the same effect on another."""
        if not self._pinned:
            self._kept.add(sql)

    def pin(self) -> None:
        """Take note of something that no other session can be given: temporary views, variables, functions."""
        self._pinned = True
        self._kept = Kept()
        self._pool.busy(self)
        if self._live is not None:
            self._live.advise(_IRREPLACEABLE)

    async def query(self, sql: str) -> ResultSet:
        """Run a statement of our own in this session and fetch all of its result."""
        live = await self.hold()
        try:
            return await live.query(sql)
        finally:
            self.let_go()

    def park(self) -> Coroutine[Any, Any, None] | None:
        """Detach the upstream session now; return the coroutine that closes it and never raises."""
        live = self._detached()
        if live is None:
            return None
        if not self._wanders:
            return live.close()
        self._leaving = asyncio.Event()
        return self._leave(live, self._leaving)

    @property
    def _wanders(self) -> bool:
        """Whether it has been in several namespaces, of which others than the last may be gone by now."""
        moves = self._kept.moves
        return moves > 1 or (moves == 1 and without_namespace(self._message) is not None)

    async def _leave(self, live: UpstreamSession, leaving: asyncio.Event) -> None:
        try:
            await self._settle(live)
        finally:
            self._leaving = None
            leaving.set()
            await live.close()

    async def _settle(self, live: UpstreamSession) -> None:
        """Ask where it is, to go there straight."""
        before = self._kept.texts
        try:
            async with asyncio.timeout(self._pool.timeouts.close):
                told = await live.query(_WHERE)
        except (SqlError, TimeoutError) as error:  # it is repeated as it was
            logger.debug("current catalog and namespace unknown error=%s", error)
            return
        ((catalog, namespace),) = told.rows
        if self._kept.settle(before, str(catalog), str(namespace)):
            self._message = without_namespace(self._message) or self._message

    def _detached(self) -> UpstreamSession | None:
        """Detach the upstream session and return it, to be closed."""
        live, self._live = self._live, None
        return live

    def _abandon(self) -> None:
        self._closed = True
        if self._attaching is not None:
            self._attaching.cancel()
        live = self._detached()
        if live is not None:
            self._pool.give_back(live.close())

    async def close(self) -> None:
        """Close it for good; never raises."""
        self._closed = True
        self._pool.busy(self)
        if self._attaching is not None:
            self._attaching.cancel()
            await asyncio.wait({self._attaching})
        await self._end()

    async def _end(self) -> None:
        live = self._detached()
        if live is not None:
            await live.close()

    async def _ready(self) -> UpstreamSession:
        """Return the upstream session, alive, and with a reasonable number of statements to be repeated."""
        live = self._live
        if live is not None and live.alive:
            if self._wanders:
                await asyncio.create_task(self._settle(live))  # who calls need not be a task
            if len(self._kept.texts) > MOST_KEPT:
                self.pin()
            return live
        if live is not None:
            live.place.info.clear()  # another version may have come in its place
        await self._attach()
        if self._live is None:  # closed, between the end of that and our turn
            raise SqlError(_CLOSED, _NO_SESSION)
        return self._live

    async def _attach(self, patience: float | None = None) -> bytes | None:
        """Attach the session; return the upstream's reply, or None if that takes longer than `patience` seconds."""
        if self._live is not None and self._pinned:
            raise Unreachable(f"The upstream session is lost. {_IRREPLACEABLE}")
        if self._closed:
            raise SqlError(_CLOSED, _NO_SESSION)
        if self._attaching is None:
            self._attaching = asyncio.create_task(self._restore())
            self._attaching.add_done_callback(_seen)
        attaching = self._attaching
        await asyncio.wait({attaching}, timeout=patience)
        if not attaching.done():
            return None
        if attaching.cancelled():
            raise SqlError(_CLOSED, _NO_SESSION)
        return attaching.result()

    async def _restore(self) -> bytes:
        """Open a session that is like the one there was; the upstream's reply."""
        try:
            if self._leaving is not None:
                await self._leaving.wait()
            await self._end()
            session, reply = await self._pool.open(self._user, self._message, self._principal)
            try:
                for sql in self._kept.texts:
                    await session.query(sql)
            except BaseException as error:
                await session.close()
                if isinstance(error, SqlError):
                    message = f"The session's state cannot be restored: {error.message} ({sql}). Open a new session."
                    raise SqlError(message, error.sql_state) from error
                raise
            self._live = session
            if self._moved is not None and self.place is not None and session.place is not self.place:
                self._moved()
            self.place = session.place
            if not self._holders and not self._pinned:  # who waited for it has gone
                self._pool.rests(self)
            return reply
        finally:
            self._attaching = None


def _seen(attaching: asyncio.Task[bytes]) -> None:
    """Take note of an error for which no statement may wait."""
    if not attaching.cancelled():
        attaching.exception()


def without_namespace(message: bytes) -> bytes | None:
    """Return the OpenSession without its initial namespace; None if it names none."""
    span = find(message, _CONFIGURATION)
    entries = read_map(value_bytes(message, span)) if span else []
    others = [(key, value) for key, value in entries if key != _NAMESPACE]
    return with_field(message, _CONFIGURATION, MAP, write_map(others)) if len(others) < len(entries) else None
