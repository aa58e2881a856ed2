"""Passes each call to its handler, with the sessions and upstreams that all calls share, and returns the reply.

    Processor.handle ──▶ handlers[name] ──Call──▶ the handler, a coroutine ──▶ the bytes of the reply

Only this module converts errors to replies. A call whose reply was prepared in advance does not reach a handler.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from proxy.authentication import ProxyUsers
from proxy.catalog import Catalogs, told
from proxy.hs2 import Interrupted, SqlError, encode_reply, failure
from proxy.journal import Journal, Record, one_word
from proxy.session import Answering, ClientSession, Foreseen, Handle, Message, Operation, Sessions, Worker, numbered
from proxy.upstream import Progress, Upstreams, unknown
from proxy.wire import (
    CALL,
    Fault,
    Head,
    WireError,
    application_exception,
    find,
    kept,
    read_head,
    value_bytes,
    with_field,
)
from proxy.wire.message import BOOL, I64, STRING

T = TypeVar("T")
logger = logging.getLogger(__name__)

_NAME, _FETCH_RESULTS = 8, b"FetchResults"  # the offset of a call's name in a message, and one name
_STATEMENT, _RUN_ASYNC, _QUERY_TIMEOUT = (1, 2), (1, 4), (1, 5)
_PREFETCHED = 64 * 1024 * 1024  # bytes

_SHUTTING_DOWN = Interrupted(
    "Viewgate is shutting down, and has stopped the statement.", "Run it again when Viewgate is back.", "57P01"
)


@dataclass(frozen=True, slots=True)
class Handler:
    """The handler of a call: `run` answers the call and returns the encoded reply.

    `failed(status)` returns the response that reports the error `status`; None if the response type has no status.
    """

    run: Callable[[Call], Awaitable[bytes]]
    failed: Callable[[Any], Any] | None


class Budget:
    """The number of bytes that prefetched row blocks of all clients together may still occupy.

    >>> budget = Budget(10)
    >>> budget.take(6), budget.take(6)
    (True, False)
    """

    def __init__(self, limit: int = _PREFETCHED) -> None:
        self.left = limit

    def part(self, count: int) -> Budget:
        """Return one of `count` equal parts of the budget, for one of several worker processes."""
        return Budget(self.left // count)

    def take(self, size: int) -> bool:
        """Take `size` bytes from the budget and return True; if fewer are left, take none and return False."""
        if size > self.left:
            return False
        self.left -= size
        return True

    def give_back(self, size: int) -> None:
        """Return `size` bytes, which were taken with `take`, to the budget."""
        self.left += size


class Processor:
    """A processor of calls: it keeps the sessions of all connections, and passes each call to a function in `handlers`.

    - `answering`: plans statements
    - `facts`: makes the object in which `answering` keeps data about a new session, from the session's user and
      configuration
    - `proxy_users`: the rules for impersonation
    - `catalogs`: the Iceberg catalogs that clients can browse in addition to Spark's; None if there are none
    - `progress`: returns Spark's progress of a statement
    - `mark`: the end of each handle id, which identifies the worker process; empty in a single process
    - `journal`: keeps a record of each statement
    - `most_sessions`: the limit of open sessions
    - `configuration`: the limit, in bytes, of the OpenSession message, which is kept as long as the session is open
    """

    handlers: ClassVar[Mapping[str, Handler]] = {}
    mark = b""

    def __init__(
        self,
        upstreams: Upstreams,
        answering: Answering,
        facts: Callable[[str, Mapping[str, str]], Any],
        proxy_users: ProxyUsers | None = None,
        catalogs: Catalogs | None = None,
        progress: Progress = unknown,
        journal: Journal | None = None,
        most_sessions: int = 20_000,
        configuration: int = 65536,
    ) -> None:
        self.upstreams = upstreams
        self.answering = answering
        self.facts = facts
        self.proxy_users = proxy_users or ProxyUsers()
        self.catalogs = catalogs
        self.progress = progress
        self.journal = journal or Journal()
        self.sessions = Sessions(self.journal.end, self.journal.close, most_sessions)
        self.configuration = configuration
        self.prefetch = Budget()
        self.answers: dict[bytes, Callable[[bytes], Awaitable[Any]]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    async def handle(self, peer: Peer, message: bytes) -> bytes:
        """Return the reply to a call; if the call fails, the reply reports the error.

        Raise WireError if the message is not a call.
        """
        reply = self.foreseen(peer, message)
        if reply is not None:
            return reply
        head = read_head(message)
        if head is None or head.type != CALL:
            raise WireError(
                "invalid Thrift message: a call was expected, but the message is a reply, an exception or incomplete; "
                "check the sending program"
            )
        handler = self.handlers.get(head.name)
        if handler is None:
            text = f"Invalid method name: '{head.name}'"
            return application_exception(head.name, head.seqid, Fault.UNKNOWN_METHOD, text)
        try:
            return await handler.run(Call(head, message, self, peer))
        except WireError as error:
            logger.info("%s: %s: %s", peer, head.name, error)
            return application_exception(head.name, head.seqid, Fault.PROTOCOL_ERROR, str(error))
        except SqlError as error:
            return self.refused(head, told(error, self.catalogs or (), entering=head.name == "OpenSession"))
        except Exception as error:
            logger.exception("%s: %s", peer, head.name)
            return self.refused(
                head,
                SqlError(
                    f"Viewgate could not answer {head.name} because of an internal error ({error!r}); see the log of "
                    "Viewgate",
                    "XX000",
                ),
            )

    def foreseen(self, peer: Peer, message: bytes) -> bytes | None:
        """Return the reply to a call if the reply was prepared before the call arrived; otherwise return None.

        The reply has the sequence id of the call.
        """
        known = None if peer.foreseen is None else peer.foreseen.knows(message)
        if known is None:
            return None
        operation, answer = known
        try:
            reply = answer() if self.sessions.uses(operation) else None
            if reply is None:
                return None
            if message.startswith(_FETCH_RESULTS, _NAME):
                self.journal.fetched(operation, reply)
            return numbered(reply, message)
        except WireError:  # Spark's reply is invalid: the call's own handler will report that
            return None

    async def disconnected(self, peer: Peer) -> None:
        """Close the sessions that end with the connection of a client (`peer`), because the connection has ended."""
        sessions, peer.sessions = peer.sessions, []
        await asyncio.gather(*(self.close_session(session) for session in sessions))

    def refused(self, head: Head, error: SqlError) -> bytes:
        """Encode an error as the reply to the call that has the given head (name and sequence id).

        If the response type of the call has no status, the reply is a Thrift exception (TApplicationException).
        """
        failed = self.handlers[head.name].failed
        if failed is None:
            return application_exception(head.name, head.seqid, Fault.INTERNAL_ERROR, error.message)
        return encode_reply(head.name, head.seqid, failed(failure(error)))

    async def close_session(self, session: ClientSession) -> None:
        """Stop the session's operations, and close the session in Viewgate and on the upstream; never raise."""
        operations = list(session.operations.values())
        if self.sessions.remove(session):
            await asyncio.shield(self.spawn(self._end(session, operations)))

    async def _end(self, session: ClientSession, operations: Sequence[Operation]) -> None:
        """Stop the operations of a closed session, and close its upstream session.

        The caller shields this call from cancellation, because no client can request the close again.
        """
        try:
            await asyncio.gather(*(operation.abandon() for operation in operations))
        finally:
            for operation in operations:
                operation.release()
            await session.upstream.close()

    async def ask(self, question: bytes, patience: float, about: bytes = b"") -> dict[int, Any]:
        """Send a request to all worker processes and return their replies by worker number.

        `question` names the request: each process looks up the function that answers it in the dictionary `answers`;
        `about` is the function's argument. `patience` limits the wait for other workers, in seconds. This
        implementation is for a single process, which has number 1.
        """
        return {1: await self.answers[question](about)}

    async def workers(self) -> Mapping[int, Worker | None]:
        """Return a description of each worker process by its number; a single process has number 1.

        The description is None for a worker that does not answer.
        """
        return {1: self.worker}

    @property
    def worker(self) -> Worker:
        """A description of this process: its process id, and how many sessions and running statements it has now."""
        return Worker(os.getpid(), len(self.sessions.all), self.sessions.running)

    async def rest(self) -> None:
        """Wait until no operation is running, and no client reads a result."""
        await self.sessions.rest()

    async def stop_statements(self, patience: float) -> None:
        """End all running statements with an error, because Viewgate shuts down.

        Wait up to `patience` seconds until Spark has cancelled the statements and the clients have received the error.
        """
        running = [o for session in self.sessions.all for o in session.operations.values() if o.runs]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await asyncio.gather(*(operation.abandon(_SHUTTING_DOWN) for operation in running))
                await asyncio.gather(*(operation.told.wait() for operation in running))

    async def add_operation(self, operation: Operation) -> None:
        """Add a new operation to its session.

        If the session was closed meanwhile, end the operation and raise SqlError 08003.
        """
        try:
            self.sessions.add_operation(operation)
        except SqlError:
            await self.give_up(operation)
            raise

    async def wait(self, operation: Operation) -> None:
        """Wait until an operation has ended; if this wait is cancelled (the client has left), end the operation."""
        session = operation.session
        session.waited_for += 1
        try:
            await operation.wait()
        except asyncio.CancelledError:
            self.spawn(self.give_up(operation))
            raise
        finally:
            session.waited_for -= 1
            session.used_at = time.monotonic()

    async def give_up(self, operation: Operation) -> None:
        """End and remove an operation whose handle no client has, because the client left before the reply."""
        await operation.abandon()
        await self.close_operation(operation)

    async def close_operation(self, operation: Operation) -> None:
        """Remove an operation that has ended and whose handle no client has, and close it on the upstream."""
        self.sessions.remove_operation(operation)
        await operation.discard()

    def spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run a coroutine as a task that may outlive the current call; `close` waits for the task."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self) -> None:
        """Close every session, wait for all tasks, and close the upstream connections."""
        await asyncio.gather(*(self.close_session(session) for session in self.sessions.all))
        if self._tasks:
            await asyncio.wait(self._tasks)
        await self.upstreams.parked()
        self.upstreams.close()


