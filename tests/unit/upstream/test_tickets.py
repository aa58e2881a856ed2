"""Kerberos logins at an upstream, with a fake GSSAPI on both sides, and the users they are for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from proxy import links
from proxy.authentication.gssapi import GssError
from proxy.authentication.kerberos import SaslClientLogin, SaslLogin, _ticket
from proxy.config import ConfigError, UpstreamAddress, UpstreamKerberos
from proxy.hs2 import SqlError, encode_call, read_request
from proxy.hs2.generated import ttypes
from proxy.upstream import Link, Upstream, Upstreams
from proxy.wire import Transport
from proxy.wire.sasl import Status, negotiation
from tests.unit.authentication.test_kerberos import Played
from tests.unit.support.fake_spark import FakeSpark
from tests.unit.upstream.test_transports import QUICK, run

OPEN = encode_call("OpenSession", 0, ttypes.TOpenSessionReq(client_protocol=10, configuration={"use:database": "shop"}))


class Ours:
    """A fake context that is established after the server's answer."""

    complete = False

    def __init__(self, problem: str = "") -> None:
        self.problem = problem

    def step(self, token: bytes) -> bytes:
        if self.problem:
            raise GssError(self.problem)
        self.complete = token == b"answer"
        return b"" if self.complete else b"ticket"

    def wrap(self, data: bytes) -> bytes:
        return b"wrapped:" + data

    def unwrap(self, data: bytes) -> bytes:
        return data.removeprefix(b"wrapped:")


class OurTickets:
    """Fake tickets, which record the requests for them."""

    def __init__(self, problem: str = "") -> None:
        self.problem = problem
        self.asked: list[str] = []

    def login(self, host: str) -> Callable[[bytes], bytes]:
        self.asked.append(host)
        return SaslClientLogin(Ours(self.problem), f"hive/{host}").step

    def token(self, host: str) -> bytes:
        self.asked.append(host)
        return _ticket(f"hive/{host}", lambda: Ours(self.problem).step(b""))


def to(spark: FakeSpark, tickets: OurTickets, transport: Transport = Transport.SASL, **link: Any) -> Upstreams:
    spark.transport = transport
    reached = Link(transport, tickets=tickets, impersonate=True, **link)
    return Upstreams([Upstream("127.0.0.1", spark.port, link=reached)], QUICK)


def configured(spark: FakeSpark) -> list[Any]:
    """Return the configuration in each OpenSession."""
    return [read_request(message, ttypes.TOpenSessionReq).configuration for message in spark.sent("OpenSession")]


def test_one_principal_logs_in_for_all_and_says_for_whom() -> None:
    async def test() -> None:
        async with FakeSpark() as spark:
            upstreams = to(spark, OurTickets())
            for user in ("ann", "bob", None):
                spark.login = SaslLogin(Played())
                session, _ = await upstreams.open(user, OPEN)
                assert (await session.query("SELECT 1")).rows
                await session.close()
            shop = {"use:database": "shop"}
            assert configured(spark) == [
                {**shop, "hive.server2.proxy.user": "ann"},
                {**shop, "hive.server2.proxy.user": "bob"},
                shop,
            ]
            upstreams.close()

    run(test())


def test_over_http_a_ticket_is_needed_where_no_cookie_is_good() -> None:
    async def test() -> None:
        async with FakeSpark() as spark:
            tickets = OurTickets()
            upstreams = to(spark, tickets, Transport.HTTP)
            session, _ = await upstreams.open("ann", OPEN)
            await session.query("SELECT 1")
            requests = len(spark.calls)
            assert len(tickets.asked) == requests
            assert {call.authorization for call in spark.calls} == {"Negotiate dGlja2V0"}
            spark.headers = (("Set-Cookie", "hive.server2.auth=x"),)
            await session.query("SELECT 2")
            assert len(tickets.asked) == requests + 1
            assert (spark.calls[-1].authorization, spark.calls[-1].cookie) == ("", "hive.server2.auth=x")
            spark.forget = True  # the cookie
            assert (await session.query("SELECT 3")).rows == (("SELECT 3",),)
            assert len(tickets.asked) == requests + 2
            assert len(spark.sent("OpenSession")) == 1
            await session.close()
            upstreams.close()

    run(test())


@pytest.mark.parametrize("transport", [Transport.SASL, Transport.HTTP])
@pytest.mark.parametrize(
    ("problem", "advice"),
    [
        ("Cannot contact any KDC for realm 'EXAMPLE.ORG'", "check the `kdc` of the realm in krb5.conf"),
        ("Server hive/h@EXAMPLE.ORG not found in Kerberos database", "correct `principal`"),
        ("something else", "see [upstream.kerberos], and krb5.conf"),
    ],
)
def test_why_there_is_no_ticket_and_what_to_do(problem: str, advice: str, transport: Transport) -> None:
    async def test() -> None:
        async with FakeSpark() as spark:
            upstreams = to(spark, OurTickets(problem), transport)
            with pytest.raises(SqlError) as raised:
                await upstreams.open("ann", OPEN)
            said = f"Spark at 127.0.0.1:{spark.port}: Kerberos login to hive/127.0.0.1 failed: {problem}; {advice}"
            assert raised.value.message.startswith(said)
            assert raised.value.sql_state == "08S01"
            upstreams.close()

    run(test())


def test_a_server_without_tickets_refuses_them() -> None:
    async def test() -> None:
        async with FakeSpark() as spark:
            upstreams = to(spark, OurTickets())
            with pytest.raises(SqlError, match="refuses the login: Unsupported mechanism type GSSAPI") as raised:
                await upstreams.open("ann", OPEN)
            assert raised.value.sql_state == "28000"
            assert raised.value.message.endswith(": remove [upstream.kerberos] of its [[upstream]]")
            upstreams.close()

    run(test())


def test_a_server_that_accepts_only_tickets_says_so() -> None:
    async def test() -> None:
        async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            upstreams = Upstreams([Upstream("127.0.0.1", port, "viewgate", "x")], QUICK)
            with pytest.raises(SqlError, match=r"type PLAIN; the server wants a Kerberos ticket: configure \[upstream"):
                await upstreams.open("ann", OPEN)
            upstreams.close()

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(5)
        writer.write(negotiation(Status.BAD, b"Unsupported mechanism type PLAIN"))
        await reader.read()
        writer.close()

    run(test())


def test_a_layer_of_security_is_not_had() -> None:
    login = SaslClientLogin(Ours(), "hive/h")
    login.step(b"")
    login.step(b"answer")
    with pytest.raises(SqlError, match=r"hive\.server2\.thrift\.sasl\.qop"):
        login.step(b"wrapped:" + bytes([4, 0, 255, 255]))


def test_keys_that_are_not_there_stop_the_start(tmp_path: Path) -> None:
    kerberos = UpstreamKerberos(principal="hive/_HOST", keytab=tmp_path / "nowhere")
    with pytest.raises(ConfigError, match=r"\[upstream.kerberos\] of h: the keytab .*nowhere cannot be used: "):
        links.upstream(UpstreamAddress(host="h", kerberos=kerberos))
