"""Client sessions, their operations, the leases by which statements hold upstream sessions, and a session registry."""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Self

from proxy.hs2 import ResultSet, SqlError, encode_rows, success
from proxy.hs2.codec import status_held_s
from proxy.hs2.generated import ttypes
from proxy.session.calls import Foreseen, Habits, Handle, Message
from proxy.session.states import LEGAL, TERMINAL, OperationState, shown_state
from proxy.session.upstream import LiveUpstream, SessionUpstream


class ClientSession:
    """A client's session: its user, its protocol version, its upstream session, and the operations that are open.

    - `principal`: the user who logged in; only the principal may use the session
    - `user`: the user as whom statements run; differs from `principal` under impersonation
    - `facts`: data that the planner of statements keeps about the session; no other code reads it
    - `traceparent`: the W3C trace context with which the client opened the session; empty if none
    - `client`: the client's address
    - `tied`: true if the session ends with the connection on which it was opened; any other session ends after a long
      time without use
    - `for_operators`: true if the session was opened in the namespace `viewgate.system`: it has no upstream session
      until a statement needs one
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
        self.for_operators = False
        self.used_at = time.monotonic()
        self.waited_for = 0  # the number of calls that wait for the end of a statement

    @property
    def id(self) -> str:
        """The session's id, which logs and listings show; the handle also has a secret, which is never shown."""
        return self.handle.id


