"""Implements the logins and calls of each transport; `connection` reads and writes the bytes.

A conversation is the protocol of one connection in one transport. A prepared reply is a reply that Viewgate has made
before the call arrives (`proxy.session.calls`).
"""

from __future__ import annotations

import asyncio
import base64
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from proxy.authentication import Denied, TicketLogin
from proxy.hs2 import SqlError, encode_reply, failure
from proxy.hs2.generated import ttypes
from proxy.server.entrance import Entrance
from proxy.service import Peer
from proxy.wire import (
    BareTransport,
    Credentials,
    Fault,
    HttpCall,
    HttpTransport,
    Interim,
    Refused,
    SaslTransport,
    Token,
    Transport,
    WireError,
    application_exception,
    check_bounds,
    find,
    is_whole,
    only_payload,
    packing,
    read_head,
    read_string,
)
from proxy.wire.sasl import Status, negotiation

logger = logging.getLogger(__name__)

ANONYMOUS = "anonymous"  # the user of a client without a name, where any name is believed

_UNREADABLE = "The Authorization header cannot be decoded: send the credentials in base64"
_USERNAME, _PASSWORD = (1, 2), (1, 3)
_PACK_HERE = 64 * 1024  # bytes that are compressed quickly enough not to delay other clients
_WORTH_PACKING = 1400  # less fits one packet anyway


@dataclass(frozen=True)
class Caller:
    """The address of a connection's client, and whether the connection is encrypted."""

    address: str
    secure: bool


class Conversation(ABC):
    """The protocol of one connection in one transport: turns received bytes into events, and replies into bytes.

    An event is a call or a step of the login. `peer` is the client that has logged in, None before the login; over
    HTTP, the peer may change with each request. `ends` is true if the connection must be closed after the last reply.
    """

    peer: Peer | None = None
    ends = False

    def __init__(self, entrance: Entrance, caller: Caller) -> None:
        self._entrance = entrance
        self._caller = caller

    @staticmethod
    def refusal(_reason: str) -> bytes:
        """Return the bytes that tell the client that this transport is refused, with the reason.

        This base method returns empty bytes: a connection between worker processes is closed without a reason.
        """
        return b""

    @property
    @abstractmethod
    def buffered(self) -> int:
        """The number of bytes received so far of a message that is not complete yet."""

    @abstractmethod
    def receive_data(self, data: bytes) -> None:
        """Buffer bytes received from the client."""

    @abstractmethod
    def next_event(self) -> Any:
        """Return the next event (a call or a login step) to pass to `answer`; None while more bytes are needed."""

    @abstractmethod
    async def answer(self, event: Any) -> bytes | Refused:
        """Return the bytes to send in answer to an event (a call or a login step).

        Return Refused if the connection must be closed; `Refused.reply` has the bytes to send before the close.
        """

    def _refused(self, denied: Denied) -> None:
        logger.warning("%s: a login was refused: %s", self._caller.address, denied.logged)

    def at_once(self, data: bytes) -> bytes | None:
        """Return the encoded reply if `data` is exactly one call whose reply was prepared before the call arrived.

        Return None for any other bytes. Call this method only while no bytes are buffered.
        """
        return None

    def _answered(
        self, data: bytes, payload: Callable[[bytes], bytes | None], frame: Callable[[bytes], bytes]
    ) -> bytes | None:
        """Return the encoded reply if `data` is exactly one call whose reply was prepared before the call arrived.

        Return None for any other bytes. `payload` returns the Thrift message in the bytes, or None if the bytes are not
        exactly one message; `frame` encodes a reply message to the bytes to send.
        """
        peer, message = self.peer, payload(data)
        if peer is None or message is None:
            return None
        reply = self._entrance.service.foreseen(peer, message)
        return None if reply is None else frame(reply)


