"""Maps each call of TCLIService to its handler, and to the function that makes a response with an error status."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from proxy.hs2.generated import ttypes
from proxy.service import get_info
from proxy.service.call import Call, Handler, Processor
from proxy.service.execute_statement import execute_statement
from proxy.service.get_keys import get_cross_reference, get_primary_keys
from proxy.service.listings import get_catalogs, get_columns, get_functions, get_schemas, get_table_types, get_tables
from proxy.service.metadata import relay_metadata
from proxy.service.operation_calls import (
    cancel_operation,
    close_operation,
    fetch_results,
    get_operation_status,
    get_query_id,
    get_result_set_metadata,
)
from proxy.service.session_calls import close_session, open_session, relay


def _status_only(response: Callable[..., Any]) -> Callable[[Any], Any]:
    return lambda status: response(status=status)


# The metadata calls; the response to each is a status and an operation handle.
_METADATA: dict[str, Callable[[Call], Awaitable[bytes]]] = {
    "GetTypeInfo": relay_metadata,
    "GetCatalogs": get_catalogs,
    "GetSchemas": get_schemas,
    "GetTables": get_tables,
    "GetTableTypes": get_table_types,
    "GetColumns": get_columns,
    "GetFunctions": get_functions,
    "GetPrimaryKeys": get_primary_keys,
    "GetCrossReference": get_cross_reference,
}

HANDLERS: dict[str, Handler] = {
    "OpenSession": Handler(open_session, _status_only(ttypes.TOpenSessionResp)),
    "CloseSession": Handler(close_session, _status_only(ttypes.TCloseSessionResp)),
    "GetInfo": Handler(get_info.get_info, get_info.refused),
    "ExecuteStatement": Handler(execute_statement, _status_only(ttypes.TExecuteStatementResp)),
    "GetOperationStatus": Handler(get_operation_status, _status_only(ttypes.TGetOperationStatusResp)),
    "GetResultSetMetadata": Handler(get_result_set_metadata, _status_only(ttypes.TGetResultSetMetadataResp)),
    "FetchResults": Handler(fetch_results, _status_only(ttypes.TFetchResultsResp)),
    "CancelOperation": Handler(cancel_operation, _status_only(ttypes.TCancelOperationResp)),
    "CloseOperation": Handler(close_operation, _status_only(ttypes.TCloseOperationResp)),
    "GetQueryId": Handler(get_query_id, None),
    "SetClientInfo": Handler(relay, _status_only(ttypes.TSetClientInfoResp)),
    "GetDelegationToken": Handler(relay, _status_only(ttypes.TGetDelegationTokenResp)),
    "CancelDelegationToken": Handler(relay, _status_only(ttypes.TCancelDelegationTokenResp)),
    "RenewDelegationToken": Handler(relay, _status_only(ttypes.TRenewDelegationTokenResp)),
    **{name: Handler(run, _status_only(ttypes.TExecuteStatementResp)) for name, run in _METADATA.items()},
}


class Service(Processor):
    """The Thrift service TCLIService, which answers the calls of all connections."""

    handlers = HANDLERS
