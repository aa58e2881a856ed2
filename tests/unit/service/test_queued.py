"""Queued statements and sessions, and upstream sessions that are given back meanwhile."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace

import pytest

from proxy.commands.operate import killed
from proxy.hs2 import ResultSet, columns_of
from proxy.hs2.generated import ttypes
from proxy.server import Limits
from proxy.service import execute_statement
from proxy.session import ClientSession, Forward, OperationState
from proxy.upstream import Terms
from tests.unit.support.proxied import QUICK, Proxied, RawClient, until, with_proxy

ONE_AT_A_TIME = [Terms(statements=1)]
ONE_SESSION = [Terms(sessions=1)]


def finish(proxied: Proxied, number: int) -> None:
    running = proxied.spark.history[number]
    running.outcome = ResultSet.of("sql", rows=[[running.sql]])
    running.end(OperationState.FINISHED)


def test_nobody_is_refused_while_the_server_has_no_thread_to_spare() -> None:
    async def test(proxied: Proxied) -> None:
        proxied.spark.threads = 1
        async with RawClient(proxied.port, "ann") as ann, RawClient(proxied.port) as bob:
            first = (await ann.execute(await ann.open_session(), "SELECT HANG")).operationHandle
            opening = asyncio.create_task(bob.open_session())
            while not opening.done():
                assert (await ann.status(first)).operationState == 1
            second = (await bob.execute(opening.result(), "SELECT 2")).operationHandle
            for client, operation in ((ann, first), (bob, second)):
                assert (await client.status(operation)).operationState == 1
            proxied.spark.threads = 2
            assert (await bob.end(second)).operationState == 2
            assert await bob.first_column(second) == ["SELECT 2"]

    with_proxy(test, timeouts=replace(QUICK, handshake=0.6))


@pytest.mark.parametrize("turns", range(6))
def test_a_cancel_that_comes_when_a_statement_has_just_begun_leaves_nothing_running(
    turns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In each turn of the event loop after Spark's answer; `with_proxy` counts what is left."""
    monkeypatch.setattr(execute_statement, "_SOON", 0.05)

    async def test(proxied: Proxied) -> None:
        spark, (place,) = proxied.spark, proxied.server.service.upstreams.places
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            (own,) = proxied.server.service.sessions.all
            await until(lambda: not own.upstream.attached)
            spark.held["ExecuteStatement"] = asyncio.Event()
            operation = (await client.execute(session, "SELECT 2")).operationHandle
            await spark.called("ExecuteStatement")
            spark.held.pop("ExecuteStatement").set()
            for _ in range(turns):
                await asyncio.sleep(0)
            request = ttypes.TCancelOperationReq(operationHandle=operation)
            await client.ask("CancelOperation", request, ttypes.TCancelOperationResp)
            await client.close(operation)
            await until(lambda: not (place.statements.taken or spark.operations))

    with_proxy(test, timeouts=replace(QUICK, park=0.05))


def test_the_columns_of_a_query_that_had_to_wait_are_told_while_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hive JDBC's executeAsync waits for the columns."""
    monkeypatch.setattr(execute_statement, "_SOON", 0.05)

    def script(sql: str) -> ResultSet | None:
        described = ResultSet.of("col_name", "data_type", "comment", rows=[["a", "bigint", None]])
        return described if sql.startswith("DESCRIBE QUERY") else None

    async def test(proxied: Proxied) -> None:
        spark = proxied.spark
        spark.script = script
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            spark.held["ExecuteStatement"] = asyncio.Event()
            operation = (await client.execute(session, "SELECT a FROM t")).operationHandle
            assert not spark.operations
            request = ttypes.TGetResultSetMetadataReq(operationHandle=operation)
            asking = asyncio.create_task(client.ask("GetResultSetMetadata", request, ttypes.TGetResultSetMetadataResp))
            await spark.called("ExecuteStatement")
            spark.held.pop("ExecuteStatement").set()
            assert [column.name for column in columns_of((await asking).schema)] == ["a"]
            assert (await client.status(operation)).operationState == OperationState.RUNNING

    with_proxy(test)


