"""Upstreams over HTTP and without SASL: logins, connections that end between two calls, and errors."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from proxy import links
from proxy.config import UpstreamAddress
from proxy.hs2 import SqlError, encode_call
from proxy.hs2.generated import ttypes
from proxy.upstream import Timeouts, Upstreams, UpstreamSession
from proxy.wire import Transport
from tests.unit.support.fake_spark import FakeSpark

OPEN = encode_call("OpenSession", 0, ttypes.TOpenSessionReq(client_protocol=10, username="mallory"))
QUICK = Timeouts(connect=2, handshake=2, open=2, call=2, work=2, close=0.5)
BOB = "Basic Ym9iOmJvYg=="


class Reached:
    """A fake Spark with some transport, and a session of user bob on it."""

    def __init__(self, there: Transport, **settings: Any) -> None:
        self.spark = FakeSpark()
        self.spark.transport = there
        self.settings = {"transport": there.value.lower(), **settings}

    async def __aenter__(self) -> Reached:
        await self.spark.__aenter__()
        address = UpstreamAddress(host="127.0.0.1", port=self.spark.port, **self.settings)
        self.upstreams = Upstreams([links.upstream(address)], QUICK)
        return self

    async def open(self) -> UpstreamSession:
        session, _ = await self.upstreams.open("bob", OPEN)
        return session

    async def __aexit__(self, *_: object) -> None:
        self.upstreams.close()
        await self.spark.__aexit__()


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, 10))


@pytest.mark.parametrize("transport", [Transport.SASL, Transport.NOSASL, Transport.HTTP])
def test_statements_of_the_user_over_each_transport(transport: Transport) -> None:
    async def test() -> None:
        async with Reached(transport) as reached:
            session = await reached.open()
            assert list(reached.spark.sessions.values()) == ["bob"]
            answers = await asyncio.gather(*(session.query(f"SELECT {number}") for number in range(5)))
            assert [answer.rows for answer in answers] == [((f"SELECT {number}",),) for number in range(5)]
            with pytest.raises(SqlError, match="no way"):
                await session.query("FAIL")
            await session.close()
            assert not reached.spark.sessions

    run(test())


def test_each_request_over_http_says_who_it_is_and_brings_the_cookies_back() -> None:
    async def test() -> None:
        headers = {"X-Tenant": "sales"}
        async with Reached(Transport.HTTP, path="/gateway/hive", headers=headers) as reached:
            with pytest.raises(SqlError, match=r"HTTP status 404 .*: check `path` of its \[\[upstream\]\]"):
                await reached.open()
        async with Reached(Transport.HTTP, path="cliservice", headers=headers) as reached:
            reached.spark.headers = (("Set-Cookie", "hive.server2.auth=cu=bob&s=x=; Path=/; HttpOnly"),)
            session = await reached.open()
            await session.query("SELECT 1")
            first, second = reached.spark.calls[:2]
            assert (first.authorization, first.cookie) == (BOB, "")
            assert (second.authorization, second.cookie) == (BOB, "hive.server2.auth=cu=bob&s=x=")
            await session.close()

    run(test())


@pytest.mark.parametrize(
    ("settings", "sent"),
    [({"basic": False}, ""), ({"headers": {"authorization": "Bearer abc"}}, "Bearer abc"), ({"user": "bob"}, BOB)],
)
def test_who_says_otherwise_who_it_is_sends_no_password(settings: dict[str, Any], sent: str) -> None:
    async def test() -> None:
        async with Reached(Transport.HTTP, **settings) as reached:
            reached.spark.status = 403
            with pytest.raises(SqlError) as raised:
                await reached.open()
            assert raised.value.sql_state == "28000"
            assert "HTTP status 403 (not so) and refuses the login" in raised.value.message
            assert [call.authorization for call in reached.spark.calls] == [sent]

    run(test())


def test_a_session_over_http_outlives_its_connections() -> None:
    """One connection ends after each answer, as with some load balancers, and one ends between two calls."""

    async def test() -> None:
        async with Reached(Transport.HTTP) as reached:
            reached.spark.headers = (("Connection", "close"),)
            session = await reached.open()
            answers = await asyncio.gather(*(session.query(f"SELECT {number}") for number in range(3)))
            assert len(answers) == 3
            reached.spark.headers = ()
            await session.query("SELECT 1")
            reached.spark.die()
            while reached.spark.connections:
                await asyncio.sleep(0)
            assert (await session.query("SELECT 2")).rows == (("SELECT 2",),)
            assert len(reached.spark.sent("OpenSession")) == 1
            await session.close()

    run(test())


def test_a_connection_that_ends_in_the_midst_of_a_call_is_lost() -> None:
    async def test() -> None:
        async with Reached(Transport.HTTP) as reached:
            session = await reached.open()
            reached.spark.deadly.add("ExecuteStatement")
            with pytest.raises(SqlError) as raised:
                await session.query("INSERT")
            assert raised.value.sql_state == "08S01"
            assert not session.alive
            await session.close()

    run(test())


@pytest.mark.parametrize(
    ("spoken", "there", "advice"),
    [
        ("sasl", Transport.HTTP, "transport"),
        ("http", Transport.SASL, 'answers by SASL: set `transport` of its [[upstream]] to "sasl"'),
        ("nosasl", Transport.SASL, 'answers by SASL: set `transport` of its [[upstream]] to "sasl"'),
    ],
)
def test_another_transport_than_the_server_s(spoken: str, there: Transport, advice: str) -> None:
    async def test() -> None:
        async with Reached(there, transport=spoken) as reached:
            with pytest.raises(SqlError) as raised:
                await reached.open()
            assert raised.value.sql_state == "08S01"
            assert advice in raised.value.message

    run(test())


def test_a_busy_gateway_is_called_so() -> None:
    async def test() -> None:
        async with Reached(Transport.HTTP) as reached:
            reached.spark.status = 503
            with pytest.raises(SqlError, match=r"HTTP status 503 \(not so\): .* is busy; try again later"):
                await reached.open()

    run(test())
