"""Implements the HTTP transport for servers and clients: each call is a POST to /cliservice, on kept-alive connections.

h11 parses HTTP: bodies with a length or in chunks, Expect and keep-alive. The server's side refuses requests that no
HiveServer2 client sends: requests with another method or path, or with a body that is too long.
"""

from __future__ import annotations

import zlib
from base64 import b64encode
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import SplitResult, parse_qs, urlsplit

import h11

from proxy.wire.framed import ClientEvent, ClientTransport, HttpFailure, Transport
from proxy.wire.message import WireError
from proxy.wire.sasl import Refused, Token

_PATH = "/cliservice"
_CLOUD_PATHS = "/sql/"  # the path that clients of Databricks use, followed by their own names
_THRIFT = "application/x-thrift"
_HEAD_LIMIT = 64 * 1024  # bytes; a token can be long
_STRANGER_LIMIT = 1024 * 1024
_GZIP = 16 + zlib.MAX_WBITS


@dataclass(frozen=True, slots=True)
class HttpCall:
    """An HTTP request that contains a call: the message, the client's credentials, and further headers.

    - `authorization`, `cookie`: the headers of these names
    - `acting_for`: the user to impersonate (the query parameter `doAs`)
    - `gzip`: true if the response may be compressed
    - `traceparent`: the W3C trace context

    The fields of absent headers are empty.
    """

    message: bytes
    authorization: str = field(default="", repr=False)
    cookie: str = field(default="", repr=False)
    acting_for: str = ""
    gzip: bool = False
    traceparent: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Interim:
    """Bytes to send to the client at once, before the whole request has arrived (100 Continue)."""

    data: bytes


class HttpTransport:
    r"""The server's side of one HTTP connection: decodes requests to events, and encodes responses.

    >>> transport = HttpTransport(limit=1000)
    >>> transport.receive_data(b"POST /cliservice/ HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nab")
    >>> transport.next_event()
    HttpCall(message=b'ab', acting_for='', gzip=False)
    >>> transport.reply(b"cd").splitlines()[0], transport.next_event()
    (b'HTTP/1.1 200 ', None)
    """

    def __init__(self, limit: int) -> None:
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=_HEAD_LIMIT)
        self._full_limit = limit
        self._limit = min(limit, _STRANGER_LIMIT)
        self._request: h11.Request | None = None
        self._body = bytearray()

    @property
    def ends(self) -> bool:
        """Whether the connection must be closed after all bytes returned so far have been sent."""
        return self._http.our_state in (h11.MUST_CLOSE, h11.CLOSED, h11.ERROR)

    def accept(self) -> None:
        """Record that the client has logged in; from then on, the full size limit applies to its messages."""
        self._limit = self._full_limit

    @property
    def buffered(self) -> int:
        """The number of bytes received so far of a request body that is not complete yet."""
        return len(self._body)

    def receive_data(self, data: bytes) -> None:
        try:
            self._http.receive_data(data)
        except h11.RemoteProtocolError as error:
            raise WireError(f"HTTP: {error}") from error

    def next_event(self) -> HttpCall | Interim | Refused | None:
        """Return the next HttpCall (a complete request), Interim (bytes to send at once) or Refused (invalid request).

        Return None while more bytes are needed, or until the last request is answered.
        """
        try:
            return self._next_event()
        except h11.RemoteProtocolError as error:
            return self._refused(error.error_status_hint, f"HTTP: {error}")

    def reply(self, message: bytes, headers: tuple[tuple[str, str], ...] = ()) -> bytes:
        """Return the HTTP response to the last request, with `message`, a Thrift reply, as its body.

        The next request can then be read. `headers` are added to the headers of the response.
        """
        return self._respond(200, message, (("Content-Type", _THRIFT), *headers))

    def refuse_login(self, message: bytes, headers: tuple[tuple[str, str], ...]) -> bytes:
        """Return a response with status 401 whose body is a Thrift message with the error.

        Thrift's own HTTP client ignores the status and reads the message. `headers` are added to the headers of the
        response.
        """
        return self._respond(401, message, (("Content-Type", _THRIFT), *headers))

    def refuse(self, status: int, reason: str, headers: tuple[tuple[str, str], ...] = ()) -> bytes:
        """Return a response with an HTTP error status, and the reason as plain text.

        `headers` are added to the headers of the response.
        """
        return self._respond(status, reason.encode(), (("Content-Type", "text/plain; charset=utf-8"), *headers))

    def _next_event(self) -> HttpCall | Interim | Refused | None:
        while True:
            event = self._http.next_event()
            if isinstance(event, h11.Request):
                self._request, self._body = event, bytearray()
                refused = self._unwanted(event)
                if refused is not None:
                    return refused
                if self._http.they_are_waiting_for_100_continue:
                    return Interim(self._sent(h11.InformationalResponse(status_code=100, headers=[])))
            elif isinstance(event, h11.Data):
                self._body += event.data
                if len(self._body) > self._limit:
                    return self._refused(413, f"a request exceeds the limit of {self._limit} bytes")
            elif isinstance(event, h11.EndOfMessage):
                return self._call()
            else:
                return None

    def _unwanted(self, request: h11.Request) -> Refused | None:
        target = request.target.decode("latin-1")
        path = _split(target).path
        if path.rstrip("/") != _PATH and not path.startswith(_CLOUD_PATHS):
            return self._refused(404, f"the path {target} does not exist: HiveServer2 clients use httpPath=cliservice")
        if request.method != b"POST":
            return self._refused(405, "HiveServer2 clients POST their calls", (("Allow", "POST"),))
        return None

    def _call(self) -> HttpCall | Refused:
        assert self._request is not None
        headers = {name: value.decode("latin-1") for name, value in self._request.headers}
        message = bytes(self._body)
        if headers.get(b"content-encoding", "identity") != "identity":
            unpacked = unpacking(message, self._limit)
            if unpacked is None:
                return self._refused(400, "the body is not gzip, or exceeds the limit when unpacked")
            message = unpacked
        query = parse_qs(_split(self._request.target.decode("latin-1")).query)
        wishes = [value for name, values in query.items() if name.lower() == "doas" for value in values]
        return HttpCall(
            message,
            headers.get(b"authorization", ""),
            headers.get(b"cookie", ""),
            wishes[0] if wishes else "",
            "gzip" in headers.get(b"accept-encoding", ""),
            headers.get(b"traceparent", ""),
        )

    def _refused(self, status: int, reason: str, headers: tuple[tuple[str, str], ...] = ()) -> Refused:
        """Return a refusal that ends the connection; the rest of the request is not read.

        The refusal has no bytes to send if a response has already been sent or is no longer possible. `headers` are
        added to the headers of the response.
        """
        if self._http.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return Refused(reason)
        return Refused(reason, self.refuse(status, reason, (*headers, ("Connection", "close"))))

    def _respond(self, status: int, body: bytes, headers: tuple[tuple[str, str], ...]) -> bytes:
        head = h11.Response(status_code=status, headers=[*headers, ("Content-Length", str(len(body)))])
        data = self._sent(head) + body
        self._sent(h11.Data(data=body))
        data += self._sent(h11.EndOfMessage())
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()
        return data

    def _sent(self, event: h11.InformationalResponse | h11.Response | h11.Data | h11.EndOfMessage) -> bytes:
        return self._http.send(event) or b""


