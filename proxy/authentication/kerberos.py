"""Logins by tickets of Kerberos, of clients here and of ours at Spark: SASL by RFC 4752, HTTP by one token."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

from proxy.authentication.authentication import Denied
from proxy.authentication.gssapi import Acceptor, ClientContext, Context, GssError, Initiator
from proxy.hs2 import Unreachable

T = TypeVar("T")

_NO_LAYER = 1  # messages go as they are behind the login: TLS is what hides them
_OFFER = bytes([_NO_LAYER, 0, 0, 0])  # and 0 as the size of wrapped messages, of which there are none


class Security(Protocol):
    """The steps of a login by GSSAPI."""

    complete: bool

    def accept(self, token: bytes) -> bytes:
        """Read the client's token; return the token for the reply, which may be empty."""
        ...

    def user(self) -> str:
        """Return the local name of the client."""
        ...

    def wrap(self, data: bytes) -> bytes:
        """Return bytes wrapped for the client."""
        ...

    def unwrap(self, data: bytes) -> bytes:
        """Return bytes unwrapped from the client."""
        ...


class Kerberos:
    """The keys of this service, in a file as `kadmin ktadd` makes it; GssError if it holds none.

    With a principal, only tickets for that are read, else those for any that the file has a key of.
    """

    def __init__(self, keytab: Path, principal: str = "") -> None:
        self._acceptor = Acceptor(keytab, principal)

    def login(self) -> SaslLogin:
        """Return a login over SASL, which takes several tokens."""
        return SaslLogin(Context(self._acceptor))

    def user(self, token: bytes) -> tuple[str, bytes]:
        """Return the user of a request's one token, and the answer to it."""
        context = Context(self._acceptor)
        answer = _sure(lambda: context.accept(token))
        if not context.complete:
            raise Denied("The ticket is not accepted: more than one token would be needed")
        return _sure(context.user), answer


class SaslLogin:
    """The server's side of one login: `step` takes the client's tokens, until `user` is known.

    When tickets are through, the server offers layers of security, wrapped, and the client chooses one, wrapped, and
    may say whom it acts for.
    """

    def __init__(self, security: Security) -> None:
        self._security = security
        self._offered = False
        self.user: str | None = None
        self.acting_for = ""

    def step(self, token: bytes) -> bytes:
        """Return the answer for the client; at the end of the login, `user` is set."""
        return _sure(lambda: self._step(token))

    def _step(self, token: bytes) -> bytes:
        security = self._security
        if not security.complete:
            answer = security.accept(token)
            # What comes next is the client's turn, if there is an answer: it then says nothing, and is made the offer.
            return answer if answer or not security.complete else self._offer()
        if not self._offered:
            return self._offer()
        chosen = security.unwrap(token)
        if len(chosen) < len(_OFFER) or chosen[0] != _NO_LAYER:
            raise Denied("Error validating the login: only the SASL protection `auth` is supported: set sasl.qop=auth")
        user, name = security.user(), chosen[len(_OFFER) :].decode("utf-8", "replace")
        # Clients that act for nobody may say nothing, or who they are, with or without their realm.
        self.acting_for = "" if name.partition("@")[0] == user else name
        self.user = user
        return b""

    def _offer(self) -> bytes:
        self._offered = True
        return self._security.wrap(_OFFER)


# What GSSAPI says of a ticket that cannot be had, and what to do about it.
_REMEDIES = (
    ("Cannot contact any KDC", "see the `kdc` of the realm in krb5.conf, and whether it runs"),
    ("Cannot find KDC", "name the realm and its `kdc` in krb5.conf"),
    (r"Server .*not found", "correct `principal`"),
    ("not found in Kerberos database", "correct `client`, or `principal`"),
    ("Clock skew", "set the clocks by NTP"),
    ("reauthentication failed", "create the keytab again: the password of `client` has changed"),
    ("Integrity check", "create the keytab again: the password of `client` has changed"),
)
_ADVICE = "see [upstream.kerberos], and krb5.conf"
_HOST = "_HOST"  # in the name of a service, as Hive's clients have it


class ClientSecurity(Protocol):
    """The steps of a login to a server through GSSAPI."""

    complete: bool

    def step(self, token: bytes) -> bytes:
        """Return the token for the server behind its own."""
        ...

    def wrap(self, data: bytes) -> bytes:
        """Bytes for the server."""
        ...

    def unwrap(self, data: bytes) -> bytes:
        """Bytes from the server."""
        ...


class KerberosClient:
    """Our own keys, and the service for which they get tickets; GssError if the file holds none.

    In `principal`, the name of the service, `_HOST` stands for the host that is connected to. What is asked here may
    take as long as a Key Distribution Center does.
    """

    def __init__(self, principal: str, keytab: Path, client: str = "") -> None:
        self._principal = principal
        self._initiator = Initiator(keytab, client)

    def login(self, host: str) -> Callable[[bytes], bytes]:
        """Return the steps of a login over SASL, from one token of the server, at first an empty one, to ours."""
        return SaslClientLogin(self._context(host), self._service(host)).step

    def token(self, host: str) -> bytes:
        """Return the token that a request over HTTP carries; raise Unreachable if there is no ticket."""
        return _ticket(self._service(host), lambda: self._context(host).step(b""))

    def _context(self, host: str) -> ClientContext:
        return ClientContext(self._initiator, self._service(host))

    def _service(self, host: str) -> str:
        return self._principal.replace(_HOST, host.lower())


class SaslClientLogin:
    """The client's side of one login: `step` takes the server's tokens; raises Unreachable if the login fails.

    When tickets are through, the server offers layers of security, wrapped, and we take the one that is none.
    """

    def __init__(self, security: ClientSecurity, service: str) -> None:
        self._security = security
        self._service = service

    def step(self, token: bytes) -> bytes:
        """Return the next token for the server."""
        return _ticket(self._service, lambda: self._step(token))

    def _step(self, token: bytes) -> bytes:
        if not self._security.complete:
            return self._security.step(token)
        offered = self._security.unwrap(token)
        if not offered or not offered[0] & _NO_LAYER:
            raise Unreachable("requires SASL protection (hive.server2.thrift.sasl.qop): set it to auth, and use TLS")
        return self._security.wrap(_OFFER)


def _ticket(service: str, ask: Callable[[], T]) -> T:
    try:
        return ask()
    except GssError as error:
        advice = next((advice for said, advice in _REMEDIES if re.search(said, str(error))), _ADVICE)
        raise Unreachable(f"no ticket of Kerberos for {service}: {error}; {advice}") from error


def _sure(ask: Callable[[], T]) -> T:
    """Return the answer of GSSAPI; raise Denied if it refuses."""
    try:
        return ask()
    except GssError as error:
        raise Denied(f"Error validating the login: {error}") from error
