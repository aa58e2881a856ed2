"""Whether bytes are a whole message, told by its own structure: a row set of 10,000 strings in a fraction of a ms."""

from __future__ import annotations

from io import BytesIO

from thrift.protocol.TBinaryProtocol import TBinaryProtocolAccelerated
from thrift.protocol.TProtocol import TProtocolException
from thrift.transport.TTransport import TMemoryBuffer

from proxy.wire.errors import WireError
from proxy.wire.layout import LIST, MAP, SET, STRUCT, Bounds
from proxy.wire.message import body_of
from proxy.wire.reader import MessageReader
from proxy.wire.shape import kept


class _AnyStruct:
    """A struct that knows no field, so that each is skipped, which Thrift's C extension does without an object each."""


_ANY = _AnyStruct()
_NO_FIELDS = [_AnyStruct, ()]
_PASS = TBinaryProtocolAccelerated(TMemoryBuffer())._fast_decode


class Source:
    """What Thrift's extension looks at of a transport and of the protocol over it, to make which takes longer."""

    __slots__ = ("container_length_limit", "cstringio_buf", "string_length_limit")

    def __init__(self, data: bytes, start: int) -> None:
        self.cstringio_buf = BytesIO(data)
        self.cstringio_buf.seek(start)
        self.string_length_limit = self.container_length_limit = len(data)

    @property
    def trans(self) -> Source:
        """Itself: kept in a field, it would keep the data, until all garbage is collected."""
        return self

    def cstringio_refill(self, _partial: bytes, _wanted: int) -> None:
        """There is no more."""
        raise EOFError


@kept
def is_whole(message: bytes) -> bool:
    r"""Whether a message ends with the last of these bytes, and not before or behind it.

    >>> from proxy.wire import REPLY, write_head
    >>> message = write_head("Ping", REPLY, 0) + bytes.fromhex("080001 00000000 00")
    >>> is_whole(message), is_whole(message[:-1]), is_whole(message + b"\0")
    (True, False, False)
    """
    try:
        body = body_of(message)
    except WireError:
        return False
    if body >= len(message):  # the extension would read on behind the end
        return False
    if _PASS is None:
        return _is_whole_slowly(message)
    source = Source(message, body)
    try:
        _PASS(_ANY, source, _NO_FIELDS)
    except (EOFError, OverflowError, TProtocolException, TypeError, ValueError):
        # Not all there, or nothing that can be read: the reader of messages, asked next, says which and why.
        return False
    return bool(source.cstringio_buf.tell() == len(message))


_OPENING = bytes([STRUCT, MAP, SET, LIST])


def check_bounds(message: bytes, bounds: Bounds) -> None:
    """Raise WireError if a whole message holds more than it may.

    >>> from proxy.wire import CALL, write_head
    >>> check_bounds(write_head("Ping", CALL, 0) + bytes.fromhex("0b0001 00000003 616263 00"), Bounds(string=2))
    Traceback (most recent call last):
    proxy.wire.errors.WireError: a string of 3 bytes is over the limit of 2 bytes
    """
    # What is inside of it cannot be longer than the message is, nor deeper than it has bytes that could open a value.
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
