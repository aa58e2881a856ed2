"""The console's pages: rows of the system tables as HTML. Each page shows only the rows that the visitor may see."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qs, quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from proxy.authentication import Denied
from proxy.catalog import Unavailable
from proxy.commands import Context
from proxy.commands.operate import kill
from proxy.commands.properties import QUERY
from proxy.console import lineage, shown, statements
from proxy.console.login import Login, Visitor
from proxy.hs2 import SqlError
from proxy.pipeline import UNREADABLE, freshness

_SEE_OTHER, _UNAUTHORIZED, _FORBIDDEN, _NOT_FOUND = 303, 401, 403, 404
_CONFLICT, _UNAVAILABLE = 409, 503
_LONGEST_FORM = 64 * 1024  # bytes
_REFRESHES = 20  # refreshes shown on the page of a view
_TICKETS = {"WWW-Authenticate": "Negotiate"}

# The handler of a page: from a request and its visitor to the response.
Page = Callable[[Request, Visitor], Awaitable[Response]]


class Pages:
    """The console's pages, rendered from the rows of the system tables.

    If SQL clients must log in, visitors of the pages must log in, too.
    """

    def __init__(self, context: Context, login: Login) -> None:
        self._context = context
        self._login = login
        loader = PackageLoader("proxy.console")
        self._environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
        for function in (shown.duration, shown.count, shown.size, shown.clock, shown.iso, shown.one_line):
            self._environment.filters[function.__name__] = function
        self._environment.globals.update(statements=statements, shown=shown, lineage=lineage)

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes of all pages, of the login, and of the static files."""
        return [
            Route("/", self._start),
            Route("/login", self._show_login, methods=["GET"]),
            Route("/login", self._log_in, methods=["POST"]),
            Route("/logout", self._log_out, methods=["POST"]),
            Route("/statements", self._for_visitors(self._statements)),
            Route("/statements/{id}", self._for_visitors(self._statement)),
            Route("/statements/{id}/end", self._for_visitors(self._end), methods=["POST"]),
            Route("/views", self._for_visitors(self._views)),
            Route("/views/{name:path}", self._for_visitors(self._view)),
            Route("/graph", self._for_visitors(self._graph)),
            Route("/servers", self._for_visitors(self._servers)),
            Mount("/static", StaticFiles(packages=[("proxy.console", "static")])),
        ]

    def refusal(self, request: Request, error: Exception) -> Response:
        """Return the page that shows why a request was refused.

        `error` is an HTTPException, which has the HTTP status and the reason.
        """
        assert isinstance(error, HTTPException)
        headers = _TICKETS if error.status_code == _UNAUTHORIZED and self._login.accepts_tickets else None
        return self._page("message.html", None, error.status_code, headers, told=error.detail)

    def _for_visitors(self, page: Page) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            visitor = await self._login.visitor(request)
            if visitor is None:
                return RedirectResponse(f"/login?next={quote(_asked(request))}", _SEE_OTHER)
            try:
                return _with_cookie(await page(request, visitor), visitor)
            except SqlError as error:
                status = _UNAVAILABLE if isinstance(error, Unavailable) else _CONFLICT
                return self._page("message.html", visitor, status, told=error.message)

        return answer

    def _page(
        self, template: str, visitor: Visitor | None, status: int = 200, headers: Any = None, **values: Any
    ) -> Response:
        text = self._environment.get_template(template).render(visitor=visitor, **values)
        return HTMLResponse(text, status, headers)

    async def _start(self, _: Request) -> Response:
        return RedirectResponse("/statements", _SEE_OTHER)

    async def _statements(self, request: Request, visitor: Visitor) -> Response:
        rows = await self._context.system.rows("statements", visitor.whose)
        return self._page("statements.html", visitor, listed=statements.listed(rows, request.query_params))

    async def _statement(self, request: Request, visitor: Visitor) -> Response:
        rows = await self._context.system.rows("statements", visitor.whose)
        row = next((row for row in rows if row["id"] == request.path_params["id"]), None)
        if row is None:
            told = (
                "This statement does not exist, or is no longer kept: the journal keeps the last thousand ended "
                "statements."
            )
            return self._page("message.html", visitor, _NOT_FOUND, told=told)
        both = row["statement"], row["rewritten"] or row["statement"]
        original, rewritten = await asyncio.to_thread(statements.compared, *both)
        return self._page("statement.html", visitor, row=row, original=original, rewritten=rewritten)

    async def _end(self, request: Request, visitor: Visitor) -> Response:
        id_ = request.path_params["id"]
        await kill(self._context, id_, visitor.user)
        return RedirectResponse(f"/statements/{id_}", _SEE_OTHER)

    async def _views(self, _: Request, visitor: Visitor) -> Response:
        return self._page("views.html", visitor, rows=await self._context.system.rows("views", visitor.whose))

    async def _view(self, request: Request, visitor: Visitor) -> Response:
        rows, name = await self._context.system.rows("views", visitor.whose), request.path_params["name"]
        row = next((row for row in rows if row["view"] == name), None)
        view = next((view for view in await self._context.catalogs.definitions() if str(view.name) == name), None)
        if row is not None and row["status"] == UNREADABLE:
            return self._page("message.html", visitor, told=f"{name} is unreadable: {row['reason']}")
        if row is None or view is None:
            return self._page("message.html", visitor, _NOT_FOUND, told=f"There is no materialized view {name}.")
        refreshes = await self._context.system.rows("refreshes", visitor.whose)
        found = lineage.around(await self._lineage(), view.name)
        return self._page(
            "view.html",
            visitor,
            row=row,
            query=view.properties.get(QUERY, view.query),
            storage=str(view.storage),
            refreshes=[refresh for refresh in refreshes if refresh["view"] == name][:_REFRESHES],
            timeline=shown.timeline(await freshness(self._context.catalogs, view)),
            found=found,
            drawn=lineage.drawn(found),
            rows={row["view"]: row for row in rows},
        )

    async def _graph(self, _: Request, visitor: Visitor) -> Response:
        rows = await self._context.system.rows("views", visitor.whose)
        found = await self._lineage()
        drawing = lineage.drawn(found) if len(found) <= lineage.MOST else None
        return self._page("graph.html", visitor, found=found, drawing=drawing, rows={row["view"]: row for row in rows})

    async def _lineage(self) -> lineage.Graph:
        views = await self._context.catalogs.definitions()
        return await asyncio.to_thread(lineage.graph, views, self._context.catalogs.plain)

    async def _servers(self, _: Request, visitor: Visitor) -> Response:
        upstreams = await self._context.system.rows("upstreams", visitor.whose)
        sessions = await self._context.system.rows("sessions", visitor.whose)
        return self._page("servers.html", visitor, upstreams=upstreams, sessions=sessions)

    async def _show_login(self, request: Request) -> Response:
        visitor = await self._login.visitor(request)
        wanted = _own_path(request.query_params.get("next", ""))
        if visitor is not None:
            return _with_cookie(RedirectResponse(wanted, _SEE_OTHER), visitor)
        # A browser with a Kerberos ticket answers this by itself; others show the form.
        tickets = self._login.accepts_tickets
        status, headers = (_UNAUTHORIZED, _TICKETS) if tickets else (200, None)
        return self._page("login.html", None, status, headers, wanted=wanted, user="", problem="")

    async def _log_in(self, request: Request) -> Response:
        form = await _form(request)
        user, wanted = form.get("user", ""), _own_path(form.get("next", ""))
        try:
            visitor = await self._login.enter(request, user, form.get("password", ""))
        except Denied as denied:
            return self._page("login.html", None, _FORBIDDEN, wanted=wanted, user=user, problem=str(denied))
        return _with_cookie(RedirectResponse(wanted, _SEE_OTHER), visitor)

    async def _log_out(self, _: Request) -> Response:
        return RedirectResponse("/login", _SEE_OTHER, {"Set-Cookie": self._login.expired})


