"""The upstream's side of a session, as sessions and operations need it."""

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
        """Relay a message and return the reply; SqlError 08S01 if the upstream is lost."""
        ...

    def call_or_late(self, message: bytes, late: Callable[[bytes | None], None]) -> Awaitable[bytes]:
        """Relay a message now and return its reply; a reply after a cancel, or None in its place, goes to `late`."""
        ...

    def send(self, *messages: bytes) -> Sequence[asyncio.Future[bytes]]:
        """Relay messages now; the replies will come."""
        ...

    async def control(self, message: bytes) -> bytes:
        """Relay a message on a connection that no statement occupies."""
        ...

    async def query(self, sql: str) -> ResultSet:
        """Run a statement of our own in this session and fetch all of its result."""
        ...

    def take_slot(self) -> bool:
        """Return whether a statement can be started now; one that is, gives its slot back when it has ended."""
        ...

    async def wait_for_slot(self, principal: str) -> None:
        """Return when it is the principal's turn to start a statement."""
        ...

    def give_slot_back(self) -> None:
        """Take note that a statement has ended."""
        ...


class SessionUpstream(Protocol):
    """The upstream's side of one client session, which is open there only while it is needed."""

    @property
    def attached(self) -> bool:
        """Whether it is open there now."""
        ...

    @property
    def saturated(self) -> bool:
        """Whether a statement would have to wait: for a session, or behind other statements."""
        ...

    @property
    def info(self) -> dict[int, bytes]:
        """The upstream's replies to GetInfo, by kind; callers add to them."""
        ...

    async def hold(self) -> LiveUpstream:
        """Return the open session, which stays attached until `let_go` is called as often."""
        ...

    def let_go(self) -> None:
        """Use it no more."""
        ...

    def keep(self, sql: str) -> None:
        """Keep a statement that a session replay has to repeat."""
        ...

    def pin(self) -> None:
        """Take note of something that cannot be repeated."""
        ...

    async def query(self, sql: str) -> ResultSet:
        """Run a statement of our own in this session and fetch all of its result."""
        ...

    async def close(self) -> None:
        """Close the upstream's session and the connection to it; never raises."""
        ...
