"""The HiveServer2 protocol without I/O: calls and replies, statuses, column types, row sets.

`generated` is compiled from TCLIService.thrift, Viewgate's own definition of the protocol. The other modules use
`generated`:

- `codec` encodes and decodes calls and replies, and describes how protocol versions differ
- `status` encodes errors
- `result` encodes row sets
- `types` encodes column types
- `patterns` matches the name patterns of JDBC
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
from proxy.hs2.result import Query, ResultSet, decode_rows, encode_rows, fetch_error
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
    "fetch_error",
    "read_reply",
    "read_request",
    "reported",
    "rows_in",
    "succeeded",
    "success",
    "table_schema",
]
