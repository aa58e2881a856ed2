"""Connecting to an upstream: names, TCP, TLS; each failure says what failed and what to do."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trustme

from proxy import links
from proxy.config import UpstreamAddress, UpstreamTls
from proxy.hs2 import SqlError, encode_call
from proxy.hs2.generated import ttypes
from proxy.upstream import Timeouts, Upstreams
from proxy.wire import TlsServer, WireError
from tests.unit.support.fake_spark import FakeSpark

OPEN = encode_call("OpenSession", 0, ttypes.TOpenSessionReq(client_protocol=10))
QUICK = Timeouts(connect=2, handshake=2, open=2, call=2, work=2, close=0.5)
LONG_AGO = datetime.datetime(2001, 1, 1, tzinfo=datetime.UTC)


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def files(authority: trustme.CA, tmp_path: Path) -> Path:
    """The certificate of an authority, and one with its key that the authority has issued to a client."""
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    client = authority.issue_cert("viewgate@example.org")
    client.cert_chain_pems[0].write_to_path(tmp_path / "client.pem")
    client.private_key_pem.write_to_path(tmp_path / "client.key")
    return tmp_path


def server(authority: trustme.CA, *names: str, until: datetime.datetime | None = None) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names, not_after=until).configure_cert(context)
    return context


async def asked(port: int, tls: UpstreamTls | None, host: str = "localhost") -> object:
    """Open a session and run a statement in it."""
    upstreams = Upstreams([links.upstream(UpstreamAddress(host=host, port=port, tls=tls))], QUICK)
    try:
        session, _ = await upstreams.open("ann", OPEN)
        answer = await session.query("SELECT 1")
        await session.close()
        return answer.rows
    finally:
        upstreams.close()


async def problem(port: int, tls: UpstreamTls | None, host: str = "localhost") -> str:
    with pytest.raises(SqlError) as raised:
        await asked(port, tls, host)
    assert raised.value.sql_state == "08S01"
    return raised.value.message


def test_statements_over_tls_by_the_name_of_the_certificate(authority: trustme.CA, files: Path) -> None:
    async def test() -> None:
        spark = FakeSpark()
        spark.tls = server(authority, "localhost", "spark.internal")
        async with spark:
            trusted = UpstreamTls(ca=files / "ca.pem")
            assert await asked(spark.port, trusted) == (("SELECT 1",),)
            assert "not valid for '127.0.0.1'. Set `server_name`" in await problem(spark.port, trusted, "127.0.0.1")
            named = UpstreamTls(ca=files / "ca.pem", server_name="spark.internal")
            assert await asked(spark.port, named, "127.0.0.1") == (("SELECT 1",),)

    asyncio.run(test())


def test_a_certificate_of_ours_for_a_server_that_wants_one(authority: trustme.CA, files: Path) -> None:
    async def test() -> None:
        spark = FakeSpark()
        spark.tls = wanting(authority)
        async with spark:
            shown = UpstreamTls(ca=files / "ca.pem", certificate=files / "client.pem", key=files / "client.key")
            assert await asked(spark.port, shown) == (("SELECT 1",),)
        async with listening(refusing(wanting(authority))) as port:
            said = await problem(port, UpstreamTls(ca=files / "ca.pem"))
        assert f"Spark at localhost:{port} failed: the server refuses the TLS handshake: " in said
        assert "certificate required. Set `certificate` and `key` of [upstream.tls]" in said

    asyncio.run(test())


def wanting(authority: trustme.CA) -> ssl.SSLContext:
    """Return the context of a server that requires a certificate from its clients."""
    context = server(authority, "localhost")
    context.verify_mode = ssl.CERT_REQUIRED
    authority.configure_trust(context)
    return context


Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def listening(handle: Handler) -> AsyncIterator[int]:
    """Yield the port of a server that runs this for each client until the client leaves."""
    ended: list[asyncio.Event] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ended.append(asyncio.Event())
        try:
            await handle(reader, writer)
            await reader.read()
        finally:
            writer.transport.abort()
            ended[-1].set()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]
        await asyncio.gather(*(event.wait() for event in ended))


def refusing(context: ssl.SSLContext) -> Handler:
    """Report why a handshake ends, as OpenSSL and Java do, but asyncio does not."""

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tls = TlsServer(context)
        with contextlib.suppress(WireError):
            while True:
                tls.receive_data(await reader.read(65536))
                writer.write(tls.pending())
        writer.write(tls.pending())

    return refuse


def answering(data: bytes) -> Handler:
    """Send the same bytes to every client."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(data)

    return answer


@pytest.mark.parametrize(
    ("made", "advice"),
    [
        (
            lambda _: server(trustme.CA(), "localhost"),
            "Give the certificate of its authority as `ca` of [upstream.tls]",
        ),
        (lambda ca: server(ca, "localhost", until=LONG_AGO), "expired. Renew the certificate"),
    ],
)
def test_a_certificate_that_is_not_trusted(
    made: Callable[[trustme.CA], ssl.SSLContext], advice: str, authority: trustme.CA, files: Path
) -> None:
    async def test() -> None:
        spark = FakeSpark()
        spark.tls = made(authority)
        async with spark:
            said = await problem(spark.port, UpstreamTls(ca=files / "ca.pem"))
            assert f"Spark at localhost:{spark.port} failed: the server's certificate is not trusted: " in said
            assert advice in said

    asyncio.run(test())


REFUSED_BY_SASL = b"\4\0\0\0\x13Invalid status 22.."
ALERT = b"\x15\x03\x03\x00\x02\x02\x0a"


@pytest.mark.parametrize(
    ("answer", "tls", "advice"),
    [
        (REFUSED_BY_SASL, True, "wrong version number. The port does not use TLS"),
        (ALERT, False, "answers by TLS: give [upstream.tls]"),
    ],
)
def test_a_server_that_is_spoken_to_in_the_wrong_way(answer: bytes, tls: bool, advice: str, files: Path) -> None:
    async def test() -> None:
        async with listening(answering(answer)) as port:
            said = await problem(port, UpstreamTls(ca=files / "ca.pem") if tls else None)
        assert f"Spark at localhost:{port}" in said
        assert advice in said

    asyncio.run(test())


def test_when_the_certificate_of_an_upstream_expires_is_known(authority: trustme.CA, files: Path) -> None:
    soon = datetime.datetime.now(datetime.UTC).replace(microsecond=0) + datetime.timedelta(days=3)

    async def test() -> None:
        spark = FakeSpark()
        spark.tls = server(authority, "localhost", until=soon)
        async with spark:
            address = UpstreamAddress(host="localhost", port=spark.port, tls=UpstreamTls(ca=files / "ca.pem"))
            upstreams = Upstreams([links.upstream(address)], QUICK)
            session, _ = await upstreams.open("ann", OPEN)
            assert upstreams.places[0].pulse.certificate_expires == soon.timestamp()
            await session.close()
            upstreams.close()

    asyncio.run(test())


@pytest.mark.parametrize("host", ["spark.invalid", "spark..example.org"])
def test_a_name_without_an_address(host: str) -> None:
    said = asyncio.run(problem(10000, None, host))
    assert said.startswith(f"Spark at {host}:10000 cannot be reached: the name {host} has no address (")
    assert said.endswith("; check `host` of its [[upstream]], and the name service of this machine")
