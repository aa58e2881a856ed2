"""What a small message is but for its sequence id, and a handle: a client's calls of one kind have one shape.

Whatever is read from the other bytes has to be read once for each shape, which `kept` does. Replies have shapes, too,
without the handle of an operation that they announce.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple, TypeVar

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
# A response, its status, which is success and no more, a handle, an identifier.
_SUCCESS = FIELD.pack(STRUCT, 1) + FIELD.pack(I32, 1) + bytes(5)
_TO_ANNOUNCED = FIELD.pack(STRUCT, 0) + _SUCCESS + FIELD.pack(STRUCT, 2) + _INTO + _GUID
_NO_HANDLE, _NO_ANNOUNCED = (before + bytes(_PART) + _SECRET + bytes(_PART) for before in (_TO_GUID, _TO_ANNOUNCED))
_ANNOUNCING = b"\0"  # no message begins with that


class _Look(NamedTuple):
    """What was seen of a message: its shape, and where the two parts begin of the handle that it holds, if any."""

    message: bytes
    shape: bytes | None
    places: tuple[int, int] | None


# The last small message that was looked at: for each there are a dozen questions, one after the other.
_last = [_Look(b"", None, None)]


def handle_at(message: bytes) -> tuple[int, int] | None:
    """Where the two parts of the handle begin, of a call that begins with one; None if it is written in another way."""
    look = _last[0]
    if look.message is not message:
        look = _looked_at(message)
    return look.places if message.startswith(_CALL) else None


def announced_at(message: bytes) -> tuple[int, int] | None:
    """Where the two parts of the handle of a started operation begin in a reply as servers write it; None in others."""
    look = _last[0]
    if look.message is not message:
        look = _looked_at(message)
    return look.places if message.startswith(_REPLY) else None


def shape_of(message: bytes) -> bytes | None:
    """The shape of a small call on a handle, or of a small reply; None of all else."""
    look = _last[0]
    return look.shape if look.message is message else _looked_at(message).shape


def example_of(shape: bytes) -> bytes:
    """A message of that shape."""
    before = b""
    if shape.startswith(_ANNOUNCING):
        shape, before = shape.removeprefix(_ANNOUNCING), _NO_ANNOUNCED
    elif shape.startswith(_CALL):
        before = _NO_HANDLE
    name = _BEFORE_NAME + shape[_BEFORE_NAME - 1]
    return b"".join((shape[:name], bytes(_SEQID), before, shape[name:]))


def _looked_at(message: bytes) -> _Look:
    places = None
    shape = None
    if len(message) > _BEFORE_NAME:
        name = _BEFORE_NAME + message[_BEFORE_NAME - 1]
        if message.startswith(_CALL):
            places = _places(message, name + _SEQID, _TO_GUID)
            if places is not None:
                shape = message[:name] + message[places[1] + _PART :]
        elif message.startswith(_REPLY):
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


def kept(read: Callable[[bytes], T]) -> Callable[[bytes], T]:
    """The same function of messages, for values that depend on the shape alone and never change."""

    @lru_cache(_SHAPES)
    def of_shape(shape: bytes) -> T:
        return read(example_of(shape))

    def reading(message: bytes) -> T:
        shape = shape_of(message)
        return read(message) if shape is None else of_shape(shape)

    return reading
