"""An operation on an upstream, from our side: announced by a reply, polled to its end, cancelled, closed."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, NamedTuple

from proxy.hs2 import OPERATION_HANDLE, ConnectionLost, SqlError, check, encode_call, read_reply, reported, succeeded
from proxy.hs2.generated import ttypes
from proxy.hs2.status import FAILED
from proxy.session import TERMINAL, Handle, LiveUpstream, OperationState
from proxy.wire import EXCEPTION, find, find_handle, kept, read_head, read_i32

_KIND, _HAS_RESULT_SET = (0, 2, 2), (0, 2, 3)


class Announced(NamedTuple):
    """A started operation: the reply, and where the two parts of its handle begin there."""

    reply: bytes
    guid: int
    secret: int

    @classmethod
    def of(cls, reply: bytes) -> Announced | None:
        """Return the started operation; None if the reply is an error; raise SqlError 08S01 if it has no handle."""
        if not _succeeded(reply):
            return None
        places = find_handle(reply, OPERATION_HANDLE)
        if places is None:
            raise _no_handle()
        return cls(reply, *places)

    @property
    def handle(self) -> Handle:
        """The handle that the upstream gave it."""
        return Handle.at(*self)

    @property
    def kind(self) -> int:
        """The kind of the operation, without which its handle is not valid to Spark."""
        return _kind(self.reply)

    @property
    def has_result_set(self) -> bool:
        """Whether there are rows to fetch, as far as the upstream knows."""
        return _has_result_set(self.reply)

    def under(self, handle: Handle) -> bytes:
        """Return the reply with another handle in the place of the upstream's."""
        return handle.into(*self)


def started(reply: bytes) -> Announced:
    """Return the operation that a reply announces; raise the error that it reports instead."""
    announced = Announced.of(reply)
    if announced is None:
        check(read_reply(reply, ttypes.TExecuteStatementResp).status)
        raise _no_handle()
    return announced


_succeeded = kept(succeeded)


@kept
def _kind(reply: bytes) -> int:
    kind = find(reply, _KIND)
    return 0 if kind is None else read_i32(reply, kind)


@kept
def _has_result_set(reply: bytes) -> bool:
    told = find(reply, _HAS_RESULT_SET)
    return told is None or reply[told.start] != 0


def _no_handle() -> SqlError:
    return ConnectionLost("Spark has started an operation without giving a handle.")


# Spark holds a status call up to 5 s and answers at once when the operation ends. A server that does not
# hold it is asked with a pause between.
_HELD = 0.02
_PAUSE = 0.05
_BEFORE_REASON = 0.02  # seconds between two questions for an error's reason

_STATE = (0, 2)
_WITHOUT_REASON = frozenset({OperationState.RUNNING, OperationState.FINISHED, OperationState.CANCELED})

_TRIES = 50  # questions, after which an error is one without a reason

FETCH_ROWS = 10_000


@dataclass(frozen=True, slots=True)
class RemoteStatus:
    """The status of an operation in an upstream's reply."""

    state: OperationState
    error: SqlError | None = None
    told: bool = True  # False where the reason of an error is not known yet

    @classmethod
    def of(cls, response: Any) -> RemoteStatus:
        """Return the status in a response of GetOperationStatus."""
        known = response.operationState in set(OperationState)
        state = OperationState(response.operationState) if known else OperationState.UNKNOWN
        if state is not OperationState.ERROR:
            return cls(state)
        error = reported(response.errorMessage, response.sqlState, response.errorCode)
        return cls(state, error, told=bool(response.errorMessage))


@kept
def _without_reason(reply: bytes) -> RemoteStatus | None:
    """Return the status in a reply; None for an error, which has a reason."""
    state = find(reply, _STATE) if succeeded(reply) else None
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
    """The handle that an upstream gave an operation of a session, and the calls on it."""

    def __init__(self, upstream: LiveUpstream, handle: Handle, kind: int = 0) -> None:
        self._upstream = upstream
        self.handle = handle
        self._kind = kind

    @property
    def _thrift(self) -> Any:
        identifier = ttypes.THandleIdentifier(guid=self.handle.guid, secret=self.handle.secret)
        return ttypes.TOperationHandle(operationId=identifier, operationType=self._kind, hasResultSet=True)

    async def poll(self) -> RemoteStatus:
        """Return the status at the end, or when the upstream has held the poll long enough."""
        message = encode_call("GetOperationStatus", 0, ttypes.TGetOperationStatusReq(operationHandle=self._thrift))
        reply, status = await self.ask(message)
        if status is None:
            check(read_reply(reply, ttypes.TGetOperationStatusResp).status)
            raise ConnectionLost("Spark has answered a status call without a status.")
        return status

    async def ask(self, message: bytes) -> tuple[bytes, RemoteStatus | None]:
        """Return the reply to a status poll, and the status in it unless it reports an error of the call.

        Spark notes that a statement has failed a moment before it notes why: such an answer is not the last one.
        """
        for _ in range(_TRIES):
            reply = await self._upstream.call(message)
            status = _status_in(reply)
            if status is None or status.told:
                break
            await asyncio.sleep(_BEFORE_REASON)
        return reply, status

    async def wait(self) -> RemoteStatus:
        """Return the status at the end."""
        clock = asyncio.get_running_loop().time
        while True:
            asked = clock()
            status = await self.poll()
            if status.state in TERMINAL:
                return status
            if clock() - asked < _HELD:
                await asyncio.sleep(_PAUSE)

    async def schema(self) -> Any:
        """Return the schema; to be called after the end only: before, Spark answers wrongly and keeps to that."""
        request = ttypes.TGetResultSetMetadataReq(operationHandle=self._thrift)
        response = await self._call("GetResultSetMetadata", request, ttypes.TGetResultSetMetadataResp)
        return response.schema

    async def fetch(self) -> Any:
        """Return the next row set; an empty one at the end."""
        request = ttypes.TFetchResultsReq(operationHandle=self._thrift, orientation=0, maxRows=FETCH_ROWS)
        return (await self._call("FetchResults", request, ttypes.TFetchResultsResp)).results

    async def cancel(self) -> None:
        """Cancel it, past whatever the session's own connection is busy with."""
        request = ttypes.TCancelOperationReq(operationHandle=self._thrift)
        reply = await self._upstream.control(encode_call("CancelOperation", 0, request))
        check(read_reply(reply, ttypes.TCancelOperationResp).status)

    async def close(self) -> None:
        """Let the upstream forget it."""
        request = ttypes.TCloseOperationReq(operationHandle=self._thrift)
        await self._call("CloseOperation", request, ttypes.TCloseOperationResp)

    async def _call(self, name: str, request: Any, kind: type[Any]) -> Any:
        response = read_reply(await self._upstream.call(encode_call(name, 0, request)), kind)
        check(response.status)
        return response
