"""Sessions as clients know them: the operations in them, the lease of their upstreams, and the register of all."""

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

    `tied` says that it ends with the connection that it was opened on; others end when unused for long.
    `principal` is who has opened it and alone may use it, if that is not `user` but somebody acting for them.
    `facts` is what the answering of statements keeps about the session: made by it, opaque here. `traceparent` is the
    trace context that the client has opened it with, if any, and `client` the address that it was opened from.
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


NO_ROWS = ResultSet.of("Result")  # of a statement without a result, as Spark describes it
_LOG = ResultSet.of("operation_log").columns


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
    """An operation that a session runs or has run, and that answers the calls on it with the reply's bytes.

    `watcher` is called at its end. There are three ways to that:

        the client closes it        close                 stops it; the lease ends once the upstream has forgotten it
        its session is closed       abandon, release      stops it and ends the lease: the session goes with all in it
        no client has its handle    abandon, discard      stops it, has the upstream forget it, ends the lease
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

    @abstractmethod
    async def abandon(self, error: SqlError | None = None) -> None:
        """Stop what still runs, because the client closes it or is gone, or because of an error; never raises."""

    def release(self) -> None:
        """Give back what others share, once nobody can ask for more of it."""
        return

    async def discard(self) -> None:
        """Have the upstream forget an operation of which no client has a handle; never raises."""
        return

    async def look(self, unseen: float) -> None:
        """Poll the upstream if nobody has done so for so many seconds; never raises."""
        return

    @abstractmethod
    async def wait(self) -> None:
        """Return when the operation has ended, in whichever way."""

    @abstractmethod
    async def status(self, call: Message) -> bytes:
        """Answer GetOperationStatus: at once if it has ended, else after a while or when it ends."""

    @abstractmethod
    async def metadata(self, call: Message) -> bytes:
        """Answer GetResultSetMetadata, after the end."""

    @abstractmethod
    async def fetch(self, call: Message) -> bytes:
        """Answer FetchResults for rows of the result."""

    @abstractmethod
    async def query_id(self, call: Message) -> bytes:
        """Answer GetQueryId."""

    @abstractmethod
    async def cancel(self, call: Message) -> bytes:
        """Answer CancelOperation."""

    @abstractmethod
    async def close(self, call: Message) -> bytes:
        """Answer CloseOperation."""

    def fetch_log(self, call: Message, request: Any) -> bytes:
        """Answer FetchResults for the log: each line once, or all again after FETCH_FIRST."""
        first = request.orientation == ttypes.TFetchOrientation.FETCH_FIRST
        lines = self.log.read(request.maxRows, first=first)
        rows = encode_rows(_LOG, [(line,) for line in lines], 0, self.session.protocol)
        return call.reply(ttypes.TFetchResultsResp(status=success(), hasMoreRows=False, results=rows))

    @property
    def held_s(self) -> float:
        """The seconds for which a status call waits here for the end."""
        return status_held_s(self.session.protocol)

    def status_response(self) -> Any:
        """Return the status as known here, for the client."""
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
