"""A server is healthy if it opens a session."""

import asyncio

from proxy.hs2 import SqlError
from proxy.upstream import Terms, watch
from proxy.upstream.pool import look
from tests.unit.support.proxied import until
from tests.unit.upstream.test_pool import OPEN, pool


def test_a_server_that_lets_logins_hang_is_found_out_before_a_client_is() -> None:
    async def test() -> None:
        async with pool(Terms(weight=9), Terms()) as (upstreams, (hanging, well)):
            hanging.log_in = False
            watching = asyncio.create_task(watch(upstreams))
            await until(lambda: upstreams.places[0].problem)
            session, _ = await upstreams.open("bob", OPEN)
            assert "bob" in well.sessions.values()
            hanging.log_in = True
            await until(lambda: not upstreams.places[0].problem)
            watching.cancel()
            await session.close()

    asyncio.run(test())


def test_looking_leaves_no_session_and_is_not_done_where_clients_have_just_opened_theirs() -> None:
    async def test() -> None:
        async with pool(Terms()) as (upstreams, (spark,)):
            (place,) = upstreams.places
            await look(upstreams, place)
            assert not spark.sessions
            assert len(spark.sent("OpenSession")) == 1
            await look(upstreams, place)
            assert len(spark.sent("OpenSession")) == 1

    asyncio.run(test())


def test_a_server_that_is_back_is_found_however_long_it_was_to_rest() -> None:
    async def test() -> None:
        async with pool(Terms()) as (upstreams, (spark,)):
            (place,) = upstreams.places
            upstreams.failed(place, SqlError("Spark at h:1 is lost", "08S01"))
            assert not place.usable
            await look(upstreams, place)
            assert place.usable
            assert len(spark.sent("OpenSession")) == 1

    asyncio.run(test())
