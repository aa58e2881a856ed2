"""Reads and writes messages of Thrift's strict binary protocol (TBinary): values, heads and exceptions.

`MessageReader` splits a stream that arrives in pieces into messages; `is_whole` checks whether bytes are one message.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from io import BytesIO
from typing import NamedTuple

from thrift.protocol.TBinaryProtocol import TBinaryProtocolAccelerated
from thrift.protocol.TProtocol import TProtocolException
from thrift.transport.TTransport import TMemoryBuffer


class WireError(Exception):
    """The error for bytes from a peer that cannot be decoded; the connection to the peer must then be closed."""


# Thrift's numbers of the types of values.
STOP, BOOL, BYTE, DOUBLE, I16, I32, I64 = 0, 2, 3, 4, 6, 8, 10
STRING, STRUCT, MAP, SET, LIST, UUID = 11, 12, 13, 14, 15, 16

FIXED_SIZES = {BOOL: 1, BYTE: 1, DOUBLE: 8, I16: 2, I32: 4, I64: 8, UUID: 16}

LENGTH = struct.Struct(">i")
FIELD = struct.Struct(">Bh")
LIST_HEAD = struct.Struct(">Bi")
MAP_HEAD = struct.Struct(">BBi")

MAX_DEPTH = 32  # levels; the service's own types nest 9 deep


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits for the content of a message: bytes of a string, elements of a container, and depth of nesting."""

    string: int = 1 << 31
    container: int = 1 << 31
    nesting: int = MAX_DEPTH


CALL, REPLY, EXCEPTION = 1, 2, 3
_VERSION = 0x80010000
_HEAD = struct.Struct(">II")
BEFORE_NAME, _AFTER_NAME = _HEAD.size, LENGTH.size
_NAME_LIMIT = 256  # the longest name in the service has 21 letters


class Fault(IntEnum):
    """The types of a TApplicationException; after UNKNOWN_METHOD, a client tries a call of an older protocol."""

    UNKNOWN_METHOD = 1
    INTERNAL_ERROR = 6
    PROTOCOL_ERROR = 7


class Head(NamedTuple):
    """The head of a message: name, type (CALL, REPLY or EXCEPTION), sequence id, and the offset of the body."""

    name: str
    type: int
    seqid: int
    body: int


@lru_cache(64)
def _text(name: bytes) -> str:
    return name.decode("utf-8", "replace")


def read_head(data: bytes | bytearray) -> Head | None:
    """Return the head of a message; None if the bytes are too short for the head.

    Raise WireError if the bytes do not start with a strict TBinary head.

    >>> read_head(write_head("GetInfo", CALL, 7))
    Head(name='GetInfo', type=1, seqid=7, body=19)
    """
    if len(data) < _HEAD.size:
        return None
    version, length = _HEAD.unpack_from(data)
    if version & 0xFFFF0000 != _VERSION:
        raise WireError(
            f"invalid Thrift message: the version is {version:#010x} instead of 0x8001 (strict TBinary); check the "
            "transport and port of the sender"
        )
    if not 0 < length <= _NAME_LIMIT:
        raise WireError(
            f"invalid Thrift message: the name has {length} bytes, but 1 to {_NAME_LIMIT} are allowed; check the "
            "sending program"
        )
    end = _HEAD.size + length
    if len(data) < end + LENGTH.size:
        return None
    name = _text(bytes(data[_HEAD.size : end]))
    return Head(name, version & 0xFF, LENGTH.unpack_from(data, end)[0], end + LENGTH.size)


def body_of(message: bytes) -> int:
    """Return the offset of a message's body, computed from the length of the name in the message's head.

    Nothing else is checked than the version in the head. Raise WireError if the version is not the version of strict
    TBinary, or if the message ends before the name.

    >>> body_of(write_head("GetInfo", CALL, 7))
    19
    """
    try:  # called dozens of times per statement, so it makes no further calls
        if message[0] == 0x80 and message[1] == 1:
            length = message[4] << 24 | message[5] << 16 | message[6] << 8 | message[7]
            return BEFORE_NAME + length + _AFTER_NAME
    except IndexError:
        pass
    raise WireError("invalid Thrift message: the header is missing or truncated; check the sending program")


def with_seqid(message: bytes, seqid: int) -> bytes:
    """Return the message with `seqid` as the sequence id in its head.

    >>> read_head(with_seqid(write_head("GetInfo", CALL, 7), 8)).seqid
    8
    """
    body, number = body_of(message), LENGTH.pack(seqid)
    if message[body - LENGTH.size : body] == number:  # Python's clients send 0 in every call: nothing to copy
        return message
    with memoryview(message) as view:  # a block of rows is long, and is copied once only
        return b"".join((view[: body - LENGTH.size], number, view[body:]))


def name_of(message: bytes) -> bytes:
    """Return the name in the head of a message; the head must be valid."""
    return message[BEFORE_NAME : body_of(message) - _AFTER_NAME]


