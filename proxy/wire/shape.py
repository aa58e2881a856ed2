"""What a small message is but for its sequence id, and a call's handle: a client's calls of one kind have one shape.

Whatever is read from the other bytes has to be read once for each shape, which `kept` does. Replies have shapes, too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

from proxy.wire.layout import FIELD, I32, LENGTH, STRING, STRUCT
from proxy.wire.message import CALL, REPLY

T = TypeVar("T")

_LIMIT = 512  # bytes of a message whose shape is looked at
_SHAPES = 1024
_CALL, _REPLY = (bytes.fromhex(f"8001000{kind} 000000") for kind in (CALL, REPLY))  # and a byte of a name's length
_BEFORE_NAME, _SEQID = 8, 4
_PART = 16  # bytes of either part of a handle
_INTO = FIELD.pack(STRUCT, 1)
_GUID, _SECRET = (FIELD.pack(STRING, field) + LENGTH.pack(_PART) for field in (1, 2))
_TO_GUID = 3 * _INTO + _GUID  # a request, a handle, an identifier, as every client writes them
_TO_SECRET = len(_TO_GUID) + _PART
# A response, its status, which is success and no more, a handle, an identifier.
_SUCCESS = FIELD.pack(STRUCT, 1) + FIELD.pack(I32, 1) + bytes(5)
_TO_ANNOUNCED = FIELD.pack(STRUCT, 0) + _SUCCESS + FIELD.pack(STRUCT, 2) + _INTO + _GUID
_GUID_AT, _SECRET_AT = len(_TO_GUID), _TO_SECRET + len(_SECRET)
_HANDLE_END = _SECRET_AT + _PART
_NO_HANDLE = _TO_GUID + bytes(_PART) + _SECRET + bytes(_PART)


def handle_at(message: bytes) -> tuple[int, int] | None:
    """Where the two parts of the handle begin, of a call that begins with one; None if it is written in another way."""
    if not message.startswith(_CALL) or len(message) <= _BEFORE_NAME:
        return None
    body = _BEFORE_NAME + message[_BEFORE_NAME - 1] + _SEQID
    whole = len(message) > body + _HANDLE_END
    if whole and message.startswith(_TO_GUID, body) and message.startswith(_SECRET, body + _TO_SECRET):
        return body + _GUID_AT, body + _SECRET_AT
    return None


def announced_at(message: bytes) -> tuple[int, int] | None:
    """Where the two parts of the handle of a started operation begin in a reply as servers write it; None in others."""
    if not message.startswith(_REPLY) or len(message) <= _BEFORE_NAME:
        return None
    guid = _BEFORE_NAME + message[_BEFORE_NAME - 1] + _SEQID + len(_TO_ANNOUNCED)
    secret = guid + _PART + len(_SECRET)
    whole = len(message) > secret + _PART
    if whole and message.endswith(_TO_ANNOUNCED, 0, guid) and message.endswith(_SECRET, 0, secret):
        return guid, secret
    return None


def shape_of(message: bytes) -> bytes | None:
    """The shape of a small call on a handle, or of a small reply; None of all else."""
    if len(message) > _LIMIT:
        return None
    if message.startswith(_REPLY) and len(message) > _BEFORE_NAME:
        name = _BEFORE_NAME + message[_BEFORE_NAME - 1]
        return message[:name] + message[name + _SEQID :]
    places = handle_at(message)
    if places is None:
        return None
    guid, secret = places
    return message[: guid - _GUID_AT - _SEQID] + message[secret + _PART :]


def example_of(shape: bytes) -> bytes:
    """A message of that shape."""
    name = _BEFORE_NAME + shape[_BEFORE_NAME - 1]
    handle = _NO_HANDLE if shape.startswith(_CALL) else b""
    return b"".join((shape[:name], bytes(_SEQID), handle, shape[name:]))


def kept(read: Callable[[bytes], T]) -> Callable[[bytes], T]:
    """The same function of messages, for values that depend on the shape alone and never change."""

    @lru_cache(_SHAPES)
    def of_shape(shape: bytes) -> T:
        return read(example_of(shape))

    def reading(message: bytes) -> T:
        shape = shape_of(message)
        return read(message) if shape is None else of_shape(shape)

    return reading
