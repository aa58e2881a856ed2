"""Checks a client's credentials (password, token or Kerberos ticket), and whether the client may act for another user.

Passwords are checked against a password file or an LDAP directory. A principal is the authenticated user, who may act
for another user if the settings allow it (impersonation). A password file has lines `user:hash`, with Argon2 hashes as
`viewgate password` prints them. With a login cookie, an HTTP client need not have its password checked in every call.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import logging
import re
import secrets
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from proxy.hs2 import SqlError
from proxy.journal.texts import shortened

logger = logging.getLogger(__name__)

_AT_ONCE = 4  # each Argon2 check takes 64 MiB while it runs
_KEPT = 10_000
_SHOWN = 200


class Denied(Exception):
    """The error raised if a login is refused; its message is for the client, and `logged` is the text for the log.

    The log shows at most the first 200 characters of the user's name, because anyone can send a name.
    """

    def __init__(self, message: str, user: str = "") -> None:
        super().__init__(message)
        self.logged = f"{shortened(user, _SHOWN)!r}: {message}" if user else message


class Passwords(Protocol):
    """A store of users' passwords. The method `check` may block, so it must be called in a thread."""

    def version(self, user: str) -> str:
        """Return a text that changes when the user's password changes, or when the user is added or removed.

        Return an empty text for an unknown user, or if the store does not know when a password changes. The call does
        not block.
        """
        ...

    def check(self, user: str, password: str) -> bool:
        """Return whether `password` is the password of `user`; False for an unknown user."""
        ...


class TokenKeys(Protocol):
    """The keys that verify the signatures of JSON Web Tokens."""

    def user(self, token: str) -> str | None:
        """Return the user whom a JSON Web Token names; None if the token is not accepted."""
        ...


class TicketLogin(Protocol):
    """One Kerberos login that takes several messages.

    `user` is None until the login has succeeded. `acting_for` is the user whom the client wants to act for, empty for
    the client's own user.
    """

    user: str | None
    acting_for: str

    def step(self, token: bytes) -> bytes:
        """Return the server's reply to the client's token; after the last step, `user` is set. Raise Denied if the
        login fails.
        """
        ...


class Tickets(Protocol):
    """A verifier of Kerberos tickets. Its methods may block, so they must be called in a thread."""

    def login(self) -> TicketLogin:
        """Return the server's side of a new login over SASL, which takes several messages."""
        ...

    def user(self, token: bytes) -> tuple[str, bytes]:
        """Return the user of the Kerberos token in an HTTP request, and the token for the reply.

        Raise Denied if the token is not accepted.
        """
        ...


