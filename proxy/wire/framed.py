"""The binary transports, SASL with its frames and bare messages, on the server's and the client's side.

The first byte of a connection tells the transports apart.
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

# Told by the shape, which the message's next reader looks for as well: both take 2 µs together, and 4.5 without this.
_is_whole = kept(is_whole)


class Transport(Enum):
    """The four ways in which HiveServer2 clients begin."""

    SASL = "SASL"
    NOSASL = "NOSASL"
    HTTP = "HTTP"
    TLS = "TLS"


# A SASL START, the strict TBinary version, the first letter of a verb, a TLS record of a handshake.
_FIRST_BYTES = {
    0x01: Transport.SASL,
    0x80: Transport.NOSASL,
    ord("P"): Transport.HTTP,
    ord("G"): Transport.HTTP,
    0x16: Transport.TLS,
}


def transport_of(first_byte: int) -> Transport | None:
    """Return the transport that begins with a byte; None for an unknown one.

    >>> transport_of(0x01)
    <Transport.SASL: 'SASL'>
    """
    return _FIRST_BYTES.get(first_byte)


_LENGTH = struct.Struct(">I")


def frame(payload: bytes) -> bytes:
    r"""Return a payload in one frame.

    >>> frame(b"ab")
    b'\x00\x00\x00\x02ab'
    """
    return _LENGTH.pack(len(payload)) + payload


def only_payload(data: bytes) -> bytes | None:
    r"""Return the payload of bytes that are one whole frame.

    >>> only_payload(b"\x00\x00\x00\x02ab"), only_payload(b"\x00\x00\x00\x02abc")
    (b'ab', None)
    """
    return data[_LENGTH.size :] if int.from_bytes(data[: _LENGTH.size], "big") + _LENGTH.size == len(data) else None


class FrameReader:
    r"""Cuts a stream of bytes into the payloads of its frames.

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
        """The number of buffered bytes of an incomplete frame."""
        return len(self._buffer)

    def receive_data(self, data: bytes) -> None:
        if not self._buffer:
            self._buffer = data  # most often one whole frame
        else:
            if isinstance(self._buffer, bytes):
                self._buffer = bytearray(self._buffer)
            self._buffer += data

    def next_event(self) -> bytes | None:
        """Return the payload of the next whole frame; None while more bytes are needed."""
        buffer = self._buffer
        there = len(buffer)
        if there < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(buffer)
        if length > self._limit:
            raise WireError(f"a frame of {length} bytes is over the limit of {self._limit} bytes")
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


_STRANGER_LIMIT = 64 * 1024  # who has not logged in may not hold much


class SaslTransport:
    """A handshake, then frames; a message may take several of them.

    `next_event` gives credentials, tokens or a refusal first, and then messages. Say `accept`, `proceed` or `refuse` in
    between.
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
        """Return the next event; None while more bytes are needed."""
        if self._sasl is not None:
            return self._sasl.next_event()
        while True:
            if self._pieces.buffered and (message := self._pieces.next_event()) is not None:
                return message
            payload = self._frames.next_event()
            if payload is None:
                return None
            # Most frames are one message: those are known at once.
            if not self._pieces.buffered and _is_whole(payload):
                check_bounds(payload, self._bounds)
                return payload
            self._pieces.receive_data(payload)

    @property
    def buffered(self) -> int:
        """The number of buffered bytes of an incomplete message."""
        return self._frames.buffered + self._pieces.buffered

    def accept(self) -> bytes:
        """Return the bytes that let the client in."""
        assert self._sasl is not None
        sasl, self._sasl = self._sasl, None
        self._frames.receive_data(sasl.rest())
        return sasl.accept()

    def proceed(self, token: bytes) -> bytes:
        """Return the bytes that ask the client for more."""
        assert self._sasl is not None
        return self._sasl.proceed(token)

    def refuse(self, reason: str) -> bytes:
        """Return the bytes that keep the client out."""
        assert self._sasl is not None
        return self._sasl.refuse(reason)

    def reply(self, message: bytes) -> bytes:
        """Return the bytes of a reply."""
        return frame(message)


class BareTransport:
    """Bare messages (`auth=noSasl`); OpenSession names the user."""

    def __init__(self, limit: int, bounds: Bounds | None = None) -> None:
        self._limit = limit
        self._reader = MessageReader(min(limit, _STRANGER_LIMIT), bounds or Bounds())

    def receive_data(self, data: bytes) -> None:
        self._reader.receive_data(data)

    def next_event(self) -> bytes | None:
        """Return the next message; None while more bytes are needed."""
        return self._reader.next_event()

    @property
    def buffered(self) -> int:
        """The number of buffered bytes of an incomplete message."""
        return self._reader.buffered

    def accept(self) -> None:
        """Let the client send messages of any allowed size."""
        self._reader.limit = self._limit

    def reply(self, message: bytes) -> bytes:
        """Return the bytes of a reply."""
        return message


_SHORT = 64 * 1024  # bytes of a message that is looked through in no time
_ENDS = bytes(3)  # how a reply does: of the call, of the response, and of what is in that


@dataclass(frozen=True, slots=True)
class HttpFailure:
    """An HTTP response without a Thrift reply: its status and the text of the server."""

    status: int
    said: str


ClientEvent = bytes | Authenticated | Refused | Token | HttpFailure


class ClientTransport(ABC):
    """Send `greeting` first; `next_event` gives a reply for each message, in the order in which they were sent."""

    transport: ClassVar[Transport]
    greeting = b""
    resumable = False  # whether another connection is as good as this one: none is needed between two calls

    @property
    def logged_in(self) -> bool:
        """Whether the server has let us in, or lets everybody in."""
        return True

    @abstractmethod
    def send(self, messages: Sequence[bytes]) -> bytes:
        """Return the bytes that can be sent now."""

    @abstractmethod
    def receive_data(self, data: bytes) -> None:
        """Take received bytes; no bytes mean the end of the connection."""

    @abstractmethod
    def next_event(self, awaited: int = 1) -> ClientEvent | None:
        """Return the next event, while so many replies are awaited; None while more bytes are needed."""

    def queue(self, messages: Sequence[bytes]) -> None:  # noqa: B027  # for those that are resumable
        """Have messages sent later, by `pending`."""

    def pending(self) -> bytes:
        """Return the bytes that can be sent since the last event."""
        return b""

    def proceed(self, token: bytes) -> bytes:
        """Return the bytes that go on with a login, behind the event Token."""
        return b""

    def renew(self) -> None:  # noqa: B027  # for those that are resumable
        """Begin on another connection."""


class FramedClient(ClientTransport):
    r"""A login by SASL, then frames.

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
        self._longest = 0  # message that has come in a frame of its own, as long as all have

    @property
    def logged_in(self) -> bool:
        """Whether the server has let us in."""
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
        """Whether a frame holds one message and nothing else, as the Java servers that we know flush them.

        Others may take several frames for one, or put several into one. To look through 10,000 rows takes longer than
        all else that is done about them. So it is not done where one message is awaited, one as long has come in one
        frame, none has ever come in another way, and this one ends like one.
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
    """Messages and nothing else, as `hive.server2.authentication=NOSASL` has them; there is no login."""

    transport = Transport.NOSASL

    def __init__(self, limit: int) -> None:
        self._reader = MessageReader(limit)

    def send(self, messages: Sequence[bytes]) -> bytes:
        return b"".join(messages)

    def receive_data(self, data: bytes) -> None:
        self._reader.receive_data(data)

    def next_event(self, awaited: int = 1) -> ClientEvent | None:
        return self._reader.next_event()