class Lease:
    """A statement's hold on its session's upstream session, and its slot, the permission to run on the upstream server.

    At the end of a `with` block the lease is released, unless `handed_over` has moved the hold and the slot to another
    lease.
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
        """The upstream session that the lease holds; to be used only after a call of `hold`."""
        assert self._upstream is not None
        return self._upstream

    @property
    def held(self) -> bool:
        """Whether the lease (a statement's hold on the upstream session) holds an upstream session now."""
        return self._upstream is not None

    async def hold(self) -> LiveUpstream:
        """Return the upstream session, and keep it open for the client session until the lease is released.

        Open an upstream session if the client session has none, or has lost it. Raise SqlError if no upstream session
        can be opened.
        """
        upstream = await self._session.upstream.hold()
        if self._upstream is not None:
            self._session.upstream.let_go()  # the lease must keep only one of its two holds
        self._upstream = upstream
        return upstream

    async def admitted(self, *, waits: bool) -> bool:
        """Hold the upstream session and take a slot (the permission to run); return whether a slot was taken.

        With `waits`, wait until both are available. Without `waits`, return False if the upstream server is saturated
        or no slot is free.
        """
        if not waits and self._session.upstream.saturated:  # saturated since it was planned
            return False
        upstream = await self.hold()
        if waits:
            await self.wait_for_slot()
        else:
            self._has_slot = upstream.take_slot()
        return self._has_slot

    async def wait_for_slot(self) -> None:
        """Wait in the queue for a free slot (the permission to run) of the upstream server, and take the slot.

        If the lease is released meanwhile, because the client has closed its operation, give the slot back.
        """
        upstream = self.upstream
        await upstream.wait_for_slot(self._session.principal)
        if self.held:
            self._has_slot = True
        else:
            upstream.give_slot_back()

    def free_slot(self) -> None:
        """Give the slot (the permission to run a statement) back; do nothing if the lease has no slot."""
        if self._has_slot:
            self._has_slot = False
            self.upstream.give_slot_back()

    def release(self) -> None:
        """Give back the slot (the permission to run) and the upstream session, if this lease has them."""
        self.free_slot()
        if self._upstream is not None:
            self._upstream = None
            self._session.upstream.let_go()

    def handed_over(self) -> Lease:
        """Return a new lease that takes over the upstream session and the slot (the permission to run).

        This lease then holds neither.
        """
        other = Lease(self._session)
        other._upstream, other._has_slot = self._upstream, self._has_slot
        self._upstream, self._has_slot = None, False
        return other


NO_ROWS = ResultSet.of("Result")  # the result of a statement without rows, as Spark describes it
_LOG = ResultSet.of("operation_log").columns


class OperationLog:
    """The log lines of an operation, with a read position.

    Each call of `read` continues where the last call ended, or starts again from the first line.

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
        """Whether the log has no lines."""
        return not self._lines

    @property
    def lines(self) -> tuple[str, ...]:
        """All lines of the log, whether the client has read them or not."""
        return tuple(self._lines)

    def add(self, line: str) -> None:
        self._lines.append(line)

    def read(self, limit: int, *, first: bool = False) -> list[str]:
        """Return at most `limit` lines from the read position, or from the first line if `first`.

        The next read starts after the returned lines.
        """
        start = 0 if first else self._next
        lines = self._lines[start : start + max(limit, 0)]
        self._next = start + len(lines)
        return lines


class Operation(ABC):
    """An operation of a session: a statement or a metadata call. Its methods for calls return encoded replies.

    `kind` is Thrift's type of the operation. `ended`, if given, is called once, with True after a success and otherwise
    with False. `watcher`, if set, is called with the operation at its end.

    An operation is removed in one of three ways, by calls of the methods in the second column; the lease is the
    operation's hold on the upstream session:

        the client closes it        close                 stop it; release the lease after the upstream has closed it
        its session is closed       abandon, release      stop it and release the lease; the upstream session is closed
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
        self.told = asyncio.Event()  # set when the client has seen the end of the operation
        self.foreseen = Foreseen()
        self._ended = ended

    @property
    def done(self) -> bool:
        """Whether the operation has ended, successfully or not."""
        return self.state in TERMINAL

    @property
    def runs(self) -> bool:
        """Whether a statement runs for the operation.

        A statement may run even after the end of the operation: the original statement, if the rows of the rewritten
        statement cannot be read.
        """
        return not self.done

    @property
    def read_at(self) -> float:
        """The time, on the event loop's clock, at which the client last fetched rows.

        The time is minus infinity if it is unknown, or if the client has fetched all rows.
        """
        return float("-inf")

    def advance(self, state: OperationState, error: SqlError | None = None) -> None:
        """Set the state; if the operation has now ended, call `watcher` and the constructor's argument `ended`.

        Do nothing if the state cannot follow the current state, for example in a report that arrives late. `error` is
        the reason of the state ERROR. `ended` is called with True after a success, otherwise with False.
        """
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
        """Stop the operation, because its client closes it or has left, or because of `error`; never raise.

        The state becomes ERROR if an `error` is given, otherwise CANCELED; an operation that has already ended keeps
        its state.
        """

    def release(self) -> None:
        """Release the operation's hold on the upstream session, because no client can request more of the result."""
        return

    async def discard(self) -> None:
        """Close the operation on the upstream, because no client has its handle; never raise."""
        return

    async def look(self, unseen: float) -> None:
        """Poll the operation on the upstream if no poll was answered in the last `unseen` seconds; never raise."""
        return

    @abstractmethod
    async def wait(self) -> None:
        """Wait until the operation has ended, successfully or not."""

    @abstractmethod
    async def status(self, call: Message) -> bytes:
        """Return the reply to GetOperationStatus.

        If the operation runs, the reply is delayed until the operation ends or the long poll times out.
        """

    @abstractmethod
    async def metadata(self, call: Message) -> bytes:
        """Wait until the columns of the result are known; return the reply to GetResultSetMetadata."""

    @abstractmethod
    async def fetch(self, call: Message) -> bytes:
        """Return the reply to FetchResults with the next rows of the result."""

    @abstractmethod
    async def query_id(self, call: Message) -> bytes:
        """Return the reply to GetQueryId: the upstream's id of the query, or the id of this operation."""

    @abstractmethod
    async def cancel(self, call: Message) -> bytes:
        """Cancel the operation; return the reply to CancelOperation."""

    @abstractmethod
    async def close(self, call: Message) -> bytes:
        """Stop the operation if it still runs, and close it; return the reply to CloseOperation."""

    def fetch_log(self, call: Message, request: Any) -> bytes:
        """Return the reply to a FetchResults request for the operation log.

        The reply has the lines not sent before or, with FETCH_FIRST, the lines from the first line on. `request` is the
        decoded request, which has the fetch orientation and the maximum number of lines to return.
        """
        first = request.orientation == ttypes.TFetchOrientation.FETCH_FIRST
        lines = self.log.read(request.maxRows, first=first)
        rows = encode_rows(_LOG, [(line,) for line in lines], 0, self.session.protocol)
        return call.reply(ttypes.TFetchResultsResp(status=success(), hasMoreRows=False, results=rows))

    @property
    def held_s(self) -> float:
        """The longest time, in seconds, for which the reply to a status poll is delayed while the operation runs."""
        return status_held_s(self.session.protocol)

    def status_response(self) -> Any:
        """Return the response to GetOperationStatus from the state of this object, without a call to the upstream."""
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
        """Return the operation's handle as a Thrift object, for replies to clients."""
        identifier = ttypes.THandleIdentifier(guid=self.handle.guid, secret=self.handle.secret)
        return ttypes.TOperationHandle(
            operationId=identifier, operationType=self.kind, hasResultSet=self.has_result_set
        )


_READING, _PAUSE = 1.0, 0.05  # seconds between two fetches of a client that reads a result; seconds between two checks


class Worker(NamedTuple):
    """A description of a worker process.

    `process` is the process id, `sessions` and `statements` are the numbers of open sessions and of running statements,
    and `retiring` says whether the worker is being replaced.
    """

    process: int
    sessions: int
    statements: int
    retiring: bool = False


class Sessions:
    """The registry of all open sessions and operations; each is found only by the user who logged in to open it.

    At most `most` sessions are open, or being opened, at a time. `ended` is called with an operation when the operation
    ends, and once more when the operation is removed. `removed` is called with an operation when the operation is
    removed, because no client can use the operation any longer.
    """

    def __init__(
        self,
        ended: Callable[[Operation], None] = lambda _: None,
        removed: Callable[[Operation], None] = lambda _: None,
        most: int = 20_000,
    ) -> None:
        self.most = most
        self._being_opened = 0
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
        """All open sessions."""
        return list(self._sessions.values())

    @property
    def running(self) -> int:
        """The number of operations that have not ended, according to the last statuses that Viewgate has seen."""
        return len(self._running)

    @property
    def unfinished(self) -> list[Operation]:
        """The operations that have not ended, according to the last statuses that Viewgate has seen."""
        return [self._operations[guid] for guid in self._running if guid in self._operations]

    async def rest(self) -> None:
        """Wait until no operation is running, and no client is reading a result.

        A client is reading a result if it has fetched rows in the last second, but not the last rows.
        """
        await self._at_rest.wait()
        while self._running or self._are_read:
            await asyncio.sleep(_PAUSE)
            await self._at_rest.wait()

    @property
    def _are_read(self) -> bool:
        lately = asyncio.get_running_loop().time() - _READING
        return any(operation.read_at > lately for operation in self._operations.values())

    async def gone(self) -> None:
        """Wait until no session is open."""
        await self._empty.wait()

    def idle(self, seconds: float) -> list[ClientSession]:
        """Return the sessions that do not end with a connection (HTTP) and have been unused for `seconds`.

        While a call waits for the end of a statement, the session of the call is in use.
        """
        since = time.monotonic() - seconds
        free = (session for session in self._sessions.values() if not session.tied and not session.waited_for)
        return [session for session in free if session.used_at < since]

    @contextmanager
    def opening(self) -> Iterator[None]:
        """Reserve room for one more session in the `with` block; raise SqlError 53300 if `most` sessions are open."""
        if len(self._sessions) + self._being_opened >= self.most:
            raise SqlError(
                f"No session can be opened: {self.most} sessions are open, as many as [limits] sessions allows; close "
                "sessions that are not used, or ask an administrator to raise the limit",
                "53300",
            )
        self._being_opened += 1
        try:
            yield
        finally:
            self._being_opened -= 1

    def add(self, session: ClientSession) -> None:
        self._sessions[session.handle.guid] = session
        self._empty.clear()

    def find(self, handle: Handle, principal: str) -> ClientSession:
        """Return the session with this handle, and record that it is used now.

        Raise SqlError 08003 if the session is not open, or if it was not opened by `principal`, the user who logged in.
        """
        session = self._sessions.get(handle.guid)
        if session is None or session.principal != principal or not handle.opens(session.handle):
            raise _unknown(handle)
        session.used_at = time.monotonic()
        return session

    def remove(self, session: ClientSession) -> bool:
        """Remove a session and its operations; return False if the session had already been removed."""
        for operation in session.operations.values():
            self._removed(operation)
        session.operations.clear()  # they refer to the session and to their statements
        was_open = self._sessions.pop(session.handle.guid, None) is not None
        if not self._sessions:
            self._empty.set()
        return was_open

    def add_operation(self, operation: Operation) -> None:
        """Add an operation to its session; raise SqlError 08003 if the session was closed meanwhile."""
        if operation.session.handle.guid not in self._sessions:
            raise _unknown(operation.session.handle)
        self._operations[operation.handle.guid] = operation
        operation.session.operations[operation.handle.guid] = operation
        if not operation.done:
            operation.watcher = self._ended
            self._running.add(operation.handle.guid)
            self._at_rest.clear()

    def find_operation(self, handle: Handle, principal: str) -> Operation:
        """Return the operation with this handle, and record that its session is used now.

        Raise SqlError HY000 if the operation is not open, or if it was not started by `principal`, the user who logged
        in.
        """
        operation = self._operations.get(handle.guid)
        if operation is None or operation.session.principal != principal or not handle.opens(operation.handle):
            raise SqlError(
                f"Invalid OperationHandle: OperationHandle [getHandleIdentifier()={handle.id}]; the operation was "
                "closed, or belongs to another user: run the statement again",
                "HY000",
            )
        operation.session.used_at = time.monotonic()
        return operation

    def uses(self, handle: Handle) -> bool:
        """Return whether the operation with this handle is open; if so, record that its session is used now."""
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
    return SqlError(
        f"Invalid SessionHandle: SessionHandle [{session.id}]; the session has ended, or belongs to another user: open "
        "a new session",
        "08003",
    )
