"""The interfaces to upstream sessions that client sessions and operations use."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from proxy.hs2 import ResultSet
from proxy.session.calls import Handle


class LiveUpstream(Protocol):
    """An open session on an upstream server."""

    @property
    def handle(self) -> Handle:
        """The handle that the upstream assigned to this session."""
        ...

    @property
    def server(self) -> str:
        """The host and port of the upstream server."""
        ...

    @property
    def alive(self) -> bool:
        """Whether calls can still be made: the connection is not lost."""
        ...

    async def call(self, message: bytes) -> bytes:
        """Send a message and return the reply; raise SqlError 08S01 if the upstream is lost."""
        ...

    def call_or_late(self, message: bytes, late: Callable[[bytes | None], None]) -> Awaitable[bytes]:
        """Send a message now; return an awaitable for the reply.

        If the waiting task is cancelled, `late` is called with the reply when the reply arrives, or with None after an
        error.
        """
        ...

    def send(self, *messages: bytes) -> Sequence[asyncio.Future[bytes]]:
        """Send messages now; return the futures of the replies."""
        ...

    async def control(self, message: bytes) -> bytes:
        """Send a message over a connection that no statement occupies; return the reply."""
        ...

    async def query(self, sql: str) -> ResultSet:
        """Run one of Viewgate's own statements in this session and return its result; raise SqlError if it fails."""
        ...

    def take_slot(self) -> bool:
        """Take a slot, the permission to run one statement, if one is free; return whether it was taken.

        The slot must be given back when the statement has ended.
        """
        ...

    async def wait_for_slot(self, principal: str) -> None:
        """Wait for the principal's turn in the server's queue, and take a slot."""
        ...

    def give_slot_back(self) -> None:
        """Give back the slot of a statement that has ended."""
        ...


class SessionUpstream(Protocol):
    """The upstream side of one client session: an upstream session that is attached only while needed."""

    @property
    def attached(self) -> bool:
        """Whether an upstream session is attached now."""
        ...

    @property
    def saturated(self) -> bool:
        """Whether a statement would have to wait, for an upstream session or for a slot."""
        ...

    @property
    def info(self) -> dict[int, bytes]:
        """The server's cached replies to GetInfo, by info type; callers add new replies."""
        ...

    async def hold(self) -> LiveUpstream:
        """Return the upstream session, attached if necessary; raise SqlError if that fails.

        The session stays attached until `let_go` has been called once for each `hold`.
        """
        ...

    def let_go(self) -> None:
        """Release one `hold`."""
        ...

    def keep(self, sql: str) -> None:
        """Record a statement that a session replay must repeat."""
        ...

    def pin(self) -> None:
        """Pin the client session to its upstream session, because it has state that a replay cannot restore."""
        ...

    async def query(self, sql: str) -> ResultSet:
        """Run one of Viewgate's own statements in this session and return its result; raise SqlError if it fails."""
        ...

    async def close(self) -> None:
        """Close the upstream session and its connection; never raises."""
        ...
