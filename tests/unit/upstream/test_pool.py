"""Which of several servers gets a session, which sessions are queued, and what happens with unhealthy servers."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import pytest

from proxy.hs2 import SqlError, encode_call
from proxy.hs2.generated import ttypes
from proxy.upstream import Attachment, Steering, Terms, Timeouts, Upstream, Upstreams
from tests.unit.support.fake_spark import FakeSpark
from tests.unit.support.proxied import until

OPEN = encode_call("OpenSession", 0, ttypes.TOpenSessionReq(client_protocol=10))
QUICK = Timeouts(connect=1, handshake=0.2, open=1, close=0.2)


@contextlib.asynccontextmanager
async def pool(*terms: Terms, timeouts: Timeouts = QUICK) -> AsyncIterator[tuple[Upstreams, Sequence[FakeSpark]]]:
    async with contextlib.AsyncExitStack() as running, asyncio.timeout(10):
        sparks = [await running.enter_async_context(FakeSpark()) for _ in terms]
        where = [Upstream("127.0.0.1", spark.port, terms=own) for spark, own in zip(sparks, terms, strict=True)]
        upstreams = Upstreams(where, timeouts)
        yield upstreams, sparks
        await upstreams.parked()
        upstreams.close()
        assert [place.sessions for place in upstreams.places] == [0] * len(upstreams.places)


def attached(upstreams: Upstreams, user: str = "bob", message: bytes = OPEN) -> Attachment:
    return Attachment(upstreams, user, user, message)


def test_each_server_gets_its_share() -> None:
    async def test() -> None:
        async with pool(Terms(weight=2), Terms(weight=1)) as (upstreams, sparks):
            sessions = [(await upstreams.open("bob", OPEN))[0] for _ in range(9)]
            assert [len(spark.sessions) for spark in sparks] == [6, 3]
            for session in sessions:
                await session.close()

    asyncio.run(test())


def test_a_server_that_fails_gets_no_more_until_it_is_back(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        async with pool(Terms(weight=10), Terms()) as (upstreams, (failing, well)):
            failing.log_in = False
            for _ in range(3):
                session, _ = await upstreams.open("bob", OPEN)
                await session.close()
            assert len(well.messages) == 6
            failing.log_in = True
            await until(lambda: upstreams.places[0].usable)
            session, _ = await upstreams.open("bob", OPEN)
            assert len(failing.sessions) == 1
            await session.close()

    with caplog.at_level("INFO"):
        asyncio.run(test())
    assert "no new sessions until the server recovers" in caplog.text
    assert caplog.messages[-1].startswith("upstream recovered name=")


def test_a_server_rests_longer_each_time_and_not_for_each_who_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        async with pool(Terms()) as (upstreams, _):
            (place,) = upstreams.places
            clock, rests = 0.0, []
            monkeypatch.setattr("proxy.upstream.policy._now", lambda: clock)
            for _ in range(3):
                for _ in range(16):
                    upstreams.failed(place, SqlError("Spark at h:1 is lost", "08S01"))
                began = clock
                while not place.usable:
                    clock += 0.25
                rests.append(clock - began)
            assert rests == [0.5, 1, 2]

    asyncio.run(test())


def test_a_server_that_cannot_read_a_clients_request_is_there_for_others() -> None:
    async def test() -> None:
        async with pool(Terms()) as (upstreams, _):
            with pytest.raises(SqlError, match="Invalid method name") as raised:
                await upstreams.open("bob", encode_call("OpenSezam", 0, ttypes.TOpenSessionReq(client_protocol=10)))
            assert raised.value.sql_state == "08004"
            session, _ = await upstreams.open("bob", OPEN)
            await session.close()

    asyncio.run(test())


def test_none_that_is_well_is_an_error_at_once_also_for_those_who_wait() -> None:
    async def test() -> None:
        async with pool(Terms(sessions=1)) as (upstreams, _):
            session, _ = await upstreams.open("bob", OPEN)
            waiting = asyncio.create_task(upstreams.open("ann", OPEN))
            await until(lambda: upstreams.waiting)
            upstreams.failed(upstreams.places[0], SqlError("Spark at h:1 is on fire", "08S01"))
            for attempt in (waiting, upstreams.open("eve", OPEN)):
                with pytest.raises(SqlError, match="on fire") as raised:
                    await attempt
                assert raised.value.sql_state == "08S01"
            await session.close()

    asyncio.run(test())


def test_who_waits_gets_the_place_of_who_leaves_and_principals_take_turns() -> None:
    async def test() -> None:
        async with pool(Terms(sessions=1)) as (upstreams, (spark,)):
            served = list[str]()

            async def use(user: str) -> None:
                session, _ = await upstreams.open(user, OPEN)
                served.append(user)
                assert len(spark.sessions) == 1
                await session.close()

            first, _ = await upstreams.open("ann", OPEN)
            async with asyncio.TaskGroup() as group:
                for user in ("ann", "ann", "bob"):
                    group.create_task(use(user))
                await until(lambda: upstreams.waiting == 3)
                await first.close()
            assert served == ["ann", "bob", "ann"]

    asyncio.run(test())


def test_an_idle_session_makes_room_for_who_waits_and_is_opened_again() -> None:
    async def test() -> None:
        async with pool(Terms(sessions=1)) as (upstreams, (spark,)):
            ann, bob = attached(upstreams, "ann"), attached(upstreams, "bob")
            assert await ann.open() is not None
            assert await bob.open() is None  # no room: later
            for session, user in ((bob, "bob"), (ann, "ann"), (bob, "bob")):
                assert (await session.query("SELECT 1")).rows == (("SELECT 1",),)
                assert list(spark.sessions.values()) == [user]
            await ann.close()
            await bob.close()

    asyncio.run(test())


def test_a_session_that_is_used_again_at_the_moment_when_it_is_parked() -> None:
    async def test() -> None:
        async with pool(Terms(sessions=1)) as (upstreams, _):
            ann = attached(upstreams, "ann")
            await ann.open()
            waiting = asyncio.create_task(upstreams.open("bob", OPEN))
            while not upstreams._parking:
                await asyncio.sleep(0)
            using = asyncio.create_task(ann.query("SELECT 1"))
            session, _ = await waiting
            await session.close()
            assert (await using).rows == (("SELECT 1",),)
            await ann.close()

    asyncio.run(test())


def test_what_is_idle_for_long_gives_its_place_back() -> None:
    async def test() -> None:
        async with pool(Terms(), timeouts=replace(QUICK, park=0.05)) as (upstreams, (spark,)):
            one, other = attached(upstreams), attached(upstreams)
            await one.open()
            await other.hold()
            await until(lambda: len(spark.sessions) == 1)
            assert not one.attached
            assert other.attached
            other.let_go()
            await until(lambda: not spark.sessions)
            await one.close()
            await other.close()

    asyncio.run(test())


def test_a_draining_server_keeps_what_works_and_idle_sessions_go_elsewhere(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        async with pool(Terms(weight=9), Terms()) as (upstreams, (blue, green)):
            idle, working = attached(upstreams, "idle"), attached(upstreams, "working")
            await idle.open()
            await working.hold()
            assert len(blue.sessions) == 2
            blue_, green_ = (place.upstream for place in upstreams.places)
            upstreams.reconfigure([replace(blue_, terms=Terms(draining=True)), green_])
            await upstreams.parked()
            assert list(blue.sessions.values()) == ["working"]
            await idle.query("SELECT 1")
            assert list(green.sessions.values()) == ["idle"]
            working.let_go()
            await upstreams.parked()
            assert not blue.sessions
            await working.query("SELECT 2")
            assert sorted(green.sessions.values()) == ["idle", "working"]
            await idle.close()
            await working.close()

    with caplog.at_level("INFO"):
        asyncio.run(test())
    assert "is drained: no session uses the server any more" in caplog.text


def test_servers_that_are_added_and_left_out() -> None:
    async def test() -> None:
        async with pool(Terms(sessions=1)) as (upstreams, _), FakeSpark() as new:
            session, _ = await upstreams.open("bob", OPEN)
            waiting = asyncio.create_task(upstreams.open("ann", OPEN))
            await until(lambda: upstreams.waiting)
            upstreams.reconfigure([Upstream("127.0.0.1", new.port)])
            second, _ = await waiting
            assert list(new.sessions.values()) == ["ann"]
            await session.close()
            await second.close()
            upstreams.reconfigure([replace(place.upstream, terms=Terms(draining=True)) for place in upstreams.places])
            with pytest.raises(SqlError, match="all upstreams are being drained"):
                await upstreams.open("bob", OPEN)

    asyncio.run(test())


def test_who_waits_is_told_when_all_servers_are_to_be_drained() -> None:
    async def test() -> None:
        async with pool(Terms(sessions=1)) as (upstreams, _):
            session, _ = await upstreams.open("bob", OPEN)
            waiting = asyncio.create_task(upstreams.open("ann", OPEN))
            await until(lambda: upstreams.waiting)
            upstreams.reconfigure([replace(place.upstream, terms=Terms(draining=True)) for place in upstreams.places])
            with pytest.raises(SqlError, match="all upstreams are being drained"):
                await waiting
            await session.close()

    asyncio.run(test())


def test_a_paused_server_lets_statements_and_sessions_wait_and_those_that_run_go_on() -> None:
    async def test() -> None:
        async with pool(Terms()) as (upstreams, (spark,)):
            (place,) = upstreams.places
            session = attached(upstreams, "ann")
            live = await session.hold()
            assert live.take_slot()
            upstreams.steer(str(place.upstream), Steering.PAUSE)
            assert session.saturated
            assert not live.take_slot()
            starting = asyncio.create_task(live.wait_for_slot("ann"))
            opening = asyncio.create_task(upstreams.open("bob", OPEN))
            await until(lambda: upstreams.waiting and place.statements.waiting)
            live.give_slot_back()
            assert list(spark.sessions.values()) == ["ann"]
            upstreams.steer(str(place.upstream), Steering.RESUME)
            await starting
            (second, _) = await opening
            live.give_slot_back()
            session.let_go()
            await session.close()
            await second.close()

    asyncio.run(test())


def test_a_server_that_was_drained_by_a_statement_takes_sessions_again_when_resumed() -> None:
    async def test() -> None:
        async with pool(Terms(weight=9), Terms()) as (upstreams, (blue, green)):
            place, _ = upstreams.places
            upstreams.steer(str(place.upstream), Steering.DRAIN)
            first, _ = await upstreams.open("ann", OPEN)
            assert (list(blue.sessions.values()), list(green.sessions.values())) == ([], ["ann"])
            upstreams.steer(str(place.upstream), Steering.RESUME)
            second, _ = await upstreams.open("bob", OPEN)
            assert list(blue.sessions.values()) == ["bob"]
            await first.close()
            await second.close()

    asyncio.run(test())


def test_the_settings_file_has_the_last_word_on_a_server_that_was_paused() -> None:
    async def test() -> None:
        async with pool(Terms()) as (upstreams, _):
            (place,) = upstreams.places
            upstreams.steer(str(place.upstream), Steering.PAUSE)
            upstreams.reconfigure([place.upstream])
            session, _ = await upstreams.open("ann", OPEN)
            assert not place.paused
            await session.close()

    asyncio.run(test())


def test_a_paused_server_keeps_no_session_from_another() -> None:
    async def test() -> None:
        async with pool(Terms(sessions=1, weight=9), Terms(sessions=1)) as (upstreams, (used, _)):
            ann = attached(upstreams, "ann")
            await ann.open()
            upstreams.steer(str(upstreams.places[1].upstream), Steering.PAUSE)
            bob, _ = await upstreams.open("bob", OPEN)
            assert list(used.sessions.values()) == ["bob"]
            await bob.close()
            await ann.close()

    asyncio.run(test())
