"""Bytes to messages and back, without any socket: feed `receive_data`, ask `next_event`.

`framed`, `http` and `tls` speak the transports as servers do, `client` as clients do, `sasl` shakes hands on either
side. `reader` finds where a Thrift message ends. `message` reads and writes heads, and knows the shapes that messages
have in common. `fields` finds and replaces values in a message. `layout` has the sizes of values.
"""

from proxy.wire.client import BareClient, ClientEvent, ClientTransport, FramedClient, HttpClient, HttpFailure
from proxy.wire.fields import (
    find,
    find_handle,
    first_list,
    list_length,
    read_i32,
    read_map,
    read_string,
    value_bytes,
    with_field,
    write_map,
)
from proxy.wire.framed import BareTransport, FrameReader, SaslTransport, Transport, frame, only_payload, transport_of
from proxy.wire.http import HttpCall, HttpTransport, Interim, packing
from proxy.wire.layout import Bounds, WireError
from proxy.wire.message import (
    CALL,
    EXCEPTION,
    REPLY,
    Fault,
    Head,
    application_exception,
    kept,
    name_of,
    read_head,
    with_seqid,
    write_head,
)
from proxy.wire.reader import MessageReader, check_bounds, is_whole
from proxy.wire.sasl import Authenticated, Credentials, Refused, SaslClient, SaslServer, SaslTickets, Token
from proxy.wire.tls import TlsServer

__all__ = [
    "CALL",
    "EXCEPTION",
    "REPLY",
    "Authenticated",
    "BareClient",
    "BareTransport",
    "Bounds",
    "ClientEvent",
    "ClientTransport",
    "Credentials",
    "Fault",
    "FrameReader",
    "FramedClient",
    "Head",
    "HttpCall",
    "HttpClient",
    "HttpFailure",
    "HttpTransport",
    "Interim",
    "MessageReader",
    "Refused",
    "SaslClient",
    "SaslServer",
    "SaslTickets",
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
