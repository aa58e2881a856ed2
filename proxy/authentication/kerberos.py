"""Kerberos logins of clients to Viewgate, and of Viewgate to Spark.

Over SASL, a login takes several tokens (RFC 4752); over HTTP, a single one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

from proxy.authentication.authentication import Denied
from proxy.authentication.gssapi import Acceptor, ClientContext, Context, GssError, Initiator
from proxy.hs2 import Unreachable

T = TypeVar("T")

_NO_LAYER = 1  # no SASL protection after the login; TLS protects the messages
_OFFER = bytes([_NO_LAYER, 0, 0, 0])  # with a buffer size of 0, because no messages are wrapped


class Security(Protocol):
    """The server's side of one GSSAPI login within SASL; `complete` is true after the last step."""

    complete: bool

    def accept(self, token: bytes) -> bytes:
        """Accept the client's token, and return the token for the reply, which may be empty."""
        ...

    def user(self) -> str:
        """Return the client's local user name."""
        ...

    def wrap(self, data: bytes) -> bytes:
        """Return the bytes wrapped for the client (gss_wrap): signed, but not encrypted."""
        ...

    def unwrap(self, data: bytes) -> bytes:
        """Return the content of a message that the client has wrapped."""
        ...


class Kerberos:
    """A verifier of clients' tickets by the keys in a keytab file (`kadmin ktadd`).

    With a `principal`, only tickets for that principal are accepted, else tickets for any principal with a key in the
    file. The constructor raises GssError if the file has no key.
    """

    def __init__(self, keytab: Path, principal: str = "") -> None:
        self._acceptor = Acceptor(keytab, principal)

    def login(self) -> SaslLogin:
        """Return the server's side of a new login over SASL, which takes several tokens."""
        return SaslLogin(Context(self._acceptor))

    def user(self, token: bytes) -> tuple[str, bytes]:
        """Return the user of the Kerberos token in an HTTP request, and the token for the reply.

        Raise Denied if the token is not accepted.
        """
        context = Context(self._acceptor)
        answer = _sure(lambda: context.accept(token))
        if not context.complete:
            raise Denied(
                "The Kerberos ticket is not accepted: the login needs a second token, which logins over HTTP do not "
                "support: use the binary transport (SASL)"
            )
        return _sure(context.user), answer


class SaslLogin:
    """The server's side of one SASL login: `step` takes the client's tokens one by one, and the last call sets `user`.

    After the exchange of tickets, the server sends a wrapped message with the SASL protections that it supports. The
    client's wrapped reply chooses one protection, and may name the user to act for.
    """

    def __init__(self, security: Security) -> None:
        self._security = security
        self._offered = False
        self.user: str | None = None
        self.acting_for = ""

    def step(self, token: bytes) -> bytes:
        """Return the server's reply to the client's token; after the last step, `user` is set. Raise Denied if the
        login fails.
        """
        return _sure(lambda: self._step(token))

    def _step(self, token: bytes) -> bytes:
        security = self._security
        if not security.complete:
            answer = security.accept(token)
            # If there is an answer, the client's next token is empty, and is answered with the offer.
            return answer if answer or not security.complete else self._offer()
        if not self._offered:
            return self._offer()
        chosen = security.unwrap(token)
        if len(chosen) < len(_OFFER) or chosen[0] != _NO_LAYER:
            raise Denied(
                "Error validating the login: only the SASL protection `auth` is supported: set "
                "sasl.qop=auth in the client"
            )
        user, name = security.user(), chosen[len(_OFFER) :].decode("utf-8", "replace")
        # A client that acts for itself may leave the name empty, or give its own name, with or without the realm.
        self.acting_for = "" if name.partition("@")[0] == user else name
        self.user = user
        return b""

    def _offer(self) -> bytes:
        self._offered = True
        return self._security.wrap(_OFFER)


