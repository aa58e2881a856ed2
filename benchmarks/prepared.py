"""Provides a server and clients that need little processor time, because they send prepared bytes.

    python benchmarks/prepared.py

runs the server, which prints its port. It answers each statement at once with the same row, and Viewgate's questions
about a session as Spark would. The operation has the same handle as its result, so that only the sequence number of a
reply is set.
"""

from __future__ import annotations

import asyncio
import struct
import sys
from pathlib import Path
from typing import cast

import uvloop

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.stand_in import RESULTS
from proxy.hs2 import ResultSet, encode_call, encode_reply, encode_rows, read_reply, succeeded, success, table_schema
from proxy.hs2.generated import ttypes
from proxy.session import OperationState
from proxy.wire import Authenticated, Credentials, FrameReader, SaslClient, SaslTransport, find, frame, read_i32
from proxy.wire.fields import announced_at

PROTOCOL = 9
LIMIT = 1 << 20
_HEAD = 8  # bytes before the name of a call; the last of them is the name's length
_PART = 16  # bytes of each half of a handle

_ROW = ResultSet.of("1 int", rows=[[1]])
_SETS = [_ROW, *RESULTS.values()]
_TEXTS = [struct.pack(">I", len(sql)) + sql.encode() for sql in RESULTS]


def _identifier(number: int) -> object:
    return ttypes.THandleIdentifier(guid=bytes([number]) * _PART, secret=bytes([number]) * _PART)


def _replies(number: int, result: ResultSet) -> dict[bytes, list[bytes]]:
    """Return the replies about a statement with this result: the first reply to FetchResults, and all later ones."""
    handle = ttypes.TOperationHandle(operationId=_identifier(number), operationType=0, hasResultSet=True)
    blocks = [encode_rows(result.columns, rows, 0, PROTOCOL) for rows in (result.rows, ())]
    status, finished = success(), int(OperationState.FINISHED)
    responses = {
        "ExecuteStatement": [ttypes.TExecuteStatementResp(status=status, operationHandle=handle)],
        "GetOperationStatus": [ttypes.TGetOperationStatusResp(status=status, operationState=finished)],
        "GetResultSetMetadata": [ttypes.TGetResultSetMetadataResp(status=status, schema=table_schema(result.columns))],
        "FetchResults": [ttypes.TFetchResultsResp(status=status, hasMoreRows=False, results=rows) for rows in blocks],
        "CloseOperation": [ttypes.TCloseOperationResp(status=status)],
    }
    return {name.encode(): [encode_reply(name, 0, each) for each in made] for name, made in responses.items()}


_OF_STATEMENTS = [_replies(number, result) for number, result in enumerate(_SETS)]
_OTHERS = {
    name.encode(): encode_reply(name, 0, response)
    for name, response in {
        "OpenSession": ttypes.TOpenSessionResp(
            status=success(),
            serverProtocolVersion=PROTOCOL,
            sessionHandle=ttypes.TSessionHandle(sessionId=_identifier(0)),
        ),
        "CloseSession": ttypes.TCloseSessionResp(status=success()),
        "SetClientInfo": ttypes.TSetClientInfoResp(status=success()),
        "GetInfo": ttypes.TGetInfoResp(status=success(), infoValue=ttypes.TGetInfoValue(stringValue="Spark SQL")),
    }.items()
}


