"""A saturated server is not unavailable: sessions for it are queued."""

import asyncio
from dataclasses import replace

import pytest

from proxy.hs2 import SqlError
from proxy.upstream import Terms, Upstream
from proxy.upstream.connection import Pulse, connect
from proxy.upstream.policy import OPENINGS
from proxy.upstream.pool import look
from tests.unit.support.proxied import until
from tests.unit.upstream.test_pool import OPEN, QUICK, attached, pool

PATIENT = replace(QUICK, handshake=5)  # a server that was heard of in this time is not gone


def test_few_sessions_are_opened_at_a_time_however_many_come_at_once() -> None:
    async def test() -> None:
        async with pool(Terms()) as (upstreams, (spark,)):
            spark.held["OpenSession"] = asyncio.Event()
            opening = [asyncio.create_task(upstreams.open(f"user{n}", OPEN)) for n in range(60)]
            await until(lambda: len(spark.sent("OpenSession")) == OPENINGS)
            assert upstreams.waiting == 60 - OPENINGS
            assert len(spark.connections) == OPENINGS
            spark.held["OpenSession"].set()
            sessions = [session for session, _ in await asyncio.gather(*opening)]
            assert len(spark.sessions) == 60
            await asyncio.gather(*(session.close() for session in sessions))

    asyncio.run(test())


def test_who_is_cancelled_while_it_opens_lets_the_next_one_in() -> None:
    async def test() -> None:
        async with pool(Terms()) as (upstreams, (spark,)):
            spark.held["OpenSession"] = asyncio.Event()
            opening = [asyncio.create_task(upstreams.open("bob", OPEN)) for _ in range(OPENINGS)]
            last = asyncio.create_task(upstreams.open("ann", OPEN))
            await until(lambda: len(spark.sent("OpenSession")) == OPENINGS)
            for task in opening:
                task.cancel()
            await until(lambda: len(spark.sent("OpenSession")) == OPENINGS + 1)
            spark.held["OpenSession"].set()
            session, _ = await last
            await session.close()
            spark.sessions.clear()

    asyncio.run(test())


