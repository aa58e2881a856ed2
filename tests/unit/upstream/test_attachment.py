"""A session that is parked, or whose server dies, continues with its state, or reports that it cannot."""

import asyncio
import time
from dataclasses import replace

import pytest

from proxy.hs2 import ResultSet, SqlError, encode_call, read_request
from proxy.hs2.generated import ttypes
from proxy.upstream import Attachment, Terms
from proxy.upstream.attachment import Kept
from tests.unit.support.fake_spark import FakeSpark
from tests.unit.support.proxied import until
from tests.unit.upstream.test_pool import QUICK, attached, pool


async def texts(spark: FakeSpark, session: Attachment) -> list[str]:
    """Return the statements that Spark runs for one more statement of the client."""
    before = len(spark.history)
    await session.query("SELECT 1")
    return [running.sql for running in spark.history[before:]]


async def parked(session: Attachment) -> None:
    closing = session.park()
    assert closing is not None
    await closing


def test_kept_statements_are_repeated_on_another_session() -> None:
    async def test() -> None:
        async with pool(Terms()) as (upstreams, (spark,)):
            session = attached(upstreams)
            await session.open()
            session.keep("SET x = 1")
            session.keep("USE a")
            await parked(session)
            assert not spark.sessions
            assert await texts(spark, session) == ["SET x = 1", "USE a", "SELECT 1"]
            assert await texts(spark, session) == ["SELECT 1"]
            await session.close()

    asyncio.run(test())


def test_a_session_that_was_in_several_namespaces_goes_on_in_the_last_one() -> None:
    """The namespaces before the last one may no longer exist."""

    async def test() -> None:
        async with pool(Terms()) as (upstreams, (spark,)):
            spark.script = lambda sql: ResultSet.of("catalog", "namespace", rows=[["lake", "`my-own`"]])
            session = attached(upstreams)
            await session.open()
            for sql in ("USE gone", "SET x = 1", "USE `my-own`"):
                session.keep(sql)
            spark.held["ExecuteStatement"] = asyncio.Event()
            closing = asyncio.create_task(parked(session))
            await spark.called("ExecuteStatement")
            running = asyncio.create_task(texts(spark, session))  # before it is known where it was
            spark.held.pop("ExecuteStatement").set()
            assert [sql for sql in await running if "current_catalog" not in sql] == [
                *("SET x = 1", "USE `lake`.`my-own`", "SELECT 1")
            ]
            await closing
            await session.close()

    asyncio.run(test())


def test_a_session_that_has_left_the_namespace_it_began_in_does_not_begin_there_again() -> None:
    async def test() -> None:
        async with pool(Terms()) as (upstreams, (spark,)):
            spark.script = lambda sql: ResultSet.of("catalog", "namespace", rows=[["lake", "b"]])
            wishes = {"use:database": "gone", "set:hiveconf:x": "1"}
            request = ttypes.TOpenSessionReq(client_protocol=10, configuration=wishes)
            session = attached(upstreams, message=encode_call("OpenSession", 0, request))
            await session.open()
            await parked(session)
            await session.query("SELECT 1")
            session.keep("USE b")
            await parked(session)
            assert await texts(spark, session) == ["USE `lake`.`b`", "SELECT 1"]
            asked = [read_request(sent, ttypes.TOpenSessionReq).configuration for sent in spark.sent("OpenSession")]
            assert asked == [wishes, wishes, {"set:hiveconf:x": "1"}]
            await session.close()

    asyncio.run(test())


def test_a_session_that_cannot_tell_where_it_was_goes_the_same_way_again() -> None:
    async def test() -> None:
        async with pool(Terms()) as (upstreams, (spark,)):
            spark.script = lambda sql: SqlError("no") if "current_catalog" in sql else ResultSet.of("a", rows=[["b"]])
            session = attached(upstreams)
            await session.open()
            for sql in ("USE a", "USE b"):
                session.keep(sql)
            await parked(session)
            assert await texts(spark, session) == ["USE a", "USE b", "SELECT 1"]
            await session.close()

    asyncio.run(test())


def test_who_goes_to_and_fro_is_asked_now_and_then_where_that_has_led_to() -> None:
    async def test() -> None:
        async with pool(Terms()) as (upstreams, (spark,)):
            spark.script = lambda sql: ResultSet.of("catalog", "namespace", rows=[["lake", "b"]])
            session = attached(upstreams)
            await session.query("SELECT 1")
            for _ in range(40):
                session.keep("USE a")
                session.keep("USE b")
            await session.query("SELECT 1")
            await parked(session)
            assert await texts(spark, session) == ["USE `lake`.`b`", "SELECT 1"]
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
                with pytest.raises(SqlError, match="temporary views, variables, functions and settings") as raised:
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
            with pytest.raises(
                SqlError, match=r"The temporary views, variables, functions and settings of the session are lost"
            ) as raised:
                await running[1]
            assert raised.value.sql_state == "08S01"
            await plain.close()
            await pinned.close()

    asyncio.run(test())


def test_too_much_to_repeat_pins_the_session() -> None:
    async def test() -> None:
        async with pool(Terms()) as (upstreams, _):
            session = attached(upstreams)
            await session.open()
            for number in range(100):
                session.keep(f"SET x{number} = 1")
            await session.query("SELECT 1")
            assert session._pinned
            await session.close()

    asyncio.run(test())


def test_a_long_text_to_repeat_pins_the_session_and_is_not_kept() -> None:
    async def test() -> None:
        async with pool(Terms()) as (upstreams, _):
            session = attached(upstreams)
            await session.open()
            for number in range(3):
                session.keep(f"SET x{number} = {'a' * 30_000}")
                assert session._pinned is (number == 2)
            assert session._kept.texts == ()
            await session.close()

    asyncio.run(test())


def test_a_state_that_cannot_be_restored_is_an_error_and_leaves_nothing_open() -> None:
    async def test() -> None:
        async with pool(Terms()) as (upstreams, (spark,)):
            session = attached(upstreams)
            session.keep("USE FAIL")
            with pytest.raises(
                SqlError, match=r"state cannot be restored: no way: USE FAIL \(USE FAIL\)\. Open"
            ) as raised:
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
            await parked(session)
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


def test_who_is_overtaken_by_the_end_of_the_session_is_told_so() -> None:
    async def test() -> None:
        async with pool(Terms()) as (upstreams, (spark,)):
            session = attached(upstreams)
            spark.held["OpenSession"] = asyncio.Event()
            waiting = asyncio.create_task(session.query("SELECT 1"))
            await spark.called("OpenSession")
            spark.held["OpenSession"].set()
            while session._live is None:
                await asyncio.sleep(0)
            await session.close()
            with pytest.raises(SqlError, match="The session is closed"):
                await waiting

    asyncio.run(test())


def test_a_session_whose_server_has_died_is_as_crowded_as_the_others_are() -> None:
    async def test() -> None:
        async with pool(Terms(sessions=1), timeouts=replace(QUICK, open=5)) as (upstreams, (spark,)):
            first, other = attached(upstreams), attached(upstreams)
            live = await first.hold()
            assert not first.saturated
            waiting = asyncio.create_task(other.query("SELECT 1"))
            await until(lambda: upstreams.waiting)
            spark.die()
            await until(lambda: not live.alive)
            assert first.saturated
            first.let_go()
            await first.close()
            await waiting
            await other.close()

    asyncio.run(test())


def test_spaces_in_set_are_read_quickly() -> None:
    began = time.process_time()
    Kept().add("SET" + " " * 100_000 + "a=b")
    assert time.process_time() - began < 0.2
