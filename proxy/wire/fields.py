"""Finds, reads and replaces fields of a complete Thrift message by their paths; all other bytes stay unchanged.

A path is the list of field ids from the message's body inwards. The body of a call is a struct whose field 1 is the
request; the body of a reply is a struct whose field 0 is the response. A search in a malformed message raises
WireError.

The shape of a message is its bytes without the sequence id and the operation handle. Calls by a client that differ only
in these two parts, such as status polls, have the same shape, and so have most replies to these calls. `kept` caches
values that depend on the shape only, so that messages are decoded once per shape.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeVar

from proxy.wire.message import (
    BEFORE_NAME,
    CALL,
    FIELD,
    FIXED_SIZES,
    I32,
    LENGTH,
    LIST,
    LIST_HEAD,
    MAP,
    MAP_HEAD,
    MAX_DEPTH,
    REPLY,
    SET,
    STOP,
    STRING,
    STRUCT,
    WireError,
    body_of,
    counted,
)

T = TypeVar("T")

_STRUCT, _LIST = bytes([STRUCT]), bytes([LIST])
_PART = 16  # bytes of either part of a handle
_GUID, _SECRET = (FIELD.pack(STRING, field) + LENGTH.pack(_PART) for field in (1, 2))


@dataclass(frozen=True, slots=True)
class Span:
    """A value in a message: the number of its Thrift type, and the offsets at which its bytes start and end."""

    type: int
    start: int
    end: int


def find(message: bytes, path: tuple[int, ...]) -> Span | None:
    """Return the type and the offsets of the value at a path of field ids; None if a field on the path is absent.

    >>> from proxy.wire import CALL, write_head
    >>> message = write_head("Ping", CALL, 0) + bytes.fromhex("0c0001 0b0002 00000003 616263 00 00")
    >>> read_string(message, find(message, (1, 2)))
    'abc'
    """
    found = _descend(message, path)
    return found if isinstance(found, Span) else None


def list_length(message: bytes, path: tuple[int, ...]) -> int | None:
    """Return the number of elements of the list at a path of field ids; None if no list is there.

    The elements are not read.
    """
    offset = _inside(message, path[:-1])
    if offset is None:
        return None
    found = _seek(message, offset, path[-1])
    return counted(LIST_HEAD.unpack_from(message, found + FIELD.size)[1]) if message[found] == LIST else None


def first_list(message: bytes, path: tuple[int, ...]) -> int | None:
    """Return the length of a list inside the list at a path of field ids; None if there is no such list.

    The inner list is the first field of a struct that is the first field of the outer list's first element: in a
    columnar row set, for example, the values of the first column.
    """
    offset = _inside(message, path[:-1])
    if offset is None:
        return None
    found = _seek(message, offset, path[-1])
    head = found + FIELD.size + LIST_HEAD.size
    within = head + 2 * FIELD.size
    if message[found] != LIST or message[head : head + 1] != _STRUCT or message[within - 3 : within - 2] != _LIST:
        return None
    return counted(LIST_HEAD.unpack_from(message, within)[1])


def value_bytes(message: bytes, span: Span) -> bytes:
    """Return the bytes of the value at `span` in a message; the bytes of a string do not include its length."""
    return message[span.start + LENGTH.size if span.type == STRING else span.start : span.end]


def read_string(message: bytes, span: Span) -> str:
    """Return the text of the string value at `span` in a message; bytes that are not UTF-8 are replaced by U+FFFD."""
    return value_bytes(message, span).decode("utf-8", "replace")


def read_i32(message: bytes, span: Span) -> int:
    """Return the integer at `span` in a message, which may also be an enumeration: Thrift sends its number.

    Raise WireError if the value has a type without a fixed size, such as a string.
    """
    if span.type not in FIXED_SIZES:
        raise WireError(
            f"invalid Thrift message: a number was expected, but a value of the Thrift type {span.type} was found; "
            "check the sending program"
        )
    return int.from_bytes(message[span.start : span.end], "big", signed=True)


def with_field(message: bytes, path: tuple[int, ...], kind: int, value: bytes) -> bytes:
    """Return the message with the field at a path of field ids replaced, or added if the field is absent.

    A new field is added at the end of its struct. `kind` is the field's Thrift type. `value` is in Thrift's encoding;
    for a string it is the text's bytes without the length. Raise WireError if the message has a field of another type
    at the path, or has no struct around the field.
    """
    coded = LENGTH.pack(len(value)) + value if kind == STRING else value
    found = _descend(message, path)
    if isinstance(found, Span):
        if found.type != kind:
            raise WireError(
                f"invalid Thrift message: field {path} has the Thrift type {found.type} instead of {kind}; check the "
                "sending program"
            )
        return message[: found.start] + coded + message[found.end :]
    if found is None:
        raise WireError(
            f"invalid Thrift message: the struct that contains field {path} is missing; check the sending program"
        )
    return message[:found] + FIELD.pack(kind, path[-1]) + coded + message[found:]


def find_handle(message: bytes, path: tuple[int, ...]) -> tuple[int, int] | None:
    """Return the offsets of the id and the secret of the handle at a path of field ids; None if no handle is there.

    The id and the secret must have 16 bytes each.
    """
    look = _USUAL.get(path)
    if look is not None and (usual := look(message)) is not None:
        return usual
    start = _inside(message, path)
    if start is None:
        return None
    secret = start + len(_GUID) + _PART
    # Every known client writes handles in this layout; other layouts are parsed field by field.
    if message.startswith(_GUID, start) and message.startswith(_SECRET, secret):
        places = (start + len(_GUID), secret + len(_SECRET))
    else:
        spans = [find(message, (*path, field)) for field in (1, 2)]
        if not all(span and span.type == STRING and span.end - span.start == LENGTH.size + _PART for span in spans):
            return None
        places = (spans[0].start + LENGTH.size, spans[1].start + LENGTH.size)  # type: ignore[union-attr]
    return places if places[1] + _PART <= len(message) else None


def _descend(message: bytes, path: tuple[int, ...]) -> Span | int | None:
    """Return the type and the offsets of the value at a path of field ids, or the offset at which to insert the value.

    If only the last field of the path is absent, the field can be inserted at the offset of its struct's stop byte. If
    an earlier field is absent, return None.
    """
    offset = _inside(message, path[:-1])
    if offset is None:
        return None
    found = _seek(message, offset, path[-1])
    if message[found] == STOP:
        return found
    kind, start = message[found], found + FIELD.size
    try:
        return Span(kind, start, _skip(message, start, kind, 0))
    except (IndexError, ValueError, struct.error) as error:
        raise WireError("invalid Thrift message: a field is truncated; check the sending program") from error


def _inside(message: bytes, path: tuple[int, ...]) -> int | None:
    """Return the offset of the first field of the struct at a path of field ids; None if the struct is absent.

    The bytes after this offset are not checked.
    """
    offset = body_of(message)
    for wanted in path:
        offset = _seek(message, offset, wanted)
        if message[offset] != STRUCT:
            return None
        offset += FIELD.size
    return offset


def _seek(message: bytes, offset: int, wanted: int) -> int:
    """Return the offset of the field with the id `wanted` in the struct whose first field begins at `offset`.

    If the field is absent, return the offset of the struct's stop byte. Raise WireError if the message ends within the
    struct.
    """
    try:
        while (kind := message[offset]) != STOP:
            if message[offset + 1] << 8 | message[offset + 2] == wanted:
                return offset
            offset += FIELD.size
            size = FIXED_SIZES.get(kind)
            offset = offset + size if size else _skip(message, offset, kind, 0)
    except (IndexError, ValueError, struct.error) as error:
        raise WireError("invalid Thrift message: a field is truncated; check the sending program") from error
    return offset


def _skip(message: bytes, offset: int, kind: int, depth: int) -> int:
    """Return the offset after the value of type `kind` that begins at `offset`.

    `depth` is the number of structs and containers that enclose the value. Raise WireError if the value is nested too
    deeply, incomplete or of an unknown type.
    """
    if depth > MAX_DEPTH:
        raise WireError(
            f"invalid Thrift message: values are nested more than {MAX_DEPTH} deep; check the sending program"
        )
    size = FIXED_SIZES.get(kind)
    if size is not None:
        end = offset + size
    elif kind == STRING:
        end = offset + LENGTH.size + counted(LENGTH.unpack_from(message, offset)[0])
    elif kind == STRUCT:
        end = _skip_struct(message, offset, depth)
    elif kind in (LIST, SET):
        element, count = LIST_HEAD.unpack_from(message, offset)
        end = _skip_elements(message, offset + LIST_HEAD.size, (element,), counted(count), depth)
    elif kind == MAP:
        key, value, count = MAP_HEAD.unpack_from(message, offset)
        end = _skip_elements(message, offset + MAP_HEAD.size, (key, value), counted(count), depth)
    else:
        raise WireError(f"invalid Thrift message: a value has the unknown type {kind}; check the sending program")
    if end > len(message):
        raise WireError("invalid Thrift message: a field is truncated; check the sending program")
    return end


def _skip_struct(message: bytes, offset: int, depth: int) -> int:
    while (kind := message[offset]) != STOP:
        offset += FIELD.size
        size = FIXED_SIZES.get(kind)
        offset = offset + size if size else _skip(message, offset, kind, depth + 1)
    return offset + 1


def _skip_elements(message: bytes, offset: int, kinds: tuple[int, ...], count: int, depth: int) -> int:
    sizes = [FIXED_SIZES.get(kind) for kind in kinds]
    if all(sizes):
        return offset + count * sum(size or 0 for size in sizes)
    for _ in range(count):
        for kind in kinds:
            offset = _skip(message, offset, kind, depth + 1)
    return offset


_MINIMUM = 2 * LENGTH.size  # the two lengths of an entry, key and value


def read_map(value: bytes) -> list[tuple[bytes, bytes]]:
    """Decode a Thrift map of strings and return its entries in order; raise WireError for any other value.

    >>> read_map(write_map([(b"a", b"1"), (b"b", b"")]))
    [(b'a', b'1'), (b'b', b'')]
    """
    if len(value) < MAP_HEAD.size:
        raise WireError("invalid Thrift message: a map is truncated; check the sending program")
    key, element, count = MAP_HEAD.unpack_from(value)
    if count and (key, element) != (STRING, STRING):
        raise WireError(
            "invalid Thrift message: the configuration of a session is not a map of strings; check the program that "
            "sent it"
        )
    if not 0 <= count * _MINIMUM <= len(value):
        raise WireError(
            f"invalid Thrift message: a map declares {count} entries, more than its bytes can hold; check the sending "
            "program"
        )
    offset = MAP_HEAD.size
    texts = []
    try:
        for _ in range(2 * count):
            (length,) = LENGTH.unpack_from(value, offset)
            start, offset = offset + LENGTH.size, offset + LENGTH.size + length
            if not start <= offset <= len(value):
                raise WireError(
                    f"invalid Thrift message: a map has a string of {length} bytes, but only {len(value) - start} "
                    "bytes are left; check the sending program"
                )
            texts.append(value[start:offset])
    except struct.error as error:
        raise WireError("invalid Thrift message: a map is truncated; check the sending program") from error
    return list(zip(texts[::2], texts[1::2], strict=True))


def write_map(entries: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Encode entries (keys and values) as a Thrift map of strings."""
    texts = [text for entry in entries for text in entry]
    coded = b"".join(LENGTH.pack(len(text)) + text for text in texts)
    return MAP_HEAD.pack(STRING, STRING, len(texts) // 2) + coded


_LIMIT = 512  # bytes; longer messages have no shape
_SHAPES = 1024
# The first bytes of calls and replies, up to the length of their name.
_CALL_START, _REPLY_START = (bytes.fromhex(f"8001000{kind} 000000") for kind in (CALL, REPLY))
_SEQID = 4
_INTO = FIELD.pack(STRUCT, 1)
# the bytes between body and identifier in every known client: the starts of a request, a handle and an identifier
_TO_GUID = 3 * _INTO + _GUID
# The bytes before the identifier in a reply: a response, its status (success without further fields), a handle.
_SUCCESS = FIELD.pack(STRUCT, 1) + FIELD.pack(I32, 1) + bytes(5)
_TO_ANNOUNCED = FIELD.pack(STRUCT, 0) + _SUCCESS + FIELD.pack(STRUCT, 2) + _INTO + _GUID
_NO_HANDLE, _NO_ANNOUNCED = (before + bytes(_PART) + _SECRET + bytes(_PART) for before in (_TO_GUID, _TO_ANNOUNCED))
_ANNOUNCING = b"\0"  # begins the shapes of replies with a handle; no message begins with it


class _Look(NamedTuple):
    """The result of scanning a message: the message's shape, and the offsets of the id and the secret of its handle.

    The shape is the message without sequence id and handle. The offsets (`places`) are None if the message has no
    handle, or if its handle is not encoded as Spark and all known clients encode handles. The shape is None for a
    message of more than 512 bytes, and for a message that is neither a reply nor a call with a handle.
    """

    message: bytes
    shape: bytes | None
    places: tuple[int, int] | None


# The last small message that was scanned: a dozen functions read each message, one after the other.
_last = [_Look(b"", None, None)]


def handle_at(message: bytes) -> tuple[int, int] | None:
    """Return the offsets of the id and the secret of the handle at the start of a call's request.

    Return None if the message is not a call, or if its request does not start with a handle that is encoded as all
    known clients encode handles.
    """
    look = _last[0]
    if look.message is not message:
        look = _looked_at(message)
    return look.places if message.startswith(_CALL_START) else None


def announced_at(message: bytes) -> tuple[int, int] | None:
    """Return the offsets of the id and the secret of the operation handle in a reply that reports a started operation.

    Return None for other messages, and if the reply is not encoded as Spark encodes replies.
    """
    look = _last[0]
    if look.message is not message:
        look = _looked_at(message)
    return look.places if message.startswith(_REPLY_START) else None


def shape_of(message: bytes) -> bytes | None:
    """Return the shape of a message: the message's bytes without the sequence id and the handle.

    Return None for a message of more than 512 bytes, a call whose request does not start with a handle, and an
    exception.
    """
    look = _last[0]
    return look.shape if look.message is message else _looked_at(message).shape


def example_of(shape: bytes) -> bytes:
    """Return a message of the given shape (see `shape_of`), with zeros as its sequence id and handle."""
    before = b""
    if shape.startswith(_ANNOUNCING):
        shape, before = shape.removeprefix(_ANNOUNCING), _NO_ANNOUNCED
    elif shape.startswith(_CALL_START):
        before = _NO_HANDLE
    name = BEFORE_NAME + shape[BEFORE_NAME - 1]
    return b"".join((shape[:name], bytes(_SEQID), before, shape[name:]))


def _looked_at(message: bytes) -> _Look:
    places = None
    shape = None
    if len(message) > BEFORE_NAME:
        name = BEFORE_NAME + message[BEFORE_NAME - 1]
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


# With this cache, statements on a stand-in server that answers at once took 0.90 to 0.98 of the time without it, and
# new queries the same time: benchmarks/beside.py, two runs; a third, on a machine with a load of 28, measured 1.01 to
# 1.09.
def kept(read: Callable[[bytes], T]) -> Callable[[bytes], T]:
    """Return a function of messages that caches the results of `read` by the message's shape (see `shape_of`).

    Use `kept` only for functions whose result depends on nothing but the shape. A message without a shape is passed to
    `read` each time.
    """

    @lru_cache(_SHAPES)
    def of_shape(shape: bytes) -> T:
        return read(example_of(shape))

    def reading(message: bytes) -> T:
        shape = shape_of(message)
        return read(message) if shape is None else of_shape(shape)

    return reading


# The paths at which handles usually are, and the functions that find them there without parsing fields.
_USUAL: dict[tuple[int, ...], Callable[[bytes], tuple[int, int] | None]] = {
    (1, 1, 1): handle_at,
    (0, 2, 1): announced_at,
}
