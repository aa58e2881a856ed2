"""A client that compares every byte: it sends calls as structs, and keeps each reply's fields by their paths."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from typing import Any

from thrift.Thrift import TMessageType

from proxy.hs2 import encode_call, read_reply
from proxy.hs2.generated import ttypes
from proxy.wire import FrameReader, SaslClient, frame
from tests.clients import structs
from tests.clients.script import STATEMENTS

# By the call, and what it is about: a statement, or the call that lists something.
Answers = dict[tuple[str, str], Any]

FINAL = (2, 3, 5, 8)
PATTERNS: dict[str, dict[str, Any]] = {
    "GetTypeInfo": {},
    "GetCatalogs": {},
    "GetTableTypes": {},
    "GetSchemas": {"schemaName": "%"},
    "GetTables": {"schemaName": "demo", "tableName": "%"},
    "GetColumns": {"schemaName": "demo", "tableName": "sales", "columnName": "%"},
    "GetFunctions": {"functionName": "ab_"},
    "GetPrimaryKeys": {"schemaName": "default", "tableName": "t"},
    "GetCrossReference": {"foreignSchemaName": "default", "foreignTableName": "t"},
}
INFO = {13: "CLI_SERVER_NAME", 17: "CLI_DBMS_NAME", 18: "CLI_DBMS_VER", 10006: "CLI_ODBC_KEYWORDS"}
UNKNOWN = ("GetLog", "CloseImpalaOperation", "GetExecSummary", "PingImpalaHS2Service")
# Orientation and rows of the fetches that are made, one after the other.
TURNS = {"": (0, 1000), "on": (0, 1000), "past the end": (0, 1000), "again": (4, 10), "back": (1, 10), "at": (3, 10)}


class Wire:
    """A connection over SASL, with the replies that it received."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=120)
        self.answers: Answers = {}
        sasl = SaslClient("ann", "secret")
        self.socket.sendall(sasl.greeting)
        while sasl.next_event() is None:
            sasl.receive_data(self.socket.recv(65536))
        self.frames = FrameReader(1 << 27)

    def call(self, name: str, request: Any, response: type[Any], about: str = "", how: str = "") -> Any:
        """Make a call, keep its reply, and return the response."""
        step = (f"{name} {how}".strip(), about)
        self.socket.sendall(frame(encode_call(name, 7, request)))
        while (reply := self.frames.next_event()) is None:
            data = self.socket.recv(1 << 20)
            if not data:
                self.answers[step] = {(): "the connection is closed"}
                return None
            self.frames.receive_data(data)
        assert isinstance(reply, bytes)
        self.answers[step] = structs.read(reply)
        _, kind, _ = self.answers[step][()]
        return read_reply(reply, response) if kind == TMessageType.REPLY else None

    def close(self) -> None:
        self.socket.close()


def answers(port: int, version: int, statements: Sequence[str] = STATEMENTS) -> Answers:
    """Return the answers to the script, or to a part of it, in one session of a protocol version."""
    wire = Wire(port)
    request = ttypes.TOpenSessionReq(client_protocol=version, configuration={"set:hiveconf:spark.x": "y"})
    session = wire.call("OpenSession", request, ttypes.TOpenSessionResp).sessionHandle
    for kind, name in INFO.items():
        wire.call("GetInfo", ttypes.TGetInfoReq(session, kind), ttypes.TGetInfoResp, name)
    for sql in statements:
        # By turns as clients that poll and as clients that wait.
        _statement(wire, session, sql, run_async=STATEMENTS.index(sql) % 2 == 0)
    for name, arguments in PATTERNS.items():
        _listing(wire, session, name, arguments)
    info = ttypes.TSetClientInfoReq(sessionHandle=session, configuration={"ApplicationName": "x"})
    wire.call("SetClientInfo", info, ttypes.TSetClientInfoResp)
    for name in UNKNOWN:
        wire.call(name, ttypes.TCloseSessionReq(session), ttypes.TCloseSessionResp)
    wire.call("CloseSession", ttypes.TCloseSessionReq(session), ttypes.TCloseSessionResp)
    request = ttypes.TOpenSessionReq(client_protocol=9)
    session = wire.call("OpenSession", request, ttypes.TOpenSessionResp, "without a configuration").sessionHandle
    wire.call("GetInfo", ttypes.TGetInfoReq(session, 29), ttypes.TGetInfoResp, "any other kind")
    wire.close()
    return wire.answers


def _statement(wire: Wire, session: Any, sql: str, *, run_async: bool) -> None:
    """Run a statement to its end."""
    request = ttypes.TExecuteStatementReq(sessionHandle=session, statement=sql, runAsync=run_async)
    operation = wire.call("ExecuteStatement", request, ttypes.TExecuteStatementResp, sql).operationHandle
    if operation is None:
        return
    state = None
    while state not in FINAL:
        asked = ttypes.TGetOperationStatusReq(operationHandle=operation)
        state = wire.call("GetOperationStatus", asked, ttypes.TGetOperationStatusResp, sql).operationState
    _read(wire, operation, sql)


def _listing(wire: Wire, session: Any, name: str, arguments: dict[str, Any]) -> None:
    kind = getattr(ttypes, f"T{name}Req", ttypes.TCloseSessionReq)
    started = wire.call(name, kind(sessionHandle=session, **arguments), ttypes.TExecuteStatementResp)
    if started.operationHandle is not None:
        _read(wire, started.operationHandle, name)


def _read(wire: Wire, operation: Any, about: str) -> None:
    """Make every call about an operation that has ended, including a fetch past the end of its rows."""
    asked = ttypes.TGetResultSetMetadataReq(operationHandle=operation)
    wire.call("GetResultSetMetadata", asked, ttypes.TGetResultSetMetadataResp, about)
    for how, (orientation, rows) in TURNS.items():
        fetch = ttypes.TFetchResultsReq(operationHandle=operation, orientation=orientation, maxRows=rows)
        wire.call("FetchResults", fetch, ttypes.TFetchResultsResp, about, how)
    log = ttypes.TFetchResultsReq(operationHandle=operation, orientation=0, maxRows=100, fetchType=1)
    wire.call("FetchResults", log, ttypes.TFetchResultsResp, about, "of the log")
    wire.call("GetQueryId", ttypes.TGetQueryIdReq(operationHandle=operation), ttypes.TGetQueryIdResp, about)
    wire.call("CloseOperation", ttypes.TCloseOperationReq(operation), ttypes.TCloseOperationResp, about)