def _split(target: str) -> SplitResult:
    """Parse the target of a request as a URL; if the target is not a valid URL, take the whole target as the path."""
    try:
        return urlsplit(target)
    except ValueError:
        return SplitResult("", "", target, "", "")


def packing(data: bytes) -> bytes:
    """Return the bytes compressed with gzip, at the fastest level."""
    packer = zlib.compressobj(1, zlib.DEFLATED, _GZIP)
    return packer.compress(data) + packer.flush()


def unpacking(data: bytes, limit: int) -> bytes | None:
    """Decompress gzip data; return None if the data is not valid gzip, or if the result is longer than `limit` bytes.

    >>> unpacking(packing(b"a" * 100), 100) == b"a" * 100, unpacking(packing(b"a" * 101), 100)
    (True, None)
    """
    unpacker = zlib.decompressobj(_GZIP)
    try:
        unpacked = unpacker.decompress(data, limit + 1)
    except zlib.error:
        return None
    return unpacked if unpacker.eof and len(unpacked) <= limit else None


_OK, _UNKNOWN = 200, 401  # the HTTP status of replies, and of requests without valid credentials
_SAID_LIMIT = 200  # bytes of a server's text that an error message quotes


class HttpClient(ClientTransport):
    r"""The client's side of the HTTP transport: POSTs messages to `target`, one at a time, with the server's cookies.

    `headers` are sent with each request. With `tickets`, a request without a cookie needs a Kerberos token: the event
    Token asks the caller for a token, and the caller passes the token to `proceed`.

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
        self._asks, self._asked = False, False  # whether to request a token, and whether a requested one is outstanding
        self._unanswered: deque[bytes] = deque()  # the first is being sent or is next
        self.renew()

    def renew(self) -> None:
        self._http = h11.Connection(h11.CLIENT)
        self.resumable = True  # except while a reply is outstanding
        self._response: h11.Response | None = None
        self._body = bytearray()

    def send(self, messages: Sequence[bytes]) -> bytes:
        self.queue(messages)
        return self.pending()

    def queue(self, messages: Sequence[bytes]) -> None:
        self._unanswered.extend(messages)

    def pending(self) -> bytes:
        """Return the bytes of the next request; empty if none is queued, a reply is awaited, or a token is needed."""
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
            return  # no response was begun that the end of the input could complete
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
                    raise WireError(f"a reply over HTTP is longer than {self._limit} bytes; fetch fewer rows at a time")
            elif isinstance(event, h11.EndOfMessage):
                if (answer := self._answer()) is not None:
                    return answer
            elif not isinstance(event, h11.InformationalResponse):
                return None

    def _answer(self) -> ClientEvent | None:
        assert self._response is not None
        self.resumable = True
        status = self._response.status_code
        # the cookies have expired; the server did not handle the request
        if status == _UNKNOWN and self._tickets and self._cookies:
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
        """Return the plain text of an HTTP response without a Thrift reply; without a plain text, the reason phrase."""
        kinds = [value for name, value in response.headers if name == b"content-type"]
        plain = not kinds or kinds[0].startswith(b"text/plain")
        text = bytes(self._body[:_SAID_LIMIT]).decode("utf-8", "replace").strip() if plain else ""
        return text or response.reason.decode("latin-1")

    def _keep_cookies(self, response: h11.Response) -> None:
        for name, value in response.headers:
            if name == b"set-cookie":
                cookie = value.decode("latin-1").partition(";")[0]
                self._cookies[cookie.partition("=")[0].strip()] = cookie.partition("=")[2].strip()