def write_head(name: str, kind: int, seqid: int) -> bytes:
    """Encode the head of a message: its name, its type (CALL, REPLY or EXCEPTION) and its sequence id."""
    text = name.encode()
    return _HEAD.pack(_VERSION | kind, len(text)) + text + LENGTH.pack(seqid)


def counted(length: int) -> int:
    """Return a length or count read from a message unchanged; raise WireError if the number is negative."""
    if length < 0:
        raise WireError(f"invalid Thrift message: a length is negative ({length}); check the sending program")
    return length


def application_exception(name: str, seqid: int, fault: Fault, message: str) -> bytes:
    """Encode a TApplicationException of the type `fault` as the reply to the call with this name and sequence id.

    `message` is the text of the error.
    """
    text = message.encode()
    body = b"\x0b\x00\x01" + LENGTH.pack(len(text)) + text + b"\x08\x00\x02" + LENGTH.pack(fault) + b"\x00"
    return write_head(name, EXCEPTION, seqid) + body


_UNBOUND = Bounds()

# An open struct (None) or container (its element types, and how many elements are left) during a scan.
_Open = tuple[tuple[int, ...], int] | None


class MessageReader:
    r"""A splitter of a stream of bytes into complete TBinary messages; each byte is scanned once.

    >>> from proxy.wire import CALL, write_head
    >>> reader = MessageReader(limit=100)
    >>> reader.receive_data(write_head("Ping", CALL, 0) + b"\x00tail")
    >>> len(reader.next_event()), reader.buffered
    (17, 4)
    """

    def __init__(self, limit: int, bounds: Bounds = _UNBOUND) -> None:
        self.limit = limit
        self._bounds = bounds
        self._buffer = bytearray()
        self._offset = 0
        self._open: list[_Open] = []

    @property
    def buffered(self) -> int:
        """The number of bytes received so far of a message that is not complete yet."""
        return len(self._buffer)

    def receive_data(self, data: bytes) -> None:
        self._buffer += data

    def next_event(self) -> bytes | None:
        """Return the next complete message; None while more bytes are needed.

        Raise WireError if the message is invalid or exceeds a limit.
        """
        if not self._offset and not self._begin():
            return None
        while self._open:
            if not (self._field() if self._open[-1] is None else self._elements()):
                self._check_size(len(self._buffer))
                return None
        if self._offset > len(self._buffer):
            return None
        message = bytes(self._buffer[: self._offset])
        del self._buffer[: self._offset]
        self._offset = 0
        return message

    def _begin(self) -> bool:
        head = read_head(self._buffer)
        if head is None:
            return False
        self._offset = head.body
        self._open = [None]
        return True

    def _has(self, count: int) -> bool:
        return self._offset + count <= len(self._buffer)

    def _check_size(self, size: int) -> None:
        if size > self.limit:
            raise WireError(
                f"a Thrift message of {size} bytes or more exceeds the limit of {self.limit} bytes; send shorter "
                "messages"
            )

    def _advance(self, count: int) -> None:
        self._offset += count
        self._check_size(self._offset)

    def _field(self) -> bool:
        """Scan the next field of the innermost open struct, or the struct's end; return False if bytes are missing."""
        if not self._has(1):
            return False
        kind = self._buffer[self._offset]
        if kind == STOP:
            self._advance(1)
            self._open.pop()
            return True
        # The head of the value must have arrived, too: a field is scanned whole or not at all.
        before = self._offset
        if not self._has(FIELD.size):
            return False
        self._offset += FIELD.size
        if self._value(kind):
            return True
        self._offset = before
        return False

    def _elements(self) -> bool:
        """Scan the next element of the innermost open container, or the container's end.

        Return False if more bytes are needed.
        """
        top = self._open[-1]
        assert top is not None
        kinds, remaining = top
        if not remaining:
            self._open.pop()
            return True
        depth = len(self._open) - 1
        if not self._value(kinds[remaining % len(kinds)]):
            return False
        self._open[depth] = (kinds, remaining - 1)
        return True

    def _value(self, kind: int) -> bool:
        """Scan a value of the type `kind`, or its start; return False, with nothing changed, if bytes are missing.

        A value of fixed size, a string, and a list of values of fixed size are scanned whole. Of any other container
        only the head is scanned, and of a struct nothing: the container or struct is then pushed on the stack of open
        values, and the caller scans its content next.
        """
        size = FIXED_SIZES.get(kind)
        if size is not None:
            self._advance(size)
            return True
        if kind == STRUCT:
            self._push(None)
            return True
        if kind == STRING:
            return self._string()
        if kind in (LIST, SET):
            return self._list()
        if kind == MAP:
            return self._map()
        raise WireError(f"invalid Thrift message: a value has the unknown type {kind}; check the sending program")

    def _string(self) -> bool:
        if not self._has(LENGTH.size):
            return False
        (length,) = LENGTH.unpack_from(self._buffer, self._offset)
        if length > self._bounds.string:
            raise WireError(
                f"a string of {length} bytes in a Thrift message exceeds the limit of {self._bounds.string} bytes; an "
                "administrator can raise [limits] string"
            )
        self._advance(LENGTH.size + counted(length))
        return True

    def _list(self) -> bool:
        if not self._has(LIST_HEAD.size):
            return False
        kind, count = LIST_HEAD.unpack_from(self._buffer, self._offset)
        self._check_count(count)
        self._advance(LIST_HEAD.size)
        size = FIXED_SIZES.get(kind)
        if size is not None:
            self._advance(size * counted(count))
        else:
            self._push(((kind,), counted(count)))
        return True

    def _map(self) -> bool:
        if not self._has(MAP_HEAD.size):
            return False
        key, value, count = MAP_HEAD.unpack_from(self._buffer, self._offset)
        self._check_count(count)
        self._advance(MAP_HEAD.size)
        # The counter starts even and is decremented: at even counts a key follows, at odd ones a value.
        self._push(((key, value), 2 * counted(count)))
        return True

    def _check_count(self, count: int) -> None:
        if count > self._bounds.container:
            raise WireError(
                f"a list, set or map of {count} elements in a Thrift message exceeds the limit of "
                f"{self._bounds.container} elements; an administrator can raise [limits] container"
            )

    def _push(self, opened: _Open) -> None:
        if len(self._open) >= self._bounds.nesting:
            raise WireError(
                f"invalid Thrift message: values are nested more than {self._bounds.nesting} deep; an administrator "
                "can raise [limits] nesting"
            )
        self._open.append(opened)


