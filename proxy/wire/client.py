"""The client's side of the transports: bytes to send for messages, and the replies in the bytes that come back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from base64 import b64encode
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import h11

from proxy.wire.framed import FrameReader, Transport, frame
from proxy.wire.layout import WireError
from proxy.wire.reader import MessageReader, is_whole
from proxy.wire.sasl import Authenticated, Refused, SaslClient, SaslTickets, Token

_SHORT = 64 * 1024  # bytes of a message that is looked through in no time
_ENDS = bytes(3)  # how a reply does: of the call, of the response, and of what is in that
_OK, _UNKNOWN = 200, 401  # the status of replies, and of requests that say not who they are
_SAID_LIMIT = 200  # as many bytes of what a server says instead are told


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
        whole = is_whole(payload)
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


class HttpClient(ClientTransport):
    r"""A POST for each message, one after the other, with the cookies that the server gives.

    With `tickets`, a request without a cookie needs a token: the event Token asks for it.


    >>> client = HttpClient("h:1", "/cliservice", {}, limit=100)
    >>> client.send([b"ab", b"cd"]).splitlines()[-1]
    b'ab'
    >>> client.receive_data(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nyes"[:-1])
    >>> client.next_event(2), client.pending().splitlines()[-1]
    (b'ye', b'cd')
    """

    transport = Transport.HTTP

    def __init__(
        self, host: str, target: str, headers: Mapping[str, str], limit: int, *, tickets: bool = False
    ) -> None:
        self._target = target
        self._headers = {"Host": host, "Content-Type": "application/x-thrift", "X-XSRF-HEADER": "true", **headers}
        self._limit = limit
        self._cookies: dict[str, str] = {}
        self._tickets = tickets
        self._token: bytes | None = None  # for the next request
        self._asks, self._asked = False, False  # whether a token is to be asked for, and whether one is awaited
        self._unanswered: deque[bytes] = deque()  # the first of them is under way, or will be
        self.renew()

    def renew(self) -> None:
        self._http = h11.Connection(h11.CLIENT)
        self.resumable = True  # but while a request is under way whose answer has not come whole
        self._response: h11.Response | None = None
        self._body = bytearray()

    def send(self, messages: Sequence[bytes]) -> bytes:
        self.queue(messages)
        return self.pending()

    def queue(self, messages: Sequence[bytes]) -> None:
        self._unanswered.extend(messages)

    def pending(self) -> bytes:
        """Return the next request, if no answer is awaited."""
        if not self._unanswered or self._http.our_state is not h11.IDLE:
            return b""
        if self._tickets and self._token is None and not self._cookies:
            self._asks = not self._asked
            return b""
        self.resumable, self._response = False, None
        message = self._unanswered[0]
        headers = {**self._headers, "Content-Length": str(len(message))}
        if self._token is not None:
            headers["Authorization"] = f"Negotiate {b64encode(self._token).decode()}"
            self._token = None
        elif self._cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        head = h11.Request(method="POST", target=self._target, headers=list(headers.items()))
        parts = (self._http.send(event) or b"" for event in (head, h11.Data(data=message), h11.EndOfMessage()))
        return b"".join(parts)

    def proceed(self, token: bytes) -> bytes:
        self._token, self._asked = token, False
        return self.pending()

    def receive_data(self, data: bytes) -> None:
        if not data and self._response is None:
            return  # nothing was begun that the end of the input could end
        try:
            self._http.receive_data(data)
        except h11.RemoteProtocolError as error:
            raise WireError(f"HTTP: {error}") from error

    def next_event(self, awaited: int = 1) -> ClientEvent | None:
        try:
            return self._next_event()
        except h11.RemoteProtocolError as error:
            raise WireError(f"HTTP: {error}") from error

    def _next_event(self) -> ClientEvent | None:
        while True:
            if self._asks:
                self._asks, self._asked = False, True
                return Token(b"")
            event = self._http.next_event()
            if isinstance(event, h11.Response):
                self._response, self._body = event, bytearray()
            elif isinstance(event, h11.Data):
                self._body += event.data
                if len(self._body) > self._limit:
                    raise WireError(f"a reply is over the limit of {self._limit} bytes")
            elif isinstance(event, h11.EndOfMessage):
                if (answer := self._answer()) is not None:
                    return answer
            elif not isinstance(event, h11.InformationalResponse):
                return None

    def _answer(self) -> ClientEvent | None:
        assert self._response is not None
        self.resumable = True
        status = self._response.status_code
        if status == _UNKNOWN and self._tickets and self._cookies:  # they were good for a while; nothing was done
            self._cookies.clear()
            self._next_cycle()
            self._asks = not self._asked
            return None
        self._keep_cookies(self._response)
        if status != _OK:
            return HttpFailure(status, self._said(self._response))
        self._unanswered.popleft()
        self._next_cycle()
        return bytes(self._body)

    def _next_cycle(self) -> None:
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()

    def _said(self, response: h11.Response) -> str:
        """Return the text of an HTTP response without a Thrift reply, or its reason phrase if it is HTML."""
        kinds = [value for name, value in response.headers if name == b"content-type"]
        plain = not kinds or kinds[0].startswith(b"text/plain")
        text = bytes(self._body[:_SAID_LIMIT]).decode("utf-8", "replace").strip() if plain else ""
        return text or response.reason.decode("latin-1")

    def _keep_cookies(self, response: h11.Response) -> None:
        for name, value in response.headers:
            if name == b"set-cookie":
                cookie = value.decode("latin-1").partition(";")[0]
                self._cookies[cookie.partition("=")[0].strip()] = cookie.partition("=")[2].strip()
