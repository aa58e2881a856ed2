"""An idle connection keeps no memory of the statements that it ran."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest

from proxy.hs2 import encode_call
from proxy.hs2.generated import ttypes
from proxy.service.operations.remote import RemoteOperation
from proxy.upstream import Terms
from proxy.wire import with_field
from proxy.wire.message import STRING
from tests.unit.support.proxied import Proxied, RawClient, until, with_proxy


def forwarded() -> list[Any]:
    gc.collect()  # what other tests have left, and cycles
    return [seen for seen in gc.get_objects() if isinstance(seen, RemoteOperation)]


@pytest.mark.parametrize("turns", range(5))
@pytest.mark.parametrize("ends", ["CloseOperation", "CloseSession"])
def test_nothing_is_kept_of_a_statement_that_is_ended_when_its_turn_has_come(ends: str, turns: int) -> None:
    """In each turn of the event loop after Spark's answer, another connection is active."""

    async def test(proxied: Proxied) -> None:
        spark = proxied.spark
        async with RawClient(proxied.port, "ann") as ann, RawClient(proxied.port) as bob:
            session = await bob.open_session()
            for _ in range(2):
                read = (await bob.execute(session, "SELECT 1", run_async=False)).operationHandle
                await bob.fetch(read)
                await bob.close(read)
            first = (await ann.execute(await ann.open_session(), "SELECT HANG")).operationHandle
            second = (await bob.execute(session, "SELECT 2")).operationHandle
            asked = len(spark.sent("ExecuteStatement"))
            spark.held["ExecuteStatement"] = asyncio.Event()
            await ann.close(first)
            await until(lambda: len(spark.sent("ExecuteStatement")) > asked)
            spark.held.pop("ExecuteStatement").set()
            for _ in range(turns):
                await asyncio.sleep(0)
            request = {
                "CloseOperation": ttypes.TCloseOperationReq(operationHandle=second),
                "CloseSession": ttypes.TCloseSessionReq(sessionHandle=session),
            }[ends]
            await bob.call(encode_call(ends, 1, request))
            await until(lambda: not forwarded())

    with_proxy(test, terms=[Terms(statements=1)])


def test_nothing_is_kept_of_a_statement_that_is_closed_elsewhere_while_its_status_comes() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client, RawClient(proxied.port) as other:
            operation = (await client.execute(await client.open_session(), "SELECT 1")).operationHandle
            held = proxied.spark.held["GetOperationStatus"] = asyncio.Event()
            asking = asyncio.create_task(client.status(operation))
            await proxied.spark.called("GetOperationStatus")
            closing = asyncio.create_task(other.close(operation))
            await until(lambda: not proxied.open_operations)
            held.set()
            assert (await asking).status.statusCode == 0
            await closing
            await until(lambda: not forwarded())

    with_proxy(test)


async def close(client: RawClient, other: RawClient, _session: Any, operation: Any) -> None:
    await client.close(operation)


async def close_elsewhere(client: RawClient, other: RawClient, _session: Any, operation: Any) -> None:
    await other.close(operation)


async def close_session(client: RawClient, other: RawClient, session: Any, _operation: Any) -> None:
    await client.ask("CloseSession", ttypes.TCloseSessionReq(sessionHandle=session), ttypes.TCloseSessionResp)


async def fail(client: RawClient, other: RawClient, session: Any, operation: Any) -> None:
    await client.close(operation)
    assert (await client.execute(session, "FAIL", run_async=False)).status.statusCode == 3


@pytest.mark.parametrize("end", [close, close_elsewhere, close_session, fail])
def test_a_connection_that_idles_keeps_nothing_of_its_last_statement(end: Any) -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client, RawClient(proxied.port) as other:
            session = await client.open_session()
            for _ in range(2):
                operation = (await client.execute(session, "SELECT 1", run_async=False)).operationHandle
                await client.close(operation)
            operation = (await client.execute(session, "SELECT 1", run_async=False)).operationHandle
            await client.end(operation)
            await end(client, other, session, operation)
            await until(lambda: not forwarded())

    with_proxy(test)


def test_what_is_longer_than_clients_make_it_is_not_kept() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            operation = (await client.execute(session, "SELECT 1", run_async=False)).operationHandle
            calls = [
                encode_call("GetResultSetMetadata", 1, ttypes.TGetResultSetMetadataReq(operationHandle=operation)),
                encode_call("FetchResults", 1, ttypes.TFetchResultsReq(operation, maxRows=9)),
                encode_call("CloseOperation", 1, ttypes.TCloseOperationReq(operationHandle=operation)),
            ]
            for call in calls:
                await client.call(with_field(call, (1, 999), STRING, bytes(4096)))
            (habits,) = (each.habits for each in proxied.server.service.sessions.all)
            assert (habits.columns, habits.rows, habits.closing) == (None, None, None)

    with_proxy(test)