class _AnyStruct:
    """A struct class without fields, with which Thrift's C extension skips all fields without creating objects."""


_ANY = _AnyStruct()
_NO_FIELDS = [_AnyStruct, ()]
_PASS = TBinaryProtocolAccelerated(TMemoryBuffer())._fast_decode


class Source:
    """The input of Thrift's C extension, in place of a transport and a protocol.

    The object has only the attributes that the C extension reads: a real transport would take longer to create.
    """

    __slots__ = ("container_length_limit", "cstringio_buf", "string_length_limit")

    def __init__(self, data: bytes, start: int) -> None:
        self.cstringio_buf = BytesIO(data)
        self.cstringio_buf.seek(start)
        self.string_length_limit = self.container_length_limit = len(data)

    @property
    def trans(self) -> Source:
        """The transport of this protocol, which is this object itself.

        The object is not stored in an attribute, because the reference cycle would keep the data until the next garbage
        collection.
        """
        return self

    def cstringio_refill(self, _partial: bytes, _wanted: int) -> None:
        """Raise EOFError, because the C extension has read all bytes and requests more."""
        raise EOFError


def is_whole(message: bytes) -> bool:
    r"""Return whether the bytes are exactly one complete message.

    >>> from proxy.wire import REPLY, write_head
    >>> message = write_head("Ping", REPLY, 0) + bytes.fromhex("080001 00000000 00")
    >>> is_whole(message), is_whole(message[:-1]), is_whole(message + b"\0")
    (True, False, False)
    """
    try:
        body = body_of(message)
    except WireError:
        return False
    if body >= len(message):  # the extension would read beyond the end
        return False
    if _PASS is None:
        return _is_whole_slowly(message)
    source = Source(message, body)
    try:
        _PASS(_ANY, source, _NO_FIELDS)
    except (EOFError, OverflowError, TProtocolException, TypeError, ValueError):
        # Incomplete or invalid bytes: the caller then uses MessageReader, which waits for more bytes or raises the
        # error.
        return False
    return bool(source.cstringio_buf.tell() == len(message))


_OPENING = bytes([STRUCT, MAP, SET, LIST])


def check_bounds(message: bytes, bounds: Bounds) -> None:
    """Raise WireError if the content of a complete message exceeds the limits.

    >>> from proxy.wire import CALL, write_head
    >>> ping = write_head("Ping", CALL, 0) + bytes.fromhex("0b0001 00000003 616263 00")
    >>> check_bounds(ping, Bounds(string=2))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    proxy.wire.message.WireError: a string of 3 bytes in a Thrift message exceeds the limit of 2 bytes; ...
    """
    # No string or container can be longer than the message, and nesting cannot be deeper than the number of bytes that
    # could open a value.
    openings = len(message) - len(message.translate(None, _OPENING))
    if len(message) > bounds.string or len(message) > bounds.container or openings >= bounds.nesting:
        reader = MessageReader(len(message), bounds)
        reader.receive_data(message)
        reader.next_event()


def _is_whole_slowly(message: bytes) -> bool:
    reader = MessageReader(len(message))
    reader.receive_data(message)
    try:
        return reader.next_event() is not None and not reader.buffered
    except WireError:
        return False
