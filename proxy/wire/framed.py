"""Implements the binary transports for servers and clients: SASL with frames, and messages without frames.

The first byte of a connection identifies its transport.
"""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

from proxy.wire.fields import kept
from proxy.wire.message import Bounds, MessageReader, WireError, check_bounds, is_whole
from proxy.wire.sasl import Authenticated, Credentials, Refused, SaslClient, SaslServer, SaslTickets, Token

# Cached by the shape of the message, which the next reader of the message needs as well: 2 µs for both, and 4.5 µs
# without the cache.
_is_whole = kept(is_whole)


class Transport(Enum):
    """The transports by which HiveServer2 clients connect; TLS carries SASL, NOSASL or HTTP."""

    SASL = "SASL"
    NOSASL = "NOSASL"
    HTTP = "HTTP"
    TLS = "TLS"


# The first byte of a SASL START, of a strict TBinary message, of an HTTP request, and of a TLS handshake.
_FIRST_BYTES = {
    0x01: Transport.SASL,
    0x80: Transport.NOSASL,
    ord("P"): Transport.HTTP,
    ord("G"): Transport.HTTP,
    0x16: Transport.TLS,
}


def transport_of(first_byte: int) -> Transport | None:
    """Return the transport of a connection whose first byte is given; None for an unknown byte.

    >>> transport_of(0x01)
    <Transport.SASL: 'SASL'>
    """
    return _FIRST_BYTES.get(first_byte)


_LENGTH = struct.Struct(">I")


def frame(payload: bytes) -> bytes:
    r"""Return a payload as one frame: the payload's length in four bytes, then the payload.

    >>> frame(b"ab")
    b'\x00\x00\x00\x02ab'
    """
    return _LENGTH.pack(len(payload)) + payload


def only_payload(data: bytes) -> bytes | None:
    r"""Return the payload if the bytes are exactly one frame, else None.

    >>> only_payload(b"\x00\x00\x00\x02ab"), only_payload(b"\x00\x00\x00\x02abc")
    (b'ab', None)
    """
    return data[_LENGTH.size :] if int.from_bytes(data[: _LENGTH.size], "big") + _LENGTH.size == len(data) else None


