"""A client's session, the operations in it, and the lease by which a statement uses the session's upstream."""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Self

from proxy.hs2 import SqlError
from proxy.session.foreseen import Foreseen, Habits
from proxy.session.handles import Handle
from proxy.session.states import LEGAL, TERMINAL, OperationState
from proxy.session.upstream import LiveUpstream, SessionUpstream


class ClientSession:
    """A client's session: its user, its upstream session, and its known state.

    `tied` says that it ends with the connection that it was opened on; others end when unused for long.
    `principal` is who has opened it and alone may use it, if that is not `user` but somebody acting for them.
    `facts` is what the answering of statements keeps about the session: made by it, opaque here. `traceparent` is the
    trace context that the client has opened it with, if any.
    """

    def __init__(
        self,
        user: str,
        protocol: int,
        upstream: SessionUpstream,
        facts: Any,
        principal: str | None = None,
        handle: Handle | None = None,
        traceparent: str = "",
    ) -> None:
        self.handle = handle or Handle.new()
        self.user = user
        self.principal = principal or user
        self.protocol = protocol
        self.upstream = upstream
        self.facts = facts
        self.traceparent = traceparent
        self.operations: dict[bytes, Operation] = {}
        self.habits = Habits()
        self.tied = True
        self.used_at = time.monotonic()
        self.waited_for = 0  # calls that wait for the end of a statement

    @property
    def id(self) -> str:
        """The session's public id."""
        return self.handle.id


class Lease:
    """The hold of one statement on its session's upstream, and the statement's slot there; released once.

    In a `with`, it is released at the end, unless it was handed over to another owner.
    """

    __slots__ = ("_has_slot", "_session", "_upstream")

    def __init__(self, session: ClientSession) -> None:
        self._session = session
        self._upstream: LiveUpstream | None = None
        self._has_slot = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    @property
    def upstream(self) -> LiveUpstream:
        """The upstream session, which is held."""
        assert self._upstream is not None
        return self._upstream

    @property
    def held(self) -> bool:
        """Whether the upstream session is held."""
        return self._upstream is not None

    async def hold(self) -> LiveUpstream:
        """Hold the upstream session, or the one in its place if it was lost while it was held."""
        upstream = await self._session.upstream.hold()
        if self._upstream is not None:
            self._session.upstream.let_go()  # of the two holds there are now
        self._upstream = upstream
        return upstream

    async def admitted(self, *, waits: bool) -> bool:
        """Hold the session and take a slot; return False if there is none at once and the statement does not wait."""
        if not waits and self._session.upstream.saturated:  # since it was planned
            return False
        upstream = await self.hold()
        if waits:
            await self.wait_for_slot()
        else:
            self._has_slot = upstream.take_slot()
        return self._has_slot

    async def wait_for_slot(self) -> None:
        """Take a slot when it is the principal's turn."""
        await self.upstream.wait_for_slot(self._session.principal)
        self._has_slot = True

    def free_slot(self) -> None:
        """Give the slot back; do nothing without one."""
        if self._has_slot:
            self._has_slot = False
            self.upstream.give_slot_back()

    def release(self) -> None:
        """Give back the slot and the session; do nothing if they were given back or handed over before."""
        self.free_slot()
        if self._upstream is not None:
            self._upstream = None
            self._session.upstream.let_go()

    def handed_over(self) -> Lease:
        """Return a lease for another owner, which has all that this one has had."""
        other = Lease(self._session)
        other._upstream, other._has_slot = self._upstream, self._has_slot
        self._upstream, self._has_slot = None, False
        return other


class OperationLog:
    """Lines for the client, each of which it reads once, or again after going back to the first.

    >>> log = OperationLog()
    >>> log.add("a"), log.add("b")
    (None, None)
    >>> log.read(1), log.read(10), log.read(10), log.read(10, first=True)
    (['a'], ['b'], [], ['a', 'b'])
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._next = 0

    @property
    def empty(self) -> bool:
        """Whether there is no line."""
        return not self._lines

    @property
    def lines(self) -> tuple[str, ...]:
        """All lines, whether they were read or not."""
        return tuple(self._lines)

    def add(self, line: str) -> None:
        self._lines.append(line)

    def read(self, limit: int, *, first: bool = False) -> list[str]:
        """Return the next lines that were not read yet."""
        start = 0 if first else self._next
        lines = self._lines[start : start + max(limit, 0)]
        self._next = start + len(lines)
        return lines


class Operation(ABC):
    """An operation that a session runs or has run; subclasses run it. `watcher` is called at its end."""

    def __init__(self, session: ClientSession, kind: int, ended: Callable[[bool], None] | None = None) -> None:
        self.handle = Handle.new(session.handle.mark)
        self.session = session
        self.kind = kind
        self.has_result_set = True
        self.state = OperationState.RUNNING
        self.error: SqlError | None = None
        self.log = OperationLog()
        self.started_ms = time.time_ns() // 1_000_000
        self.completed_ms: int | None = None
        self.watcher: Callable[[Operation], None] | None = None
        self.told = asyncio.Event()  # of its end, the client
        self.foreseen = Foreseen()
        self._ended = ended

    @property
    def done(self) -> bool:
        """Whether it has ended, in whichever way."""
        return self.state in TERMINAL

    def advance(self, state: OperationState, error: SqlError | None = None) -> None:
        """Take note of a state; one that cannot follow is not taken (a late report of what was overtaken)."""
        if state not in LEGAL[self.state]:
            return
        self.state = state
        self.error = error or self.error
        if self.done and self.completed_ms is None:
            self.completed_ms = time.time_ns() // 1_000_000
            if self.watcher is not None:
                self.watcher(self)
        if self.done and self._ended is not None:
            ended, self._ended = self._ended, None
            ended(state is OperationState.FINISHED)

    def release(self) -> None:
        """Give back what others share, once nobody can ask for more of it."""
        return

    @abstractmethod
    async def abandon(self, error: SqlError | None = None) -> None:
        """Stop what still runs, because the client closes it or is gone, or because of an error; never raises."""
