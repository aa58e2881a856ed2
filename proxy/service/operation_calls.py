"""Answers the calls on an operation: status, columns, rows, log, query id, cancel and close."""

from __future__ import annotations

import asyncio

from proxy.hs2 import SqlError, read_request
from proxy.hs2.generated import ttypes
from proxy.service.call import Call
from proxy.session import TERMINAL, OperationState
from proxy.wire import find, kept, read_i32

_STATE, _MESSAGE = (0, 2), (0, 5)
_LOG = 1  # the fetch type
_ORIENTATIONS = range(6)


async def get_operation_status(call: Call) -> bytes:
    """Return the reply to GetOperationStatus; while the operation runs, the reply is delayed (long poll)."""
    operation = call.operation()
    reply = await operation.status(call)
    if _is_final(reply) and call.service.sessions.uses(operation.handle):  # it may have been closed meanwhile
        operation.foreseen.told(call.message, operation.handle, reply)
        call.peer.foreseen = operation.foreseen
    return reply


def _is_final(reply: bytes) -> bool:
    """Return whether a status reply is final, so that every later status reply is the same.

    The operation must have ended and, if it has failed, the reply must have the error message.
    """
    span = find(reply, _STATE)
    state = None if span is None else read_i32(reply, span)
    return state in TERMINAL and (state != OperationState.ERROR or find(reply, _MESSAGE) is not None)


async def get_result_set_metadata(call: Call) -> bytes:
    """Return the reply to GetResultSetMetadata with the columns of the result."""
    return await call.operation().metadata(call)


async def fetch_results(call: Call) -> bytes:
    """Return the reply to FetchResults: the next rows of the result, or the next lines of the operation's log."""
    operation = call.operation()
    if _of_log(call.message):
        return operation.fetch_log(call, call.request(ttypes.TFetchResultsReq))
    try:
        reply = await operation.fetch(call)
    except SqlError as error:
        call.service.journal.not_fetched(operation.handle, error)
        raise
    call.service.journal.fetched(operation.handle, reply)
    return reply


@kept
def _of_log(message: bytes) -> bool:
    request = read_request(message, ttypes.TFetchResultsReq)
    if request.orientation not in _ORIENTATIONS:  # Spark would close the connection, and with it the session
        raise SqlError(
            f"The fetch orientation {request.orientation} does not exist: use a number of Thrift's TFetchOrientation, "
            "0 to 5",
            "HY106",
        )
    return bool(request.fetchType == _LOG)


async def get_query_id(call: Call) -> bytes:
    """Return the reply to GetQueryId: Spark's query id or, for a query that Viewgate answers, the operation's id."""
    return await call.operation().query_id(call)


async def cancel_operation(call: Call) -> bytes:
    """Cancel the operation and return the reply to CancelOperation; the operation's handle stays valid.

    The cancel works even while the connection of the upstream session is busy with a statement.
    """
    return await call.operation().cancel(call)


async def close_operation(call: Call) -> bytes:
    """Stop the operation if it still runs, remove it from Viewgate and the upstream, and return the reply."""
    operation = call.operation()
    call.service.sessions.remove_operation(operation)
    if operation.done:  # nothing has to be stopped
        return await operation.close(call)
    # Shielded, so that the close completes even if the client leaves: no client could request it again.
    return await asyncio.shield(call.service.spawn(operation.close(call)))
