"""Fields of a whole message: found by path, read, replaced; all other bytes stay as they are.

A path is the field ids from the body inwards: the body of a call is a struct whose field 1 is the
request, the body of a reply one whose field 0 is the response.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from proxy.wire.errors import WireError
from proxy.wire.layout import (
    FIELD,
    FIXED_SIZES,
    LENGTH,
    LIST,
    LIST_HEAD,
    MAP,
    MAP_HEAD,
    MAX_DEPTH,
    SET,
    STOP,
    STRING,
    STRUCT,
)
from proxy.wire.message import read_head


@dataclass(frozen=True, slots=True)
class Span:
    """A value's type, and the offsets at which it begins and ends."""

    type: int
    start: int
    end: int


def find(message: bytes, path: tuple[int, ...]) -> Span | None:
    """The value at a path; None if a field on the way is absent.

    >>> from proxy.wire import CALL, write_head
    >>> message = write_head("Ping", CALL, 0) + bytes.fromhex("0c0001 0b0002 00000003 616263 00 00")
    >>> read_string(message, find(message, (1, 2)))
    'abc'
    """
    found = _descend(message, path)
    return found if isinstance(found, Span) else None


def value_bytes(message: bytes, span: Span) -> bytes:
    """The bytes of a value; of a string, without its length."""
    return message[span.start + LENGTH.size if span.type == STRING else span.start : span.end]


def read_string(message: bytes, span: Span) -> str:
    """The text of a string."""
    return value_bytes(message, span).decode("utf-8", "replace")


def read_i32(message: bytes, span: Span) -> int:
    """The number in a 32-bit field, which is also how enumerations travel."""
    if span.type not in FIXED_SIZES:
        raise WireError(f"a number was expected and a value of type {span.type} was found")
    return int.from_bytes(message[span.start : span.end], "big", signed=True)


def with_field(message: bytes, path: tuple[int, ...], kind: int, value: bytes) -> bytes:
    """The message with the field at a path set: replaced where it is, else added at its struct's end.

    `value` is as it travels; for a string it is the text's bytes alone.
    """
    coded = LENGTH.pack(len(value)) + value if kind == STRING else value
    found = _descend(message, path)
    if isinstance(found, Span):
        if found.type != kind:
            raise WireError(f"field {path} has the type {found.type} and not {kind}")
        return message[: found.start] + coded + message[found.end :]
    if found is None:
        raise WireError(f"the struct around field {path} is absent")
    return message[:found] + FIELD.pack(kind, path[-1]) + coded + message[found:]


def _descend(message: bytes, path: tuple[int, ...]) -> Span | int | None:
    """The value at a path; or the offset of the stop byte of the struct that lacks only the last field; or None."""
    head = read_head(message)
    if head is None:
        raise WireError("a message ends within its head")
    offset = head.body
    for step, wanted in enumerate(path):
        found = _field(message, offset, wanted)
        last = step == len(path) - 1
        if last or isinstance(found, int):
            return found if last else None
        if found.type != STRUCT:
            return None
        offset = found.start
    return None


def _field(message: bytes, offset: int, wanted: int) -> Span | int:
    """The field with that id of the struct at an offset; the offset of its stop byte if there is none."""
    try:
        while message[offset] != STOP:
            kind, field_id = FIELD.unpack_from(message, offset)
            start = offset + FIELD.size
            offset = _skip(message, start, kind, 0)
            if field_id == wanted:
                return Span(kind, start, offset)
    except (IndexError, ValueError, struct.error) as error:
        raise WireError("a message ends within a field") from error
    return offset


def _skip(message: bytes, offset: int, kind: int, depth: int) -> int:
    """The offset behind a value."""
    if depth > MAX_DEPTH:
        raise WireError(f"a message nests values more than {MAX_DEPTH} deep")
    size = FIXED_SIZES.get(kind)
    if size is not None:
        end = offset + size
    elif kind == STRING:
        end = offset + LENGTH.size + _count(LENGTH.unpack_from(message, offset)[0])
    elif kind == STRUCT:
        end = _skip_struct(message, offset, depth)
    elif kind in (LIST, SET):
        element, count = LIST_HEAD.unpack_from(message, offset)
        end = _skip_elements(message, offset + LIST_HEAD.size, (element,), _count(count), depth)
    elif kind == MAP:
        key, value, count = MAP_HEAD.unpack_from(message, offset)
        end = _skip_elements(message, offset + MAP_HEAD.size, (key, value), _count(count), depth)
    else:
        raise WireError(f"a message holds a value of the unknown type {kind}")
    if end > len(message):
        raise WireError("a message ends within a field")
    return end


def _skip_struct(message: bytes, offset: int, depth: int) -> int:
    while message[offset] != STOP:
        kind = message[offset]
        offset = _skip(message, offset + FIELD.size, kind, depth + 1)
    return offset + 1


def _skip_elements(message: bytes, offset: int, kinds: tuple[int, ...], count: int, depth: int) -> int:
    sizes = [FIXED_SIZES.get(kind) for kind in kinds]
    if all(sizes):
        return offset + count * sum(size or 0 for size in sizes)
    for _ in range(count):
        for kind in kinds:
            offset = _skip(message, offset, kind, depth + 1)
    return offset


def _count(length: int) -> int:
    if length < 0:
        raise WireError(f"a message holds a negative length, {length}")
    return length