@dataclass(eq=False)
class Peer:
    """An authenticated client, with the sessions that end with its connection.

    - `tied`: true if sessions that the client opens end with the connection
    - `acting_for`: the user whom the client asked at login to impersonate; empty if none
    - `foreseen`: the replies that Viewgate has prepared to the calls that the client is expected to make on its last
      statement; None before the first statement
    - `traceparent`: the W3C trace context of the client's current call; empty if there is none
    """

    user: str
    address: str = ""
    acting_for: str = ""
    tied: bool = True
    sessions: list[ClientSession] = field(default_factory=list)
    foreseen: Foreseen | None = None
    traceparent: str = ""

    def __str__(self) -> str:
        return f"{one_word(self.user)}@{self.address}"


@dataclass(slots=True)
class Call(Message):
    """A call from a peer (an authenticated client), with the service that answers the call."""

    service: Processor
    peer: Peer

    def session(self) -> ClientSession:
        """Return the session whose handle is in the call.

        Raise SqlError 08003 if the session is unknown or was opened by another user, and WireError if the call has no
        handle.
        """
        return self.service.sessions.find(self.handle(), self.peer.user)

    def operation(self) -> Operation:
        """Return the operation whose handle is in the call.

        Raise SqlError HY000 if the operation is unknown or was started by another user, and WireError if the call has
        no handle.
        """
        return self.service.sessions.find_operation(self.handle(), self.peer.user)