class Authentication:
    """A checker of logins; if `passwords`, `tokens` and `tickets` are all None, every user name is accepted, as in
    Spark.

    Some clients send their password with each call. Therefore a correct password is accepted for `kept` seconds without
    another check, unless the password is known to have changed. Only a keyed digest of the password is stored.
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
        self._checking = ThreadPoolExecutor(_AT_ONCE, "password")  # a check continues even if its client has gone

    @property
    def open_to_all(self) -> bool:
        """Whether every user name is accepted without a check."""
        return self._passwords is None and self._tokens is None and self.tickets is None

    async def login(self, user: str, password: str) -> str:
        """Return the principal (the authenticated user) for a user name and a password.

        Raise Denied if the password is wrong or missing, or if passwords cannot be checked at present.
        """
        if self.open_to_all:
            return user
        if self._passwords is None:
            instead = {"a JSON Web Token over HTTP": self._tokens, "a Kerberos ticket": self.tickets}
            accepted = " or ".join(name for name, what in instead.items() if what is not None)
            raise Denied(f"Error validating the login: this server accepts no passwords: log in with {accepted}", user)
        if not user or not password:
            raise Denied("Error validating the login: give a user name and a password", user)
        now = asyncio.get_running_loop().time()
        login = f"{self.version(user)}:{len(user)}:{user}{password}"
        digest = hmac.digest(self._key, login.encode(), "sha256")
        if self._right.get(digest, 0.0) > now:
            return user
        try:
            check = asyncio.get_running_loop().run_in_executor(self._checking, self._passwords.check, user, password)
            right = await check
        except Exception as error:
            logger.exception("password not checked user=%r", user)
            raise Denied(
                "Error validating the login: passwords cannot be checked at present: try again later (the reason is in "
                "Viewgate's log)",
                user,
            ) from error
        if not right:
            raise Denied("Error validating the login: the user name or the password is wrong", user)
        self._remember(digest, now)
        return user

    def version(self, user: str) -> str:
        """Return the version of the user's password (see `Passwords.version`); empty if no password store is
        configured.
        """
        return self._passwords.version(user) if self._passwords is not None else ""

    def bearer(self, token: str) -> str:
        """Return the user whom a JSON Web Token names.

        Raise Denied if the token is not accepted, or if no keys for tokens are configured.
        """
        user = self._tokens.user(token) if self._tokens is not None else None
        if user is None:
            raise Denied(
                "The token is invalid or has expired: log in with a new token"
                if self._tokens is not None
                else "This server accepts no tokens: an administrator can set [authentication.jwt]"
            )
        return user

    async def ticket(self, token: bytes) -> tuple[str, bytes]:
        """Return the user of a Kerberos token, and the token for the reply.

        Raise Denied if the token is not accepted, or if Kerberos is not configured.
        """
        if self.tickets is None:
            raise Denied("This server accepts no Kerberos tickets: an administrator can set [authentication.kerberos]")
        return await asyncio.to_thread(self.tickets.user, token)

    def _remember(self, digest: bytes, now: float) -> None:
        if len(self._right) >= _KEPT:
            self._right = {known: until for known, until in self._right.items() if until > now}
        if len(self._right) < _KEPT:
            self._right[digest] = now + self._kept


ANYBODY = "*"


class ProxyUsers:
    """The users for whom each principal (authenticated user) may open sessions; `*` stands for all users.

    >>> allowed = ProxyUsers({"superset": frozenset({"ann", "bob"})})
    >>> allowed.acting("superset", "ann"), allowed.acting("eve", "")
    ('ann', 'eve')
    >>> allowed.acting("eve", "ann")
    Traceback (most recent call last):
    proxy.hs2.status.SqlError: eve may not act for ann: an administrator can add ann to [authentication.proxy_users]
    """

    def __init__(self, allowed: Mapping[str, frozenset[str]] | None = None) -> None:
        self._allowed = allowed or {}

    def acting(self, principal: str, wanted: str) -> str:
        """Return the user of a session that a principal opens for the user `wanted` (empty: for the principal itself).

        Raise SqlError 28000 if the principal may not act for that user.
        """
        if wanted in ("", principal):
            return principal
        if not self._allowed.get(principal, frozenset()) & {wanted, ANYBODY}:
            raise SqlError(
                f"{principal} may not act for {wanted}: an administrator can add {wanted} to "
                "[authentication.proxy_users]",
                "28000",
            )
        return wanted


class PasswordFile:
    """The users and password hashes in a password file; if the file has changed, it is read again before the next
    check.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._hasher = PasswordHasher()
        # Verified for unknown users, so that a refusal takes as long as for a wrong password.
        self._nobody = self._hasher.hash("")
        self._read_at: tuple[int, ...] | None = None
        self._hashes: dict[str, str] = {}
        self._refresh()

    def check(self, user: str, password: str) -> bool:
        """Return whether `password` is the password of `user`; False for an unknown user.

        Every call computes an Argon2 hash, so that the duration of the call does not show whether the user exists.
        """
        self._refresh()
        known = self._hashes.get(user)
        try:
            return self._hasher.verify(known or self._nobody, password) and known is not None
        except (VerificationError, InvalidHashError):
            return False

    def version(self, user: str) -> str:
        """Return a digest of the user's password hash; empty if the file has no line for the user.

        If the file cannot be read at present, the content last read is used, so that logins work while an editor
        writes the file.
        """
        with suppress(OSError, ValueError):
            self._refresh()
        known = self._hashes.get(user)
        return hashlib.sha256(known.encode()).hexdigest() if known is not None else ""

    @staticmethod
    def line(user: str, password: str) -> str:
        """Return the line of a password file for a user: the user name, a colon and the Argon2 hash of the password."""
        return f"{user}:{PasswordHasher().hash(password)}"

    def _refresh(self) -> None:
        status = self._path.stat()
        # modification times can be set by hand
        read_at = (status.st_mtime_ns, status.st_size, status.st_ino, status.st_ctime_ns)
        if read_at != self._read_at:
            self._hashes = parse(self._path.read_text(encoding="utf-8"), str(self._path))
            self._read_at = read_at


