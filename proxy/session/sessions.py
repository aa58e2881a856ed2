"""Sessions of clients, and the register in which handles are looked up by those who may use them."""

from __future__ import annotations

from typing import Any, Protocol

from proxy.hs2 import ResultSet, SqlError
from proxy.session.handles import Handle
from proxy.session.operations import Operation


class SessionUpstream(Protocol):
    """The upstream's side of one session."""

    @property
    def handle(self) -> Handle:
        """The handle that the upstream gave this session."""
        ...

    async def call(self, message: bytes) -> bytes:
        """Relay a message and return the reply; SqlError 08S01 if the upstream is lost."""
        ...

    async def control(self, message: bytes) -> bytes:
        """Relay a message on a connection that no statement occupies."""
        ...

    async def query(self, sql: str) -> ResultSet:
        """Run a statement of our own in this session and fetch all of its result."""
        ...

    async def close(self) -> None:
        """Close the upstream's session and the connection to it; never raises."""
        ...


class ClientSession:
    """A client's session: who opened it, the upstream's side of it, and what is known about its state.

    `facts` is what the answering of statements keeps about the session: made by it, opaque here.
    """

    def __init__(self, user: str, protocol: int, upstream: SessionUpstream, facts: Any) -> None:
        self.handle = Handle.new()
        self.user = user
        self.protocol = protocol
        self.upstream = upstream
        self.facts = facts
        self.operations: dict[bytes, Operation] = {}

    @property
    def id(self) -> str:
        """The session's public id."""
        return self.handle.id


class Sessions:
    """All open sessions and operations. To anybody but the principal who opened them they do not exist."""

    def __init__(self) -> None:
        self._sessions: dict[bytes, ClientSession] = {}
        self._operations: dict[bytes, Operation] = {}

    def __len__(self) -> int:
        return len(self._sessions)

    @property
    def all(self) -> list[ClientSession]:
        """The open sessions."""
        return list(self._sessions.values())

    @property
    def running(self) -> int:
        """How many operations are not known to have ended."""
        return sum(not operation.done for operation in self._operations.values())

    def add(self, session: ClientSession) -> None:
        self._sessions[session.handle.guid] = session

    def find(self, handle: Handle, user: str) -> ClientSession:
        """The session with that handle."""
        session = self._sessions.get(handle.guid)
        if session is None or session.user != user or not handle.opens(session.handle):
            raise SqlError(f"Invalid SessionHandle: SessionHandle [{handle.id}]", "08003")
        return session

    def remove(self, session: ClientSession) -> bool:
        """Forget a session and its operations; False if somebody else has done so already."""
        for guid in session.operations:
            self._operations.pop(guid, None)
        return self._sessions.pop(session.handle.guid, None) is not None

    def add_operation(self, operation: Operation) -> None:
        self._operations[operation.handle.guid] = operation
        operation.session.operations[operation.handle.guid] = operation

    def find_operation(self, handle: Handle, user: str) -> Operation:
        """The operation with that handle."""
        operation = self._operations.get(handle.guid)
        if operation is None or operation.session.user != user or not handle.opens(operation.handle):
            raise SqlError(f"Invalid OperationHandle: OperationHandle [getHandleIdentifier()={handle.id}]", "HY000")
        return operation

    def knows(self, operation: Operation) -> bool:
        """Whether an operation is still open."""
        return operation.handle.guid in self._operations

    def remove_operation(self, operation: Operation) -> None:
        self._operations.pop(operation.handle.guid, None)
        operation.session.operations.pop(operation.handle.guid, None)
