"""Attaches upstream sessions to client sessions in use, and restores a session's state in a new upstream session.

    detached ──hold──▶ attaching ──OpenSession and a session replay─────▶ attached ──last let_go─▶ idle
        ▲                  ▲                                                 │  ▲                  │  │
        │                  └──────────────hold, after its connection is lost─┘  └──────hold────────┘  │
        └──────────────────────────────────parked: for room, or idle for long─────────────────────────┘

The replay statements are the SET, RESET and USE statements of the client session; a session replay repeats them in a
new upstream session. To park a client session is to detach and close its upstream session, which makes room on the
server. A pinned session has state that cannot be replayed: a pinned session is never parked, and its state is lost with
the connection.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Coroutine
from typing import Any

from proxy.hs2 import ResultSet, SqlError, Unreachable
from proxy.hs2.codec import V11
from proxy.upstream.policy import Place
from proxy.upstream.pool import Upstreams
from proxy.upstream.session import UpstreamSession
from proxy.wire import find, read_map, value_bytes, with_field, write_map
from proxy.wire.message import MAP
from rewriter.model import split_name, ticked

MOST_KEPT = 64  # statements; replaying more would take too long
# Characters of these statements: with 20,000 sessions (`[limits] sessions`), at most 1.3 GB.
MOST_CHARACTERS = 64 * 1024
_READS = re.compile(r"\s*+SET(?:\s++[^\s=;]++)?\s*+;?\s*+", re.IGNORECASE)
_MOVES = re.compile(r"\s*(USE|SET\s+CATALOG)\b", re.IGNORECASE)
_SETS = re.compile(r"\s*(SET|RESET)\b", re.IGNORECASE)
_BEARS_ON_MOVES = re.compile("catalog|case", re.IGNORECASE)
_SUBSTITUTES = "${"
# USE of a catalog clears the namespace only if another catalog is current; so a replay first enters this catalog.
_ELSEWHERE = "spark_catalog"


class Kept:
    """The SET, RESET and USE statements of a client session, in the order in which a session replay repeats them.

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
        """The number of recorded statements (USE, SET CATALOG) that change the current catalog or namespace."""
        return sum(_MOVES.match(text) is not None for text in self.texts)

    def add(self, sql: str) -> None:
        """Add a statement, unless it is a SET that only reads a setting.

        An earlier statement with the same text is removed, unless a later statement depends on that earlier statement.
        """
        if _READS.fullmatch(sql):
            return
        at = max((number for number, text in enumerate(self.texts) if text == sql), default=None)
        if at is not None and not any(_depends(text, sql) for text in (*self.texts[at + 1 :], sql)):
            self.texts = (*self.texts[:at], *self.texts[at + 1 :])
        self.texts = (*self.texts, sql)

    def settle(self, before: tuple[str, ...], catalog: str, namespace: str) -> bool:
        """Replace the USE and SET CATALOG statements in `before` by a USE of the given catalog and namespace.

        `before` are the recorded statements at an earlier time. Return True if the statements were replaced. If the
        recorded statements no longer start with `before`, change nothing and return False.
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
    """Return whether the effect of the statement `text` may depend on the earlier statement `before`.

    >>> _depends("USE b", "USE a"), _depends("USE b", "SET x = 1"), _depends("SET y = ${x}", "SET x = 1")
    (True, False, True)
    """
    if _SUBSTITUTES in text:
        return True
    if text == before or (_SETS.match(text) and not _MOVES.match(text)):
        return False
    return not _SETS.match(before) or _BEARS_ON_MOVES.search(before) is not None


logger = logging.getLogger(__name__)

_IRREPLACEABLE = (
    "The temporary views, variables, functions and settings of the session are lost. Open a new session and try again."
)
_CLOSED, _NO_SESSION = "The session is closed: open a new session", "08003"
_CONFIGURATION, _NAMESPACE = (1, 4), b"use:database"  # of an OpenSession
# With this FROM clause, Spark answers the query without starting a job.
_WHERE = "SELECT current_catalog(), current_database() FROM VALUES (1)"


class Attachment:
    """The upstream session of a client session: open at least between `hold` and `let_go`.

    At other times the upstream session may be parked (closed) or be lost without harm: the next `hold` opens a new
    upstream session and repeats the replay statements (SET, RESET, USE). A statement whose effect cannot be replayed
    pins the client session to its upstream session.

    `pool` opens the upstream sessions. `message` is the client's OpenSession request, `user` the user of the session,
    and `principal` the user who logged in.
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
        # set while Spark is asked for the catalog and namespace of a session that is being parked
        self._leaving: asyncio.Event | None = None
        self._pinned = False
        self._closed = False
        self._moved: Callable[[], None] | None = None
        self.place: Place | None = None

    @property
    def info(self) -> dict[int, bytes]:
        """The server's replies to GetInfo cached so far, by info type; callers add new replies."""
        return (self.place or self._pool.places[0]).info

    @property
    def attached(self) -> bool:
        """Whether the client session has an open upstream session now, whose connection is not lost."""
        return self._live is not None and self._live.alive

    @property
    def saturated(self) -> bool:
        """Whether a statement would have to wait for an upstream session or for a slot (the permission to run)."""
        if self._live is None or not self._live.alive:
            return self._attaching is not None or self._pool.full
        return not self._live.place.statements.free

    def watch(self, moved: Callable[[], None]) -> None:
        """Set the function to call after the client session has got an upstream session on a different server."""
        self._moved = moved

    async def open(self) -> bytes | None:
        """Open the upstream session for the first time; return the server's reply to OpenSession.

        Return None if all servers are full: the first `hold` then opens the session. Also return None if the reply
        takes longer than the handshake timeout: the session is then opened in the background. As long as no server has
        ever opened a session, wait for the reply without a timeout. Raise SqlError if the session cannot be opened.
        """
        known = any(place.version is not None for place in self._pool.places)
        if known and self._pool.full:
            return None
        self._holders += 1
        try:
            reply = await self._attach(self._pool.timeouts.handshake if known else None)
        except BaseException:  # the client may have left, and no other code would close the session
            self._abandon()
            raise
        self.let_go()
        return reply

    @property
    def version(self) -> int:
        """The highest protocol version that an upstream server has reported; V11 if no server has reported one yet."""
        return max((place.version for place in self._pool.places if place.version is not None), default=V11)

    async def hold(self) -> UpstreamSession:
        """Return the upstream session; open one if there is none, and raise SqlError if no session can be opened.

        The upstream session stays open for the client session until `let_go` has been called once for each `hold`.
        """
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
        """Undo one `hold`; when no `hold` is left, the client session is idle.

        The upstream session of an idle client session may be closed, unless `pin` was called.
        """
        self._holders -= 1
        if not self._holders and self._live is not None and not self._pinned and not self._closed:
            self._pool.rests(self)

    def keep(self, sql: str) -> None:
        """Record a statement that has changed the session state, to be repeated in a new upstream session.

        If the recorded statements become longer than MOST_CHARACTERS, call `pin` instead: the upstream session then
        stays open.
        """
        if not self._pinned:
            self._kept.add(sql)
            if sum(map(len, self._kept.texts)) > MOST_CHARACTERS:
                self.pin()

    def pin(self) -> None:
        """Pin the client session to its upstream session, which then stays open while the client is idle.

        Call this method if the upstream session has state that a session replay cannot restore, such as a temporary
        view, a variable or a temporary function.
        """
        self._pinned = True
        self._kept = Kept()
        self._pool.busy(self)
        if self._live is not None:
            self._live.advise(_IRREPLACEABLE)

    async def query(self, sql: str) -> ResultSet:
        """Run one of Viewgate's own statements in this session and return its result; raise SqlError on failure."""
        live = await self.hold()
        try:
            return await live.query(sql)
        finally:
            self.let_go()

    def park(self) -> Coroutine[Any, Any, None] | None:
        """Take the upstream session from the client session; return a coroutine that closes the upstream session.

        The coroutine never raises. Return None if the client session has no upstream session.
        """
        live = self._detached()
        if live is None:
            return None
        if not self._wanders:
            return live.close()
        self._leaving = asyncio.Event()
        return self._leave(live, self._leaving)

    @property
    def _wanders(self) -> bool:
        """Whether a session replay would run several statements that each change the current namespace.

        The replay would fail if one of the earlier namespaces had been dropped meanwhile.
        """
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
        """Query the current catalog and namespace; replace all recorded USE statements by one USE of this namespace.

        If the query fails, the recorded statements stay unchanged. `live` is the upstream session in which the query
        runs.
        """
        before = self._kept.texts
        try:
            async with asyncio.timeout(self._pool.timeouts.close):
                told = await live.query(_WHERE)
        except (SqlError, TimeoutError) as error:  # the kept statements are replayed unchanged
            logger.debug("current catalog and namespace unknown error=%s", error)
            return
        ((catalog, namespace),) = told.rows
        if self._kept.settle(before, str(catalog), str(namespace)):
            self._message = without_namespace(self._message) or self._message

    def _detached(self) -> UpstreamSession | None:
        """Take the upstream session from the client session and return the upstream session, for the caller to close.

        Return None if the client session has no upstream session.
        """
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
        """Close the upstream session, even if it is still being opened, and open no other; never raise."""
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
        """Return the upstream session; open a new one if there is none, or if its connection is lost.

        Raise SqlError if no upstream session can be opened, or if the client session is closed. A client session with
        more than MOST_KEPT recorded statements (SET, RESET, USE) is pinned to its upstream session, because repeating
        so many statements would take too long. A pinned upstream session stays open while the client is idle.
        """
        live = self._live
        if live is not None and live.alive:
            if self._wanders:
                await asyncio.create_task(self._settle(live))  # the caller may not run in a task
            if len(self._kept.texts) > MOST_KEPT:
                self.pin()
            return live
        if live is not None:
            live.place.info.clear()  # a server of another version may have replaced this one
        await self._attach()
        if self._live is None:  # closed between the end of the attaching and this step
            raise SqlError(_CLOSED, _NO_SESSION)
        return self._live

    async def _attach(self, patience: float | None = None) -> bytes | None:
        """Open an upstream session for the client session; return the server's reply to OpenSession.

        Return None if the reply takes more than `patience` seconds (None for no limit); the session is then opened in
        the background. Raise Unreachable if a pinned upstream session was lost, because its state cannot be replayed.
        Raise SqlError 08003 if the client session is closed, and any other SqlError if no upstream session can be
        opened.
        """
        if self._live is not None and self._pinned:
            raise Unreachable(f"The connection to {self._live.place.upstream.named} is lost. {_IRREPLACEABLE}")
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
        """Open an upstream session, repeat the recorded statements there; return the server's reply to OpenSession.

        Raise SqlError if the upstream session cannot be opened or a repeated statement fails.
        """
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
            if not self._holders and not self._pinned:  # no caller waits for the session any more
                self._pool.rests(self)
            return reply
        finally:
            self._attaching = None


def _seen(attaching: asyncio.Task[bytes]) -> None:
    """Retrieve the exception of a task that no statement waits for; otherwise asyncio would log the exception."""
    if not attaching.cancelled():
        attaching.exception()


def without_namespace(message: bytes) -> bytes | None:
    """Return the OpenSession message without its initial namespace; None if the message has no initial namespace."""
    span = find(message, _CONFIGURATION)
    entries = read_map(value_bytes(message, span)) if span else []
    others = [(key, value) for key, value in entries if key != _NAMESPACE]
    return with_field(message, _CONFIGURATION, MAP, write_map(others)) if len(others) < len(entries) else None
