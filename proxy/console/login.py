"""Checks logins to the console, and protects the console's pages in a browser.

The users and passwords are those of the SQL port. After a login, a cookie identifies the visitor. Responses have
security headers, and forms sent from pages of other sites are refused.
"""

from __future__ import annotations

import asyncio
import base64
import ipaddress
import logging
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from proxy.authentication import Authentication, Cookies, Denied

_log = logging.getLogger(__name__)

_LIFETIME = 8 * 3600.0  # seconds, a working day
_MISDIRECTED, _UNAUTHORIZED = 421, 401


@dataclass(frozen=True)
class Visitor:
    """A reader of the console's pages.

    `whose` is the only user whose statements and sessions the pages show to this reader; None if the pages show all
    users' statements and sessions. `known` is false if there was no login. `cookie` is the Set-Cookie header for the
    response; empty if no cookie is to be set.
    """

    user: str
    whose: str | None
    known: bool = True
    cookie: str = ""


class Login:
    """The login of visitors by passwords, cookies, bearer tokens or Kerberos tickets.

    No login is required if SQL clients need none. `whose(user)` returns the only user whose statements `user` may see,
    None if `user` may see all statements. `key` is the secret that signs cookies; workers with the same key accept each
    other's cookies.
    """

    def __init__(self, authentication: Authentication, whose: Callable[[str], str | None], key: bytes) -> None:
        self._authentication = authentication
        self._whose = whose
        self._cookies = Cookies(_LIFETIME, key, "viewgate-console", "SameSite=Strict")

    @property
    def accepts_tickets(self) -> bool:
        """Whether a browser may log in by a Kerberos ticket."""
        return self._authentication.tickets is not None

    @property
    def expired(self) -> str:
        """The Set-Cookie header that makes a browser forget the login."""
        return self._cookies.expire()

    async def visitor(self, request: Request) -> Visitor | None:
        """Return the visitor who sent a request; None if the visitor must log in first.

        Raise HTTPException 401 for a token or ticket that is not accepted, and 421 for a host name that `check_host`
        refuses.
        """
        if self._authentication.open_to_all:
            check_host(request)
            return Visitor("anonymous", None, known=False)
        cookie, now = request.headers.get("cookie", ""), asyncio.get_running_loop().time()
        user = self._cookies.user(cookie, now, self._authentication.version)
        if user is not None:
            return Visitor(user, self._whose(user))
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        try:
            if scheme.lower() == "bearer":
                user = self._authentication.bearer(given.strip())
                return Visitor(user, self._whose(user))
            if scheme.lower() == "negotiate":
                user, _ = await self._authentication.ticket(base64.b64decode(given, validate=True))
                return self._admitted(request, user, version="")
        except (Denied, ValueError) as denied:  # ValueError: the token is not in base64
            self._refused(request, denied)
            raise HTTPException(_UNAUTHORIZED, str(denied)) from denied
        return None

    async def enter(self, request: Request, user: str, password: str) -> Visitor:
        """Return the visitor who logs in with a user name and a password; raise Denied if either is wrong."""
        version = self._authentication.version(user)
        try:
            return self._admitted(request, await self._authentication.login(user, password), version)
        except Denied as denied:
            self._refused(request, denied)
            raise

    def _admitted(self, request: Request, user: str, version: str) -> Visitor:
        secure, now = request.url.scheme == "https", asyncio.get_running_loop().time()
        cookie = self._cookies.issue(user, now, secure=secure, version=version)
        return Visitor(user, self._whose(user), cookie=cookie)

    def _refused(self, request: Request, denied: Exception) -> None:
        address = request.client.host if request.client else ""
        _log.warning("console login refused address=%s reason=%s", address, getattr(denied, "logged", denied))


def check_host(request: Request) -> None:
    """Raise HTTPException 421 if the host name in a request contains a dot and is not an IP address.

    The check protects a console without logins from DNS rebinding: a web page that makes its own host name resolve to
    127.0.0.1 could otherwise read the console through the visitor's browser.
    """
    host = request.url.hostname or ""
    if "." in host and not _is_address(host):
        told = f"without logins, the console cannot be opened by the host name {host}: use localhost or the IP address"
        raise HTTPException(_MISDIRECTED, told)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


# Nothing is loaded from other sites, pages contain no inline scripts or styles, and no other site may frame them.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Without a referrer policy, browsers would hide the origin of a form.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_FORBIDDEN = 403


class Protection:
    """ASGI middleware that adds security headers to each response, and refuses forms sent from other sites."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        foreign = scope["type"] == "http" and scope["method"] not in _READING and not _is_own(Headers(scope=scope))
        refusal = PlainTextResponse("this form was sent from another site, and is refused", _FORBIDDEN)
        await (refusal if foreign else self._app)(scope, receive, protected)


def _is_own(headers: Headers) -> bool:
    """Return whether a page of this site sent a request, by the header Sec-Fetch-Site, else by the header Origin.

    Return False if the request has neither header.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    try:
        return urlsplit(headers.get("origin", "")).netloc == headers.get("host")
    except ValueError:  # such as http://[x
        return False
