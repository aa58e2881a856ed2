"""TLS on the port of all transports: recognized by its first byte, and required where settings say so."""

from __future__ import annotations

import asyncio
import ssl

import pytest
import trustme

from proxy.hs2 import SqlError
from proxy.ports import TlsSettings
from tests.unit.support.proxied import Proxied, RawClient, with_proxy
from tests.unit.support.transports import BareClient, HttpClient, basic


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


def contexts(authority: trustme.CA) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    server, client = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.create_default_context()
    authority.issue_cert("localhost").configure_cert(server)
    authority.configure_trust(client)
    return server, client


def test_every_transport_over_tls(authority: trustme.CA) -> None:
    server, context = contexts(authority)

    async def test(proxied: Proxied) -> None:
        async with BareClient(proxied.port, context) as client:
            session = (await client.open("ann")).sessionHandle
            text = "x" * 1_000_000
            operation = (await client.execute(session, text, run_async=False)).operationHandle
            assert await client.first_column(operation) == [text]
        async with HttpClient(proxied.port, basic("bob"), context=context) as http:
            assert await http.open_session()
            assert "Secure" in http.answered["set-cookie"]
        async with RawClient(proxied.port) as plain:
            assert await plain.open_session()

    with_proxy(test, tls=TlsSettings(server))


def test_without_tls_nobody_gets_in_where_it_is_required(authority: trustme.CA) -> None:
    server, context = contexts(authority)

    async def test(proxied: Proxied) -> None:
        plain = RawClient(proxied.port)
        with pytest.raises(AssertionError):
            await plain.__aenter__()
        await plain.__aexit__()
        async with BareClient(proxied.port) as client:
            with pytest.raises(SqlError, match="this server requires TLS"):
                await client.open("ann")
        async with BareClient(proxied.port, context) as client:
            assert (await client.open("ann")).status.statusCode == 0

    with_proxy(test, tls=TlsSettings(server, required=True))


def test_what_is_no_tls_after_all_is_refused(authority: trustme.CA, caplog: pytest.LogCaptureFixture) -> None:
    async def test(proxied: Proxied) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", proxied.port)
        writer.write(bytes.fromhex("16 0301 0005") + b"hello")
        await reader.read()
        writer.close()

    with_proxy(test, tls=TlsSettings(contexts(authority)[0]))
    assert "connection closed: the TLS connection failed: " in caplog.text


def test_tls_without_a_certificate_is_refused(caplog: pytest.LogCaptureFixture) -> None:
    async def test(proxied: Proxied) -> None:
        with pytest.raises((ssl.SSLError, ConnectionError)):
            await BareClient(proxied.port, ssl.create_default_context()).__aenter__()

    with_proxy(test)
    assert "[server.tls] has no certificate" in caplog.text
