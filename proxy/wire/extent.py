"""Whether bytes are a whole message, told by its own structure: a row set of 10,000 strings in a fraction of a ms."""

from __future__ import annotations

from thrift.protocol.TBinaryProtocol import TBinaryProtocolAccelerated
from thrift.protocol.TProtocol import TProtocolException
from thrift.transport.TTransport import TMemoryBuffer

from proxy.wire.errors import WireError
from proxy.wire.message import read_head
from proxy.wire.reader import MessageReader


class _AnyStruct:
    """A struct that knows no field, so that each is skipped, which Thrift's C extension does without an object each."""


_NO_FIELDS = [_AnyStruct, ()]


def is_whole(message: bytes) -> bool:
    r"""Whether a message ends with the last of these bytes, and not before or behind it.

    >>> from proxy.wire import REPLY, write_head
    >>> message = write_head("Ping", REPLY, 0) + bytes.fromhex("080001 00000000 00")
    >>> is_whole(message), is_whole(message[:-1]), is_whole(message + b"\0")
    (True, False, False)
    """
    head = read_head(message)
    if head is None:
        return False
    buffer = TMemoryBuffer(message)
    protocol = TBinaryProtocolAccelerated(buffer, string_length_limit=len(message), container_length_limit=len(message))
    if protocol._fast_decode is None:
        return _is_whole_slowly(message)
    buffer.cstringio_buf.seek(head.body)
    try:
        protocol._fast_decode(_AnyStruct(), protocol, _NO_FIELDS)
    except (EOFError, OverflowError, TProtocolException, TypeError, ValueError):
        # Not all there, or nothing that can be read: the reader of messages, asked next, says which and why.
        return False
    return bool(buffer.cstringio_buf.tell() == len(message))


def _is_whole_slowly(message: bytes) -> bool:
    reader = MessageReader(len(message))
    reader.receive_data(message)
    try:
        return reader.next_event() is not None and not reader.buffered
    except WireError:
        return False
