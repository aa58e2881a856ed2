"""The calls that list what there is: forwarded, each as an operation that has ended."""

from __future__ import annotations

from proxy.hs2 import read_reply
from proxy.hs2.generated import ttypes
from proxy.service.call import Call, with_handle
from proxy.service.forwarded import Forwarded, started, succeeded
from proxy.session import Forward, OperationState

_OPERATION_HANDLE = (0, 2, 1)

CALLS = (
    "GetTypeInfo",
    "GetCatalogs",
    "GetSchemas",
    "GetTables",
    "GetTableTypes",
    "GetColumns",
    "GetFunctions",
    "GetPrimaryKeys",
    "GetCrossReference",
)


async def get_metadata(call: Call) -> bytes:
    """Relay the call, and put the operation under a handle of ours."""
    session = call.session()
    reply = await session.upstream.call(call.addressed_to(session.upstream.handle))
    if not succeeded(reply):
        return reply
    # All these responses are alike: a status and a handle.
    kind = read_reply(reply, ttypes.TExecuteStatementResp).operationHandle.operationType
    operation = Forwarded(session, started(reply), kind, Forward())
    operation.advance(OperationState.FINISHED)
    call.service.sessions.add_operation(operation)
    return with_handle(reply, _OPERATION_HANDLE, operation.handle)
