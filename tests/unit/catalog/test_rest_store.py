from __future__ import annotations

import asyncio
import json
import ssl
import time
from collections.abc import Iterator
from contextlib import suppress
from http.client import RemoteDisconnected
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any
from urllib.parse import unquote, urlsplit
from zlib import crc32

import pytest
from pyiceberg.catalog.rest import RestCatalog
from requests import ConnectionError as RequestsError
from requests import ReadTimeout, Request, RequestException
from requests.adapters import HTTPAdapter
from requests.exceptions import SSLError
from urllib3 import HTTPConnectionPool
from urllib3.exceptions import MaxRetryError, ProtocolError

from proxy.catalog import Catalogs, Kind, Unavailable, open_catalog
from proxy.catalog.documents import Remembered
from proxy.catalog.stores import open_store, reason
from rewriter.model import Table, TableName, ViewState
from tests.unit.catalog.lake import AGG, MATERIALIZED, SALES, view_document
from tests.unit.catalog.test_tables import document, snapshot

_POOL = HTTPConnectionPool("db", 8181)
ODD = TableName(("lake", "demo", "inner", "a/b {c}"))


class Server(ThreadingHTTPServer):
    """A REST catalog with fixed answers, which a test may change; with `tagged`, it sends an ETag with a table, as
    Iceberg's own server does.
    """

    daemon_threads = True

    def __init__(self) -> None:
        self.let = Event()  # answer
        self.let.set()
        self.tagged = False
        self.sent: list[int] = []  # the statuses of the answers
        self.connections = 0
        self.waiting: list[str] = []  # the paths of the calls without an answer
        super().__init__(("127.0.0.1", 0), Handler)
        view = {**view_document(**MATERIALIZED)}
        view["versions"][0]["storage-table"] = {"namespace": ["demo"], "name": "newer"}
        self.replies: dict[str, Any] = {
            "/v1/config": {"defaults": {}, "overrides": {}, "endpoints": ENDPOINTS},
            "/v1/namespaces": {"namespaces": [["demo"]]},
            "/v1/namespaces/demo/views": {"identifiers": [{"namespace": ["demo"], "name": "agg"}]},
            "/v1/namespaces/demo/views/agg": {"metadata-location": "v1", "metadata": view},
            "/v1/namespaces/demo/tables": {"identifiers": [{"namespace": ["demo"], "name": "sales"}]},
            "/v1/namespaces/demo/tables/sales": {
                "metadata-location": "t1",
                "metadata": document([snapshot(7, None)], 7),
            },
            "/v1/namespaces/demo\x1finner/tables/a/b {c}": {"metadata-location": "o1", "metadata": document([], None)},
        }


ENDPOINTS = [
    "GET /v1/{prefix}/namespaces",
    "GET /v1/{prefix}/namespaces/{namespace}/views",
    "GET /v1/{prefix}/namespaces/{namespace}/views/{view}",
    "GET /v1/{prefix}/namespaces/{namespace}/tables",
    "GET /v1/{prefix}/namespaces/{namespace}/tables/{table}",
]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # with connections that stay open

    def do_GET(self) -> None:
        assert isinstance(self.server, Server)
        self.server.waiting.append(self.path)
        self.server.let.wait()
        self.server.waiting.remove(self.path)
        address = urlsplit(self.path)
        children = "parent=" in address.query
        reply = {"namespaces": []} if children else self.server.replies.get(unquote(address.path))
        status = reply if isinstance(reply, int) else 404 if reply is None else 200
        body = json.dumps(reply).encode()
        compressed = "gzip" in self.headers.get("Accept-Encoding", "")
        tag = f'"{crc32(body)}{"--gzip" if compressed else ""}"'
        same = self.server.tagged and self.headers.get("If-None-Match") == tag
        status, body = (304, b"") if same else (status, body)
        self.server.sent.append(status)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        if self.server.tagged:
            self.send_header("ETag", tag)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle(self) -> None:
        assert isinstance(self.server, Server)
        self.server.connections += 1
        with suppress(ConnectionError):  # a client may have left
            super().handle()

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        thread = Thread(target=running.serve_forever, daemon=True)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def catalog(server: Server) -> Iterator[Catalogs]:
    properties = {"type": "rest", "uri": f"http://127.0.0.1:{server.server_port}"}
    opened = Catalogs([open_catalog("lake", properties, poll_ms=0)])
    yield opened
    opened.close()


def test_definitions_come_with_what_pyiceberg_does_not_know(catalog: Catalogs) -> None:
    (view,) = asyncio.run(catalog.definitions())
    assert (view.name, view.storage) == (AGG, TableName(("lake", "demo", "newer")))


def test_current_tells_tables_views_and_nothing_apart(catalog: Catalogs) -> None:
    missing = TableName(("lake", "demo", "missing"))
    found = asyncio.run(catalog.current([SALES, AGG, missing, ODD]))
    assert isinstance(found[SALES], Table)
    assert isinstance(found[ODD], Table)
    assert found[AGG] == ViewState(AGG, view_document()["view-uuid"], 1)
    assert found[missing] is None


