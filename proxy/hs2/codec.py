"""Encodes and decodes whole Thrift messages, by Thrift's C extension if it is built.

The body of a call is a Thrift struct that has the request as field 1, and the body of a reply is a struct that has the
response as field 0. These outer structs are written and read here, so that no generated service class is needed.
`clamped`, `columnar`, `knows_timeout` and `status_held_s` describe how protocol versions differ.
"""

from __future__ import annotations

import re
from typing import Any, TypeVar

from thrift.protocol.TBinaryProtocol import TBinaryProtocol, TBinaryProtocolAccelerated
from thrift.Thrift import TApplicationException, TException
from thrift.transport.TTransport import TMemoryBuffer

from proxy.hs2.status import FAILED, Unreachable
from proxy.wire import CALL, EXCEPTION, REPLY, WireError, find, first_list, list_length, read_head, read_i32, write_head
from proxy.wire.message import Source, body_of

_REQUEST = b"\x0c\x00\x01"
_RESPONSE = b"\x0c\x00\x00"
_STOP = b"\x00"
_TYPE = 3  # the offset of the message type
_STATUS_CODE = (0, 1, 1)
_STATUS = bytes.fromhex("0c0000 0c0001 080001")
_ROWS, _COLUMNS = (0, 3, 2), (0, 3, 3)

# A columnar row set as Spark writes it: status without messages, hasMoreRows, start row, no rows, the columns.
_COLUMNAR = re.compile(
    rb"\x0c\0\0\x0c\0\x01\x08\0\x01\0{5}\x02\0\x02.\x0c\0\x03\x0a\0\x01.{8}\x0f\0\x02\x0c\0{4}"
    rb"\x0f\0\x03\x0c.{4}\x0c..\x0f\0\x01.(.{4})",
    re.DOTALL,
)

# The paths of handle identifiers in replies that return new handles.
SESSION_HANDLE, OPERATION_HANDLE = (0, 3, 1), (0, 2, 1)

_EXTENSION = TBinaryProtocolAccelerated(TMemoryBuffer())
_DECODE, _ENCODE = _EXTENSION._fast_decode, _EXTENSION._fast_encode

S = TypeVar("S")


def decode(kind: type[S], data: bytes, start: int = 0) -> S:
    """Decode a Thrift struct of the generated class `kind` from `data`, beginning at the offset `start`.

    Raise WireError if the bytes are not such a struct.
    """
    struct: Any = kind()
    try:
        if _DECODE is not None and (layout := getattr(kind, "thrift_spec", None)) is not None:
            _DECODE(struct, Source(data, start), [kind, layout])
        else:
            struct.read(TBinaryProtocol(TMemoryBuffer(data[start:]), container_length_limit=len(data)))
    except (TException, EOFError, OverflowError, TypeError, ValueError) as error:
        raise WireError(
            f"invalid Thrift message: the bytes are not a valid {kind.__name__} ({error}); check the program that sent "
            "it"
        ) from error
    return struct  # type: ignore[no-any-return]


def encode(struct: Any) -> bytes:
    """Encode a struct of a generated class in Thrift's binary protocol."""
    if _ENCODE is not None:
        encoded: bytes = _ENCODE(struct, [type(struct), struct.thrift_spec])
        return encoded
    buffer = TMemoryBuffer()
    struct.write(TBinaryProtocol(buffer))
    data: bytes = buffer.getvalue()
    return data


def encode_call(name: str, seqid: int, request: Any) -> bytes:
    """Encode a Thrift call: a header with the call's name and sequence id, then the request struct.

    The four bytes of length that precede a message in a frame are not included.
    """
    return write_head(name, CALL, seqid) + _REQUEST + encode(request) + _STOP


def encode_reply(name: str, seqid: int, response: Any) -> bytes:
    """Encode a Thrift reply: a header with the call's name and sequence id, then the response struct.

    The four bytes of length that precede a message in a frame are not included.
    """
    return write_head(name, REPLY, seqid) + _RESPONSE + encode(response) + _STOP


