"""Sessions as clients see them: their operations, the lease of their upstream session, and the registry of all."""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple, Self

from proxy.hs2 import ResultSet, SqlError, encode_rows, success
from proxy.hs2.codec import status_held_s
from proxy.hs2.generated import ttypes
from proxy.session.calls import Foreseen, Habits, Handle, Message
from proxy.session.states import LEGAL, TERMINAL, OperationState, shown_state
from proxy.session.upstream import LiveUpstream, SessionUpstream


class ClientSession:
    """A client's session: its user, its upstream session, and its known state.

    `tied` sessions end with the connection on which they were opened; others end when unused for long. `principal` is
    the user who opened it and alone may use it; it differs from `user` under impersonation. `facts` is what the
    planning of statements keeps about the session, opaque here. `traceparent` is the trace context with which the
    client opened it, if any, and `client` the address from which it was opened.
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
        client: str = "",
    ) -> None:
        self.handle = handle or Handle.new()
        self.user = user
        self.principal = principal or user
        self.protocol = protocol
        self.upstream = upstream
        self.facts = facts
        self.traceparent = traceparent
        self.client = client
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
    """A statement's right to its session's upstream, and its slot there; released once.

    Used in a `with`, it is released at the end, unless it was handed over to another owner.
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
        """The attached upstream session; the caller must hold it."""
        assert self._upstream is not None
        return self._upstream

    @property
    def held(self) -> bool:
        """Whether the upstream session is held."""
        return self._upstream is not None

    async def hold(self) -> LiveUpstream:
        """Hold the upstream session and return it; if it was lost while held, hold the one that replaces it."""
        upstream = await self._session.upstream.hold()
        if self._upstream is not None:
            self._session.upstream.let_go()  # one of the two holds that there are now
        self._upstream = upstream
        return upstream

    async def admitted(self, *, waits: bool) -> bool:
        """Hold the session and take a slot; return False if none is free and the statement does not wait."""
        if not waits and self._session.upstream.saturated:  # saturated since it was planned
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
        """Free the slot; do nothing without one."""
        if self._has_slot:
            self._has_slot = False
            self.upstream.give_slot_back()

    def release(self) -> None:
        """Free the slot and the session; do nothing if they were released or handed over before."""
        self.free_slot()
        if self._upstream is not None:
            self._upstream = None
            self._session.upstream.let_go()

    def handed_over(self) -> Lease:
        """Return a lease for another owner, which takes over session and slot."""
        other = Lease(self._session)
        other._upstream, other._has_slot = self._upstream, self._has_slot
        self._upstream, self._has_slot = None, False
        return other


NO_ROWS = ResultSet.of("Result")  # the result of a statement without rows, as Spark describes it
_LOG = ResultSet.of("operation_log").columns


