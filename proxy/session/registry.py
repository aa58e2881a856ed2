"""The register of sessions and operations, in which handles are looked up by the principals who may use them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import NamedTuple

from proxy.hs2 import SqlError
from proxy.session.handles import Handle
from proxy.session.session import ClientSession, Operation


class Worker(NamedTuple):
    """Its process id, how many sessions it has and statements it knows to run, and whether another replaces it."""

    process: int
    sessions: int
    statements: int
    retiring: bool = False


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
        self._empty = asyncio.Event()
        self._empty.set()
        self._when_ended, self._when_removed = ended, removed

    @property
    def all(self) -> list[ClientSession]:
        """The open sessions."""
        return list(self._sessions.values())

    @property
    def running(self) -> int:
        """The number of operations that are not known to have ended."""
        return len(self._running)

    @property
    def unfinished(self) -> list[Operation]:
        """The operations that are not known to have ended."""
        return [self._operations[guid] for guid in self._running if guid in self._operations]

    async def rest(self) -> None:
        """Return when no operation runs."""
        await self._at_rest.wait()

    async def gone(self) -> None:
        """Return when no session is open."""
        await self._empty.wait()

    def idle(self, seconds: float) -> list[ClientSession]:
        """Return the sessions that are tied to no connection, and that no call has named or waited in for so long."""
        since = time.monotonic() - seconds
        free = (session for session in self._sessions.values() if not session.tied and not session.waited_for)
        return [session for session in free if session.used_at < since]

    def add(self, session: ClientSession) -> None:
        self._sessions[session.handle.guid] = session
        self._empty.clear()

    def find(self, handle: Handle, principal: str) -> ClientSession:
        """Return the session with that handle."""
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
        was_open = self._sessions.pop(session.handle.guid, None) is not None
        if not self._sessions:
            self._empty.set()
        return was_open

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
        """Return the operation with that handle."""
        operation = self._operations.get(handle.guid)
        if operation is None or operation.session.principal != principal or not handle.opens(operation.handle):
            raise SqlError(f"Invalid OperationHandle: OperationHandle [getHandleIdentifier()={handle.id}]", "HY000")
        operation.session.used_at = time.monotonic()
        return operation

    def uses(self, handle: Handle) -> bool:
        """Return whether the operation of a handle is still open; if it is, its session is in use."""
        operation = self._operations.get(handle.guid)
        if operation is None:
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
