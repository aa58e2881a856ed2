"""Answers GetInfo: Spark answers four kinds of information, and Viewgate the kinds for which Spark fails.

Spark's kinds are the server's name, the name and the version of the DBMS, and the keywords. In a session for operators
(opened in the namespace `viewgate.system`), Viewgate answers Spark's kinds, too.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from proxy.hs2 import SqlError, succeeded, success
from proxy.hs2.generated import ttypes
from proxy.service.call import Call
from proxy.service.session_calls import relay
from proxy.session import SessionUpstream
from proxy.wire import REPLY, find, read_i32, write_head
from proxy.wire.message import body_of

# CLI_SERVER_NAME, CLI_DBMS_NAME, CLI_DBMS_VER, CLI_ODBC_KEYWORDS; local only in sessions for operators.
RELAYED = frozenset({13, 17, 18, 10006})

_IDENTIFIER_LENGTH = 128
_TEXT, _SMALL, _MASK, _FLAG, _LENGTH = "stringValue", "smallIntValue", "integerBitmask", "integerFlag", "lenValue"

# By infoType, as ODBC's SQLGetInfo defines them; a length of 0 means no known limit.
LOCAL: dict[int, tuple[str, Any]] = {
    0: (_SMALL, 0),  # CLI_MAX_DRIVER_CONNECTIONS
    1: (_SMALL, 0),  # CLI_MAX_CONCURRENT_ACTIVITIES
    2: (_TEXT, "Spark SQL"),  # CLI_DATA_SOURCE_NAME
    8: (_MASK, 1 | 4),  # CLI_FETCH_DIRECTION: next, first
    13: (_TEXT, "Viewgate"),  # CLI_SERVER_NAME, for operators, as the next one
    14: (_TEXT, "\\"),  # CLI_SEARCH_PATTERN_ESCAPE
    17: (_TEXT, "Viewgate"),  # CLI_DBMS_NAME
    19: (_TEXT, "Y"),  # CLI_ACCESSIBLE_TABLES
    20: (_TEXT, "N"),  # CLI_ACCESSIBLE_PROCEDURES
    23: (_SMALL, 0),  # CLI_CURSOR_COMMIT_BEHAVIOR: cursors close
    25: (_TEXT, "N"),  # CLI_DATA_SOURCE_READ_ONLY
    26: (_MASK, 0),  # CLI_DEFAULT_TXN_ISOLATION: no transactions
    28: (_SMALL, 4),  # CLI_IDENTIFIER_CASE: mixed, compared without case
    29: (_TEXT, "`"),  # CLI_IDENTIFIER_QUOTE_CHAR
    30: (_SMALL, _IDENTIFIER_LENGTH),  # CLI_MAX_COLUMN_NAME_LEN
    31: (_SMALL, _IDENTIFIER_LENGTH),  # CLI_MAX_CURSOR_NAME_LEN
    32: (_SMALL, _IDENTIFIER_LENGTH),  # CLI_MAX_SCHEMA_NAME_LEN
    34: (_SMALL, _IDENTIFIER_LENGTH),  # CLI_MAX_CATALOG_NAME_LEN
    35: (_SMALL, _IDENTIFIER_LENGTH),  # CLI_MAX_TABLE_NAME_LEN
    43: (_MASK, 1),  # CLI_SCROLL_CONCURRENCY: read only
    46: (_SMALL, 0),  # CLI_TXN_CAPABLE: none
    72: (_MASK, 0),  # CLI_TXN_ISOLATION_OPTION
    73: (_TEXT, "N"),  # CLI_INTEGRITY
    81: (_MASK, 1 | 2),  # CLI_GETDATA_EXTENSIONS: any column, any order
    85: (_SMALL, 1),  # CLI_NULL_COLLATION: low
    86: (_MASK, 1),  # CLI_ALTER_TABLE: add column
    90: (_TEXT, "N"),  # CLI_ORDER_BY_COLUMNS_IN_SELECT: need not be
    94: (_TEXT, ""),  # CLI_SPECIAL_CHARACTERS
    97: (_SMALL, 0),  # CLI_MAX_COLUMNS_IN_GROUP_BY
    98: (_SMALL, 0),  # CLI_MAX_COLUMNS_IN_INDEX
    99: (_SMALL, 0),  # CLI_MAX_COLUMNS_IN_ORDER_BY
    100: (_SMALL, 0),  # CLI_MAX_COLUMNS_IN_SELECT
    101: (_SMALL, 0),  # CLI_MAX_COLUMNS_IN_TABLE
    102: (_LENGTH, 0),  # CLI_MAX_INDEX_SIZE
    104: (_LENGTH, 0),  # CLI_MAX_ROW_SIZE
    105: (_LENGTH, 0),  # CLI_MAX_STATEMENT_LEN
    106: (_SMALL, 0),  # CLI_MAX_TABLES_IN_SELECT
    107: (_SMALL, 0),  # CLI_MAX_USER_NAME_LEN
    115: (_MASK, 0x7F),  # CLI_OJ_CAPABILITIES: all outer joins
    10000: (_TEXT, "1992"),  # CLI_XOPEN_CLI_YEAR
    10001: (_FLAG, 1),  # CLI_CURSOR_SENSITIVITY: insensitive
    10002: (_TEXT, "N"),  # CLI_DESCRIBE_PARAMETER
    10003: (_TEXT, "Y"),  # CLI_CATALOG_NAME
    10004: (_TEXT, "UTF-8"),  # CLI_COLLATION_SEQ
    10005: (_SMALL, _IDENTIFIER_LENGTH),  # CLI_MAX_IDENTIFIER_LEN
    10006: (_TEXT, ""),  # CLI_ODBC_KEYWORDS
}
_VERSION, _USER_NAME = 18, 47  # CLI_DBMS_VER, for operators; CLI_USER_NAME
_INFO_TYPE = (1, 2)


async def get_info(call: Call) -> bytes:
    """Return the reply to GetInfo with the requested information; raise SqlError HY096 if its kind is unknown."""
    session = call.session()
    asked = find(call.message, _INFO_TYPE)
    kind = read_i32(call.message, asked) if asked else None
    if kind in RELAYED and not session.for_operators:
        return await _relayed(call, session.upstream, kind)
    field, value = LOCAL.get(-1 if kind is None else kind, ("", None))
    if kind in (_USER_NAME, _VERSION):
        field, value = _TEXT, session.user if kind == _USER_NAME else version("viewgate")
    if not field:
        raise SqlError(f"Unrecognized GetInfoType value: {kind}; use a number of Thrift's TGetInfoType", "HY096")
    return call.reply(ttypes.TGetInfoResp(status=success(), infoValue=ttypes.TGetInfoValue(**{field: value})))


async def _relayed(call: Call, attachment: SessionUpstream, kind: int) -> bytes:
    """Return Spark's reply to GetInfo, which is cached per upstream server after the first request.

    `kind` is the number of the requested information. The cache is for connection pools, which request the server's
    name again and again as a test of the connection.
    """
    told = attachment.info.get(kind)
    if told is None:
        reply = await relay(call)
        if not succeeded(reply):
            return reply
        told = attachment.info[kind] = reply[body_of(reply) :]
    return write_head(call.head.name, REPLY, call.head.seqid) + told


def refused(status: Any) -> Any:
    """Return the response to GetInfo with an error status and an empty value, because clients require a value."""
    return ttypes.TGetInfoResp(status=status, infoValue=ttypes.TGetInfoValue(stringValue=""))