def test_a_commit_is_seen_at_the_next_look(server: Server, catalog: Catalogs) -> None:
    first = asyncio.run(catalog.current([SALES]))[SALES]
    again = asyncio.run(catalog.current([SALES]))[SALES]
    server.replies["/v1/namespaces/demo/tables/sales"] = {
        "metadata-location": "t2",
        "metadata": document([snapshot(7, None), snapshot(8, 7)], 8),
    }
    third = asyncio.run(catalog.current([SALES]))[SALES]
    assert first is again
    assert isinstance(third, Table)
    assert third.snapshot_id == 8


def test_metadata_that_are_still_the_same_are_not_sent_again(server: Server) -> None:
    server.tagged = True
    opened = Catalogs([open_catalog("lake", {"type": "rest", "uri": f"http://127.0.0.1:{server.server_port}"})])
    try:
        first = asyncio.run(opened.current([SALES]))[SALES]
        assert asyncio.run(opened.current([SALES]))[SALES] is first
        assert server.sent[-2:] == [200, 304]
        opened["lake"]._relations._known = Remembered(16)  # as if others had been looked at since
        assert asyncio.run(opened.current([SALES]))[SALES] == first
        server.replies["/v1/namespaces/demo/tables/sales"] = {
            "metadata-location": "t2",
            "metadata": document([snapshot(7, None), snapshot(8, 7)], 8),
        }
        (changed,) = asyncio.run(opened.current([SALES])).values()
        assert isinstance(changed, Table)
        assert (changed.snapshot_id, server.sent[-2:]) == (8, [304, 200])
        server.replies["/v1/namespaces/demo/tables/sales"] = None
        assert asyncio.run(opened.current([SALES]))[SALES] is None
    finally:
        opened.close()


def test_a_server_that_fails_is_an_error_not_an_empty_catalog(server: Server, catalog: Catalogs) -> None:
    server.replies["/v1/namespaces/demo/tables/sales"] = 500
    with pytest.raises(Unavailable, match=r"answers with HTTP 500 for lake\.demo\.sales"):
        asyncio.run(catalog.current([SALES]))


def test_all_that_there_is_can_be_listed(catalog: Catalogs) -> None:
    async def story() -> None:
        assert await catalog["lake"].namespaces() == [("demo",)]
        everything = await catalog.inventory(lambda name: True)
        assert [(one.name, one.kind) for one in everything] == [(AGG, Kind.MATERIALIZED_VIEW), (SALES, Kind.TABLE)]
        assert [one.name for one in await catalog.inventory(lambda name: name == SALES)] == [SALES]

    asyncio.run(story())


def test_a_burst_of_calls_keeps_its_connections(server: Server, catalog: Catalogs) -> None:
    names = [TableName(("lake", "demo", f"t{number}")) for number in range(16)]
    opened: list[int] = []

    def burst() -> None:
        server.let.clear()
        before = server.connections
        asked = Thread(target=lambda: asyncio.run(catalog.current(names)))
        asked.start()
        deadline = time.monotonic() + 10
        while len(server.waiting) < len(names):
            assert time.monotonic() < deadline
            time.sleep(0.001)
        server.let.set()
        asked.join()
        opened.append(server.connections - before)

    burst()
    burst()
    assert opened == [16, 0]


def test_the_adapters_of_pyiceberg_are_kept(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    class Signing(HTTPAdapter):
        """An adapter as pyiceberg mounts it for catalogs of AWS."""

    uri = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setattr(RestCatalog, "_init_sigv4", lambda _, session: session.mount(uri, Signing(max_retries=7)))
    store = open_store("lake", {"type": "rest", "uri": uri, "rest.sigv4-enabled": "true"})
    try:
        adapter = store.iceberg._session.get_adapter(uri)  # type: ignore[attr-defined]
        assert isinstance(adapter, Signing)
        assert (adapter.max_retries.total, adapter._pool_maxsize) == (7, 24)
    finally:
        store.close()


def test_an_outage_names_the_server_and_the_cause_without_the_words_of_a_library(
    server: Server, catalog: Catalogs
) -> None:
    place = f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    with pytest.raises(Unavailable) as raised:
        asyncio.run(catalog.current([SALES]))
    told = f": Connection refused ({place}); check the catalog's server; Viewgate keeps trying"
    assert raised.value.message.endswith(told)


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (RequestsError(ProtocolError("Connection aborted.", RemoteDisconnected("closed"))), "closed (db:8181)"),
        (SSLError(MaxRetryError(_POOL, "/v1", SSLError(ssl.SSLError(1, "wrong version")))), "wrong version (db:8181)"),
        (RequestsError(OSError(111, "Connection refused")), "Connection refused (db:8181)"),
    ],
)
def test_the_innermost_cause_is_told(failure: RequestException, told: str) -> None:
    failure.request = Request("GET", "https://ann:secret@db:8181/v1/config?token=x").prepare()
    assert reason(failure) == told


def test_a_thread_does_not_wait_for_ever_for_a_server_that_is_silent(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proxy.catalog.stores._SILENCE_S", 0.1)
    store = open_store("lake", {"type": "rest", "uri": f"http://127.0.0.1:{server.server_port}"})
    server.let.clear()
    try:
        for ask in (store.namespaces, store.views, lambda: store.look([SALES])):
            with pytest.raises(ReadTimeout) as raised:
                ask()
            assert reason(raised.value) == f"timed out (127.0.0.1:{server.server_port})"
    finally:
        server.let.set()
        store.close()
