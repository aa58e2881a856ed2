"""Implements the handshakes of Thrift's SASL transport, PLAIN and GSSAPI, for servers and clients, without sockets.

Each message of a handshake is a status byte, a length of four bytes, and a payload. The client sends START with the
name of the mechanism, then its credentials with the status OK (Python) or COMPLETE (Java); both may arrive in one
segment, together with the first frame. The server answers COMPLETE, or BAD with the reason.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from enum import Enum, IntEnum, auto

from proxy.wire.message import WireError

_MESSAGE = struct.Struct(">BI")
_PAYLOAD_LIMIT = 64 * 1024  # bytes; limits the memory that a client can use before it has logged in


class Status(IntEnum):
    """The status byte of a handshake message."""

    START = 1
    OK = 2
    BAD = 3
    ERROR = 4
    COMPLETE = 5


@dataclass(frozen=True, slots=True)
class Credentials:
    """A client's user name and password, and the user to impersonate (empty if none).

    The caller answers with `accept` or `refuse`.
    """

    user: str
    password: str = field(repr=False)
    acting_for: str = ""


@dataclass(frozen=True, slots=True)
class Token:
    """A token from the peer in a login of several steps; the caller answers with `proceed` until the login ends."""

    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Refused:
    """A refused login or an invalid message: the caller sends the bytes in `reply` and closes the connection."""

    reason: str
    reply: bytes = b""


@dataclass(frozen=True, slots=True)
class Authenticated:
    """A successful login; `rest` has the bytes that were received after the handshake."""

    rest: bytes = b""


def negotiation(status: Status, payload: bytes = b"") -> bytes:
    r"""Encode a message of the handshake: a status and a payload.

    >>> negotiation(Status.COMPLETE)
    b'\x05\x00\x00\x00\x00'
    """
    return _MESSAGE.pack(status, len(payload)) + payload


class _Buffer:
    """A splitter of a stream of bytes into messages of the handshake."""

    def __init__(self) -> None:
        self._data = bytearray()

    def add(self, data: bytes) -> None:
        self._data += data

    def status(self) -> int | None:
        return self._data[0] if self._data else None

    def next_message(self) -> tuple[int, bytes] | None:
        if len(self._data) < _MESSAGE.size:
            return None
        status, length = _MESSAGE.unpack_from(self._data)
        if length > _PAYLOAD_LIMIT:
            raise WireError(
                f"a SASL message of {length} bytes exceeds the limit of {_PAYLOAD_LIMIT} bytes; check the sending "
                "program"
            )
        end = _MESSAGE.size + length
        if len(self._data) < end:
            return None
        payload = bytes(self._data[_MESSAGE.size : end])
        del self._data[:end]
        return status, payload

    def rest(self) -> bytes:
        rest = bytes(self._data)
        self._data.clear()
        return rest


class _Step(Enum):
    MECHANISM = auto()
    CREDENTIALS = auto()
    TOKENS = auto()
    DONE = auto()


# The step that follows the name of each mechanism.
_MECHANISMS = {b"PLAIN": _Step.CREDENTIALS, b"GSSAPI": _Step.TOKENS}


class SaslServer:
    r"""The server's side of the handshake: login by PLAIN and, with `tickets`, also by GSSAPI (Kerberos).

    >>> server = SaslServer()
    >>> server.receive_data(bytes.fromhex("01 00000005") + b"PLAIN" + bytes.fromhex("02 00000006") + b"\0bob\0x")
    >>> server.next_event().user
    'bob'
    """

    # The statuses that are valid at each step.
    _LEGAL = {  # noqa: RUF012
        _Step.MECHANISM: frozenset({Status.START}),
        _Step.CREDENTIALS: frozenset({Status.OK, Status.COMPLETE}),
        _Step.TOKENS: frozenset({Status.OK, Status.COMPLETE}),
    }

    def __init__(self, *, tickets: bool = False) -> None:
        self._tickets = tickets
        self._buffer = _Buffer()
        self._step = _Step.MECHANISM

    def receive_data(self, data: bytes) -> None:
        self._buffer.add(data)

    def next_event(self) -> Credentials | Token | Refused | None:
        """Return the client's Credentials or Token, or Refused for an invalid message; None while bytes are missing."""
        while self._step is not _Step.DONE:
            # The first byte is checked before the message is complete: bytes in another protocol may never form a
            # message.
            status = self._buffer.status()
            if status is not None and status not in self._LEGAL[self._step]:
                return self._refused(Status.ERROR, f"Invalid status {status}")
            message = self._buffer.next_message()
            if message is None:
                return None
            payload = message[1]
            if self._step is _Step.CREDENTIALS:
                return self._credentials(payload)
            if self._step is _Step.TOKENS:
                return Token(payload)
            step = _MECHANISMS.get(payload)
            if step is None or (step is _Step.TOKENS and not self._tickets):
                mechanism = payload.decode("utf-8", "replace")
                return self._refused(Status.BAD, f"Unsupported mechanism type {mechanism}")
            self._step = step
        return None

    def proceed(self, token: bytes) -> bytes:
        """Return the bytes that send `token`, the server's login token, to the client.

        The client then sends its next token.
        """
        return negotiation(Status.OK, token)

    def accept(self) -> bytes:
        """End the handshake, and return the bytes that tell the client that the login is accepted."""
        self._step = _Step.DONE
        return negotiation(Status.COMPLETE)

    def refuse(self, reason: str) -> bytes:
        """Return the bytes that tell the client that the login is refused, with the reason."""
        return negotiation(Status.BAD, reason.encode())

    def rest(self) -> bytes:
        """Return the bytes that were received after the handshake, and remove them from the buffer."""
        return self._buffer.rest()

    def _credentials(self, payload: bytes) -> Credentials | Refused:
        self._step = _Step.DONE
        parts = payload.split(b"\0")
        # Spark, too, refuses an empty password, whatever its authentication is.
        if len(parts) != 3 or not parts[1] or not parts[2]:
            return self._refused(Status.BAD, "Error validating the login: give a user name and a password")
        acting_for, user, password = (part.decode("utf-8", "replace") for part in parts)
        return Credentials(user, password, acting_for)

    def _refused(self, status: Status, reason: str) -> Refused:
        self._step = _Step.DONE
        return Refused(reason, negotiation(status, reason.encode()))


