"""Heads of strict TBinary messages, exceptions, and the shapes that small messages have in common.

The shape of a message is all of it but its sequence id and a handle: a client's calls of one kind have one shape, and
so have replies, without the handle of an operation that they announce. `kept` reads what the other bytes say once for
each shape.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple, TypeVar

from proxy.wire.layout import FIELD, I32, LENGTH, STRING, STRUCT, WireError

CALL, REPLY, EXCEPTION = 1, 2, 3
_VERSION = 0x80010000
_HEAD = struct.Struct(">II")
_I32 = struct.Struct(">i")
_BEFORE_NAME, _AFTER_NAME = _HEAD.size, _I32.size
_NAME_LIMIT = 256  # the longest name in the service has 21 letters


class Fault(IntEnum):
    """Kinds of TApplicationException; clients look for UNKNOWN_METHOD and fall back on something older."""

    UNKNOWN_METHOD = 1
    INTERNAL_ERROR = 6
    PROTOCOL_ERROR = 7


class Head(NamedTuple):
    """Name, type and sequence id of a message, and where its body begins."""

    name: str
    type: int
    seqid: int
    body: int


@lru_cache(64)
def _text(name: bytes) -> str:
    return name.decode("utf-8", "replace")


def read_head(data: bytes | bytearray) -> Head | None:
    """Return the head of a message; None while more bytes are needed.

    >>> read_head(write_head("GetInfo", CALL, 7))
    Head(name='GetInfo', type=1, seqid=7, body=19)
    """
    if len(data) < _HEAD.size:
        return None
    version, length = _HEAD.unpack_from(data)
    if version & 0xFFFF0000 != _VERSION:
        raise WireError(f"a message begins with {version:#010x} and not with the strict TBinary version 0x8001")
    if not 0 < length <= _NAME_LIMIT:
        raise WireError(f"a message has a name of {length} bytes; 1 to {_NAME_LIMIT} are allowed")
    end = _HEAD.size + length
    if len(data) < end + _I32.size:
        return None
    name = _text(bytes(data[_HEAD.size : end]))
    return Head(name, version & 0xFF, _I32.unpack_from(data, end)[0], end + _I32.size)


def body_of(message: bytes) -> int:
    """Return the offset of a message's body; the head is not checked here.

    >>> body_of(write_head("GetInfo", CALL, 7))
    19
    """
    try:  # asked dozens of times for each statement, and so without any call
        if message[0] == 0x80 and message[1] == 1:
            length = message[4] << 24 | message[5] << 16 | message[6] << 8 | message[7]
            return _BEFORE_NAME + length + _AFTER_NAME
    except IndexError:
        pass
    raise WireError("a message ends within its head, or has none")


def with_seqid(message: bytes, seqid: int) -> bytes:
    """Return the message under another sequence id.

    >>> read_head(with_seqid(write_head("GetInfo", CALL, 7), 8)).seqid
    8
    """
    body, number = body_of(message), _I32.pack(seqid)
    if message[body - _I32.size : body] == number:  # Python's clients number no calls: nothing is copied
        return message
    with memoryview(message) as view:  # a block of rows is long, and is copied once
        return b"".join((view[: body - _I32.size], number, view[body:]))


def name_of(message: bytes) -> bytes:
    """Return the name in a message of our own."""
    return message[_BEFORE_NAME : body_of(message) - _AFTER_NAME]


def write_head(name: str, kind: int, seqid: int) -> bytes:
    """Return the bytes of a head."""
    text = name.encode()
    return _HEAD.pack(_VERSION | kind, len(text)) + text + _I32.pack(seqid)


def counted(length: int) -> int:
    """Return a length as it was sent; raise WireError if it is negative."""
    if length < 0:
        raise WireError(f"a message holds a negative length, {length}")
    return length


def application_exception(name: str, seqid: int, fault: Fault, message: str) -> bytes:
    """Return a TApplicationException message with the name and sequence id of the call that it answers."""
    text = message.encode()
    body = b"\x0b\x00\x01" + _I32.pack(len(text)) + text + b"\x08\x00\x02" + _I32.pack(fault) + b"\x00"
    return write_head(name, EXCEPTION, seqid) + body


T = TypeVar("T")

_LIMIT = 512  # bytes of a message whose shape is looked at
_SHAPES = 1024
# How calls and replies begin, before a byte of their name's length.
_CALL_START, _REPLY_START = (bytes.fromhex(f"8001000{kind} 000000") for kind in (CALL, REPLY))
_SEQID = 4
_PART = 16  # bytes of either part of a handle
_INTO = FIELD.pack(STRUCT, 1)
_GUID, _SECRET = (FIELD.pack(STRING, field) + LENGTH.pack(_PART) for field in (1, 2))
_TO_GUID = 3 * _INTO + _GUID  # a request, a handle, an identifier, as every client writes them
# A response, its status, which is success and no more, a handle, an identifier.
_SUCCESS = FIELD.pack(STRUCT, 1) + FIELD.pack(I32, 1) + bytes(5)
_TO_ANNOUNCED = FIELD.pack(STRUCT, 0) + _SUCCESS + FIELD.pack(STRUCT, 2) + _INTO + _GUID
_NO_HANDLE, _NO_ANNOUNCED = (before + bytes(_PART) + _SECRET + bytes(_PART) for before in (_TO_GUID, _TO_ANNOUNCED))
_ANNOUNCING = b"\0"  # no message begins with that


class _Look(NamedTuple):
    """The scan of a message: its shape, and the offsets of both parts of its handle, if any."""

    message: bytes
    shape: bytes | None
    places: tuple[int, int] | None


# The last small message that was looked at: for each there are a dozen questions, one after the other.
_last = [_Look(b"", None, None)]


def handle_at(message: bytes) -> tuple[int, int] | None:
    """Return the offsets of both parts of the handle in a call that begins with one; None for another layout."""
    look = _last[0]
    if look.message is not message:
        look = _looked_at(message)
    return look.places if message.startswith(_CALL_START) else None


def announced_at(message: bytes) -> tuple[int, int] | None:
    """Return the offsets of both parts of a started operation's handle in a reply; None for another layout."""
    look = _last[0]
    if look.message is not message:
        look = _looked_at(message)
    return look.places if message.startswith(_REPLY_START) else None


