"""A session that is parked, or whose server dies, goes on as it was; or says that it cannot."""

import asyncio

import pytest

from proxy.hs2 import SqlError
from proxy.upstream import Attachment, Terms
from tests.unit.support.fake_spark import FakeSpark
from tests.unit.support.proxied import until
from tests.unit.upstream.test_pool import attached, pool


async def texts(spark: FakeSpark, session: Attachment) -> list[str]:
    """What is run on Spark for one more statement."""
    before = len(spark.history)
    await session.query("SELECT 1")
    return [running.sql for running in spark.history[before:]]


def test_kept_statements_are_repeated_in_their_order_and_the_last_of_the_same_text_counts() -> None:
    async def test() -> None:
        async with pool(Terms()) as (_upstreams, (spark,)):
            session = attached(_upstreams)
            await session.open()
            for sql in ("USE a", "SET x = 1", "SET", "SET -v", "set x;", "USE a", "SET y = ${x}", "SET y = ${x}"):
                session.keep(sql)
            await session.park()
            assert not spark.sessions
            repeated = ["SET x = 1", "USE a", "SET y = ${x}", "SET y = ${x}", "SELECT 1"]
            assert await texts(spark, session) == repeated
            assert await texts(spark, session) == ["SELECT 1"]
            await session.close()

    asyncio.run(test())


def test_a_server_that_died_while_the_session_was_idle_is_not_noticed() -> None:
    async def test() -> None:
        async with pool(Terms()) as (upstreams, (spark,)):
            session = attached(upstreams)
            session.keep("USE a")
            await session.query("SELECT 0")
            spark.die()
            await until(lambda: not spark.connections)
            assert await texts(spark, session) == ["USE a", "SELECT 1"]
            await session.close()

    asyncio.run(test())


def test_what_cannot_be_repeated_pins_the_session_and_is_lost_with_its_server() -> None:
    async def test() -> None:
        async with pool(Terms(sessions=1)) as (upstreams, (spark,)):
            pinned, other = attached(upstreams), attached(upstreams)
            await pinned.open()
            pinned.pin()
            await pinned.query("SELECT 1")
            waiting = asyncio.create_task(other.query("SELECT 2"))
            await until(lambda: upstreams.waiting)
            assert pinned.attached
            spark.die()
            await until(lambda: not spark.connections)
            for _ in range(2):
                with pytest.raises(SqlError, match="temporary views, variables and functions") as raised:
                    await pinned.query("SELECT 3")
                assert raised.value.sql_state == "08S01"
            await pinned.close()
            await waiting
            await other.close()

    asyncio.run(test())


def test_a_server_that_dies_under_a_statement_takes_what_cannot_be_repeated_with_it() -> None:
    async def test() -> None:
        async with pool(Terms()) as (upstreams, (spark,)):
            plain, pinned = attached(upstreams), attached(upstreams)
            await plain.open()
            await pinned.open()
            pinned.pin()
            spark.held["ExecuteStatement"] = asyncio.Event()
            running = [asyncio.create_task(session.query("SELECT 1")) for session in (plain, pinned)]
            await until(lambda: len(spark.sent("ExecuteStatement")) == 2)
            spark.die()
            with pytest.raises(SqlError, match=r"has closed the connection\. Try again\.") as raised:
                await running[0]
            assert raised.value.sql_state == "08S01"
            with pytest.raises(SqlError, match=r"temporary views, variables and functions\. Open a new") as raised:
                await running[1]
            assert raised.value.sql_state == "08S01"
            await plain.close()
            await pinned.close()

    asyncio.run(test())


def test_too_much_to_repeat_pins_the_session() -> None:
    async def test() -> None:
        async with pool(Terms()) as (upstreams, _):
            session = attached(upstreams)
            for number in range(100):
                session.keep(f"SET x{number} = 1")
            assert session._pinned

    asyncio.run(test())


def test_a_state_that_cannot_be_restored_is_an_error_and_leaves_nothing_open() -> None:
    async def test() -> None:
        async with pool(Terms()) as (upstreams, (spark,)):
            session = attached(upstreams)
            session.keep("USE FAIL")
            with pytest.raises(SqlError, match=r"state cannot be restored: no way: USE FAIL \(USE FAIL\)") as raised:
                await session.query("SELECT 1")
            assert raised.value.sql_state == "42P01"
            assert not spark.sessions
            await session.close()

    asyncio.run(test())


def test_another_server_is_told_of() -> None:
    async def test() -> None:
        async with pool(Terms(weight=9), Terms()) as (upstreams, (blue, green)):
            moved = list[int]()
            session = attached(upstreams)
            session.watch(lambda: moved.append(1))
            await session.query("SELECT 1")
            await session.park()
            await session.query("SELECT 1")
            assert not moved
            await blue.end()
            await until(lambda: session._live is None or not session._live.alive)
            await session.query("SELECT 1")
            assert moved == [1]
            assert len(green.sessions) == 1
            await session.close()

    asyncio.run(test())


def test_a_session_that_is_closed_while_it_waits_for_a_place() -> None:
    async def test() -> None:
        async with pool(Terms(sessions=1)) as (upstreams, _):
            first, second = attached(upstreams), attached(upstreams)
            await first.hold()
            waiting = asyncio.create_task(second.query("SELECT 1"))
            await until(lambda: upstreams.waiting)
            await second.close()
            with pytest.raises(SqlError, match="closed"):
                await waiting
            assert upstreams.waiting == 0
            first.let_go()
            await first.close()

    asyncio.run(test())


def test_two_who_use_it_at_once_open_it_once_and_who_leaves_meanwhile_harms_nobody() -> None:
    async def test() -> None:
        async with pool(Terms()) as (upstreams, (spark,)):
            session = attached(upstreams)
            spark.held["OpenSession"] = asyncio.Event()
            leaving, staying = (asyncio.create_task(session.query("SELECT 1")) for _ in range(2))
            await spark.called("OpenSession")
            leaving.cancel()
            await asyncio.wait({leaving})
            spark.held["OpenSession"].set()
            assert (await staying).rows == (("SELECT 1",),)
            assert len(spark.sent("OpenSession")) == 1
            await session.close()

    asyncio.run(test())


@pytest.mark.parametrize("answered", [True, False])
def test_who_leaves_while_it_is_opened_for_the_first_time_leaves_nothing_open(answered: bool) -> None:
    async def test() -> None:
        async with pool(Terms()) as (upstreams, (spark,)):
            session = attached(upstreams)
            spark.tidy = True
            if not answered:
                spark.held["OpenSession"] = asyncio.Event()
            opening = asyncio.create_task(session.open())
            await spark.called("OpenSession")
            while answered and session._live is None:
                await asyncio.sleep(0)
            opening.cancel()
            with pytest.raises(asyncio.CancelledError):
                await opening
            for event in spark.held.values():
                event.set()
            await until(lambda: not spark.sessions and not spark.connections)
            with pytest.raises(SqlError, match="closed"):
                await session.query("SELECT 1")

    asyncio.run(test())