# GSSAPI's messages about a ticket that cannot be obtained, and what to do.
_REMEDIES = (
    ("Cannot contact any KDC", "check the `kdc` of the realm in krb5.conf, and that it runs"),
    ("Cannot find KDC", "name the realm and its `kdc` in krb5.conf"),
    (r"Server .*not found", "correct `principal`"),
    ("not found in Kerberos database", "correct `client`, or `principal`"),
    ("Clock skew", "set the clocks by NTP"),
    ("reauthentication failed", "create the keytab again: the password of `client` has changed"),
    ("Integrity check", "create the keytab again: the password of `client` has changed"),
)
_ADVICE = "see [upstream.kerberos], and krb5.conf"
_HOST = "_HOST"  # replaced by the host's name, as in Hive's clients


class ClientSecurity(Protocol):
    """The client's side of one GSSAPI login, as a SASL login needs it; `complete` is true after the last step."""

    complete: bool

    def step(self, token: bytes) -> bytes:
        """Return the client's next token; `token` is the server's last token (empty at first)."""
        ...

    def wrap(self, data: bytes) -> bytes:
        """Return the bytes wrapped for the server (gss_wrap): signed, but not encrypted."""
        ...

    def unwrap(self, data: bytes) -> bytes:
        """Return the content of a message that the server has wrapped."""
        ...


class KerberosClient:
    """A Kerberos client with which Viewgate logs in to Spark, by the keys in a keytab file.

    In the service's name `principal`, `_HOST` stands for the host of the connection. `client` is the principal that
    logs in (empty: the first principal in the file); the constructor raises GssError if the file has no key for this
    principal. Calls may block on a Key Distribution Center.
    """

    def __init__(self, principal: str, keytab: Path, client: str = "") -> None:
        self._principal = principal
        self._initiator = Initiator(keytab, client)

    def login(self, host: str) -> Callable[[bytes], bytes]:
        """Return a function that makes the steps of a new SASL login to a host.

        The function takes the server's last token (empty at first), and returns the client's next token.
        """
        return SaslClientLogin(self._context(host), self._service(host)).step

    def token(self, host: str) -> bytes:
        """Return the Kerberos token for an HTTP request to a host; raise Unreachable if Kerberos issues no ticket."""
        return _ticket(self._service(host), lambda: self._context(host).step(b""))

    def _context(self, host: str) -> ClientContext:
        return ClientContext(self._initiator, self._service(host))

    def _service(self, host: str) -> str:
        return self._principal.replace(_HOST, host.lower())


class SaslClientLogin:
    """The client's side of one SASL login: `step` takes the server's tokens, and raises Unreachable if the login fails.

    After the exchange of tickets, the server sends a wrapped message with the SASL protections that it supports; the
    client chooses to have no protection.
    """

    def __init__(self, security: ClientSecurity, service: str) -> None:
        self._security = security
        self._service = service

    def step(self, token: bytes) -> bytes:
        """Return the client's next token; `token` is the server's last token. Raise Unreachable if the login fails."""
        return _ticket(self._service, lambda: self._step(token))

    def _step(self, token: bytes) -> bytes:
        if not self._security.complete:
            return self._security.step(token)
        offered = self._security.unwrap(token)
        if not offered or not offered[0] & _NO_LAYER:
            raise Unreachable(
                f"{self._service} requires SASL protection, which Viewgate does not support: set "
                "hive.server2.thrift.sasl.qop to auth in Spark, and use TLS"
            )
        return self._security.wrap(_OFFER)


def _ticket(service: str, ask: Callable[[], T]) -> T:
    try:
        return ask()
    except GssError as error:
        advice = next((advice for said, advice in _REMEDIES if re.search(said, str(error))), _ADVICE)
        raise Unreachable(f"Kerberos login to {service} failed: {error}; {advice}") from error


def _sure(ask: Callable[[], T]) -> T:
    """Return the result of `ask`, which makes GSSAPI calls; raise Denied if one of the calls fails."""
    try:
        return ask()
    except GssError as error:
        raise Denied(
            f"Error validating the login: the Kerberos ticket is not accepted: {error}; get a new ticket with kinit"
        ) from error
