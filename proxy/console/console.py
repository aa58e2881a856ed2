"""Serves the console over HTTP: defines the routes, and starts and stops the HTTP server."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Iterator
from functools import partial
from typing import Any

import uvicorn
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, GCCollector, ProcessCollector
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from proxy.commands import Context
from proxy.console.login import Login, Protection
from proxy.console.metrics import Caches, Expiries, Gauges, Metrics, Packed, exposition, merged, packed, view_families
from proxy.console.pages import Pages
from proxy.console.requests import Requests
from proxy.service import Service

METRICS = b"metrics?"  # the topic of these questions among workers
_PATIENCE = 2.0  # seconds in which a healthy worker answers
_UNAVAILABLE = 503


class Console:
    """The web console of one process, with the metrics of all workers.

    Pages require a login if SQL clients need one; `/metrics`, `/healthz` and `/readyz` never do. `/healthz` shows
    whether the process answers at all. `/readyz` shows whether statements can run: an upstream server accepts new
    sessions, and Viewgate is not being stopped. With `tls`, the console serves HTTPS.

    `/metrics` also shows the results of two functions: `expiries` returns the expiry of each of Viewgate's own
    certificates, and `caches` returns the hits, misses and size of each cache.
    """

    def __init__(
        self,
        service: Service,
        context: Context,
        login: Login,
        tls: ssl.SSLContext | None = None,
        expiries: Expiries = dict,
        caches: Caches = dict,
    ) -> None:
        self._service = service
        self._registry = CollectorRegistry()
        service.journal.add(Metrics(self._registry))
        Gauges(service, self._registry, expiries, caches)
        ProcessCollector(registry=self._registry)
        GCCollector(registry=self._registry)
        service.answers[METRICS] = self._packed
        self._tls = tls
        self._stopping = False
        self._server: _Server | None = None
        self._serving: asyncio.Task[None] | None = None
        pages = Pages(context, login)
        self.app = Starlette(
            routes=[
                Route("/metrics", self._metrics),
                Route("/healthz", self._healthz),
                Route("/readyz", self._readyz),
                *pages.routes,
            ],
            middleware=[Middleware(Protection)],
            exception_handlers={HTTPException: pages.refusal},
        )

    def start(self, place: socket.socket) -> None:
        """Listen on the bound socket `place`, which `stop` closes, and serve requests in the background."""
        place.listen()
        http: Any = partial(Requests, tls=self._tls)
        settings = uvicorn.Config(
            self.app,
            log_config=None,
            access_log=False,
            lifespan="off",
            http=http,
            ws="none",
            timeout_graceful_shutdown=1,
            server_header=False,
        )
        self._server = _Server(settings)
        self._serving = asyncio.create_task(self._server.serve([place]))

    def drain(self) -> None:
        """Answer `/readyz` with 503 from now on, because Viewgate is being stopped."""
        self._stopping = True

    async def stop(self) -> None:
        """Stop listening, and wait for at most one second until the running requests are answered."""
        if self._server is not None and self._serving is not None:
            self._server.should_exit = True
            await self._serving

    async def _packed(self, _: bytes) -> Packed:
        self._service.journal.flush()
        return packed(self._registry)

    async def _metrics(self, _: Request) -> Response:
        workers = await self._service.ask(METRICS, _PATIENCE)
        families = [*merged(workers), *await view_families(self._service.catalogs)]
        return Response(exposition(families), media_type=CONTENT_TYPE_LATEST)

    async def _healthz(self, _: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def _readyz(self, _: Request) -> Response:
        wrong = self._wrong()
        return PlainTextResponse(f"not ready: {wrong}\n", _UNAVAILABLE) if wrong else PlainTextResponse("ready\n")

    def _wrong(self) -> str:
        """Return the reason why statements cannot run now; an empty text if statements can run."""
        return "Viewgate is being stopped" if self._stopping else self._service.upstreams.unready


class _Server(uvicorn.Server):
    """A uvicorn server that installs no signal handlers, because the process handles its signals itself."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[Any]:
        yield
