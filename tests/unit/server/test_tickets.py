"""Logins by tickets, over SASL and over HTTP, with a fake reader of tickets."""

import asyncio
import base64
from typing import Any

import pytest

from proxy.authentication import Authentication, Denied
from proxy.wire.sasl import Status, negotiation
from tests.unit.server.test_transports import OPEN
from tests.unit.support.proxied import Proxied, RawClient, with_proxy
from tests.unit.support.transports import HttpClient, basic


class Ticketed:
    """Reads two tokens in a SASL login, of which the second is the name, or one token with a colon in an
    HTTP request.
    """

    def login(self) -> "TwoSteps":
        return TwoSteps()

    def user(self, token: bytes) -> tuple[str, bytes]:
        if not token.startswith(b"ticket:"):
            raise Denied("The ticket is not accepted")
        return token.removeprefix(b"ticket:").decode(), b"me too"


class TwoSteps:
    user: str | None = None
    acting_for = ""

    def step(self, token: bytes) -> bytes:
        if token == b"bad":
            raise Denied("The ticket is not accepted")
        self.user = token.decode() if token != b"hello" else None
        return b"who?"


def ticketed(**more: Any) -> dict[str, Any]:
    return {"authentication": Authentication(tickets=Ticketed()), **more}


async def stepping(port: int, *tokens: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, list[bytes]]:
    """Send these tokens on a connection, each after the answer to the previous one; return the answers."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(negotiation(Status.START, b"GSSAPI"))
    answers = []
    for token in tokens:
        writer.write(negotiation(Status.OK, token))
        head = await reader.readexactly(5)
        answers.append(head[:1] + await reader.readexactly(int.from_bytes(head[1:], "big")))
    return reader, writer, answers


def test_a_login_by_tickets_takes_its_steps() -> None:
    async def test(proxied: Proxied) -> None:
        client = RawClient(proxied.port)
        client.reader, client.writer, answers = await stepping(proxied.port, b"hello", b"ann")
        assert answers == [b"\x02who?", b"\x05"]
        assert await client.open_session()
        assert list(proxied.spark.sessions.values()) == ["ann"]
        await client.__aexit__()

    with_proxy(test, **ticketed())


def test_a_ticket_that_is_not_accepted_and_a_password_in_its_place(caplog: pytest.LogCaptureFixture) -> None:
    async def test(proxied: Proxied) -> None:
        reader, writer, answers = await stepping(proxied.port, b"hello", b"bad")
        assert answers == [b"\x02who?", b"\x03The ticket is not accepted"]
        assert await reader.read() == b""
        writer.close()
        client = RawClient(proxied.port)
        with pytest.raises(AssertionError):
            await client.__aenter__()
        await client.__aexit__()
        assert "log in with a Kerberos ticket" in caplog.text

    with_proxy(test, **ticketed())


def negotiate(token: bytes) -> str:
    return f"Authorization: Negotiate {base64.b64encode(token).decode()}\r\n"


def test_a_ticket_over_http_is_worth_a_cookie() -> None:
    async def test(proxied: Proxied) -> None:
        async with HttpClient(proxied.port, negotiate(b"ticket:ann")) as client:
            assert await client.open_session()
            assert client.answered["www-authenticate"] == f"Negotiate {base64.b64encode(b'me too').decode()}"
            cookie = "Cookie: " + client.answered["set-cookie"].split(";")[0] + "\r\n"
        # As Hive's drivers write it.
        async with HttpClient(proxied.port, negotiate(b"ticket:ann").replace("Negotiate ", "Negotiate : ")) as client:
            assert await client.open_session()
        async with HttpClient(proxied.port, cookie) as client:
            assert await client.open_session()
        assert set(proxied.spark.sessions.values()) == {"ann"}
        for headers in ("", negotiate(b"other"), "Authorization: Negotiate ?\r\n", basic("ann")):
            async with HttpClient(proxied.port, headers) as client:
                await client.call(OPEN)
                assert client.code == 401

    with_proxy(test, **ticketed())
