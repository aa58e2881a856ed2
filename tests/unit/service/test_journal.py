"""Clients' statements are in the journal, however they end."""

from __future__ import annotations

import asyncio
import json

import pytest

from proxy.commands.operate import killed
from proxy.hs2 import SqlError
from proxy.hs2.generated import ttypes
from proxy.journal import Outcome, Phase
from proxy.session import Choice, Forward, OperationState
from proxy.upstream import Terms
from rewriter.model import TableName
from tests.unit.console.http import figure, get, listening
from tests.unit.support.proxied import Proxied, RawClient, until, with_proxy
from tests.unit.support.transports import HttpClient, basic


def told(proxied: Proxied) -> list[tuple[str, str]]:
    """Return the statements that have ended, the earliest first, each with its state."""
    journal = proxied.server.service.journal
    return [(record.sql, record.state.name) for record in reversed([*journal]) if record.operation is None]


def test_each_statement_is_told_of_once() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            first = (await client.execute(session, "SELECT 1")).operationHandle
            await client.end(first)
            assert told(proxied) == [("SELECT 1", "FINISHED")]
            await client.close(first)
            await client.execute(session, "SELECT 2", run_async=False)
            assert told(proxied) == [("SELECT 1", "FINISHED"), ("SELECT 2", "FINISHED")]

    with_proxy(test)


@pytest.mark.parametrize("times", [1, 3])
def test_rows_are_counted_once_whichever_way_they_go(times: int) -> None:
    """From the second statement on, the rows are prefetched before the client asks for them."""

    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            for _ in range(times):
                operation = (await client.execute(session, "SELECT 1")).operationHandle
                await client.end(operation)
                await client.schema(operation)
                read = len(await client.first_column(operation))
                while more := len(await client.first_column(operation)):
                    read += more
                await client.close(operation)
            record = next(iter(proxied.server.service.journal))
            assert (record.rows, record.outcome) == (read, Outcome.NONE)
            assert record.bytes > 0
            assert list(record.seconds) == [*Phase]

    with_proxy(test)


def test_one_that_is_refused_here_is_told_of_with_its_error() -> None:
    class Refusing:
        async def plan(self, session: object, sql: str) -> Forward:
            raise SqlError("not this one", "0A000")

        def moved(self, session: object) -> None:
            return

    async def test(proxied: Proxied) -> None:
        proxied.server.service.answering = Refusing()
        async with RawClient(proxied.port) as client:
            answer = await client.execute(await client.open_session(), "SELECT 1")
            assert answer.status.sqlState == "0A000"
            (record,) = proxied.server.service.journal
            assert (record.state, record.error and record.error.message) == (OperationState.ERROR, "not this one")

    with_proxy(test)


def test_rows_that_fail_are_an_error_of_the_statement() -> None:
    """As with spark.sql.thriftServer.incrementalCollect, where Spark computes the rows when they are fetched."""

    async def test(proxied: Proxied) -> None:
        async with listening(proxied.server.service) as (_, port), RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(), "SELECT LATE")).operationHandle
            await client.end(operation)
            assert (await client.fetch(operation)).status.errorMessage == "lost a file"
            await client.close(operation)
            (record,) = proxied.server.service.journal
            _, text = await get(port, "/metrics")
        assert (record.state, record.error and record.error.message) == (OperationState.ERROR, "lost a file")
        assert figure(text, "viewgate_statements_total", state="ERROR") == 1
        assert figure(text, "viewgate_statements_total") == 1

    with_proxy(test)


def test_a_fetch_that_there_is_not_is_no_error_of_the_statement() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(), "SELECT 1")).operationHandle
            await client.end(operation)
            assert (await client.fetch(operation, orientation=99)).status.sqlState == "HY106"
            (record,) = proxied.server.service.journal
            assert (record.state, record.error) == (OperationState.FINISHED, None)

    with_proxy(test)


@pytest.mark.parametrize("rewritten", ["BREAK", "LATE"])
@pytest.mark.parametrize("original", ["SELECT REFUSE", "SELECT FAIL"])
def test_an_original_that_fails_is_no_success_of_the_view(rewritten: str, original: str) -> None:
    async def test(proxied: Proxied) -> None:
        view = TableName(("lake", "demo", "agg"))
        plan = Forward(rewritten, fallback=True, choice=Choice((view,), (view,), (view,)))
        proxied.planned.plans[original] = plan
        async with listening(proxied.server.service) as (_, port), RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(), original)).operationHandle
            if (await client.end(operation)).operationState == OperationState.FINISHED:
                assert (await client.fetch(operation)).status.errorMessage
            await client.close(operation)
            (record,) = proxied.server.service.journal
            _, text = await get(port, "/metrics")
        assert (record.outcome, record.state) == (Outcome.FALLBACK, OperationState.ERROR)
        assert record.error is not None
        assert figure(text, "viewgate_statements_total", outcome="fallback", state="ERROR") == 1
        assert figure(text, "viewgate_statements_total") == 1

    with_proxy(test)


