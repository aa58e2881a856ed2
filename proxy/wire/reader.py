"""Where a message ends, when it comes in any number of pieces and nothing else says its length."""

from __future__ import annotations

from proxy.wire.errors import WireError
from proxy.wire.layout import (
    FIELD,
    FIXED_SIZES,
    LENGTH,
    LIST,
    LIST_HEAD,
    MAP,
    MAP_HEAD,
    SET,
    STOP,
    STRING,
    STRUCT,
    Bounds,
    counted,
)
from proxy.wire.message import read_head

_UNBOUND = Bounds()

# What is open while a message is scanned: a struct (None), or a container's element types and how many are to come.
_Open = tuple[tuple[int, ...], int] | None


class MessageReader:
    r"""Cuts a stream of bytes into whole TBinary messages; each byte is looked at once.

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
        """How many bytes wait for the rest of their message."""
        return len(self._buffer)

    def receive_data(self, data: bytes) -> None:
        self._buffer += data

    def next_event(self) -> bytes | None:
        """The next whole message; None while more bytes are needed."""
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
            raise WireError(f"a message of {size} bytes or more is over the limit of {self.limit} bytes")

    def _advance(self, count: int) -> None:
        self._offset += count
        self._check_size(self._offset)

    def _field(self) -> bool:
        """Pass the next field of the innermost struct, or its end."""
        if not self._has(1):
            return False
        kind = self._buffer[self._offset]
        if kind == STOP:
            self._advance(1)
            self._open.pop()
            return True
        # The value's head must be there too: a field is passed whole or not at all.
        before = self._offset
        if not self._has(FIELD.size):
            return False
        self._offset += FIELD.size
        if self._value(kind):
            return True
        self._offset = before
        return False

    def _elements(self) -> bool:
        """Pass the next element of the innermost container, or its end."""
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
        """Pass a value, or open it; False, with nothing changed, if its head is not there yet."""
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
        raise WireError(f"a message holds a value of the unknown type {kind}")

    def _string(self) -> bool:
        if not self._has(LENGTH.size):
            return False
        (length,) = LENGTH.unpack_from(self._buffer, self._offset)
        if length > self._bounds.string:
            raise WireError(f"a string of {length} bytes is over the limit of {self._bounds.string} bytes")
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
        # Counted down from an even number: keys come at even counts, values at odd ones.
        self._push(((key, value), 2 * counted(count)))
        return True

    def _check_count(self, count: int) -> None:
        if count > self._bounds.container:
            raise WireError(f"a container of {count} elements is over the limit of {self._bounds.container}")

    def _push(self, opened: _Open) -> None:
        if len(self._open) >= self._bounds.nesting:
            raise WireError(f"a message nests values more than {self._bounds.nesting} deep")
        self._open.append(opened)