class SaslConversation(Conversation):
    """The SASL transport: a handshake that logs the client in, then messages of one call each."""

    def __init__(self, entrance: Entrance, caller: Caller) -> None:
        super().__init__(entrance, caller)
        self._tickets = entrance.authentication.tickets
        self._transport = SaslTransport(
            entrance.limits.message, entrance.limits.bounds, tickets=self._tickets is not None
        )
        self._login: TicketLogin | None = None

    @staticmethod
    def refusal(reason: str) -> bytes:
        return negotiation(Status.BAD, reason.encode())

    @property
    def buffered(self) -> int:
        return self._transport.buffered

    def receive_data(self, data: bytes) -> None:
        self._transport.receive_data(data)

    def next_event(self) -> Credentials | Token | Refused | bytes | None:
        return self._transport.next_event()

    async def answer(self, event: Credentials | Token | Refused | bytes) -> bytes | Refused:
        if isinstance(event, bytes):
            assert self.peer is not None
            return self._transport.reply(await self._entrance.service.handle(self.peer, event))
        if isinstance(event, Refused):
            return event
        if isinstance(event, Token):
            return await self._step(event)
        try:
            user = await self._entrance.authentication.login(event.user, event.password)
        except Denied as denied:
            return Refused(denied.logged, self._transport.refuse(str(denied)))
        self.peer = Peer(user, self._caller.address, event.acting_for)
        return self._transport.accept()

    async def _step(self, token: Token) -> bytes | Refused:
        """Perform one step of a Kerberos login with a token of the client.

        Return the bytes to send to the client: the server's token, or the acceptance of the login. Return Refused if
        the login fails.
        """
        assert self._tickets is not None
        login = self._login = self._login or self._tickets.login()
        try:
            answer = await asyncio.to_thread(login.step, token.data)
        except Denied as denied:
            return Refused(f"GSSAPI: {denied}", self._transport.refuse(str(denied)))
        if login.user is None:
            return self._transport.proceed(answer)
        self.peer = Peer(login.user, self._caller.address, login.acting_for)
        return self._transport.accept()

    def at_once(self, data: bytes) -> bytes | None:
        return self._answered(data, only_payload, self._transport.reply)


class BareConversation(Conversation):
    """The transport without frames and SASL: messages of one call each; the first OpenSession logs in."""

    def __init__(self, entrance: Entrance, caller: Caller) -> None:
        super().__init__(entrance, caller)
        self._transport = BareTransport(entrance.limits.message, entrance.limits.bounds)

    @staticmethod
    def refusal(reason: str) -> bytes:
        return application_exception("OpenSession", 0, Fault.INTERNAL_ERROR, reason)

    @property
    def buffered(self) -> int:
        return self._transport.buffered

    def receive_data(self, data: bytes) -> None:
        self._transport.receive_data(data)

    def next_event(self) -> bytes | None:
        return self._transport.next_event()

    async def answer(self, event: bytes) -> bytes | Refused:
        head = read_head(event)
        if head is not None and head.name == "OpenSession":
            try:
                await self._log_in(event)
            except Denied as denied:
                self._refused(denied)
                response = ttypes.TOpenSessionResp(
                    status=failure(SqlError(str(denied), "28000")), serverProtocolVersion=0
                )
                return self._transport.reply(encode_reply(head.name, head.seqid, response))
        # Before a client has named its user, no handle is valid for it.
        peer = self.peer or Peer("", self._caller.address)
        return self._transport.reply(await self._entrance.service.handle(peer, event))

    def at_once(self, data: bytes) -> bytes | None:
        return self._answered(data, bytes, self._transport.reply)

    async def _log_in(self, message: bytes) -> None:
        user, password = (
            read_string(message, span) if (span := find(message, path)) else "" for path in (_USERNAME, _PASSWORD)
        )
        if not user and self._entrance.authentication.open_to_all:
            user = ANONYMOUS
        user = await self._entrance.authentication.login(user, password)
        if self.peer is None:
            self._transport.accept()
            self.peer = Peer(user, self._caller.address)
        if self.peer.user != user:
            raise Denied(f"This connection belongs to {self.peer.user}; open another connection for {user}")


