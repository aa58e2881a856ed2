"""Heads of strict TBinary messages, and the exception that answers a call which cannot be."""

from __future__ import annotations

import struct
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from proxy.wire.errors import WireError

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
    """The head of a message; None while more bytes are needed.

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
    """Where the body of a message begins, of which the head is known to be good or is looked at elsewhere.

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
    """The message under another sequence id.

    >>> read_head(with_seqid(write_head("GetInfo", CALL, 7), 8)).seqid
    8
    """
    body, number = body_of(message), _I32.pack(seqid)
    if message[body - _I32.size : body] == number:  # Python's clients number no calls: nothing is copied
        return message
    with memoryview(message) as view:  # a block of rows is long, and is copied once
        return b"".join((view[: body - _I32.size], number, view[body:]))


def name_of(message: bytes) -> bytes:
    """The name in a message of our own."""
    return message[_BEFORE_NAME : body_of(message) - _AFTER_NAME]


def write_head(name: str, kind: int, seqid: int) -> bytes:
    """The bytes of a head."""
    text = name.encode()
    return _HEAD.pack(_VERSION | kind, len(text)) + text + _I32.pack(seqid)


def application_exception(name: str, seqid: int, fault: Fault, message: str) -> bytes:
    """A whole TApplicationException message, under the name and sequence id of the call that it answers."""
    text = message.encode()
    body = b"\x0b\x00\x01" + _I32.pack(len(text)) + text + b"\x08\x00\x02" + _I32.pack(fault) + b"\x00"
    return write_head(name, EXCEPTION, seqid) + body