def test_a_statement_that_waits_for_others_runs_to_its_client_and_gets_its_turn() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port, "ann") as ann, RawClient(proxied.port) as bob:
            first = (await ann.execute(await ann.open_session(), "SELECT HANG")).operationHandle
            second = (await bob.execute(await bob.open_session(), "SELECT 2")).operationHandle
            assert (await bob.status(second)).operationState == 1
            refused = (await bob.fetch(second)).status
            assert refused.errorMessage.endswith(
                " has no result: Expected state FINISHED, but found RUNNING; fetch the result only after "
                "GetOperationStatus has reported FINISHED"
            )
            request = ttypes.TGetQueryIdReq(operationHandle=second)
            assert (await bob.ask("GetQueryId", request, ttypes.TGetQueryIdResp)).queryId
            assert [running.sql for running in proxied.spark.history] == ["SELECT HANG"]
            waiting, runs = proxied.server.service.journal
            assert (waiting.state, runs.state) == (OperationState.PENDING, OperationState.RUNNING)
            finish(proxied, 0)
            assert (await ann.end(first)).operationState == 2
            assert (await bob.end(second)).operationState == 2
            assert waiting.state is OperationState.FINISHED
            assert await bob.first_column(second) == ["SELECT 2"]
            await bob.close(second)
            assert len(proxied.spark.operations) == 1

    with_proxy(test, terms=ONE_AT_A_TIME)


@pytest.mark.parametrize("how", ["cancel", "close", "leave", "time"])
def test_a_statement_that_is_given_up_while_it_waits_is_never_started(how: str) -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port, "ann") as ann:
            first = (await ann.execute(await ann.open_session(), "SELECT HANG")).operationHandle
            async with RawClient(proxied.port) as bob:
                timeout = 1 if how == "time" else 0
                second = (await bob.execute(await bob.open_session(), "SELECT 2", timeout=timeout)).operationHandle
                if how == "cancel":
                    request = ttypes.TCancelOperationReq(operationHandle=second)
                    await bob.ask("CancelOperation", request, ttypes.TCancelOperationResp)
                    assert (await bob.status(second)).operationState == 3
                elif how == "close":
                    await bob.close(second)
                elif how == "time":
                    assert (await bob.end(second)).operationState == 8
            await until(lambda: proxied.server.service.sessions.running == 1)
            finish(proxied, 0)
            assert (await ann.end(first)).operationState == 2
            third = await ann.execute(await ann.open_session(), "SELECT 3", run_async=False)
            assert await ann.first_column(third.operationHandle) == ["SELECT 3"]
            assert [running.sql for running in proxied.spark.history] == ["SELECT HANG", "SELECT 3"]

    with_proxy(test, terms=ONE_AT_A_TIME)


@pytest.mark.parametrize(("sql", "state", "words"), [("FAIL", "42P01", "no way"), ("REFUSE", "HY000", "queue is full")])
@pytest.mark.parametrize("run_async", [True, False])
def test_a_statement_that_fails_after_its_wait(sql: str, state: str, words: str, run_async: bool) -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port, "ann") as ann, RawClient(proxied.port) as bob:
            await ann.execute(await ann.open_session(), "SELECT HANG")
            session = await bob.open_session()
            executing = asyncio.create_task(bob.execute(session, sql, run_async=run_async))
            await until(lambda: proxied.server.service.sessions.running == 2)
            finish(proxied, 0)
            await ann.end((await ann.execute(await ann.open_session(), "SELECT 1")).operationHandle)
            answer = await executing
            told = await bob.end(answer.operationHandle) if run_async else answer.status
            assert told.sqlState == state
            assert words in told.errorMessage

    with_proxy(test, Limits(grace=0.2, unseen=0.05), terms=ONE_AT_A_TIME)