class Server(asyncio.Protocol):
    """A connection with one session."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport = cast("asyncio.Transport", transport)  # uvloop's is one in all but name
        self._transport = transport
        self._incoming = SaslTransport(LIMIT)
        self._fetched: set[int] = set()

    def data_received(self, data: bytes) -> None:
        self._incoming.receive_data(data)
        sent = []
        while (event := self._incoming.next_event()) is not None:
            if isinstance(event, Credentials):
                sent.append(self._incoming.accept())
                continue
            assert isinstance(event, bytes), event
            sent.append(frame(self._answer(event)))
        self._transport.write(b"".join(sent))

    def _answer(self, message: bytes) -> bytes:
        end = _HEAD + message[_HEAD - 1]
        name, number = message[_HEAD:end], message[end : end + 4]
        reply = _OTHERS.get(name) or self._of_statement(name, message, end + 4)
        return b"".join((reply[:end], number, reply[end + 4 :]))

    def _of_statement(self, name: bytes, message: bytes, body: int) -> bytes:
        if name == b"ExecuteStatement":
            which = next((which for which, text in enumerate(_TEXTS, 1) if text in message), 0)
            self._fetched.discard(which)
            return _OF_STATEMENTS[which][name][0]
        which = next(which for which in range(len(_SETS)) if message.find(bytes([which]) * _PART, body) >= 0)
        replies = _OF_STATEMENTS[which][name]
        later = which in self._fetched
        if name == b"FetchResults":
            self._fetched.add(which)
        return replies[-1] if later else replies[0]


class Client(asyncio.Protocol):
    """A client's session on its own connection: it runs statement after statement, each fetched and closed."""

    def __init__(self, number: int, statements: int) -> None:
        self._sasl: SaslClient | None = SaslClient(f"user{number % 50}", "x")
        self._frames = FrameReader(LIMIT)
        self._left = statements
        self._opened = asyncio.get_running_loop().create_future()
        self._ended = asyncio.get_running_loop().create_future()
        self._calls: list[bytes] = []  # the replies of the statement that have not arrived, the next one last

    @classmethod
    async def open(cls, number: int, port: int, statements: int) -> Client:
        """Return a client that is logged in."""
        loop = asyncio.get_running_loop()
        _, client = await loop.create_connection(lambda: cls(number, statements), "127.0.0.1", port)
        await client._opened
        return client

    async def work(self) -> None:
        """Run all statements of the client."""
        self._begin()
        await self._ended

    def leave(self) -> None:
        """Close the session and its connection."""
        self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport = cast("asyncio.Transport", transport)  # uvloop's is one in all but name
        self._transport = transport
        assert self._sasl is not None
        transport.write(self._sasl.greeting)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._ended.done():
            self._ended.set_exception(exc or ConnectionResetError())

    def data_received(self, data: bytes) -> None:
        if self._sasl is not None:
            self._sasl.receive_data(data)
            assert isinstance(self._sasl.next_event(), Authenticated)
            self._sasl = None
            request = ttypes.TOpenSessionReq(client_protocol=PROTOCOL)
            self._transport.write(frame(encode_call("OpenSession", 0, request)))
            return
        self._frames.receive_data(data)
        reply = self._frames.next_event()
        if reply is not None:
            self._take(reply)

    def _take(self, reply: bytes) -> None:
        if not succeeded(reply):
            self._ended.set_exception(AssertionError(reply))
        elif not self._opened.done():
            session = read_reply(reply, ttypes.TOpenSessionResp).sessionHandle
            request = ttypes.TExecuteStatementReq(sessionHandle=session, statement="SELECT 1", runAsync=True)
            self._statement = frame(encode_call("ExecuteStatement", 0, request))
            self._opened.set_result(None)
        elif (places := announced_at(reply)) is not None:
            guid, secret = (reply[at : at + _PART] for at in places)
            self._calls = [b"".join((before, guid, between, secret, last)) for before, between, last in _CALLS]
            self._transport.write(self._calls[-1])
        elif not reply.startswith(_STATUS) or _is_finished(reply):
            self._calls.pop()
            if self._calls:
                self._transport.write(self._calls[-1])
            else:
                self._begin()
        else:
            self._transport.write(self._calls[-1])  # again

    def _begin(self) -> None:
        if self._left:
            self._left -= 1
            self._transport.write(self._statement)
        elif not self._ended.done():
            self._ended.set_result(None)


def _is_finished(reply: bytes) -> bool:
    state = find(reply, (0, 2))
    return state is not None and read_i32(reply, state) == OperationState.FINISHED


def _calls() -> list[tuple[bytes, bytes, bytes]]:
    """Return the calls after ExecuteStatement, the last one first, each in three parts, between which the handle's
    halves go.
    """
    guid, secret = b"G" * _PART, b"S" * _PART
    identifier = ttypes.THandleIdentifier(guid=guid, secret=secret)
    handle = ttypes.TOperationHandle(operationId=identifier, operationType=0, hasResultSet=True)
    requests = {
        "CloseOperation": ttypes.TCloseOperationReq(operationHandle=handle),
        "FetchResults": ttypes.TFetchResultsReq(operationHandle=handle, orientation=0, maxRows=100),
        "GetOperationStatus": ttypes.TGetOperationStatusReq(operationHandle=handle),
    }
    found = []
    for name, request in requests.items():
        before, _, behind = frame(encode_call(name, 0, request)).partition(guid)
        between, _, last = behind.partition(secret)
        found.append((before, between, last))
    return found


_CALLS = _calls()
_STATUS = encode_reply("GetOperationStatus", 0, ttypes.TGetOperationStatusResp(status=success()))[: _HEAD + 18]


async def main() -> None:
    server = await asyncio.get_running_loop().create_server(Server, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main())
