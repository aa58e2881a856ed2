"""Viewgate's own statements on an upstream, and failures in the middle of them."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from proxy.hs2 import ResultSet, SqlError, encode_call
from proxy.hs2.generated import ttypes
from proxy.upstream import Timeouts, Upstream, Upstreams, UpstreamSession
from tests.unit.support.fake_spark import FakeSpark, answer_everything

OPEN = encode_call("OpenSession", 0, ttypes.TOpenSessionReq(client_protocol=10))
QUICK = Timeouts(connect=1, handshake=0.2, open=1, close=0.2)


@contextlib.asynccontextmanager
async def opened(spark: FakeSpark) -> AsyncIterator[UpstreamSession]:
    upstreams = Upstreams([Upstream("127.0.0.1", spark.port)], QUICK)
    session, _ = await upstreams.open("bob", OPEN)
    yield session
    await session.close()
    upstreams.close()


def test_a_query_of_our_own() -> None:
    async def test() -> None:
        result = ResultSet.of("a int", "b", rows=[[1, "x"], [None, None]])
        async with FakeSpark(lambda _sql: result) as spark, opened(spark) as session:
            assert await session.query("DESCRIBE QUERY SELECT 1") == result
            assert spark.operations == {}
            assert list(spark.sessions.values()) == ["bob"]

    asyncio.run(test())


def test_a_query_that_fails_gives_sparks_own_words() -> None:
    async def test() -> None:
        async with FakeSpark() as spark, opened(spark) as session:
            for sql, words, state in (("FAIL", "no way: FAIL", "42P01"), ("REFUSE", "the queue is full", "HY000")):
                with pytest.raises(SqlError, match=words) as raised:
                    await session.query(sql)
                assert raised.value.sql_state == state
            assert spark.operations == {}
            assert (await session.query("SELECT 1")).rows == (("SELECT 1",),)

    asyncio.run(test())


def test_a_query_that_nobody_waits_for_is_cancelled_and_leaves_the_connection_usable() -> None:
    async def test() -> None:
        async with FakeSpark() as spark, opened(spark) as session:
            query = asyncio.create_task(session.query("HANG"))
            await spark.called("GetOperationStatus")
            query.cancel()
            with pytest.raises(asyncio.CancelledError):
                await query
            assert spark.history[0].state == 3
            assert spark.operations == {}
            assert (await session.query("SELECT 1")).rows == (("SELECT 1",),)

    asyncio.run(test())


def test_queries_at_the_same_time_do_not_mix() -> None:
    async def test() -> None:
        async with FakeSpark(answer_everything) as spark, opened(spark) as session:
            texts = [f"SELECT {number}" for number in range(20)]
            results = await asyncio.gather(*map(session.query, texts))
            assert [result.rows[0][0] for result in results] == texts

    asyncio.run(test())


def test_a_lost_upstream() -> None:
    async def test() -> None:
        async with FakeSpark() as spark, opened(spark) as session:
            query = asyncio.create_task(session.query("HANG"))
            await spark.called("GetOperationStatus")
            spark.die()
            with pytest.raises(SqlError) as raised:
                await query
            assert raised.value.sql_state == "08S01"
            assert not session._connection.alive
            with pytest.raises(SqlError, match="has closed the connection"):
                await session.query("SELECT 1")

    asyncio.run(test())


def test_a_cancel_survives_a_lost_control_connection() -> None:
    async def test() -> None:
        async with FakeSpark() as spark, opened(spark) as session:
            for number in range(2):
                query = asyncio.create_task(session.query(f"HANG {number}"))
                while len(spark.history) == number:
                    await asyncio.sleep(0)
                query.cancel()
                await asyncio.wait({query})
                assert spark.history[number].state == 3
                control = next(writer for writer in spark.connections if writer is not spark.first)
                control.transport.abort()

    asyncio.run(test())


def test_the_first_upstream_that_takes_the_session() -> None:
    async def test() -> None:
        async with FakeSpark() as busy, FakeSpark() as free:
            busy.log_in = False
            ports = (1, busy.port, free.port)
            upstreams = Upstreams([Upstream("127.0.0.1", port) for port in ports], QUICK)
            session, _ = await upstreams.open("bob", OPEN)
            assert len(free.sessions) == 1
            await session.close()
            assert free.sessions == {}
            with pytest.raises(SqlError, match="cannot be reached") as raised:
                await Upstreams([Upstream("127.0.0.1", 1)], QUICK).open("bob", OPEN)
            assert raised.value.sql_state == "08S01"

    asyncio.run(test())


def test_a_close_that_is_not_answered_is_reported_by_a_server_that_has_closed_one_before(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def test() -> None:
        async with FakeSpark() as spark:
            upstreams = Upstreams([Upstream("127.0.0.1", spark.port)], replace(QUICK, close=0.02))

            async def close(*, answered: bool) -> None:
                session, _ = await upstreams.open("bob", OPEN)
                if not answered:
                    spark.held["CloseSession"] = asyncio.Event()
                await session.close()
                for event in spark.held.values():
                    event.set()
                spark.held.clear()

            await close(answered=False)  # Spark starts its metastore
            assert caplog.messages == []
            await close(answered=True)
            await close(answered=False)
            (said,) = caplog.messages
            assert "CloseSession was not answered" in said

    asyncio.run(test())


def test_a_login_of_its_own() -> None:
    async def test() -> None:
        async with FakeSpark() as spark:
            upstreams = Upstreams([Upstream("127.0.0.1", spark.port, "service", "secret")], QUICK)
            session, _ = await upstreams.open("bob", OPEN)
            assert list(spark.sessions.values()) == ["service"]
            await session.close()
            assert "secret" not in repr(Upstream("h", 1, "service", "secret"))

    asyncio.run(test())


def test_no_upstreams_at_all() -> None:
    with pytest.raises(ValueError, match="at least one"):
        Upstreams([])