def test_a_session_opens_at_once_where_there_is_no_room_and_its_statement_waits_for_that() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port, "ann") as ann, RawClient(proxied.port) as bob:
            first = (await ann.execute(await ann.open_session(), "SELECT HANG")).operationHandle
            session = await bob.open_session(5)
            assert proxied.server.service.sessions.all[1].protocol == 5
            second = (await bob.execute(session, "SELECT 2")).operationHandle
            assert list(proxied.spark.sessions.values()) == ["ann"]
            finish(proxied, 0)
            assert (await ann.end(first)).operationState == 2
            await ann.close(first)
            assert (await bob.end(second)).operationState == 2
            assert await bob.first_column(second) == ["SELECT 2"]
            assert list(proxied.spark.sessions.values()) == ["bob"]

    with_proxy(test, terms=ONE_SESSION)


def test_a_session_goes_on_as_it_was_on_another_connection() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port, "ann") as ann, RawClient(proxied.port) as bob:
            sessions = [await client.open_session() for client in (ann, bob)]
            for sql in ("USE a", "SET x = 1", "FAIL", "SET", "DROP VIEW v"):
                answer = await ann.execute(sessions[0], sql, run_async=False)
                if answer.operationHandle:
                    await ann.close(answer.operationHandle)
            await bob.execute(sessions[1], "SELECT 1", run_async=False)
            await bob.ask("CloseSession", ttypes.TCloseSessionReq(sessionHandle=sessions[1]), ttypes.TCloseSessionResp)
            before = len(proxied.spark.history)
            await ann.execute(sessions[0], "SELECT 2", run_async=False)
            assert [running.sql for running in proxied.spark.history[before:]] == ["USE a", "SET x = 1", "SELECT 2"]

    with_proxy(test, terms=ONE_SESSION)


@pytest.mark.parametrize("sql", ["CREATE TEMP VIEW v AS SELECT 1", "DECLARE x INT", "ADD JAR 'x'", "BEGIN FAIL END"])
def test_a_session_with_what_no_other_can_have_is_not_given_back(sql: str) -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port, "ann") as ann, RawClient(proxied.port) as bob:
            session, other = [await client.open_session() for client in (ann, bob)]
            answer = await ann.execute(session, sql, run_async=False)
            if answer.operationHandle:
                await ann.close(answer.operationHandle)
            await bob.execute(other, "SELECT 1")
            await until(lambda: proxied.server.service.upstreams.waiting)
            assert list(proxied.spark.sessions.values()) == ["ann"]
            await ann.ask("CloseSession", ttypes.TCloseSessionReq(sessionHandle=session), ttypes.TCloseSessionResp)
            await until(lambda: len(proxied.spark.history) == 2)

    with_proxy(test, terms=ONE_SESSION)


def test_a_session_that_waits_is_held_while_its_statement_is_planned() -> None:
    async def test(proxied: Proxied) -> None:
        async def plan(session: ClientSession, sql: str) -> Forward:
            for question in ("SELECT a", "SELECT b"):
                await session.upstream.query(question)
            return Forward()

        async with contextlib.AsyncExitStack() as clients:
            opened = []
            for name in ("ann", "bob", "eve"):
                client = await clients.enter_async_context(RawClient(proxied.port, name))
                opened.append((client, await client.open_session()))
            (ann, session), *others = opened
            first = (await ann.execute(session, "SELECT HANG")).operationHandle
            proxied.planned.plan = plan  # type: ignore[method-assign]
            started = [(client, await client.execute(session, "SELECT 1")) for client, session in others]
            finish(proxied, 0)
            assert (await ann.end(first)).operationState == 2
            for client, answer in [(ann, None), *started]:
                operation = first if answer is None else answer.operationHandle
                assert (await client.end(operation)).operationState == 2
                await client.close(operation)
            assert len(proxied.spark.sent("OpenSession")) == 3

    with_proxy(test, terms=ONE_SESSION)