@dataclass(frozen=True, slots=True)
class Statement:
    """An ExecuteStatement call: message, SQL text, whether the call is asynchronous, deadline, and journal record.

    The deadline is a time of the event loop's clock, None if the client has set no timeout.
    """

    call: Message
    sql: str
    run_async: bool
    deadline: float | None
    record: Record

    @classmethod
    def of(cls, call: Message, record: Callable[[str], Record]) -> Statement:
        """Decode an ExecuteStatement call; `record`, called with the SQL text, starts the statement's journal record.

        Raise WireError if the call has no SQL text, or if the text is not UTF-8.
        """
        sql, run_async, limit = _asked(call.message)
        if sql is None:
            raise WireError("Required field 'statement' is unset! Set this field of ExecuteStatement to the SQL text")
        deadline = asyncio.get_running_loop().time() + limit if limit > 0 else None
        return cls(call, sql, run_async, deadline, record(sql))

    @property
    def expired(self) -> bool:
        """Whether the deadline has passed."""
        return self.deadline is not None and asyncio.get_running_loop().time() >= self.deadline

    def outgoing(self, upstream: Handle, sql: str | None, *, brief: bool = False) -> bytes:
        """Return the ExecuteStatement message for the upstream session; its timeout is the time left to the deadline.

        `upstream` is the handle of the upstream session. `sql` replaces the SQL text; None keeps the client's text. The
        message requests asynchronous execution, so that the running statement can be cancelled. A `brief` statement,
        which ends quickly, stays synchronous if the client has sent it synchronously.
        """
        message = self.call.addressed_to(upstream)
        if not self.run_async and not brief:
            message = with_field(message, _RUN_ASYNC, BOOL, b"\x01")
        if sql is not None:
            message = with_field(message, _STATEMENT, STRING, sql.encode())
        if self.deadline is None:
            return message
        # In whole seconds, at least 1, because 0 means no limit.
        left = max(1, round(self.deadline - asyncio.get_running_loop().time()))
        return with_field(message, _QUERY_TIMEOUT, I64, left.to_bytes(8, "big"))


@kept
def _asked(message: bytes) -> tuple[str | None, bool, int]:
    """Return the SQL text of an ExecuteStatement call, whether the call is asynchronous, and its timeout in seconds.

    The text is None if it is absent, and the timeout 0 if there is none. Raise WireError if the text is not UTF-8.
    """
    text, run_async, limit = (
        _value(message, path, kind) for path, kind in ((_STATEMENT, STRING), (_RUN_ASYNC, BOOL), (_QUERY_TIMEOUT, I64))
    )
    try:
        sql = None if text is None else text.decode()
    except UnicodeDecodeError as error:
        raise WireError(f"the statement is not UTF-8 text ({error}): send the statement in UTF-8") from error
    return sql, any(run_async or b""), int.from_bytes(limit or b"", "big", signed=True)


def _value(message: bytes, path: tuple[int, ...], kind: int) -> bytes | None:
    """Return the bytes of the field at a path of field ids, from the outermost struct inwards.

    Return None if the field is absent or is not of the Thrift type `kind`.
    """
    span = find(message, path)
    return value_bytes(message, span) if span is not None and span.type == kind else None