def parse(text: str, source: str) -> dict[str, str]:
    r"""Return the password hashes in a password file by user; raise ValueError for a malformed line.

    `source` is the file's name for the message.

    >>> parse("# team\nann:$argon2id$x\n", "users")
    {'ann': '$argon2id$x'}
    """
    hashes = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        user, _, hashed = line.strip().partition(":")
        if not user or not hashed.startswith("$argon2"):
            raise ValueError(f"{source}:{number}: the line must be user:hash, as `viewgate password` prints it")
        hashes[user] = hashed
    return hashes


NAME = "hive.server2.auth"  # the name that Hive's drivers expect


@dataclass(frozen=True)
class Cookies:
    """Login cookies signed by a secret key, so that the server need not store the cookies that it issued.

    The signature covers the cookie's `name`. `attributes` are appended to the Set-Cookie header; `lifetime` is in
    seconds. A cookie becomes invalid when its user's password changes.

    >>> cookies, passwords = Cookies(), {"ann": "1"}
    >>> value = cookies.issue("ann", now=0, secure=False, version="1").split(";")[0]
    >>> [each.user(value, now, passwords.get) for each, now in ((cookies, 10), (cookies, 1e6), (Cookies(), 10))]
    ['ann', None, None]
    >>> cookies.user(value, 10, lambda user: "2")
    """

    lifetime: float = 3600.0
    key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    name: str = NAME
    attributes: str = ""

    def issue(self, user: str, now: float, *, secure: bool, version: str) -> str:
        """Return the value of a Set-Cookie header with a new login cookie for a user; `now` is the current time in
        seconds.

        A `secure` cookie is sent over HTTPS only. `version` is the version that the user's password had before the
        login was checked (see `Passwords.version`); it is empty for a login without password.
        """
        text = f"{user}\n{now + self.lifetime:.0f}\n{version}".encode()
        value = _coded(text) + "." + _coded(self._signature(text))
        # Without TLS, `Secure` would keep Java's client from ever sending the cookie back.
        ends = f"{'; Secure' if secure else ''}{self.attributes and f'; {self.attributes}'}"
        return f"{self.name}={value}; Max-Age={self.lifetime:.0f}; Path=/; HttpOnly{ends}"

    def expire(self) -> str:
        """Return the value of a Set-Cookie header that makes a browser delete its login cookie."""
        return f"{self.name}=; Max-Age=0; Path=/; HttpOnly{self.attributes and f'; {self.attributes}'}"

    def user(self, header: str, now: float, version: Callable[[str], str]) -> str | None:
        """Return the user in a Cookie header; None if the cookie is missing, forged or expired.

        Return None, too, if the user's password has changed since the cookie was issued. `now` is the current time in
        seconds; `version` returns the current version of a user's password (see `Passwords.version`).
        """
        found = re.search(rf'(?:^|;\s*){re.escape(self.name)}="?([^";]+)"?', header)
        if found is None:
            return None
        try:
            text, signature = (base64.urlsafe_b64decode(part) for part in found[1].split("."))
            if not hmac.compare_digest(signature, self._signature(text)):
                return None
            user, until, issued = text.decode().rsplit("\n", 2)
        except ValueError:
            return None
        return user if float(until) > now and issued in ("", version(user)) else None

    def _signature(self, text: bytes) -> bytes:
        return hmac.digest(self.key, f"{self.name}\n".encode() + text, "sha256")


def _coded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode()
