"""Protection of the pages in a browser: security headers, and refusal of forms from other sites."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Nothing is loaded from elsewhere, no script or style stands in a page, and no other page may show ours in a frame.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Without any, browsers would hide the origin of a form.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_FORBIDDEN = 403


class Protection:
    """Adds security headers to each response of an application, and refuses requests that other sites cause."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        foreign = scope["type"] == "http" and scope["method"] not in _READING and not _is_own(Headers(scope=scope))
        refusal = PlainTextResponse("this form was sent from another site\n", _FORBIDDEN)
        await (refusal if foreign else self._app)(scope, receive, protected)


def _is_own(headers: Headers) -> bool:
    """Return whether a page of ours has sent a request; browsers that do not say so tell at least its origin."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    return urlsplit(headers.get("origin", "")).netloc == headers.get("host")
