"""Checks a client's credentials against a file, a directory or a signature, and for whom the client may act."""

from __future__ import annotations

import asyncio
import hmac
import logging
import secrets
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from proxy.hs2 import SqlError

logger = logging.getLogger(__name__)

_AT_ONCE = 4  # each check by Argon2 takes 64 MiB while it lasts
_KEPT = 10_000


class Denied(Exception):
    """A login is refused; the message is for the client, `logged` for the log."""

    def __init__(self, message: str, user: str = "") -> None:
        super().__init__(message)
        self.logged = f"{user!r}: {message}" if user else message


class Passwords(Protocol):
    """A source of passwords; `check` may block, in a thread of its own."""

    def check(self, user: str, password: str) -> bool:
        """Return whether this is the user's password."""
        ...


class TokenKeys(Protocol):
    """A source of the keys that sign tokens."""

    def user(self, token: str) -> str | None:
        """Return the user of a token."""
        ...


class TicketLogin(Protocol):
    """A login that takes several steps."""

    user: str | None
    acting_for: str

    def step(self, token: bytes) -> bytes:
        """Return the answer for the client; at the end of the login, `user` is set. Raise Denied if the login fails."""
        ...


class Tickets(Protocol):
    """A reader of tickets that another service has issued; it may block, in a thread of its own."""

    def login(self) -> TicketLogin:
        """Return the start of a login."""
        ...

    def user(self, token: bytes) -> tuple[str, bytes]:
        """Return the user of a single token and the answer to it; raise Denied if there is none."""
        ...


class Authentication:
    """Checks logins; without any of `passwords`, `tokens` and `tickets`, any name is believed, as Spark does it.

    A password that was right stays so for `kept` seconds, without being asked for again: some clients send it with
    each call. Only a keyed digest is remembered.
    """

    def __init__(
        self,
        passwords: Passwords | None = None,
        tokens: TokenKeys | None = None,
        kept: float = 300.0,
        tickets: Tickets | None = None,
    ) -> None:
        self._passwords = passwords
        self._tokens = tokens
        self.tickets = tickets
        self._kept = kept
        self._key = secrets.token_bytes(32)
        self._right: dict[bytes, float] = {}
        self._checking = ThreadPoolExecutor(_AT_ONCE, "password")  # a check goes on though its client has gone

    @property
    def open_to_all(self) -> bool:
        """Whether any name is believed."""
        return self._passwords is None and self._tokens is None and self.tickets is None

    async def login(self, user: str, password: str) -> str:
        """Return the principal that a name and a password stand for."""
        if self.open_to_all:
            return user
        if self._passwords is None:
            instead = {"tokens, over HTTP": self._tokens, "tickets of Kerberos": self.tickets}
            accepted = " and ".join(name for name, what in instead.items() if what is not None)
            raise Denied(f"Error validating the login: no passwords are accepted here, only {accepted}", user)
        if not user or not password:
            raise Denied("Error validating the login: a user and a password are needed", user)
        now = asyncio.get_running_loop().time()
        digest = hmac.digest(self._key, f"{len(user)}:{user}{password}".encode(), "sha256")
        if self._right.get(digest, 0.0) > now:
            return user
        try:
            check = asyncio.get_running_loop().run_in_executor(self._checking, self._passwords.check, user, password)
            right = await check
        except Exception as error:
            logger.exception("password not checked user=%r", user)
            raise Denied(
                "Error validating the login: passwords cannot be checked now, try again later", user
            ) from error
        if not right:
            raise Denied("Error validating the login", user)
        self._remember(digest, now)
        return user

    def bearer(self, token: str) -> str:
        """Return the principal that a token names."""
        user = self._tokens.user(token) if self._tokens is not None else None
        if user is None:
            raise Denied("The token is not accepted" if self._tokens is not None else "No tokens are accepted here")
        return user

    async def ticket(self, token: bytes) -> tuple[str, bytes]:
        """Return the principal that a ticket names, and the answer for the client."""
        if self.tickets is None:
            raise Denied("No tickets are accepted here")
        return await asyncio.to_thread(self.tickets.user, token)

    def _remember(self, digest: bytes, now: float) -> None:
        if len(self._right) >= _KEPT:
            self._right = {known: until for known, until in self._right.items() if until > now}
        if len(self._right) < _KEPT:
            self._right[digest] = now + self._kept


ANYBODY = "*"


class ProxyUsers:
    """By principal, the users that it may act for.

    >>> allowed = ProxyUsers({"superset": frozenset({"ann", "bob"})})
    >>> allowed.acting("superset", "ann"), allowed.acting("eve", "")
    ('ann', 'eve')
    >>> allowed.acting("eve", "ann")
    Traceback (most recent call last):
    proxy.hs2.status.SqlError: eve may not act for ann: an administrator can allow it in [authentication.proxy_users]
    """

    def __init__(self, allowed: Mapping[str, frozenset[str]] | None = None) -> None:
        self._allowed = allowed or {}

    def acting(self, principal: str, wanted: str) -> str:
        """Return the user of a session that a principal opens, for another user if one is named."""
        if wanted in ("", principal):
            return principal
        if not self._allowed.get(principal, frozenset()) & {wanted, ANYBODY}:
            raise SqlError(
                f"{principal} may not act for {wanted}: an administrator can allow it in [authentication.proxy_users]",
                "28000",
            )
        return wanted