def test_who_finds_no_thread_waits_for_one_while_the_server_answers_others(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        async with pool(Terms(), timeouts=PATIENT) as (upstreams, (spark,)):
            spark.threads = 2
            ann, bob = [(await upstreams.open(user, OPEN))[0] for user in ("ann", "bob")]
            waiting = [asyncio.create_task(upstreams.open(user, OPEN)) for user in ("eve", "joe", "sue")]
            await until(lambda: upstreams.waiting == 3)
            assert upstreams.full
            assert upstreams.places[0].problem is None
            await ann.close()
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            assert len(spark.sessions) == 2
            spark.threads = 500
            for session in (bob, *(session for session, _ in await asyncio.gather(*waiting))):
                await session.close()

    with caplog.at_level("INFO"):
        asyncio.run(test())
    assert "new sessions are queued" in caplog.text
    assert caplog.messages[-1].startswith("upstream no longer saturated name=")


def test_a_session_waits_from_its_first_try_on() -> None:
    async def test() -> None:
        async with pool(Terms(), timeouts=PATIENT) as (upstreams, (spark,)):
            spark.threads = 1
            ann, _ = await upstreams.open("ann", OPEN)
            waiting = asyncio.create_task(upstreams.open("eve", OPEN))
            await until(lambda: upstreams.longest_wait > 1.2)  # it is tried again after 0.5 s at the latest
            spark.threads = 500
            for session in (ann, (await waiting)[0]):
                await session.close()

    asyncio.run(test())


def test_a_login_that_hangs_is_tried_again_while_the_server_answers_others() -> None:
    async def test() -> None:
        async with pool(Terms()) as (upstreams, (spark,)):
            ann, _ = await upstreams.open("ann", OPEN)
            spark.log_in = False
            waiting = asyncio.create_task(upstreams.open("bob", OPEN))
            while not upstreams.waiting:
                await ann.query("SELECT 1")
                await asyncio.sleep(0.01)
            spark.log_in = True
            bob, _ = await waiting
            await ann.close()
            await bob.close()

    asyncio.run(test())


def test_one_session_that_is_not_opened_in_time_is_no_failure_where_others_are() -> None:
    async def test() -> None:
        async with pool(Terms(), timeouts=replace(QUICK, open=0.3)) as (upstreams, (spark,)):
            spark.held["OpenSession"] = asyncio.Event()
            slow = asyncio.create_task(upstreams.open("ann", OPEN))
            await spark.called("OpenSession")
            spark.held.clear()
            bob, _ = await upstreams.open("bob", OPEN)
            with pytest.raises(SqlError, match="did not open a session within") as raised:
                await slow
            assert raised.value.sql_state == "08S01"
            assert upstreams.places[0].problem is None
            await bob.close()

    asyncio.run(test())


def test_a_crowded_server_is_not_waited_for_where_another_has_room() -> None:
    async def test() -> None:
        async with pool(Terms(weight=9), Terms(), timeouts=PATIENT) as (upstreams, (saturated, other)):
            saturated.threads = 1
            sessions = [(await upstreams.open("bob", OPEN))[0] for _ in range(3)]
            assert (len(saturated.sessions), len(other.sessions)) == (1, 2)
            for session in sessions:
                await session.close()

    asyncio.run(test())


def test_one_that_lets_nobody_in_and_answers_nobody_is_an_error_soon_for_all_who_wait() -> None:
    async def test() -> None:
        async with pool(Terms(), timeouts=replace(QUICK, handshake=0.6)) as (upstreams, (spark,)):
            spark.threads = 1
            ann, _ = await upstreams.open("ann", OPEN)
            for attempt in [asyncio.create_task(upstreams.open("bob", OPEN)) for _ in range(3)]:
                with pytest.raises(SqlError, match=r"closes connections before the login.*threads are busy") as raised:
                    await attempt
                assert raised.value.sql_state == "08S01"
            await ann.close()

    asyncio.run(test())


def test_one_that_is_gone_is_an_error_at_once_though_it_has_just_answered() -> None:
    async def test() -> None:
        async with pool(Terms(), timeouts=PATIENT) as (upstreams, (spark,)):
            ann, _ = await upstreams.open("ann", OPEN)
            await spark.end()
            with pytest.raises(SqlError, match="cannot be reached") as raised:
                async with asyncio.timeout(1):
                    await upstreams.open("bob", OPEN)
            assert raised.value.sql_state == "08S01"
            await ann.close()

    asyncio.run(test())


def test_a_look_that_finds_no_thread_is_no_failure() -> None:
    async def test() -> None:
        async with pool(Terms(), timeouts=replace(PATIENT, health=0)) as (upstreams, (spark,)):
            spark.threads = 1
            ann, _ = await upstreams.open("ann", OPEN)
            await look(upstreams, upstreams.places[0])
            assert upstreams.places[0].problem is None
            await ann.close()

    asyncio.run(test())


def test_idle_sessions_are_given_back_where_others_have_taken_the_threads() -> None:
    async def test() -> None:
        async with pool(Terms(), timeouts=PATIENT) as (upstreams, (spark,)):
            spark.threads = 2
            stranger = await connect(Upstream("127.0.0.1", spark.port), "eve", "x", QUICK, Pulse())
            ann, bob = attached(upstreams, "ann"), attached(upstreams, "bob")
            await ann.open()
            assert (await bob.query("SELECT 1")).rows
            assert not ann.attached
            stranger.close()
            await ann.close()
            await bob.close()

    asyncio.run(test())


def test_a_session_is_promised_where_opening_it_takes_long() -> None:
    async def test() -> None:
        async with pool(Terms()) as (upstreams, (spark,)):
            ann, bob = attached(upstreams, "ann"), attached(upstreams, "bob")
            await ann.open()
            spark.held["OpenSession"] = asyncio.Event()
            assert await bob.open() is None
            assert bob.saturated
            spark.held["OpenSession"].set()
            assert (await bob.query("SELECT 1")).rows
            assert sorted(spark.sessions.values()) == ["ann", "bob"]
            await ann.close()
            await bob.close()

    asyncio.run(test())


def test_the_session_that_is_idle_for_longest_makes_room_and_not_the_one_that_rests_now() -> None:
    async def test() -> None:
        async with pool(Terms(sessions=OPENINGS + 1), Terms(sessions=1)) as (upstreams, sparks):
            spark = sparks[0]
            idle = [attached(upstreams, f"idle{n}") for n in range(OPENINGS)]
            for attachment in idle:
                await attachment.open()
            working = [attached(upstreams, f"working{n}") for n in range(2)]
            for attachment in working:
                await attachment.hold()
            spark.held["CloseSession"] = asyncio.Event()
            more = [asyncio.create_task(upstreams.open("bob", OPEN)) for _ in range(OPENINGS - 1)]
            await until(lambda: sum(not attachment.attached for attachment in idle) == OPENINGS - 1)
            for attachment in working:
                attachment.let_go()
            assert all(attachment.attached for attachment in (*working, idle[-1]))
            spark.held["CloseSession"].set()
            for session, _ in await asyncio.gather(*more):
                await session.close()
            for attachment in idle + working:
                await attachment.close()

    asyncio.run(test())


def test_questions_of_our_own_do_not_overrun_the_servers_queue() -> None:
    async def test() -> None:
        async with pool(Terms(statements=4)) as (upstreams, (spark,)):
            sessions = [(await upstreams.open("bob", OPEN))[0] for _ in range(9)]
            spark.held["GetOperationStatus"] = asyncio.Event()
            asking = [asyncio.create_task(session.query("SET")) for session in sessions]
            await until(lambda: len(spark.sent("GetOperationStatus")) == 2)
            assert len(spark.sent("ExecuteStatement")) == 2
            asking[0].cancel()
            spark.held["GetOperationStatus"].set()
            answers = await asyncio.gather(*asking, return_exceptions=True)
            assert [isinstance(answer, BaseException) for answer in answers] == [True] + 8 * [False]
            assert not upstreams.places[0].questions.taken
            for session in sessions:
                await session.close()

    asyncio.run(test())
