"""Two processes: sessions of one can be used through the other, by users who may use them."""

from __future__ import annotations

import asyncio

from proxy.hs2.generated import ttypes
from tests.unit.support.proxied import RawClient
from tests.unit.workers.several import Several, close, on_each


def test_a_session_of_one_worker_is_used_through_the_other(several: Several) -> None:
    async def test() -> None:
        async with on_each(several) as ((one, _), (_, session)):
            operation = (await one.execute(session, "SELECT 7", run_async=False)).operationHandle
            assert operation.operationId.guid[-2:] == session.sessionId.guid[-2:]
            assert (await one.end(operation)).operationState == ttypes.TOperationState.FINISHED_STATE
            assert await one.first_column(operation) == ["SELECT 7"]
            assert (await close(one, session)).status.statusCode == 0
            assert (await one.execute(session, "SELECT 8")).status.sqlState == "08003"

    asyncio.run(test())


def test_a_cancel_reaches_the_worker_that_runs_the_statement_at_once(several: Several) -> None:
    async def test() -> None:
        async with on_each(several) as ((one, session), (other, _)):
            operation = (await one.execute(session, "SELECT HANG")).operationHandle
            asking = asyncio.create_task(one.end(operation))
            request = ttypes.TCancelOperationReq(operationHandle=operation)
            async with asyncio.timeout(1):
                assert (await other.ask("CancelOperation", request, ttypes.TCancelOperationResp)).status.statusCode == 0
                assert (await asking).operationState == ttypes.TOperationState.CANCELED_STATE

    asyncio.run(test())


def test_a_client_that_goes_away_takes_along_what_it_waits_for_at_another_worker(several: Several) -> None:
    async def test() -> None:
        async with on_each(several) as ((one, _), (other, session)):
            waiting = asyncio.create_task(one.execute(session, "SELECT HANG() AS alone", run_async=False))
            while not (mine := [r for r in several.spark.history if r.sql == "SELECT HANG() AS alone"]):
                await asyncio.sleep(0.01)
            one.writer.close()
            async with asyncio.timeout(5):
                while mine[0].state == ttypes.TOperationState.RUNNING_STATE:
                    await asyncio.sleep(0.01)
            waiting.cancel()
            assert mine[0].state == ttypes.TOperationState.CANCELED_STATE
            answer = await other.execute(session, "SELECT 1", run_async=False)
            assert answer.status.statusCode == 0

    asyncio.run(test())


def test_to_somebody_else_it_does_not_exist_at_any_worker(several: Several) -> None:
    async def test() -> None:
        async with on_each(several) as clients, RawClient(several.gate.port, "eve") as eve:
            for _, session in clients:
                refused = (await eve.execute(session, "SELECT 1")).status
                assert (refused.sqlState, refused.errorMessage.split(":")[0]) == ("08003", "Invalid SessionHandle")

    asyncio.run(test())


def test_a_handle_that_no_worker_has_made(several: Several) -> None:
    async def test() -> None:
        async with on_each(several) as ((one, session), _):
            session.sessionId.guid = session.sessionId.guid[:-1] + b"\xff"
            assert (await one.execute(session, "SELECT 1")).status.errorMessage.startswith("Invalid SessionHandle")

    asyncio.run(test())
