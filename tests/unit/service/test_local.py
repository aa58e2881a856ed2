"""Statements that Viewgate answers itself, as clients see them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from proxy.hs2 import ResultSet, SqlError, columns_of, decode_rows
from proxy.hs2.generated import ttypes
from proxy.pipeline.watching import watched
from proxy.session import Local
from proxy.upstream import Stage
from tests.unit.support.proxied import Proxied, RawClient, with_proxy

RUNNING, FINISHED, CANCELED, ERROR, TIMEDOUT = 1, 2, 3, 5, 8


def local(outcome: ResultSet | Exception | None) -> Local:
    async def run(log: Any) -> ResultSet:
        log("working")
        if outcome is None:
            await asyncio.Event().wait()
        if isinstance(outcome, Exception):
            raise outcome
        assert outcome is not None
        return outcome

    return Local(run)


@pytest.mark.parametrize("protocol", [10, 4])
@pytest.mark.parametrize("run_async", [True, False])
def test_a_local_statement(protocol: int, run_async: bool) -> None:
    async def test(proxied: Proxied) -> None:
        result = ResultSet.of("view", "rows bigint", rows=[["a", 1], ["b", None], ["c", 3]])
        proxied.planned.plans["SHOW"] = local(result)
        async with RawClient(proxied.port) as client:
            session = await client.open_session(protocol)
            operation = (await client.execute(session, "SHOW", run_async=run_async)).operationHandle
            assert operation.hasResultSet
            status = await client.end(operation)
            assert (status.operationState, status.hasResultSet) == (FINISHED, True)
            request = ttypes.TGetResultSetMetadataReq(operationHandle=operation)
            metadata = await client.ask("GetResultSetMetadata", request, ttypes.TGetResultSetMetadataResp)
            assert columns_of(metadata.schema) == result.columns
            assert await client.first_column(operation, log=True) == ["working"] if protocol == 10 else True
            sizes = [size(await client.fetch(operation, rows=2)) for _ in range(3)]
            assert sizes == [2, 1, 0]
            assert size(await client.fetch(operation, orientation=4)) == 3
            response = await client.fetch(operation, orientation=5)
            assert response.status.errorMessage == "The fetch type FETCH_LAST is not supported for this resultset"
            if protocol == 10:
                rows = decode_rows((await client.fetch(operation, orientation=4)).results)
                assert rows == list(result.rows)

    with_proxy(test)


class Job:
    """A job with a quarter of its tasks done."""

    async def stages(self) -> tuple[Stage, ...]:
        return (Stage(3, 8, 2, 4, 0),)


def test_the_progress_of_a_refresh_is_told_to_those_who_ask_for_it() -> None:
    async def refresh(log: Any) -> ResultSet:
        async with watched(Job(), "v", log):
            await asyncio.Event().wait()
        raise AssertionError("nobody sets it")

    async def test(proxied: Proxied) -> None:
        proxied.planned.plans["REFRESH"] = Local(refresh)
        async with RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(), "REFRESH")).operationHandle
            request = ttypes.TGetOperationStatusReq(operationHandle=operation, getProgressUpdate=True)
            told = await client.ask("GetOperationStatus", request, ttypes.TGetOperationStatusResp)
            assert (told.operationState, told.progressUpdateResponse.progressedPercentage) == (RUNNING, 0.25)
            assert told.progressUpdateResponse.rows[0][0] == "Stage-3"
            assert (await client.status(operation)).progressUpdateResponse is None

    with_proxy(test)


def size(response: Any) -> int:
    """Return the number of rows of a fetch, in row or column form."""
    columns = response.results.columns
    return len(columns[0].stringVal.values) if columns else len(response.results.rows)


@pytest.mark.parametrize(
    ("raised", "message", "sql_state"),
    [
        (SqlError("no such view: a", "42P01"), "no such view: a", "42P01"),
        (
            KeyError("bug"),
            (
                "Viewgate could not answer the statement because of an internal error (KeyError('bug')); see the log "
                "of Viewgate"
            ),
            "XX000",
        ),
    ],
)
def test_a_local_statement_that_fails(raised: Exception, message: str, sql_state: str) -> None:
    async def test(proxied: Proxied) -> None:
        proxied.planned.plans["DROP"] = local(raised)
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            status = await client.end((await client.execute(session, "DROP")).operationHandle)
            assert (status.operationState, status.errorMessage, status.sqlState) == (ERROR, message, sql_state)
            response = await client.execute(session, "DROP", run_async=False)
            assert (response.status.errorMessage, response.status.sqlState) == (message, sql_state)
            assert response.operationHandle is None

    with_proxy(test)


def test_local_statements_are_cancelled_and_timed_out() -> None:
    async def test(proxied: Proxied) -> None:
        proxied.planned.plans["REFRESH"] = local(None)
        async with RawClient(proxied.port) as client, RawClient(proxied.port) as other:
            session = await client.open_session()
            operation = (await client.execute(session, "REFRESH")).operationHandle
            assert (await client.status(operation)).operationState == 1
            request = ttypes.TCancelOperationReq(operationHandle=operation)
            await other.ask("CancelOperation", request, ttypes.TCancelOperationResp)
            assert (await client.status(operation)).operationState == CANCELED
            limited = (await client.execute(session, "REFRESH", timeout=1)).operationHandle
            assert (await client.end(limited)).operationState == TIMEDOUT
            old = await client.open_session(protocol=7)
            waiting = (await client.execute(old, "REFRESH", timeout=1)).operationHandle
            assert (await client.end(waiting)).operationState == CANCELED

    with_proxy(test)


def test_a_status_is_held_for_those_who_sleep_and_not_for_those_who_could_not_cancel_meanwhile() -> None:
    async def test(proxied: Proxied) -> None:
        proxied.planned.plans["REFRESH"] = local(None)
        async with RawClient(proxied.port) as sleeper, RawClient(proxied.port) as poller:
            operations = [
                (await client.execute(await client.open_session(protocol), "REFRESH")).operationHandle
                for client, protocol in ((sleeper, 5), (poller, 9))
            ]
            held = asyncio.create_task(sleeper.status(operations[0]))
            assert (await poller.status(operations[1])).operationState == RUNNING
            assert not held.done()
            async with RawClient(proxied.port) as other:
                request = ttypes.TCancelOperationReq(operationHandle=operations[0])
                await other.ask("CancelOperation", request, ttypes.TCancelOperationResp)
            assert (await held).operationState == CANCELED

    with_proxy(test)