def test_a_session_that_is_opened_again_slowly_keeps_nobody_waiting_for_a_handle() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            await until(lambda: not proxied.spark.sessions)  # it is parked
            proxied.spark.held["OpenSession"] = asyncio.Event()
            operation = (await client.execute(session, "SELECT 1")).operationHandle
            assert (await client.status(operation)).operationState == OperationState.RUNNING
            proxied.spark.held.pop("OpenSession").set()
            assert (await client.end(operation)).operationState == OperationState.FINISHED
            assert await client.first_column(operation) == ["SELECT 1"]

    with_proxy(test, timeouts=replace(QUICK, park=0.02))


def test_who_is_overtaken_while_planning_waits_like_others_with_a_handle() -> None:
    async def test(proxied: Proxied) -> None:
        planning, planned = asyncio.Event(), asyncio.Event()

        async def plan(session: ClientSession, sql: str) -> Forward:
            if sql == "SELECT 1":
                planning.set()
                await planned.wait()
            return Forward()

        proxied.planned.plan = plan  # type: ignore[method-assign]
        async with RawClient(proxied.port, "ann") as ann, RawClient(proxied.port) as bob:
            slow, quick = await ann.open_session(), await bob.open_session()
            executing = asyncio.create_task(ann.execute(slow, "SELECT 1"))
            await planning.wait()
            running = (await bob.execute(quick, "SELECT HANG")).operationHandle
            planned.set()
            waiting = (await executing).operationHandle
            assert (await ann.status(waiting)).operationState == OperationState.RUNNING
            finish(proxied, 0)
            await bob.end(running)
            await bob.close(running)
            assert (await ann.end(waiting)).operationState == OperationState.FINISHED
            assert await ann.first_column(waiting) == ["SELECT 1"]

    with_proxy(test, terms=ONE_AT_A_TIME)


@dataclass
class Hanging:
    """A planner that waits for a catalog that hangs, until `answers` is set."""

    answers: asyncio.Event = field(default_factory=asyncio.Event)
    cancelled: bool = False

    async def plan(self, session: ClientSession, sql: str) -> Forward:
        try:
            await self.answers.wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        return Forward()


@contextlib.asynccontextmanager
async def planning_hangs(proxied: Proxied) -> AsyncIterator[tuple[Hanging, RawClient, ttypes.TSessionHandle]]:
    """Yield a client with a session in which SELECT 1 has run, and in which later statements are not planned."""
    hanging = Hanging()
    async with RawClient(proxied.port) as client:
        session = await client.open_session()
        await client.execute(session, "SELECT 1", run_async=False)
        proxied.planned.plan = hanging.plan  # type: ignore[method-assign]
        yield hanging, client, session


@pytest.mark.parametrize("how", ["cancel", "close", "leave", "kill", "time"])
def test_a_statement_that_waits_for_a_catalog_is_listed_and_can_be_ended(
    how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execute_statement, "_SOON", 0.05)

    async def test(proxied: Proxied) -> None:
        journal = proxied.server.service.journal
        async with planning_hangs(proxied) as (hanging, client, session):
            timeout = 1 if how == "time" else 0
            operation = (await client.execute(session, "SELECT 2", timeout=timeout)).operationHandle
            assert (await client.status(operation)).operationState == OperationState.RUNNING
            waiting, _ = journal
            assert (waiting.sql, waiting.state) == ("SELECT 2", OperationState.PENDING)
            if how == "cancel":
                request = ttypes.TCancelOperationReq(operationHandle=operation)
                await client.ask("CancelOperation", request, ttypes.TCancelOperationResp)
                assert (await client.status(operation)).operationState == OperationState.CANCELED
            elif how == "close":
                await client.close(operation)
            elif how == "kill":
                await killed(journal, json.dumps([waiting.id, None, "olga"]).encode())
                assert (await client.status(operation)).sqlState == "57014"
            elif how == "time":
                assert (await client.end(operation)).operationState == OperationState.TIMEDOUT
        await until(lambda: hanging.cancelled and not journal.running)
        assert [running.sql for running in proxied.spark.history] == ["SELECT 1"]

    with_proxy(test, Limits(grace=0.2, unseen=0.05))