class FrameReader:
    r"""A splitter of a stream of bytes into frames, which returns their payloads.

    >>> reader = FrameReader(limit=100)
    >>> reader.receive_data(b"\x00\x00\x00\x02abcd")
    >>> reader.next_event(), reader.next_event(), reader.buffered
    (b'ab', None, 2)
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._buffer: bytes | bytearray = b""

    @property
    def buffered(self) -> int:
        """The number of bytes received so far of a frame that is not complete yet."""
        return len(self._buffer)

    def receive_data(self, data: bytes) -> None:
        if not self._buffer:
            self._buffer = data  # usually one whole frame
        else:
            if isinstance(self._buffer, bytes):
                self._buffer = bytearray(self._buffer)
            self._buffer += data

    def next_event(self) -> bytes | None:
        """Return the payload of the next complete frame; None while more bytes are needed.

        Raise WireError if the frame is longer than the limit.
        """
        buffer = self._buffer
        there = len(buffer)
        if there < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(buffer)
        if length > self._limit:
            raise WireError(
                f"the frame of a Thrift message has {length} bytes, which exceeds the limit of {self._limit} bytes; "
                "send shorter messages"
            )
        end = _LENGTH.size + length
        if there < end:
            return None
        if there == end and isinstance(buffer, bytes):
            self._buffer = b""
            return buffer[_LENGTH.size :]
        with memoryview(buffer) as view:
            payload = bytes(view[_LENGTH.size : end])
        self._buffer = rest = bytearray(buffer) if isinstance(buffer, bytes) else buffer
        del rest[:end]
        return payload


_STRANGER_LIMIT = 64 * 1024  # limits the memory that a client can use before it has logged in


class SaslTransport:
    """The server's side of the SASL transport: a handshake, then messages in frames; a message may span several frames.

    During the handshake, `next_event` returns Credentials, a Token, or Refused; the caller answers Credentials and a
    Token with `accept`, `proceed` or `refuse`. After the handshake, `next_event` returns messages. `limit` is the size
    limit of a message in bytes. With `tickets`, clients may log in by Kerberos.
    """

    def __init__(self, limit: int, bounds: Bounds | None = None, *, tickets: bool = False) -> None:
        self._sasl: SaslServer | None = SaslServer(tickets=tickets)
        self._frames = FrameReader(limit)
        self._bounds = bounds or Bounds()
        self._pieces = MessageReader(limit, self._bounds)

    def receive_data(self, data: bytes) -> None:
        if self._sasl is None:
            self._frames.receive_data(data)
        else:
            self._sasl.receive_data(data)

    def next_event(self) -> Credentials | Token | Refused | bytes | None:
        """Return the next event: a step of the handshake, or a message after it; None while more bytes are needed.

        Raise WireError for an invalid message.
        """
        if self._sasl is not None:
            return self._sasl.next_event()
        while True:
            if self._pieces.buffered and (message := self._pieces.next_event()) is not None:
                return message
            payload = self._frames.next_event()
            if payload is None:
                return None
            # Most frames contain exactly one message, which needs no copying.
            if not self._pieces.buffered and _is_whole(payload):
                check_bounds(payload, self._bounds)
                return payload
            self._pieces.receive_data(payload)

    @property
    def buffered(self) -> int:
        """The number of bytes received so far of a message that is not complete yet."""
        return self._frames.buffered + self._pieces.buffered

    def accept(self) -> bytes:
        """End the handshake, and return the bytes that tell the client that the login is accepted."""
        assert self._sasl is not None
        sasl, self._sasl = self._sasl, None
        self._frames.receive_data(sasl.rest())
        return sasl.accept()

    def proceed(self, token: bytes) -> bytes:
        """Return the bytes that send `token`, the server's login token, to the client.

        The client then sends its next token.
        """
        assert self._sasl is not None
        return self._sasl.proceed(token)

    def refuse(self, reason: str) -> bytes:
        """Return the bytes that tell the client that the login is refused, with the reason."""
        assert self._sasl is not None
        return self._sasl.refuse(reason)

    def reply(self, message: bytes) -> bytes:
        """Return the bytes to send for a reply message: the message in a frame."""
        return frame(message)


class BareTransport:
    """The server's side of the transport without frames and SASL (`auth=noSasl`); OpenSession names the user.

    `limit` is the size limit of a message in bytes; before the login, a smaller limit applies.
    """

    def __init__(self, limit: int, bounds: Bounds | None = None) -> None:
        self._limit = limit
        self._reader = MessageReader(min(limit, _STRANGER_LIMIT), bounds or Bounds())

    def receive_data(self, data: bytes) -> None:
        self._reader.receive_data(data)

    def next_event(self) -> bytes | None:
        """Return the next complete message; None while more bytes are needed.

        Raise WireError for an invalid message.
        """
        return self._reader.next_event()

    @property
    def buffered(self) -> int:
        """The number of bytes received so far of a message that is not complete yet."""
        return self._reader.buffered

    def accept(self) -> None:
        """Record that the client has logged in; from then on, the full size limit applies to its messages."""
        self._reader.limit = self._limit

    def reply(self, message: bytes) -> bytes:
        """Return the bytes to send for a reply message: the message unchanged."""
        return message


_SHORT = 64 * 1024  # bytes of a message that can be scanned in negligible time
# the last bytes of a reply: the ends of the call's struct, of the response, and of the struct inside it
_ENDS = bytes(3)


@dataclass(frozen=True, slots=True)
class HttpFailure:
    """An HTTP response without a Thrift reply: its status code, and its text (without a text, the reason phrase)."""

    status: int
    said: str


ClientEvent = bytes | Authenticated | Refused | Token | HttpFailure


class ClientTransport(ABC):
    """The client's side of a transport; the caller first sends `greeting`, then messages.

    `next_event` returns the steps of the login, then one reply for each message, in the order of the messages. If
    `resumable` is true, a session can continue on a new connection.
    """

    transport: ClassVar[Transport]
    greeting = b""
    resumable = (
        False  # whether a session can continue on a new connection, so that the server may close it between calls
    )

    @property
    def logged_in(self) -> bool:
        """Whether the server has accepted the login, or the transport has no login."""
        return True

    @abstractmethod
    def send(self, messages: Sequence[bytes]) -> bytes:
        """Queue messages; return the bytes that can be sent now."""

    @abstractmethod
    def receive_data(self, data: bytes) -> None:
        """Add bytes received from the server; empty bytes mean the end of the connection."""

    @abstractmethod
    def next_event(self, awaited: int = 1) -> ClientEvent | None:
        """Return the next event (a step of the login, a reply, or an HTTP failure); None while more bytes are needed.

        `awaited` is the number of messages whose replies have not arrived yet.
        """

    def queue(self, messages: Sequence[bytes]) -> None:  # noqa: B027  # for resumable transports
        """Queue messages for a later call of `pending`; only transports whose `resumable` is true do so."""

    def pending(self) -> bytes:
        """Return the bytes that have become ready to send since the last call; empty if there are none."""
        return b""

    def proceed(self, token: bytes) -> bytes:
        """Return the bytes that send `token`, the client's login token, to the server.

        Call this method after a Token event.
        """
        return b""

    def renew(self) -> None:  # noqa: B027  # for resumable transports
        """Reset the state for a new network connection; only transports whose `resumable` is true do so."""


class FramedClient(ClientTransport):
    r"""The client's side of the SASL transport: a login, then messages in frames.

    >>> from proxy.wire.sasl import Status, negotiation
    >>> client = FramedClient(SaslClient("bob", "x"), limit=100)
    >>> client.receive_data(negotiation(Status.COMPLETE))
    >>> client.next_event(0), client.send([b"ab"])
    (Authenticated(rest=b''), b'\x00\x00\x00\x02ab')
    """

    transport = Transport.SASL

    def __init__(self, login: SaslClient | SaslTickets, limit: int) -> None:
        self.greeting = login.greeting
        self._login: SaslClient | SaslTickets | None = login
        self._limit = limit
        self._frames = FrameReader(limit)
        self._pieces: MessageReader | None = None
        self._longest = 0  # bytes of the longest message so far; -1 once a message did not fill exactly one frame

    @property
    def logged_in(self) -> bool:
        """Whether the server has accepted the login."""
        return self._login is None

    def send(self, messages: Sequence[bytes]) -> bytes:
        return b"".join([frame(message) for message in messages])

    def receive_data(self, data: bytes) -> None:
        (self._frames if self._login is None else self._login).receive_data(data)

    def next_event(self, awaited: int = 1) -> ClientEvent | None:
        if self._login is not None:
            event = self._login.next_event()
            if isinstance(event, Authenticated):
                self._login = None
                self._frames.receive_data(event.rest)
            return event
        while True:
            if self._pieces is not None:
                if (message := self._pieces.next_event()) is not None:
                    return message
                if not self._pieces.buffered:
                    self._pieces = None
            payload = self._frames.next_event()
            if payload is None:
                return None
            if self._pieces is None and self._is_whole(payload, awaited):
                return payload
            if self._pieces is None:
                self._pieces = MessageReader(self._limit)
            self._pieces.receive_data(payload)

    def proceed(self, token: bytes) -> bytes:
        return b"" if self._login is None else self._login.proceed(token)

    def _is_whole(self, payload: bytes, awaited: int) -> bool:
        """Return whether the payload of a frame is exactly one message, as Thrift servers in Java send it.

        Servers in other languages may split a message into several frames, or put several messages into one frame. Only
        a scan of the payload shows that for certain, and scanning a message of 10,000 rows takes longer than all other
        work on the message. A payload over 64 KiB is taken as one message without a scan if all of these hold:

        - one reply is awaited (`awaited` is 1)
        - each message so far filled exactly one frame
        - the payload is not longer than the longest message so far
        - the payload ends with three zero bytes, as every reply does
        """
        length = len(payload)
        if _SHORT < length <= self._longest and awaited == 1 and payload.endswith(_ENDS):
            return True
        whole = _is_whole(payload)
        if not whole:
            self._longest = -1
        elif self._longest >= 0:
            self._longest = max(self._longest, length)
        return whole


class BareClient(ClientTransport):
    """The client's side of the transport without frames and SASL (`hive.server2.authentication=NOSASL`)."""

    transport = Transport.NOSASL

    def __init__(self, limit: int) -> None:
        self._reader = MessageReader(limit)

    def send(self, messages: Sequence[bytes]) -> bytes:
        return b"".join(messages)

    def receive_data(self, data: bytes) -> None:
        self._reader.receive_data(data)

    def next_event(self, awaited: int = 1) -> ClientEvent | None:
        return self._reader.next_event()
