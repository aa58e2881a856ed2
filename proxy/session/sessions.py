"""Sessions of clients, and the register in which handles are looked up by those who may use them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

from proxy.hs2 import ResultSet, SqlError
from proxy.session.habits import Habits
from proxy.session.handles import Handle
from proxy.session.operations import Operation


class LiveUpstream(Protocol):
    """A session that is open on an upstream."""

    @property
    def handle(self) -> Handle:
        """The handle that the upstream gave this session."""
        ...

    @property
    def alive(self) -> bool:
        """Whether calls can still be made."""
        ...

    async def call(self, message: bytes) -> bytes:
        """Relay a message and return the reply; SqlError 08S01 if the upstream is lost."""
        ...

    def call_or_late(self, message: bytes, late: Callable[[bytes | None], None]) -> Awaitable[bytes]:
        """The same, relayed now; a reply that nobody waits for any more, or None in its place, goes to `late`."""
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
        """Whether a statement can be started now; one that is, gives its slot back when it has ended."""
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
    def crowded(self) -> bool:
        """Whether a statement would have to wait: for a session, or behind other statements."""
        ...

    @property
    def info(self) -> dict[int, bytes]:
        """What the upstream has said of itself, by kind; to be added to."""
        ...

    async def hold(self) -> LiveUpstream:
        """The open session, which stays as it is until `let_go` is called as often."""
        ...

    def let_go(self) -> None:
        """Use it no more."""
        ...

    def keep(self, sql: str) -> None:
        """Take note of a statement that has to be repeated when the session is opened anew."""
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


class ClientSession:
    """A client's session: whose it is, the upstream's side of it, and what is known about its state.

    `tied` says that it ends with the connection that it was opened on; others end when unused for long.
    `principal` is who has opened it and alone may use it, if that is not `user` but somebody acting for them.
    `facts` is what the answering of statements keeps about the session: made by it, opaque here.
    """

    def __init__(
        self,
        user: str,
        protocol: int,
        upstream: SessionUpstream,
        facts: Any,
        principal: str | None = None,
        handle: Handle | None = None,
    ) -> None:
        self.handle = handle or Handle.new()
        self.user = user
        self.principal = principal or user
        self.protocol = protocol
        self.upstream = upstream
        self.facts = facts
        self.operations: dict[bytes, Operation] = {}
        self.habits = Habits()
        self.tied = True
        self.used_at = time.monotonic()
        self.waited_for = 0  # calls that wait for the end of a statement

    @property
    def id(self) -> str:
        """The session's public id."""
        return self.handle.id


class Sessions:
    """All open sessions and operations. To anybody but the principal who opened them they do not exist.

    `ended` is called with each operation that has ended, `removed` with each that nobody can use any more.
    """

    def __init__(
        self,
        ended: Callable[[Operation], None] = lambda _: None,
        removed: Callable[[Operation], None] = lambda _: None,
    ) -> None:
        self._sessions: dict[bytes, ClientSession] = {}
        self._operations: dict[bytes, Operation] = {}
        self._running: set[bytes] = set()
        self._at_rest = asyncio.Event()
        self._at_rest.set()
        self._when_ended, self._when_removed = ended, removed

    @property
    def all(self) -> list[ClientSession]:
        """The open sessions."""
        return list(self._sessions.values())

    @property
    def running(self) -> int:
        """How many operations are not known to have ended."""
        return len(self._running)

    @property
    def unfinished(self) -> list[Operation]:
        """The operations that are not known to have ended."""
        return [self._operations[guid] for guid in self._running if guid in self._operations]

    async def rest(self) -> None:
        """Return when no operation runs."""
        await self._at_rest.wait()

    def idle(self, seconds: float) -> list[ClientSession]:
        """The sessions that are tied to no connection, and that no call has named or waited in for so long."""
        since = time.monotonic() - seconds
        free = (session for session in self._sessions.values() if not session.tied and not session.waited_for)
        return [session for session in free if session.used_at < since]

    def add(self, session: ClientSession) -> None:
        self._sessions[session.handle.guid] = session

    def find(self, handle: Handle, principal: str) -> ClientSession:
        """The session with that handle."""
        session = self._sessions.get(handle.guid)
        if session is None or session.principal != principal or not handle.opens(session.handle):
            raise _unknown(handle)
        session.used_at = time.monotonic()
        return session

    def remove(self, session: ClientSession) -> bool:
        """Forget a session and its operations; False if somebody else has done so already."""
        for operation in session.operations.values():
            self._removed(operation)
        session.operations.clear()  # which hold it, and their statements
        return self._sessions.pop(session.handle.guid, None) is not None

    def add_operation(self, operation: Operation) -> None:
        """Give an operation to its session; SqlError if that was closed meanwhile."""
        if operation.session.handle.guid not in self._sessions:
            raise _unknown(operation.session.handle)
        self._operations[operation.handle.guid] = operation
        operation.session.operations[operation.handle.guid] = operation
        if not operation.done:
            operation.watcher = self._ended
            self._running.add(operation.handle.guid)
            self._at_rest.clear()

    def find_operation(self, handle: Handle, principal: str) -> Operation:
        """The operation with that handle."""
        operation = self._operations.get(handle.guid)
        if operation is None or operation.session.principal != principal or not handle.opens(operation.handle):
            raise SqlError(f"Invalid OperationHandle: OperationHandle [getHandleIdentifier()={handle.id}]", "HY000")
        operation.session.used_at = time.monotonic()
        return operation

    def uses(self, operation: Operation) -> bool:
        """Whether an operation is still open; if it is, its session is in use."""
        if operation.handle.guid not in self._operations:
            return False
        operation.session.used_at = time.monotonic()
        return True

    def remove_operation(self, operation: Operation) -> None:
        operation.session.operations.pop(operation.handle.guid, None)
        self._removed(operation)

    def _removed(self, operation: Operation) -> None:
        self._operations.pop(operation.handle.guid, None)
        operation.foreseen.forget()
        self._ended(operation)
        self._when_removed(operation)

    def _ended(self, operation: Operation) -> None:
        self._when_ended(operation)
        self._running.discard(operation.handle.guid)
        if not self._running:
            self._at_rest.set()


def _unknown(session: Handle) -> SqlError:
    return SqlError(f"Invalid SessionHandle: SessionHandle [{session.id}]", "08003")