@pytest.mark.parametrize("how", ["kill", "leave", "answer"])
def test_a_client_that_waits_for_a_catalog_in_one_call_is_listed_too(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execute_statement, "_SOON", 0.05)

    async def test(proxied: Proxied) -> None:
        journal = proxied.server.service.journal
        async with planning_hangs(proxied) as (hanging, client, session):
            executing = asyncio.create_task(client.execute(session, "SELECT 2", run_async=False))
            await until(lambda: journal.running)
            waiting, _ = journal
            assert (waiting.sql, waiting.state) == ("SELECT 2", OperationState.PENDING)
            if how == "kill":
                await killed(journal, json.dumps([waiting.id, None, "olga"]).encode())
                assert (await executing).status.sqlState == "57014"
            elif how == "answer":
                hanging.answers.set()
                assert await client.first_column((await executing).operationHandle) == ["SELECT 2"]
            else:
                executing.cancel()
        await until(lambda: not journal.running)
        assert hanging.cancelled == (how != "answer")
        ran = ["SELECT 2"] if how == "answer" else []
        assert [running.sql for running in proxied.spark.history] == ["SELECT 1", *ran]

    with_proxy(test, Limits(grace=0.2, unseen=0.05))


def test_who_has_told_the_client_of_the_end_keeps_nobody_waiting_who_stops() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port, "ann") as ann, RawClient(proxied.port) as bob:
            first = (await ann.execute(await ann.open_session(), "SELECT HANG")).operationHandle
            second = (await bob.execute(await bob.open_session(), "SELECT HANG")).operationHandle
            finish(proxied, 0)
            await ann.end(first)
            await until(lambda: len(proxied.spark.history) == 2)
            stopping = asyncio.create_task(proxied.server.service.stop_statements(60))
            assert (await bob.end(second)).sqlState == "57P01"
            await stopping

    with_proxy(test, terms=ONE_AT_A_TIME)


def test_signs_of_life_of_an_idle_session_need_no_upstream() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            request = ttypes.TGetInfoReq(sessionHandle=session, infoType=17)
            assert (await client.ask("GetInfo", request, ttypes.TGetInfoResp)).infoValue.stringValue == "Spark SQL"
            await until(lambda: not proxied.spark.sessions)
            assert (await client.ask("GetInfo", request, ttypes.TGetInfoResp)).infoValue.stringValue == "Spark SQL"
            assert not proxied.spark.sessions

    with_proxy(test, timeouts=replace(QUICK, park=0.02))


def test_an_asynchronous_statement_that_nobody_asks_for_is_seen_to_end() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            await client.execute(await client.open_session(), "SELECT 1")
            await until(lambda: proxied.planned.ended == [True])

    with_proxy(test, Limits(grace=0.2, unseen=0.02))


def test_one_that_is_killed_as_soon_as_it_is_queued_leaves_nothing_running() -> None:
    async def kill(proxied: Proxied) -> None:
        journal = proxied.server.service.journal
        while (record := next((one for one in journal if one.sql == "SELECT 2"), None)) is None:
            await asyncio.sleep(0)  # so that it comes before the first step of the operation's task
        await killed(journal, json.dumps([record.id, None, "olga"]).encode())

    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client, RawClient(proxied.port) as other:
            session, theirs = await client.open_session(), await other.open_session()
            first = (await client.execute(session, "SELECT HANG")).operationHandle
            killing = asyncio.create_task(kill(proxied))
            second = (await other.execute(theirs, "SELECT 2")).operationHandle
            await killing
            assert (await other.end(second)).sqlState == "57014"
            await client.close(first)
            third = (await other.execute(theirs, "SELECT 3")).operationHandle
            assert (await other.end(third)).operationState == ttypes.TOperationState.FINISHED_STATE

    with_proxy(test, terms=ONE_AT_A_TIME)