@pytest.mark.parametrize("rewritten", ["FAIL secret_mv", "LATE"])
def test_a_rewriting_that_failed_is_told_apart_and_counts_against_its_view(rewritten: str) -> None:
    """The second rewriting fails when its rows are fetched."""
    view = TableName(("lake", "demo", "agg"))

    async def test(proxied: Proxied) -> None:
        choice = Choice((view,), (view,), (view,))
        proxied.planned.plans["SELECT 1"] = Forward(rewritten, fallback=True, choice=choice)
        async with RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(), "SELECT 1")).operationHandle
            await client.end(operation)
            assert await client.first_column(operation) == ["SELECT 1"]
            await client.close(operation)
            journal = proxied.server.service.journal
            (record,) = journal
            assert (record.outcome, record.rewritten) == (Outcome.FALLBACK, rewritten)
            assert journal.usage.views[view].failed == 1

    with_proxy(test)


def test_one_whose_client_goes_away_before_it_is_begun_is_told_of() -> None:
    class Slow:
        asked = asyncio.Event()

        async def plan(self, session: object, sql: str) -> Forward:
            self.asked.set()
            await asyncio.Event().wait()
            return Forward()

        def moved(self, session: object) -> None:
            return

    async def test(proxied: Proxied) -> None:
        proxied.server.service.answering = slow = Slow()
        async with RawClient(proxied.port) as client:
            sending = asyncio.create_task(client.execute(await client.open_session(), "SELECT 1"))
            await slow.asked.wait()
            client.writer.transport.abort()
            await asyncio.wait({sending})
        await until(lambda: list(proxied.server.service.journal))
        (record,) = proxied.server.service.journal
        assert (record.state, record.outcome) == (OperationState.CANCELED, Outcome.REFUSED)
        assert isinstance(sending.exception(), ConnectionError)

    with_proxy(test)


ONE, TWO, THREE = (f"00-{digit * 32}-{'f' * 16}-01" for digit in "123")


def test_one_whose_client_leaves_while_spark_starts_it_stays_canceled() -> None:
    async def test(proxied: Proxied) -> None:
        service, held = proxied.server.service, asyncio.Event()
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            await client.end((await client.execute(session, "SELECT 1")).operationHandle)
            proxied.spark.held["ExecuteStatement"], proxied.spark.seen["ExecuteStatement"] = held, asyncio.Event()
            sending = asyncio.create_task(client.execute(session, "SELECT 2"))
            await proxied.spark.called("ExecuteStatement")
            sending.cancel()
        await until(lambda: ("SELECT 2", "CANCELED") in told(proxied))
        held.set()
        await until(lambda: not service.sessions.all and len(proxied.spark.history) == 2)
        await service.close()
        assert told(proxied)[-1] == ("SELECT 2", "CANCELED")

    with_proxy(test)


def test_one_that_is_killed_while_spark_starts_it_stays_an_error() -> None:
    async def test(proxied: Proxied) -> None:
        journal, held = proxied.server.service.journal, asyncio.Event()
        async with RawClient(proxied.port) as client, RawClient(proxied.port) as other:
            session, theirs = await client.open_session(), await other.open_session()
            first = (await client.execute(session, "SELECT HANG")).operationHandle
            second = (await other.execute(theirs, "SELECT 2")).operationHandle
            proxied.spark.held["ExecuteStatement"], proxied.spark.seen["ExecuteStatement"] = held, asyncio.Event()
            await client.close(first)
            await proxied.spark.called("ExecuteStatement")
            (record,) = (record for record in journal if record.sql == "SELECT 2")
            assert await killed(journal, json.dumps([record.id, None, "olga"]).encode()) == ("bob", None)
            held.set()
            assert (await other.end(second)).sqlState == "57014"
            await until(lambda: len(proxied.spark.history) == 2 and not proxied.spark.operations)
            assert record.state is OperationState.ERROR

    with_proxy(test, terms=(Terms(statements=1),))


def test_the_trace_of_a_statement_is_that_of_its_comment_its_call_or_its_session() -> None:
    async def test(proxied: Proxied) -> None:
        headers = f"{basic('ann')}traceparent: {TWO}\r\n"
        async with HttpClient(proxied.port) as client:
            configuration = {"set:hiveconf:traceparent": ONE}
            request = ttypes.TOpenSessionReq(client_protocol=9, configuration=configuration)
            client.headers = basic("ann")
            session = (await client.ask("OpenSession", request, ttypes.TOpenSessionResp)).sessionHandle
            await client.execute(session, "SELECT 1", run_async=False)
            client.headers = headers
            await client.execute(session, "SELECT 1", run_async=False)
            await client.execute(session, f"SELECT 1 /*traceparent='{THREE}'*/", run_async=False)
            client.headers = basic("ann")
            await client.execute(session, "SELECT 1", run_async=False)
            close = ttypes.TCloseSessionReq(sessionHandle=session)
            await client.ask("CloseSession", close, ttypes.TCloseSessionResp)
        traces = [record.trace and record.trace.id[0] for record in proxied.server.service.journal]
        assert traces == ["1", "3", "2", "1"]
        assert {record.upstream for record in proxied.server.service.journal} == {f"127.0.0.1:{proxied.spark.port}"}

    with_proxy(test)