def _with_cookie(answer: Response, visitor: Visitor) -> Response:
    if visitor.cookie:
        answer.headers["Set-Cookie"] = visitor.cookie
    return answer


def _asked(request: Request) -> str:
    """Return the path to open after a login: the requested page, or the start page if the request sent a form."""
    if request.method != "GET":
        return "/"
    return f"{request.url.path}?{request.url.query}".removesuffix("?")


async def _form(request: Request) -> dict[str, str]:
    """Return the first value of each field of the form in a request, by field name.

    Raise HTTPException 413 if the form is larger than 64 KiB, and 400 if the client disconnects within the form.
    """
    body = b""
    try:
        async for part in request.stream():
            body += part
            if len(body) > _LONGEST_FORM:
                raise HTTPException(
                    413,
                    f"the login form is larger than {_LONGEST_FORM // 1024} KiB: check the user name and the password, "
                    "and try again",
                )
    except ClientDisconnect as error:  # without this, the log would have a traceback of 40 lines for each such client
        raise HTTPException(400, "the login form is incomplete: log in again") from error
    return {name: values[0] for name, values in parse_qs(body.decode(errors="replace")).items()}


def _own_path(wanted: str) -> str:
    r"""Return the requested path `wanted` if it is on this site, else "/".

    The check prevents a link to Viewgate's login page from leading to another site after the login.

    >>> _own_path("/views"), _own_path("//evil.example/"), _own_path("https://evil.example/"), _own_path("/\\evil")
    ('/views', '/', '/', '/')
    """
    # Browsers also read "///host" as "//host", unlike urllib.
    own = wanted.startswith("/") and not wanted.startswith("//") and "\\" not in wanted and wanted.isprintable()
    return wanted if own else "/"