class OperationLog:
    """The log of an operation; the client reads each line once, or again after going back to the first.

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
        """Whether there are no lines."""
        return not self._lines

    @property
    def lines(self) -> tuple[str, ...]:
        """All lines, whether they were read or not."""
        return tuple(self._lines)

    def add(self, line: str) -> None:
        self._lines.append(line)

    def read(self, limit: int, *, first: bool = False) -> list[str]:
        """Return the next unread lines."""
        start = 0 if first else self._next
        lines = self._lines[start : start + max(limit, 0)]
        self._next = start + len(lines)
        return lines


class Operation(ABC):
    """An operation that a session runs or has run; it answers the calls on it with the reply's bytes.

    `watcher` is called at its end. It can end in three ways:

        the client closes it        close                 stop it; release the lease after the upstream has closed it
        its session is closed       abandon, release      stop it and release the lease; the session ends with all in it
        no client has its handle    abandon, discard      stop it, close it on the upstream, release the lease
    """

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
        self.told = asyncio.Event()  # set when the client has seen its end
        self.foreseen = Foreseen()
        self._ended = ended

    @property
    def done(self) -> bool:
        """Whether it has ended in any way."""
        return self.state in TERMINAL

    def advance(self, state: OperationState, error: SqlError | None = None) -> None:
        """Set a state; a state that cannot follow the present one is ignored, such as a late report."""
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

    @abstractmethod
    async def abandon(self, error: SqlError | None = None) -> None:
        """Stop it, because the client closes it or has left, or because of an error; never raises."""

    def release(self) -> None:
        """Release shared resources, once nobody can ask for more of the result."""
        return

    async def discard(self) -> None:
        """Close an operation whose handle no client has on the upstream; never raises."""
        return

    async def look(self, unseen: float) -> None:
        """Poll the upstream if nobody has done so for `unseen` seconds; never raises."""
        return

    @abstractmethod
    async def wait(self) -> None:
        """Wait until the operation has ended in any way."""

    @abstractmethod
    async def status(self, call: Message) -> bytes:
        """Return the reply to GetOperationStatus: at once if it has ended, else after a while or at its end."""

    @abstractmethod
    async def metadata(self, call: Message) -> bytes:
        """Return the reply to GetResultSetMetadata, after the operation's end."""

    @abstractmethod
    async def fetch(self, call: Message) -> bytes:
        """Return the reply to FetchResults for rows of the result."""

    @abstractmethod
    async def query_id(self, call: Message) -> bytes:
        """Return the reply to GetQueryId."""

    @abstractmethod
    async def cancel(self, call: Message) -> bytes:
        """Return the reply to CancelOperation."""

    @abstractmethod
    async def close(self, call: Message) -> bytes:
        """Return the reply to CloseOperation."""

    def fetch_log(self, call: Message, request: Any) -> bytes:
        """Return the reply to FetchResults for the log: each line once, or all again after FETCH_FIRST."""
        first = request.orientation == ttypes.TFetchOrientation.FETCH_FIRST
        lines = self.log.read(request.maxRows, first=first)
        rows = encode_rows(_LOG, [(line,) for line in lines], 0, self.session.protocol)
        return call.reply(ttypes.TFetchResultsResp(status=success(), hasMoreRows=False, results=rows))

    @property
    def held_s(self) -> float:
        """The seconds for which a status poll waits for the operation's end."""
        return status_held_s(self.session.protocol)

    def status_response(self) -> Any:
        """Return the status as it is known here."""
        if self.done:
            self.told.set()
        error = self.error if self.state is OperationState.ERROR else None
        return ttypes.TGetOperationStatusResp(
            status=success(),
            operationState=int(shown_state(self.state, self.session.protocol)),
            sqlState=error and error.sql_state,
            errorCode=error and error.error_code,
            errorMessage=error and error.message,
            operationStarted=self.started_ms,
            operationCompleted=self.completed_ms,
            hasResultSet=self.has_result_set,
        )

    def thrift_handle(self) -> Any:
        """Return the handle that clients get."""
        identifier = ttypes.THandleIdentifier(guid=self.handle.guid, secret=self.handle.secret)
        return ttypes.TOperationHandle(
            operationId=identifier, operationType=self.kind, hasResultSet=self.has_result_set
        )


class Worker(NamedTuple):
    """A worker: its process id, its number of sessions and of running statements, and whether it is being replaced."""

    process: int
    sessions: int
    statements: int
    retiring: bool = False


class Sessions:
    """All open sessions and operations; for all but the principal who opened them, they do not exist.

    `ended` is called with each operation that has ended, `removed` with each that nobody can use any longer.
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
        """Wait until no operation runs."""
        await self._at_rest.wait()

    async def gone(self) -> None:
        """Wait until no session is open."""
        await self._empty.wait()

    def idle(self, seconds: float) -> list[ClientSession]:
        """Return the untied sessions that no call has used, and in which none has waited, for this many seconds."""
        since = time.monotonic() - seconds
        free = (session for session in self._sessions.values() if not session.tied and not session.waited_for)
        return [session for session in free if session.used_at < since]

    def add(self, session: ClientSession) -> None:
        self._sessions[session.handle.guid] = session
        self._empty.clear()

    def find(self, handle: Handle, principal: str) -> ClientSession:
        """Return the session with this handle; raise SqlError."""
        session = self._sessions.get(handle.guid)
        if session is None or session.principal != principal or not handle.opens(session.handle):
            raise _unknown(handle)
        session.used_at = time.monotonic()
        return session

    def remove(self, session: ClientSession) -> bool:
        """Remove a session and its operations; return False if that was done before."""
        for operation in session.operations.values():
            self._removed(operation)
        session.operations.clear()  # they refer to the session and to their statements
        was_open = self._sessions.pop(session.handle.guid, None) is not None
        if not self._sessions:
            self._empty.set()
        return was_open

    def add_operation(self, operation: Operation) -> None:
        """Add an operation to its session; raise SqlError if that was closed meanwhile."""
        if operation.session.handle.guid not in self._sessions:
            raise _unknown(operation.session.handle)
        self._operations[operation.handle.guid] = operation
        operation.session.operations[operation.handle.guid] = operation
        if not operation.done:
            operation.watcher = self._ended
            self._running.add(operation.handle.guid)
            self._at_rest.clear()

    def find_operation(self, handle: Handle, principal: str) -> Operation:
        """Return the operation with this handle; raise SqlError."""
        operation = self._operations.get(handle.guid)
        if operation is None or operation.session.principal != principal or not handle.opens(operation.handle):
            raise SqlError(f"Invalid OperationHandle: OperationHandle [getHandleIdentifier()={handle.id}]", "HY000")
        operation.session.used_at = time.monotonic()
        return operation

    def uses(self, handle: Handle) -> bool:
        """Return whether the operation with this handle is open; if it is, its session counts as used."""
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