class HttpConversation(Conversation):
    """The HTTP transport: one call in each request, with the client's credentials; sessions outlive the connection."""

    def __init__(self, entrance: Entrance, caller: Caller) -> None:
        super().__init__(entrance, caller)
        self._transport = HttpTransport(entrance.limits.message)

    @staticmethod
    def refusal(reason: str) -> bytes:
        return HttpTransport(0).refuse(403, reason, (("Connection", "close"),))

    @property
    def buffered(self) -> int:
        return self._transport.buffered

    def receive_data(self, data: bytes) -> None:
        self._transport.receive_data(data)

    def next_event(self) -> HttpCall | Interim | Refused | None:
        return self._transport.next_event()

    async def answer(self, event: HttpCall | Interim | Refused) -> bytes | Refused:
        if isinstance(event, Interim):
            return event.data
        if isinstance(event, Refused):
            return event
        try:
            user, headers = await self._user(event)
        except Denied as denied:
            return self._unauthorized(event, denied)
        if self.peer is None or (self.peer.user, self.peer.acting_for) != (user, event.acting_for):
            self.peer = Peer(user, self._caller.address, event.acting_for, tied=False)
        self.peer.traceparent = event.traceparent
        self._transport.accept()
        try:
            if not is_whole(event.message):
                raise WireError(
                    "invalid Thrift message: the HTTP body is not exactly one message; send one call in each request"
                )
            check_bounds(event.message, self._entrance.limits.bounds)
            reply = await self._entrance.service.handle(self.peer, event.message)
        except WireError as error:
            return Refused(str(error), self._transport.refuse(400, str(error), (("Connection", "close"),)))
        if event.gzip and len(reply) >= _WORTH_PACKING:
            here = len(reply) <= _PACK_HERE
            reply = packing(reply) if here else await asyncio.to_thread(packing, reply)
            headers = (*headers, ("Content-Encoding", "gzip"))
        answer = self._transport.reply(reply, headers)
        self.ends = self._transport.ends
        return answer

    async def _user(self, call: HttpCall) -> tuple[str, tuple[tuple[str, str], ...]]:
        """Authenticate an HTTP call; return the call's user, and headers for the response, such as a cookie.

        With the cookie, later calls need no credentials. Raise Denied if the credentials are missing or wrong.
        """
        authentication, now = self._entrance.authentication, asyncio.get_running_loop().time()
        scheme, _, given = call.authorization.partition(" ")
        scheme = scheme.lower()
        if scheme == "bearer":
            return authentication.bearer(given.strip()), ()
        cookies, version = self._entrance.cookies, ""
        known = cookies.user(call.cookie, now, authentication.version) if call.cookie else None
        answered: tuple[tuple[str, str], ...] = ()
        if scheme == "negotiate" and known is None:
            # Hive's drivers write a colon before the token.
            user, answer = await authentication.ticket(_decoded(given.lstrip(": ")))
            if answer:
                answered = (("WWW-Authenticate", f"Negotiate {base64.b64encode(answer).decode()}"),)
        elif scheme == "basic":
            name, password = _basic(given)
            if known == name:
                return name, ()
            version = authentication.version(name)
            user = await authentication.login(name, password)
            if self.peer is not None and self.peer.user == user:  # the client was given a cookie, and does not send it
                return user, ()
        elif known is not None:
            return known, ()
        elif authentication.open_to_all and not scheme:
            user = ANONYMOUS
        else:
            raise Denied("The HTTP request has no valid login: send a user name and a password, or a token")
        cookie = cookies.issue(user, now, secure=self._caller.secure, version=version)
        return user, (("Set-Cookie", cookie), *answered)

    def _unauthorized(self, call: HttpCall, denied: Denied) -> bytes:
        headers: tuple[tuple[str, str], ...] = (("WWW-Authenticate", 'Basic realm="Viewgate"'),)
        if self._entrance.authentication.tickets is not None:
            headers = (("WWW-Authenticate", "Negotiate"), *headers)
        if call.authorization:  # a first request without credentials is normal: the reply says which are accepted
            self._refused(denied)
        head = read_head(call.message)
        name, seqid = (head.name, head.seqid) if head else ("?", 0)
        said = application_exception(name, seqid, Fault.INTERNAL_ERROR, str(denied))
        answer = self._transport.refuse_login(said, headers)
        self.ends = self._transport.ends
        return answer


def _basic(given: str) -> tuple[str, str]:
    """Decode the base64 credentials of a Basic header to user name and password; raise Denied if they are invalid.

    >>> _basic("YW5uOmE6Yg==")
    ('ann', 'a:b')
    """
    try:
        name, colon, password = _decoded(given).decode().partition(":")
    except UnicodeDecodeError as error:
        raise Denied(_UNREADABLE) from error
    if not colon or not name:
        raise Denied("The Authorization header has no user name and password: set both in the client")
    return name, password


def _decoded(given: str) -> bytes:
    try:
        return base64.b64decode(given, validate=True)
    except ValueError as error:  # binascii's error, or the text is not ASCII
        raise Denied(_UNREADABLE) from error


# Any other first byte is answered as SASL, as Spark does: with an error about an unknown status.
CONVERSATIONS: dict[Transport | None, type[Conversation]] = {
    Transport.SASL: SaslConversation,
    Transport.NOSASL: BareConversation,
    Transport.HTTP: HttpConversation,
    None: SaslConversation,
}
