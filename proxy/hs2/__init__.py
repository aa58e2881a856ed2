"""The vocabulary of HiveServer2, pure: calls and replies, statuses, column types, row sets.

`generated` comes from TCLIService.thrift, which is our own; everything else is written on top of it: `codec` for calls
and replies, and for what depends on a client's version, `status` for errors, `result` for row sets, `types` for
columns, `patterns` for the names that JDBC asks for.
"""

from proxy.hs2.codec import (
    OPERATION_HANDLE,
    SESSION_HANDLE,
    decode,
    encode,
    encode_call,
    encode_reply,
    read_reply,
    read_request,
    rows_in,
    succeeded,
)
from proxy.hs2.result import Query, ResultSet, decode_rows, encode_rows
from proxy.hs2.status import (
    ConnectionLost,
    Interrupted,
    InvalidStatement,
    LoginRefused,
    SqlError,
    Unreachable,
    check,
    failure,
    reported,
    success,
)
from proxy.hs2.types import ColumnDesc, columns_of, table_schema

__all__ = [
    "OPERATION_HANDLE",
    "SESSION_HANDLE",
    "ColumnDesc",
    "ConnectionLost",
    "Interrupted",
    "InvalidStatement",
    "LoginRefused",
    "Query",
    "ResultSet",
    "SqlError",
    "Unreachable",
    "check",
    "columns_of",
    "decode",
    "decode_rows",
    "encode",
    "encode_call",
    "encode_reply",
    "encode_rows",
    "failure",
    "read_reply",
    "read_request",
    "reported",
    "rows_in",
    "succeeded",
    "success",
    "table_schema",
]