class SaslClient:
    """The client's side of the handshake by PLAIN.

    The caller sends `greeting`, which has the credentials, and then passes the server's answer to `receive_data`.

    >>> client = SaslClient("bob", "x")
    >>> client.receive_data(negotiation(Status.COMPLETE))
    >>> client.next_event()
    Authenticated(rest=b'')
    """

    def __init__(self, user: str, password: str) -> None:
        self._buffer = _Buffer()
        credentials = f"\0{user}\0{password}".encode()
        self.greeting = negotiation(Status.START, b"PLAIN") + negotiation(Status.OK, credentials)

    def receive_data(self, data: bytes) -> None:
        self._buffer.add(data)

    def next_event(self) -> Authenticated | Refused | None:
        """Return Authenticated if the server has accepted the login, Refused if not; None while bytes are missing."""
        while (message := self._buffer.next_message()) is not None:
            status, payload = message
            if status == Status.COMPLETE:
                return Authenticated(self._buffer.rest())
            if status != Status.OK:
                return Refused(payload.decode("utf-8", "replace") or f"status {status}")
        return None

    def proceed(self, token: bytes) -> bytes:
        """Return no bytes, because a login by PLAIN has no further steps."""
        return b""


class SaslTickets:
    r"""The client's side of the handshake by GSSAPI (Kerberos).

    `next_event` returns the server's tokens, and `proceed` encodes the client's tokens.

    >>> client = SaslTickets()
    >>> client.next_event(), client.proceed(b"ticket")[5:11]
    (Token(), b'GSSAPI')
    >>> client.receive_data(negotiation(Status.OK, b"offer"))
    >>> client.next_event().data, client.proceed(b"choice")
    (b'offer', b'\x02\x00\x00\x00\x06choice')
    """

    greeting = b""

    def __init__(self) -> None:
        self._buffer = _Buffer()
        self._begun = self._started = False

    def receive_data(self, data: bytes) -> None:
        self._buffer.add(data)

    def next_event(self) -> Authenticated | Refused | Token | None:
        """Return the server's next Token, Authenticated if the server has accepted the login, or Refused if not.

        The first event is an empty Token, which asks the caller for the client's first token. Return None while bytes
        are missing.
        """
        if not self._begun:
            self._begun = True
            return Token(b"")
        message = self._buffer.next_message()
        if message is None:
            return None
        status, payload = message
        if status == Status.COMPLETE:
            return Authenticated(self._buffer.rest())
        if status != Status.OK:
            return Refused(payload.decode("utf-8", "replace") or f"status {status}")
        return Token(payload)

    def proceed(self, token: bytes) -> bytes:
        """Return the bytes that send `token`, the client's login token, to the server.

        The first call also names the mechanism GSSAPI.
        """
        start = b"" if self._started else negotiation(Status.START, b"GSSAPI")
        self._started = True
        return start + negotiation(Status.OK, token)
