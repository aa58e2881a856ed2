"""Replies in pieces, and an upstream that does not answer."""

import asyncio

import pytest

from proxy.hs2 import ResultSet, SqlError, encode_call, read_reply
from proxy.hs2.generated import ttypes
from proxy.upstream import Timeouts, Upstream, Upstreams
from tests.unit.support.fake_spark import FakeSpark

OPEN = encode_call("OpenSession", 0, ttypes.TOpenSessionReq(client_protocol=10))


@pytest.mark.parametrize("piece", [1, 2, 7, 100])
def test_a_reply_in_several_frames_is_one_though_they_end_in_zeros(piece: int) -> None:
    async def test() -> None:
        result = ResultSet.of("a int", "b", rows=[[0, "\0\0\0"]] * 40)
        async with FakeSpark(lambda _sql: result) as spark:
            spark.piece = piece
            upstreams = Upstreams([Upstream("127.0.0.1", spark.port)])
            session, _ = await upstreams.open("bob", OPEN)
            texts = await asyncio.gather(*(session.query("SELECT 1") for _ in range(3)))
            assert texts == [result] * 3
            await session.close()

    asyncio.run(test())


def long_result(sql: str) -> ResultSet:
    """Return a result of as many thousand characters as the text says."""
    return ResultSet.of("a", rows=[["x" * 1000]] * int(sql.split()[-1]))


@pytest.mark.parametrize("piece", [100_496, 150_000])  # the first is how long the reply with a hundred thousand is
@pytest.mark.parametrize("lengths", [(90, 140, 100, 151, 140, 290, 300, 301, 100, 149, 450), (149, 280), (100, 140)])
def test_long_replies_that_are_parted_at_some_length_come_whole(lengths: tuple[int, ...], piece: int) -> None:
    async def test() -> None:
        async with FakeSpark(long_result) as spark:
            spark.piece = piece
            upstreams = Upstreams([Upstream("127.0.0.1", spark.port)])
            session, _ = await upstreams.open("bob", OPEN)
            for thousands in lengths:
                sql = f"SELECT {thousands}"
                async with asyncio.timeout(5):
                    assert await session.query(sql) == long_result(sql)
            await session.close()

    asyncio.run(test())


def test_two_replies_in_one_frame_are_two_though_a_longer_one_has_come() -> None:
    async def test() -> None:
        async with FakeSpark(long_result) as spark:
            upstreams = Upstreams([Upstream("127.0.0.1", spark.port)])
            session, _ = await upstreams.open("bob", OPEN)
            await session.query("SELECT 300")
            identifier = ttypes.THandleIdentifier(guid=session.handle.guid, secret=session.handle.secret)
            execute = ttypes.TExecuteStatementReq(ttypes.TSessionHandle(identifier), "SELECT 100", runAsync=True)
            reply = await session.call(encode_call("ExecuteStatement", 1, execute))
            operation = read_reply(reply, ttypes.TExecuteStatementResp).operationHandle
            spark.together = 2
            fetch = ttypes.TFetchResultsReq(operation, orientation=0, maxRows=100)
            columns = ttypes.TGetResultSetMetadataReq(operation)
            messages = encode_call("FetchResults", 2, fetch), encode_call("GetResultSetMetadata", 3, columns)
            async with asyncio.timeout(5):
                rows, schema = await asyncio.gather(*session.send(*messages))
            assert read_reply(rows, ttypes.TFetchResultsResp).results
            assert read_reply(schema, ttypes.TGetResultSetMetadataResp).schema
            spark.together = 1
            await session.close()

    asyncio.run(test())


@pytest.mark.parametrize("name", ["ExecuteStatement", "GetOperationStatus", "FetchResults", "CloseOperation"])
def test_an_upstream_that_accepts_and_never_answers_is_given_up(name: str) -> None:
    async def test() -> None:
        async with FakeSpark() as spark:
            spark.held[name] = asyncio.Event()
            quick = Timeouts(connect=1, handshake=1, open=1, call=0.05, work=0.08, close=0.1)
            upstreams = Upstreams([Upstream("127.0.0.1", spark.port)], quick)
            session, _ = await upstreams.open("bob", OPEN)
            if name == "CloseOperation":
                assert (await session.query("SELECT 1")).rows
            with pytest.raises(SqlError, match=f"has not answered {name} for 0.0") as raised:
                await session.query("SELECT 2")
            assert raised.value.sql_state == "08S01"
            assert not session._connection.alive
            await session.close()
            upstreams.close()

    asyncio.run(test())


def test_rows_may_take_longer_than_other_answers() -> None:
    async def test() -> None:
        async with FakeSpark() as spark:
            spark.held["FetchResults"] = asyncio.Event()
            upstreams = Upstreams([Upstream("127.0.0.1", spark.port)], Timeouts(call=0.05, work=10))
            session, _ = await upstreams.open("bob", OPEN)
            running = asyncio.create_task(session.query("SELECT 1"))
            await spark.called("FetchResults")
            await asyncio.wait({running}, timeout=0.12)
            spark.held["FetchResults"].set()
            assert (await running).rows == (("SELECT 1",),)
            await session.close()

    asyncio.run(test())
