"""The interfaces to upstream sessions that client sessions and operations use."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from proxy.hs2 import ResultSet
from proxy.session.calls import Handle


class LiveUpstream(Protocol):
    """An open session on an upstream server (interface)."""

    @property
    def handle(self) -> Handle:
        """The handle that the upstream server assigned to this session."""
        ...

    @property
    def server(self) -> str:
        """The host and port of the upstream server."""
        ...

    @property
    def alive(self) -> bool:
        """Whether calls can still be made, because the connection is not lost."""
        ...

    @property
    def draining(self) -> bool:
        """Whether the upstream server is draining: it gets no new sessions, and its idle sessions are closed."""
        ...

    async def call(self, message: bytes) -> bytes:
        """Send a message and return the reply; raise SqlError 08S01 if the connection is lost."""
        ...

    def call_or_late(self, message: bytes, late: Callable[[bytes | None], None]) -> Awaitable[bytes]:
        """Send a message now; return an awaitable for the reply.

        If the task that awaits the reply is cancelled, `late` is called with the reply when the reply arrives, or with
        None after an error.
        """
        ...

    def send(self, *messages: bytes) -> Sequence[asyncio.Future[bytes]]:
        """Send messages now; return the futures of their replies, in the same order."""
        ...

    async def control(self, message: bytes) -> bytes:
        """Send a message over a connection that no statement occupies; return the reply."""
        ...

    async def query(self, sql: str) -> ResultSet:
        """Run one of Viewgate's own statements in this session and return its result; raise SqlError on failure."""
        ...

    def take_slot(self) -> bool:
        """Take a slot (the permission to run a statement) if one is free; return whether a slot was taken.

        The slot must be given back when the statement has ended.
        """
        ...

    async def wait_for_slot(self, principal: str) -> None:
        """Wait in the queue for a free slot (the permission to run) of the server, and take the slot.

        `principal` is the user who logged in; the queue serves principals round robin.
        """
        ...

    def give_slot_back(self) -> None:
        """Give back the slot (the permission to run a statement) of a statement that has ended."""
        ...


class SessionUpstream(Protocol):
    """The upstream side of one client session (interface): an upstream session, open only while needed."""

    @property
    def attached(self) -> bool:
        """Whether the client session has an open upstream session now."""
        ...

    @property
    def saturated(self) -> bool:
        """Whether a statement would have to wait for an upstream session or for a slot (the permission to run)."""
        ...

    @property
    def info(self) -> dict[int, bytes]:
        """The server's replies to GetInfo cached so far, by info type; callers add new replies."""
        ...

    async def hold(self) -> LiveUpstream:
        """Return the upstream session; open one if there is none, and raise SqlError if no session can be opened.

        The upstream session stays open for the client session until `let_go` has been called once for each `hold`.
        """
        ...

    def let_go(self) -> None:
        """Undo one `hold`; when no `hold` is left, the upstream session may be closed."""
        ...

    def keep(self, sql: str) -> None:
        """Record a statement that must be repeated in a new upstream session (session replay)."""
        ...

    def pin(self) -> None:
        """Pin the client session to its upstream session, which then stays open while the client is idle.

        Call this method if the upstream session has state that a session replay cannot restore.
        """
        ...

    async def query(self, sql: str) -> ResultSet:
        """Run one of Viewgate's own statements in this session and return its result; raise SqlError on failure."""
        ...

    async def close(self) -> None:
        """Close the upstream session and its connection; never raise."""
        ...
