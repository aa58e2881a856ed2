"""A fake Thrift Server: speaks SASL, runs scripted statements, and records what it is sent."""

from __future__ import annotations

import asyncio
import ssl
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from proxy.authentication.kerberos import SaslLogin
from proxy.hs2 import ResultSet, SqlError, encode_reply, encode_rows, failure, read_request, success, table_schema
from proxy.hs2.generated import ttypes
from proxy.session import Handle, OperationState
from proxy.upstream import read_handle
from proxy.wire import (
    REPLY,
    Credentials,
    Fault,
    FrameReader,
    HttpCall,
    HttpTransport,
    MessageReader,
    Refused,
    SaslServer,
    Transport,
    application_exception,
    find,
    frame,
    read_head,
    read_i32,
    write_head,
)

S = OperationState
ROW = ResultSet.of("answer int", rows=[[42]])
ON_OPERATIONS = ("GetOperationStatus", "GetResultSetMetadata", "FetchResults", "CancelOperation", "CloseOperation")

# What a statement does: a result, an error, or None to run until it is cancelled.
Script = Callable[[str], ResultSet | SqlError | None]


def answer_everything(sql: str) -> ResultSet | SqlError | None:
    """Answer a statement, fail or hang, as its text says."""
    if "FAIL" in sql:
        return SqlError(f"org.apache.hive.service.cli.HiveSQLException: no way: {sql}\n\tat a.B.c(D.java:1)\n", "42P01")
    if "BREAK" in sql:
        return SqlError(f"a disk is full: {sql}", "53100")
    return None if "HANG" in sql else ResultSet.of("sql", rows=[[sql]])


@dataclass
class Running:
    """A running statement."""

    sql: str
    outcome: ResultSet | SqlError | None
    state: OperationState = S.RUNNING
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    fetched: bool = False
    kind: int = 0

    def end(self, state: OperationState) -> None:
        self.state = state
        self.ended.set()


