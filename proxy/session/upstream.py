"""The upstream's side of a session, as an interface for sessions and operations."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from proxy.hs2 import ResultSet
from proxy.session.calls import Handle


class LiveUpstream(Protocol):
    """A session that is open on an upstream."""

    @property
    def handle(self) -> Handle:
        """The handle that the upstream gave this session."""
        ...

    @property
    def server(self) -> str:
        """The host and port of the upstream server."""
        ...

    @property
    def alive(self) -> bool:
        """Whether calls can still be made."""
        ...

    async def call(self, message: bytes) -> bytes:
        """Relay a message and return the reply; raise SqlError 08S01 if the upstream is lost."""
        ...

    def call_or_late(self, message: bytes, late: Callable[[bytes | None], None]) -> Awaitable[bytes]:
        """Relay a message now and return its reply; a reply that arrives after a cancel, or None in its place, goes to
        `late`.
        """
        ...

    def send(self, *messages: bytes) -> Sequence[asyncio.Future[bytes]]:
        """Relay messages now, and return the futures of their replies."""
        ...

    async def control(self, message: bytes) -> bytes:
        """Relay a message on a connection that no statement occupies."""
        ...

    async def query(self, sql: str) -> ResultSet:
        """Run a statement of Viewgate's own in this session, and return its whole result."""
        ...

    def take_slot(self) -> bool:
        """Take a slot, and return whether there was one; it must be given back at the statement's end."""
        ...

    async def wait_for_slot(self, principal: str) -> None:
        """Wait until it is the principal's turn, and take a slot."""
        ...

    def give_slot_back(self) -> None:
        """Give a slot back."""
        ...


class SessionUpstream(Protocol):
    """The upstream's side of one client session, which is open there only while needed."""

    @property
    def attached(self) -> bool:
        """Whether the session is open on an upstream now."""
        ...

    @property
    def saturated(self) -> bool:
        """Whether a statement would have to wait, for a session or behind other statements."""
        ...

    @property
    def info(self) -> dict[int, bytes]:
        """The upstream's replies to GetInfo, by kind; callers add replies to it."""
        ...

    async def hold(self) -> LiveUpstream:
        """Return the open session, which stays attached until `let_go` is called as many times."""
        ...

    def let_go(self) -> None:
        """End one hold of the session."""
        ...

    def keep(self, sql: str) -> None:
        """Keep a statement that a session replay must repeat."""
        ...

    def pin(self) -> None:
        """Prevent the session from being replayed, because it has state that cannot be repeated."""
        ...

    async def query(self, sql: str) -> ResultSet:
        """Run a statement of Viewgate's own in this session, and return its whole result."""
        ...

    async def close(self) -> None:
        """Close the upstream session and its connection; never raises."""
        ...
