"""Bytes to messages and back, without any socket: feed `receive_data`, ask `next_event`.

`transport_of` tells transports apart by the first byte of a connection; `framed`, `http` and `tls` speak them as
servers do. Below them, `sasl` shakes hands on either side, `frames` cuts what follows, `reader` finds where a Thrift
message ends however it is cut, and `extent` whether bytes are just one. `message` reads and writes heads and
exceptions, `fields` patches a message in place, `shape` tells messages that differ in nothing but a handle, `maps` is
for the strings of a configuration.
"""

from proxy.wire.errors import WireError
from proxy.wire.extent import check_bounds, is_whole
from proxy.wire.fields import find, find_handle, first_list, list_length, read_i32, read_string, value_bytes, with_field
from proxy.wire.framed import BareTransport, SaslTransport
from proxy.wire.frames import FrameReader, frame, only_payload
from proxy.wire.http import HttpCall, HttpTransport, Interim, packing
from proxy.wire.layout import Bounds
from proxy.wire.maps import read_map, write_map
from proxy.wire.message import (
    CALL,
    EXCEPTION,
    REPLY,
    Fault,
    Head,
    application_exception,
    name_of,
    read_head,
    with_seqid,
    write_head,
)
from proxy.wire.reader import MessageReader
from proxy.wire.sasl import Authenticated, Credentials, Refused, SaslClient, SaslServer, Token
from proxy.wire.shape import kept
from proxy.wire.tls import TlsServer
from proxy.wire.transport import Transport, transport_of

__all__ = [
    "CALL",
    "EXCEPTION",
    "REPLY",
    "Authenticated",
    "BareTransport",
    "Bounds",
    "Credentials",
    "Fault",
    "FrameReader",
    "Head",
    "HttpCall",
    "HttpTransport",
    "Interim",
    "MessageReader",
    "Refused",
    "SaslClient",
    "SaslServer",
    "SaslTransport",
    "TlsServer",
    "Token",
    "Transport",
    "WireError",
    "application_exception",
    "check_bounds",
    "find",
    "find_handle",
    "first_list",
    "frame",
    "is_whole",
    "kept",
    "list_length",
    "name_of",
    "only_payload",
    "packing",
    "read_head",
    "read_i32",
    "read_map",
    "read_string",
    "transport_of",
    "value_bytes",
    "with_field",
    "with_seqid",
    "write_head",
    "write_map",
]