class FakeSpark:
    """The server, started with `async with`; its port is `port`."""

    def __init__(self, script: Script = answer_everything) -> None:
        self.script = script
        self.sessions: dict[bytes, str] = {}
        self.operations: dict[bytes, Running] = {}
        self.history: list[Running] = []
        self.messages: list[tuple[str, bytes]] = []
        self.seen: dict[str, asyncio.Event] = {}
        self.connections: set[asyncio.StreamWriter] = set()
        self.opened: dict[asyncio.StreamWriter, list[bytes]] = {}  # sessions, by connection
        self.first: asyncio.StreamWriter | None = None
        self.log_in = True
        self.threads = 500  # connections; a further one is closed at once
        self.early_metadata = 0
        self.query_id = "spark's"
        self.slow_reasons = 0  # answers that tell of an error before its reason is there
        self.listings: dict[str, ResultSet | SqlError] = {"GetTables": ROW}  # answers to calls that list things
        self.refuses: Callable[[bytes], SqlError | None] | None = None  # the refusal of an OpenSession, if any
        self.deadly: set[str] = set()  # calls that are not answered: every connection is dropped instead
        self.empty: set[str] = set()  # calls that are answered by a reply without a response in it
        self.held: dict[str, asyncio.Event] = {}  # calls that are not answered before the event
        self.tidy = False  # whether a session ends with its connection, as it does on Spark
        self.lets_wait = False  # whether statements may come for which a caller waits
        self.piece = 1 << 30  # bytes of a reply that go into one frame
        self.together = 1  # replies that are sent together, in one frame if they are short enough
        self.tls: ssl.SSLContext | None = None
        self.transport = Transport.SASL
        self.calls: list[HttpCall] = []  # over HTTP, as they came
        self.headers: tuple[tuple[str, str], ...] = ()  # of the answers over HTTP
        self.status = 200
        self.forget = False  # the cookies, once
        self.login: SaslLogin | None = None  # by tickets

    async def __aenter__(self) -> FakeSpark:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self.tls)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        self.die()
        while self.tls and self.connections:  # TLS ends in several steps
            await asyncio.sleep(0)

    async def end(self) -> None:
        """Stop listening, and drop every connection."""
        self._server.close()
        self.die()
        while self.connections:
            await asyncio.sleep(0)

    def die(self) -> None:
        """Drop every connection."""
        for writer in list(self.connections):
            writer.transport.abort()

    async def called(self, name: str) -> None:
        """Wait until a call with this name has arrived."""
        await self.seen.setdefault(name, asyncio.Event()).wait()

    def sent(self, name: str) -> list[bytes]:
        """Return the messages with this name, in order."""
        return [message for known, message in self.messages if known == name]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self.connections) >= self.threads:
            writer.close()
            return
        self.connections.add(writer)
        self.first = self.first or writer
        try:
            await self._TRANSPORTS[self.transport](self, reader, writer)
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self.connections.discard(writer)
            writer.close()
            for guid in [guid for guid in self.opened.pop(writer, []) if self.tidy]:
                self.sessions.pop(guid, None)

    async def _serve_sasl(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        sasl = SaslServer(tickets=self.login is not None)
        user = await self._logged_in(sasl, reader, writer)
        if not self.log_in:
            await reader.read()
        writer.write(sasl.accept())
        frames = FrameReader(1 << 20)
        frames.receive_data(sasl.rest())
        replies: list[bytes] = []
        while True:
            while (message := frames.next_event()) is None:
                frames.receive_data(await self._some(reader))
            known = set(self.sessions)
            replies.append(await self._answer(user, message))
            self.opened.setdefault(writer, []).extend(self.sessions.keys() - known)
            if len(replies) < self.together:
                continue
            sent = b"".join(replies)
            replies.clear()
            for at in range(0, len(sent), self.piece):
                writer.write(frame(sent[at : at + self.piece]))

    async def _logged_in(self, sasl: SaslServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str:
        while True:
            while (event := sasl.next_event()) is None:
                sasl.receive_data(await self._some(reader))
            if isinstance(event, Credentials):
                return event.user
            if isinstance(event, Refused):
                writer.write(event.reply)
                await reader.read()
                raise ConnectionResetError
            assert self.login is not None
            answer = self.login.step(event.data)
            if self.login.user:
                return self.login.user
            writer.write(sasl.proceed(answer))

    async def _serve_bare(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        messages = MessageReader(1 << 20)
        while True:
            while (message := messages.next_event()) is None:
                messages.receive_data(await self._some(reader))
            user = read_request(message, ttypes.TOpenSessionReq).username if b"OpenSession" in message else ""
            writer.write(await self._answer(user, message))

    async def _serve_http(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        http = HttpTransport(1 << 20)
        while not http.ends:
            while (call := http.next_event()) is None:
                http.receive_data(await self._some(reader))
            if not isinstance(call, HttpCall):
                writer.write(call.reply)  # type: ignore[union-attr]
                return
            self.calls.append(call)
            if self.forget and call.cookie:
                self.forget = False
                writer.write(http.refuse(401, "who are you?"))
                continue
            if self.status != 200:
                writer.write(http.refuse(self.status, "not so", self.headers))
                continue
            scheme, _, said = call.authorization.partition(" ")
            user = b64decode(said).decode().partition(":")[0] if scheme == "Basic" else "ticket"
            writer.write(http.reply(await self._answer(user, call.message), self.headers))
        await writer.drain()

    _TRANSPORTS = {  # noqa: RUF012
        Transport.SASL: _serve_sasl,
        Transport.NOSASL: _serve_bare,
        Transport.HTTP: _serve_http,
    }

    async def _some(self, reader: asyncio.StreamReader) -> bytes:
        data = await reader.read(65536)
        if not data:
            raise ConnectionResetError
        return data

    async def _answer(self, user: str, message: bytes) -> bytes:
        head = read_head(message)
        assert head is not None
        self.messages.append((head.name, message))
        self.seen.setdefault(head.name, asyncio.Event()).set()
        if head.name in self.deadly:
            self.die()
            raise ConnectionResetError
        if head.name in self.held:
            await self.held[head.name].wait()
        if head.name in self.empty:
            return write_head(head.name, REPLY, head.seqid) + b"\0"
        if head.name in self.listings:
            outcome = self.listings[head.name]
            if isinstance(outcome, SqlError):
                return encode_reply(head.name, head.seqid, ttypes.TExecuteStatementResp(status=failure(outcome)))
            return encode_reply(head.name, head.seqid, self._started(Running("", outcome, S.FINISHED, kind=4)))
        handler = getattr(self, f"_{head.name}", None)
        if handler is None:
            return application_exception(head.name, head.seqid, Fault.UNKNOWN_METHOD, "Invalid method name")
        if head.name in ON_OPERATIONS and self._handle(message).guid not in self.operations:
            unknown = failure(SqlError("Invalid OperationHandle", None))
            return encode_reply(head.name, head.seqid, getattr(ttypes, f"T{head.name}Resp")(status=unknown))
        return encode_reply(head.name, head.seqid, await handler(user, message))

    def _handle(self, message: bytes) -> Handle:
        handle = read_handle(message, (1, 1, 1))
        assert handle is not None
        return handle

    def _operation(self, message: bytes) -> Running:
        kind = find(message, (1, 1, 2))
        running = self.operations[self._handle(message).guid]
        assert kind is not None
        assert read_i32(message, kind) == running.kind
        return running

    def _started(self, running: Running) -> Any:
        handle = Handle.new()
        self.operations[handle.guid] = running
        identifier = ttypes.THandleIdentifier(guid=handle.guid, secret=handle.secret)
        operation = ttypes.TOperationHandle(operationId=identifier, operationType=running.kind, hasResultSet=True)
        return ttypes.TExecuteStatementResp(status=success(), operationHandle=operation)

    async def _OpenSession(self, user: str, message: bytes) -> Any:  # noqa: N802
        if self.refuses is not None and (refusal := self.refuses(message)) is not None:
            return ttypes.TOpenSessionResp(status=failure(refusal), serverProtocolVersion=0)
        handle = Handle.new()
        self.sessions[handle.guid] = user
        identifier = ttypes.THandleIdentifier(guid=handle.guid, secret=handle.secret)
        version = read_request(message, ttypes.TOpenSessionReq).client_protocol
        return ttypes.TOpenSessionResp(
            status=success(),
            serverProtocolVersion=version,
            sessionHandle=ttypes.TSessionHandle(sessionId=identifier),
        )

    async def _CloseSession(self, _user: str, message: bytes) -> Any:  # noqa: N802
        self.sessions.pop(self._handle(message).guid, None)
        return ttypes.TCloseSessionResp(status=success())

    async def _GetInfo(self, _user: str, _message: bytes) -> Any:  # noqa: N802
        return ttypes.TGetInfoResp(status=success(), infoValue=ttypes.TGetInfoValue(stringValue="Spark SQL"))

    async def _SetClientInfo(self, _user: str, _message: bytes) -> Any:  # noqa: N802
        return ttypes.TSetClientInfoResp(status=success())

    async def _GetQueryId(self, _user: str, _message: bytes) -> Any:  # noqa: N802
        return ttypes.TGetQueryIdResp(queryId=self.query_id)

    async def _ExecuteStatement(self, _user: str, message: bytes) -> Any:  # noqa: N802
        assert self._handle(message).guid in self.sessions
        request = read_request(message, ttypes.TExecuteStatementReq)
        assert request.runAsync or self.lets_wait
        if "REFUSE" in request.statement:
            return ttypes.TExecuteStatementResp(status=failure(SqlError("the queue is full", "HY000")))
        running = Running(request.statement, self.script(request.statement))
        self.history.append(running)
        if running.outcome is not None:
            running.end(S.ERROR if isinstance(running.outcome, SqlError) else S.FINISHED)
        if not request.runAsync:
            await running.ended.wait()
            if isinstance(running.outcome, SqlError):
                return ttypes.TExecuteStatementResp(status=failure(running.outcome))
        return self._started(running)

    async def _GetOperationStatus(self, _user: str, message: bytes) -> Any:  # noqa: N802
        running = self._operation(message)
        try:
            async with asyncio.timeout(0.2):
                await running.ended.wait()
        except TimeoutError:
            pass
        error = running.outcome if isinstance(running.outcome, SqlError) and running.state is S.ERROR else None
        if error is not None and self.slow_reasons:
            self.slow_reasons -= 1
            error = None
        return ttypes.TGetOperationStatusResp(
            status=success(),
            operationState=int(running.state),
            sqlState=error and error.sql_state,
            errorCode=error and error.error_code,
            errorMessage=error and error.message,
        )

    async def _GetResultSetMetadata(self, _user: str, message: bytes) -> Any:  # noqa: N802
        running = self._operation(message)
        self.early_metadata += running.state is S.RUNNING
        result = running.outcome if isinstance(running.outcome, ResultSet) else ROW
        return ttypes.TGetResultSetMetadataResp(status=success(), schema=table_schema(result.columns))

    async def _FetchResults(self, _user: str, message: bytes) -> Any:  # noqa: N802
        running = self._operation(message)
        if running.state is not S.FINISHED:
            error = SqlError(f"Expected state FINISHED, but found {running.state.name}", None)
            return ttypes.TFetchResultsResp(status=failure(error))
        assert isinstance(running.outcome, ResultSet)
        if "LATE" in running.sql:
            return ttypes.TFetchResultsResp(status=failure(SqlError("lost a file", "58030")))
        rows = () if running.fetched else running.outcome.rows
        running.fetched = True
        encoded = encode_rows(running.outcome.columns, rows, 0, 10)
        return ttypes.TFetchResultsResp(status=success(), hasMoreRows=False, results=encoded)

    async def _CancelOperation(self, _user: str, message: bytes) -> Any:  # noqa: N802
        running = self._operation(message)
        if running.state is S.RUNNING:
            running.end(S.CANCELED)
        return ttypes.TCancelOperationResp(status=success())

    async def _CloseOperation(self, _user: str, message: bytes) -> Any:  # noqa: N802
        self.operations.pop(self._handle(message).guid)
        return ttypes.TCloseOperationResp(status=success())
