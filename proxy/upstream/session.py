"""Implements a session on an upstream server, on a connection of its own, and the operations in the session.

The reply to ExecuteStatement or to a metadata call has the handle of a started operation. Viewgate polls the operation
until it ends, fetches the rows, and closes the operation; a running operation can be cancelled.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from proxy.hs2 import (
    OPERATION_HANDLE,
    ConnectionLost,
    ResultSet,
    SqlError,
    check,
    columns_of,
    decode_rows,
    encode_call,
    read_reply,
    reported,
    succeeded,
)
from proxy.hs2.generated import ttypes
from proxy.hs2.status import FAILED, first_message, without_plan
from proxy.session import TERMINAL, Handle, LiveUpstream, OperationState
from proxy.upstream.connection import Connection
from proxy.upstream.policy import Place
from proxy.upstream.terms import Timeouts
from proxy.wire import (
    EXCEPTION,
    find,
    find_handle,
    kept,
    read_head,
    read_i32,
)

_OPERATION_KIND, _HAS_RESULT_SET = (0, 2, 2), (0, 2, 3)


class Announced(NamedTuple):
    """A started operation: the server's reply, and the offsets of the handle's id (`guid`) and secret in the reply."""

    reply: bytes
    guid: int
    secret: int

    @classmethod
    def of(cls, reply: bytes) -> Announced | None:
        """Return the started operation whose handle is in a reply; None if the reply reports an error.

        Raise ConnectionLost (08S01) if the reply reports success but has no handle.
        """
        if not _succeeded(reply):
            return None
        places = find_handle(reply, OPERATION_HANDLE)
        if places is None:
            raise _no_handle()
        return cls(reply, *places)

    @property
    def handle(self) -> Handle:
        """The handle that the upstream server assigned to the operation."""
        return Handle.at(*self)

    @property
    def kind(self) -> int:
        """The type of the operation (Thrift's TOperationType); Spark rejects a handle without the type."""
        return _kind(self.reply)

    @property
    def has_result_set(self) -> bool:
        """Whether the operation has rows to fetch, according to the reply; True if the reply does not say."""
        return _has_result_set(self.reply)

    def under(self, handle: Handle) -> bytes:
        """Return the reply with `handle` in place of the upstream's operation handle."""
        return handle.into(*self)


def started(reply: bytes) -> Announced:
    """Return the started operation whose handle is in a reply to ExecuteStatement or to a metadata call.

    Raise the SqlError that the reply reports, or ConnectionLost if the reply reports success but has no handle.
    """
    announced = Announced.of(reply)
    if announced is None:
        check(read_reply(reply, ttypes.TExecuteStatementResp).status)
        raise _no_handle()
    return announced


_succeeded = kept(succeeded)


@kept
def _kind(reply: bytes) -> int:
    kind = find(reply, _OPERATION_KIND)
    return 0 if kind is None else read_i32(reply, kind)


@kept
def _has_result_set(reply: bytes) -> bool:
    told = find(reply, _HAS_RESULT_SET)
    return told is None or reply[told.start] != 0


def _no_handle() -> SqlError:
    return ConnectionLost("Spark reported success but returned no operation handle.")


# Seconds. Spark delays the answer to a status call for up to 5 s and sends it at once when the operation ends. For a
# server that answers sooner than this, Viewgate pauses between calls.
_HELD = 0.02
_PAUSE = 0.05
_BEFORE_REASON = 0.02  # seconds between two status calls that ask for the reason of an error

_STATUS_STATE = (0, 2)
_WITHOUT_REASON = frozenset({OperationState.RUNNING, OperationState.FINISHED, OperationState.CANCELED})

_TRIES = 50  # status calls, after which an error is reported without a reason

FETCH_ROWS = 10_000


@dataclass(frozen=True, slots=True)
class RemoteStatus:
    """The status of an operation as an upstream server reports it: its state, and the error of a failed operation.

    `told` is False while the upstream server has not reported the reason of the error yet.
    """

    state: OperationState
    error: SqlError | None = None
    told: bool = True  # False while the reason of an error is not available yet

    @classmethod
    def of(cls, response: Any) -> RemoteStatus:
        """Return the status in a decoded response to GetOperationStatus; an unknown state number becomes UNKNOWN."""
        known = response.operationState in set(OperationState)
        state = OperationState(response.operationState) if known else OperationState.UNKNOWN
        if state is not OperationState.ERROR:
            return cls(state)
        error = reported(response.errorMessage, response.sqlState, response.errorCode)
        return cls(state, error, told=bool(response.errorMessage))


@kept
def _without_reason(reply: bytes) -> RemoteStatus | None:
    """Return the status in the reply to a poll of a running, finished or cancelled operation.

    Only the state is read. Return None for any other reply, which must be decoded as a whole.
    """
    state = find(reply, _STATUS_STATE) if succeeded(reply) else None
    known = None if state is None else read_i32(reply, state)
    return RemoteStatus(OperationState(known)) if known in _WITHOUT_REASON else None


def _status_in(reply: bytes) -> RemoteStatus | None:
    status = _without_reason(reply)
    if status is not None:
        return status
    head = read_head(reply)
    if head is None or head.type == EXCEPTION:
        return None
    response = read_reply(reply, ttypes.TGetOperationStatusResp)
    return None if response.status.statusCode in FAILED else RemoteStatus.of(response)


class UpstreamOperation:
    """An operation of an upstream session, identified by its handle, with methods for the calls on the operation."""

    def __init__(self, upstream: LiveUpstream, handle: Handle, kind: int = 0) -> None:
        self._upstream = upstream
        self.handle = handle
        self._kind = kind

    @property
    def _thrift(self) -> Any:
        identifier = ttypes.THandleIdentifier(guid=self.handle.guid, secret=self.handle.secret)
        return ttypes.TOperationHandle(operationId=identifier, operationType=self._kind, hasResultSet=True)

    async def poll(self) -> RemoteStatus:
        """Poll the status once and return it; the upstream server may delay the reply until the operation ends.

        Raise the SqlError that the reply reports, or ConnectionLost if the reply has neither a status nor an error.
        """
        message = encode_call("GetOperationStatus", 0, ttypes.TGetOperationStatusReq(operationHandle=self._thrift))
        reply, status = await self.ask(message)
        if status is None:
            check(read_reply(reply, ttypes.TGetOperationStatusResp).status)
            raise ConnectionLost(
                f"The reply of {self._upstream.server} to GetOperationStatus contains no status; see the log of the "
                "server"
            )
        return status

    async def ask(self, message: bytes) -> tuple[bytes, RemoteStatus | None]:
        """Send a GetOperationStatus message; return the reply and its status, or None as status if the call has failed.

        Spark reports that a statement has failed shortly before it reports the reason, so the poll is repeated (at most
        50 times) until the reply has a reason.
        """
        for _ in range(_TRIES):
            reply = await self._upstream.call(message)
            status = _status_in(reply)
            if status is None or status.told:
                break
            await asyncio.sleep(_BEFORE_REASON)
        return reply, status

    async def wait(self) -> RemoteStatus:
        """Poll the operation until it ends, and return its final status."""
        clock = asyncio.get_running_loop().time
        while True:
            asked = clock()
            status = await self.poll()
            if status.state in TERMINAL:
                return status
            if clock() - asked < _HELD:
                await asyncio.sleep(_PAUSE)

    async def schema(self) -> Any:
        """Return the Thrift schema of the result.

        Call this method only after the operation has ended: before the end, Spark returns a wrong schema and caches it.
        """
        request = ttypes.TGetResultSetMetadataReq(operationHandle=self._thrift)
        response = await self._call("GetResultSetMetadata", request, ttypes.TGetResultSetMetadataResp)
        return response.schema

    async def fetch(self) -> Any:
        """Return the next row set, of at most FETCH_ROWS rows; an empty row set at the end of the result."""
        request = ttypes.TFetchResultsReq(operationHandle=self._thrift, orientation=0, maxRows=FETCH_ROWS)
        return (await self._call("FetchResults", request, ttypes.TFetchResultsResp)).results

    async def cancel(self) -> None:
        """Cancel the operation, over the control connection because the session's own connection may be busy.

        Raise SqlError if the upstream server reports an error.
        """
        request = ttypes.TCancelOperationReq(operationHandle=self._thrift)
        reply = await self._upstream.control(encode_call("CancelOperation", 0, request))
        check(read_reply(reply, ttypes.TCancelOperationResp).status)

    async def close(self) -> None:
        """Close the operation on the upstream server; raise SqlError if the server reports an error."""
        request = ttypes.TCloseOperationReq(operationHandle=self._thrift)
        await self._call("CloseOperation", request, ttypes.TCloseOperationResp)

    async def _call(self, name: str, request: Any, kind: type[Any]) -> Any:
        response = read_reply(await self._upstream.call(encode_call(name, 0, request)), kind)
        check(response.status)
        return response


logger = logging.getLogger(__name__)


class UpstreamSession:
    """A session on an upstream server, on a connection of its own.

    `place` is the server, and `handle` the handle that the server assigned to the session. `left`, if set, is called
    once, when the session is closed.
    """

    __slots__ = ("_connection", "_timeouts", "handle", "left", "place", "server")

    def __init__(self, connection: Connection, place: Place, handle: Handle, timeouts: Timeouts) -> None:
        self._connection = connection
        self._timeouts = timeouts
        self.place = place
        self.server = str(place.upstream)
        self.handle = handle
        self.left: Callable[[], None] | None = None

    @property
    def alive(self) -> bool:
        """Whether calls can still be made, because the connection is not lost."""
        return self._connection.alive

    @property
    def draining(self) -> bool:
        """Whether the server is draining: it gets no new sessions, and its idle sessions are closed."""
        return self.place.terms.draining

    async def call(self, message: bytes) -> bytes:
        """Send a message and return the reply; raise SqlError 08S01 if the connection is lost."""
        return await self._connection.send(message)

    def call_or_late(self, message: bytes, late: Callable[[bytes | None], None]) -> Awaitable[bytes]:
        """Send a message now; return an awaitable for the reply.

        If the task that awaits the reply is cancelled, `late` is called with the reply when the reply arrives, or with
        None after an error.
        """
        return self._connection.send(message).or_late(late)

    def send(self, *messages: bytes) -> Sequence[asyncio.Future[bytes]]:
        """Send messages in one write; return the futures of their replies, in the same order."""
        return self._connection.send_all(messages)

    def advise(self, advice: str) -> None:
        """Set the hint that is appended to connection-loss errors of this session."""
        self._connection.advise(advice)

    async def control(self, message: bytes) -> bytes:
        """Send a message over the server's control connection, which no statement occupies; return the reply."""
        return await self.place.control.call(message)

    def take_slot(self) -> bool:
        """Take a slot (the permission to run a statement) if one is free; return whether a slot was taken.

        The slot must be given back when the statement has ended.
        """
        return self.place.statements.take()

    async def wait_for_slot(self, principal: str) -> None:
        """Wait in the queue for a free slot (the permission to run) of the server, and take the slot.

        `principal` is the user who logged in; the queue serves principals round robin.
        """
        await self.place.statements.wait(principal)

    def give_slot_back(self) -> None:
        """Give back the slot (the permission to run a statement) of a statement that has ended."""
        self.place.statements.give_back()

    async def query(self, sql: str) -> ResultSet:
        """Run one of Viewgate's own statements in this session and return its whole result.

        Raise SqlError with Spark's message if the statement fails.
        """
        await self.place.questions.wait(self.handle.id)
        try:
            return await self._ask(sql)
        finally:
            self.place.questions.give_back()

    async def _ask(self, sql: str) -> ResultSet:
        starting = asyncio.create_task(self._start(sql))
        ended = False
        try:
            # If this were cancelled after the upstream has started the statement and before its handle is known,
            # nothing could stop the statement.
            operation = await asyncio.shield(starting)
            status = await operation.wait()
            ended = True
            if status.state is not OperationState.FINISHED:
                raise _named(status.error) or SqlError(
                    f"A statement of Viewgate's own on {self.place.upstream.named} ended in the state "
                    f"{status.state.name} instead of FINISHED; run your statement again",
                    "HY008",
                )
            schema = await operation.schema()
            rows = []
            while block := decode_rows(await operation.fetch()):
                rows += block
            return ResultSet(columns_of(schema), tuple(rows))
        finally:
            with contextlib.suppress(SqlError):
                operation = await starting
                if not ended:
                    await operation.cancel()
                await operation.close()

    async def close(self) -> None:
        """Close the upstream session and its connection; never raise."""
        try:
            if self._connection.alive:
                request = ttypes.TCloseSessionReq(sessionHandle=self._thrift())
                async with asyncio.timeout(self._timeouts.close):
                    await self.call(encode_call("CloseSession", 0, request))
                self.place.closes = True
        except TimeoutError:
            # Spark closes the session of a lost connection by itself, with a delay.
            level = logging.WARNING if self.place.closes else logging.DEBUG
            logger.log(
                level, "upstream session %s: CloseSession was not answered in %gs", self.handle.id, self._timeouts.close
            )
        except SqlError as error:
            logger.warning("upstream session not closed session=%s error=%s", self.handle.id, error)
        finally:
            self._connection.close()
            left, self.left = self.left, None
            if left is not None:
                left()

    async def _start(self, sql: str) -> UpstreamOperation:
        request = ttypes.TExecuteStatementReq(sessionHandle=self._thrift(), statement=sql, runAsync=True)
        reply = await self.call(encode_call("ExecuteStatement", 0, request))
        return UpstreamOperation(self, started(reply).handle)

    def _thrift(self) -> object:
        identifier = ttypes.THandleIdentifier(guid=self.handle.guid, secret=self.handle.secret)
        return ttypes.TSessionHandle(sessionId=identifier)


def _named(error: SqlError | None) -> SqlError | None:
    """Return Spark's error with its first message only: stack frames and query plan, which show statements of
    Viewgate's own, are left out.

    Return None if `error` is None.
    """
    return error and reported(without_plan(first_message(error.message)), error.sql_state, error.error_code)


def read_handle(message: bytes, path: tuple[int, ...]) -> Handle | None:
    """Return the handle at a path of field ids in a message; None if no handle is there."""
    places = find_handle(message, path)
    return None if places is None else Handle.at(message, *places)