def shape_of(message: bytes) -> bytes | None:
    """Return the shape of a small call on a handle, or of a small reply; None for other messages."""
    look = _last[0]
    return look.shape if look.message is message else _looked_at(message).shape


def example_of(shape: bytes) -> bytes:
    """Return a message of that shape."""
    before = b""
    if shape.startswith(_ANNOUNCING):
        shape, before = shape.removeprefix(_ANNOUNCING), _NO_ANNOUNCED
    elif shape.startswith(_CALL_START):
        before = _NO_HANDLE
    name = _BEFORE_NAME + shape[_BEFORE_NAME - 1]
    return b"".join((shape[:name], bytes(_SEQID), before, shape[name:]))


def _looked_at(message: bytes) -> _Look:
    places = None
    shape = None
    if len(message) > _BEFORE_NAME:
        name = _BEFORE_NAME + message[_BEFORE_NAME - 1]
        if message.startswith(_CALL_START):
            places = _places(message, name + _SEQID, _TO_GUID)
            if places is not None:
                shape = message[:name] + message[places[1] + _PART :]
        elif message.startswith(_REPLY_START):
            places = _places(message, name + _SEQID, _TO_ANNOUNCED)
            if places is None:
                shape = message[:name] + message[name + _SEQID :]
            else:
                shape = b"".join((_ANNOUNCING, message[:name], message[places[1] + _PART :]))
    look = _Look(message, shape, places)
    if len(message) > _LIMIT:
        return look._replace(shape=None)
    _last[0] = look
    return look


def _places(message: bytes, body: int, before: bytes) -> tuple[int, int] | None:
    guid = body + len(before)
    secret = guid + _PART + len(_SECRET)
    whole = len(message) > secret + _PART
    if whole and message.startswith(before, body) and message.startswith(_SECRET, guid + _PART):
        return guid, secret
    return None


# Before a stand-in that answers at once, a statement took 0.90 to 0.98 of the time with this cache, and new queries as
# much as without: benchmarks/beside.py, two runs; a third, on a machine with a load of 28, saw 1.01 to 1.09.
def kept(read: Callable[[bytes], T]) -> Callable[[bytes], T]:
    """Return the same function of messages, for values that depend on the shape alone and never change."""

    @lru_cache(_SHAPES)
    def of_shape(shape: bytes) -> T:
        return read(example_of(shape))

    def reading(message: bytes) -> T:
        shape = shape_of(message)
        return read(message) if shape is None else of_shape(shape)

    return reading
