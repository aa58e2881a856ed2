"""A client whose writing statement loses Spark is never told to run the statement again."""

from __future__ import annotations

import asyncio

import pytest

from proxy.hs2.generated import ttypes
from proxy.service.operations.remote import RemoteOperation
from proxy.session import Forward, OperationState
from tests.unit.service.test_post_commit import Following
from tests.unit.support.fake_spark import FakeSpark
from tests.unit.support.proxied import Proxied, RawClient, until, with_proxy

FINISHED = 2
UNCERTAIN = "The statement may have been executed; check before you run it again."


@pytest.mark.parametrize("run_async", [True, False])
def test_a_committed_write_has_succeeded_though_spark_is_lost_during_the_post_commit_refresh(run_async: bool) -> None:
    async def test(proxied: Proxied) -> None:
        following = Following()
        proxied.planned.plans["INSERT INTO t"] = Forward(after=following.run)
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            executing = asyncio.create_task(client.execute(session, "INSERT INTO t", run_async=run_async))
            if run_async:
                operation = (await executing).operationHandle
                polling = asyncio.create_task(client.end(operation))
            await following.begun.wait()
            await lose(proxied.spark)
            following.release.set()
            if run_async:
                assert (await polling).operationState == FINISHED
            else:
                operation = (await executing).operationHandle
            assert (await client.status(operation)).operationState == FINISHED
            assert [column.columnName for column in (await client.schema(operation)).columns] == ["Result"]
            assert (await client.fetch(operation)).status.statusCode == 0
            assert await client.first_column(operation) == []

    with_proxy(test)


def test_a_write_that_has_finished_stays_finished_where_no_view_depends_on_it() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(), "DELETE FROM t")).operationHandle
            assert (await client.end(operation)).operationState == FINISHED
            await lose(proxied.spark)
            assert (await client.status(operation)).operationState == FINISHED
            assert (await client.schema(operation)).columns[0].columnName == "Result"

    with_proxy(test)


def test_the_rows_of_a_procedure_that_has_finished_are_lost_and_it_has_been_executed() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(), "CALL lake.system.p()")).operationHandle
            assert (await client.end(operation)).operationState == FINISHED
            await lose(proxied.spark)
            status = (await client.fetch(operation)).status
            assert status.sqlState == "08007"
            assert status.errorMessage.endswith("The statement has been executed, and its result is lost.")

    with_proxy(test)


@pytest.mark.parametrize("call", ["ExecuteStatement", "GetOperationStatus"])
@pytest.mark.parametrize("run_async", [True, False])
def test_a_write_of_whose_end_nothing_is_known_may_have_been_executed(call: str, run_async: bool) -> None:
    async def test(proxied: Proxied) -> None:
        proxied.spark.deadly.add(call)
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            status = (response := await client.execute(session, "INSERT HANG", run_async=run_async)).status
            if run_async and call == "GetOperationStatus":
                status = (await client.status(response.operationHandle)).status
                again = (await client.status(response.operationHandle)).status
                assert again.sqlState == "08007"
            assert status.sqlState == "08007"
            assert status.errorMessage.endswith(f"has closed the connection. {UNCERTAIN}")
            assert f"127.0.0.1:{proxied.spark.port}" in status.errorMessage
        proxied.spark.sessions.clear()

    with_proxy(test)


def test_a_read_can_be_tried_again() -> None:
    async def test(proxied: Proxied) -> None:
        proxied.spark.deadly.add("GetOperationStatus")
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            status = (await client.execute(session, "SELECT HANG", run_async=False)).status
            assert (status.sqlState, status.errorMessage.endswith("Try again.")) == ("08S01", True)
        proxied.spark.sessions.clear()

    with_proxy(test)


def test_a_write_that_a_shutdown_interrupts_may_have_been_executed() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            executing = asyncio.create_task(client.execute(session, "INSERT HANG", run_async=False))
            await proxied.spark.called("GetOperationStatus")
            await proxied.server.service.stop_statements(1)
            status = (await executing).status
            assert (status.sqlState, UNCERTAIN in status.errorMessage) == ("08007", True)
            request = ttypes.TCloseSessionReq(sessionHandle=session)
            await client.ask("CloseSession", request, ttypes.TCloseSessionResp)

    with_proxy(test)


async def lose(spark: FakeSpark) -> None:
    """Drop every connection, with the sessions on it."""
    spark.die()
    while spark.connections:
        await asyncio.sleep(0)
    spark.sessions.clear()


def test_a_lost_question_of_another_client_does_not_end_a_write_that_has_succeeded() -> None:
    async def test(proxied: Proxied) -> None:
        following = Following()
        proxied.planned.plans["INSERT HANG"] = following.plan()
        async with RawClient(proxied.port) as one, RawClient(proxied.port) as other:
            operation = (await one.execute(await one.open_session(), "INSERT HANG")).operationHandle
            proxied.spark.held["GetOperationStatus"] = asyncio.Event()
            ending = asyncio.create_task(one.end(operation))
            await proxied.spark.called("GetOperationStatus")
            asking = asyncio.create_task(other.status(operation))
            ((forwarded,),) = (session.operations.values() for session in proxied.server.service.sessions.all)
            assert isinstance(forwarded, RemoteOperation)
            await until(lambda: forwarded._polls._out == 2)
            (running,) = proxied.spark.history
            running.end(OperationState.FINISHED)
            proxied.spark.deadly.add("GetOperationStatus")  # from the next one on
            proxied.spark.held["GetOperationStatus"].set()
            await following.begun.wait()
            following.release.set()
            assert (await asking).status.sqlState is None
            assert (await ending).operationState == FINISHED
        proxied.spark.sessions.clear()

    with_proxy(test)
