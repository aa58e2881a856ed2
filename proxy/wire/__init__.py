"""Bytes to messages and back, without any socket: feed `receive_data`, ask `next_event`.

`sasl` shakes hands on either side, `frames` cuts what follows, `reader` finds where a Thrift message
ends however it is cut, `message` reads and writes heads and exceptions, `fields` patches a message in
place. `transport_of` tells transports apart by the first byte of a connection.
"""

from proxy.wire.errors import WireError
from proxy.wire.fields import Span, find, read_i32, read_string, value_bytes, with_field
from proxy.wire.frames import FrameReader, frame
from proxy.wire.maps import read_map, write_map
from proxy.wire.message import CALL, EXCEPTION, REPLY, Fault, Head, application_exception, read_head, write_head
from proxy.wire.reader import MessageReader
from proxy.wire.sasl import Authenticated, Credentials, Refused, SaslClient, SaslServer
from proxy.wire.transport import Transport, transport_of

__all__ = [
    "CALL",
    "EXCEPTION",
    "REPLY",
    "Authenticated",
    "Credentials",
    "Fault",
    "FrameReader",
    "Head",
    "MessageReader",
    "Refused",
    "SaslClient",
    "SaslServer",
    "Span",
    "Transport",
    "WireError",
    "application_exception",
    "find",
    "frame",
    "read_head",
    "read_i32",
    "read_map",
    "read_string",
    "transport_of",
    "value_bytes",
    "with_field",
    "write_head",
    "write_map",
]
