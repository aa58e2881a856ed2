"""Logins by tickets of Kerberos: over SASL as RFC 4752 has it, over HTTP by one token."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

from proxy.authentication.authentication import Denied
from proxy.authentication.gssapi import Acceptor, Context, GssError

T = TypeVar("T")

_NO_LAYER = 1  # messages go as they are behind the login: TLS is what hides them
_OFFER = bytes([_NO_LAYER, 0, 0, 0])  # and 0 as the size of wrapped messages, of which there are none


class Security(Protocol):
    """The steps of a login by GSSAPI."""

    complete: bool

    def accept(self, token: bytes) -> bytes:
        """Read the client's token; what it is to be answered, if it is."""
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
    """The server's side of one login: `step` takes what the client says, until `user` is known.

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
            raise Denied("Error validating the login: no layer of security is offered but `auth` (sasl.qop)")
        user, name = security.user(), chosen[len(_OFFER) :].decode("utf-8", "replace")
        # Clients that act for nobody may say nothing, or who they are, with or without their realm.
        self.acting_for = "" if name.partition("@")[0] == user else name
        self.user = user
        return b""

    def _offer(self) -> bytes:
        self._offered = True
        return self._security.wrap(_OFFER)


def _sure(ask: Callable[[], T]) -> T:
    """Return the answer of GSSAPI; raise Denied if it refuses."""
    try:
        return ask()
    except GssError as error:
        raise Denied(f"Error validating the login: {error}") from error