def read_request(message: bytes, kind: type[S]) -> S:
    """Return the request struct of a call, of the class `kind`.

    Raise WireError if the message is invalid or has no request.
    """
    start = _within(message, _REQUEST)
    if start is None:
        raise WireError("invalid Thrift message: the call contains no request; check the program that sent it")
    return decode(kind, message, start)


def read_reply(message: bytes, kind: type[S]) -> S:
    """Return the response struct of a reply, of the class `kind`.

    Raise Unreachable if the reply is a Thrift exception, is invalid, or has no response.
    """
    try:
        head = read_head(message)
        if head is not None and head.type == EXCEPTION:
            raised = decode(TApplicationException, message, head.body)
            raise Unreachable(f"Spark could not answer the call {head.name}: {raised}; see the log of Spark")
        start = _within(message, _RESPONSE)
        if start is None:
            raise WireError(f"the reply to {'a call' if head is None else head.name} contains no response")
        return decode(kind, message, start)
    except WireError as error:
        raise Unreachable(
            f"Spark sent an invalid reply: {error}; check that the upstream server is a Spark Thrift Server"
        ) from error


def succeeded(reply: bytes) -> bool:
    """Return whether the status code of a reply means success; only the first bytes of the reply are read.

    Return False for a Thrift exception and for a reply without a status code.
    """
    body = body_of(reply)
    if reply[_TYPE] == EXCEPTION:
        return False
    if reply.startswith(_STATUS, body):  # the bytes that every server writes
        return int.from_bytes(reply[body + len(_STATUS) : body + len(_STATUS) + 4], "big") not in FAILED
    code = find(reply, _STATUS_CODE)
    return code is not None and read_i32(reply, code) not in FAILED


def rows_in(reply: bytes) -> int:
    """Return the number of rows in a FetchResults reply; 0 if the reply has no rows.

    The rows may be in columnar (V6 and later) or row-based encoding.
    """
    usual = _COLUMNAR.match(reply, body_of(reply))
    if usual is not None:
        return int.from_bytes(usual[1], "big")
    return list_length(reply, _ROWS) or first_list(reply, _COLUMNS) or 0


def _within(message: bytes, field: bytes) -> int | None:
    """Return the offset of the request or response struct in a message; None if the message has none.

    `field` is the encoded head of the field that contains the struct: type and field id.
    """
    body = body_of(message)
    if message.startswith(field, body):
        return body + len(field)
    span = find(message, (field[-1],))
    return span.start if span is not None and span.type == field[0] else None


V1, V6, V8, V11 = 0, 5, 7, 10

SPARK_HOLDS_S = 5.0  # seconds for which Spark, by default, delays the reply to a status poll of a running statement


def clamped(version: int | None) -> int:
    """Return the protocol version to use with a client: the requested `version` if Viewgate knows the version.

    Return the latest version if the client requests an unknown version or none (None).

    >>> clamped(5), clamped(42247), clamped(None)
    (5, 10, 10)
    """
    return version if version is not None and V1 <= version <= V11 else V11


def columnar(version: int) -> bool:
    """Return whether clients that use a protocol version get row sets as columns (V6 and later).

    `version` is Thrift's number of the version, which is 5 for V6. Clients of older versions get row sets as rows, and
    binary values as strings.
    """
    return version >= V6


def knows_timeout(version: int) -> bool:
    """Return whether clients of a protocol version know the operation state TIMEDOUT (V9 and later).

    `version` is Thrift's number of the version, which is 8 for V9. A client that does not know TIMEDOUT would take the
    operation for a running one and poll its status forever.
    """
    return version > V8


def status_held_s(version: int) -> float:
    """Return the seconds for which Viewgate delays the reply to a status poll of a running statement.

    `version` is Thrift's number of the protocol version. The delay keeps clients from polling too often. Clients of V7
    and later (Hive JDBC) poll again at once, and cannot cancel the statement during a poll: the delay is 30 ms. Clients
    of V6 (PyHive, used by dbt and Superset, and impyla) sleep for up to five seconds after each reply that says
    "running": the delay is Spark's, 5 s.

    >>> status_held_s(V6), status_held_s(V8)
    (5.0, 0.03)
    """
    return 0.03 if version > V6 else SPARK_HOLDS_S
