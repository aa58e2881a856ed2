"""Statements through the whole proxy, byte by byte where bytes matter."""

import asyncio
from uuid import UUID

import pytest

from proxy.hs2 import ResultSet, SqlError, columns_of, encode_call, read_reply
from proxy.hs2.generated import ttypes
from proxy.server import Limits
from proxy.session import Forward, OperationState
from proxy.upstream import Stage
from proxy.wire import find, read_head, value_bytes, with_field
from proxy.wire.message import I32, STRING
from tests.unit.support.fake_spark import ROW
from tests.unit.support.proxied import Proxied, RawClient, until, with_proxy

FINISHED, CANCELED, ERROR = 2, 3, 5


def test_an_asynchronous_statement_from_start_to_end() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(), "SELECT 1")).operationHandle
            status = await client.end(operation)
            assert status.operationState == FINISHED
            assert status.hasResultSet is True
            assert status.operationStarted <= status.operationCompleted
            assert await client.first_column(operation) == ["SELECT 1"]
            assert await client.first_column(operation) == []
            await client.close(operation)
            assert proxied.spark.operations == {}
            assert proxied.planned.ended == [True]
            assert proxied.open_operations == 0

    with_proxy(test)


def test_a_forwarded_statement_is_the_clients_bytes_but_for_the_handle() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            request = ttypes.TExecuteStatementReq(sessionHandle=session, statement="SELECT /* ü */ 1;", runAsync=True)
            message = encode_call("ExecuteStatement", 12, request)
            unknown = with_field(with_field(message, (1, 1281), STRING, b"direct"), (9,), I32, bytes(4))
            await client.call(unknown)
            (sent,) = proxied.spark.sent("ExecuteStatement")
            for path in ((1, 1, 1, 1), (1, 1, 1, 2)):
                ours = find(unknown, path)
                assert ours is not None
                assert value_bytes(sent, ours) != value_bytes(unknown, ours)
                unknown = with_field(unknown, path, STRING, value_bytes(sent, ours))
            assert sent == unknown

    with_proxy(test)


def test_a_synchronous_statement_is_run_asynchronously_and_answered_at_its_end() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            response = await client.execute(await client.open_session(), "SELECT 1", run_async=False)
            assert proxied.planned.ended == [True]
            assert await client.first_column(response.operationHandle) == ["SELECT 1"]

    with_proxy(test)


@pytest.mark.parametrize("run_async", [True, False])
@pytest.mark.parametrize("sql", ["SELECT 1", "FAIL"])
def test_a_brief_statement_is_one_call_for_a_client_that_waits(sql: str, run_async: bool) -> None:
    async def test(proxied: Proxied) -> None:
        proxied.spark.lets_wait = True
        ended = proxied.planned.ended
        proxied.planned.plans[sql] = Forward(brief=True, ended=ended.append)
        async with RawClient(proxied.port) as client:
            response = await client.execute(await client.open_session(), sql, run_async=run_async)
            assert len(proxied.spark.messages) == 2  # a session, and this
            if run_async:
                await client.end(response.operationHandle)
            elif sql == "FAIL":
                assert (response.status.statusCode, response.status.sqlState) == (3, "42P01")
            else:
                assert await client.first_column(response.operationHandle) == [sql]
            assert ended == [sql != "FAIL"]

    with_proxy(test)


def test_a_brief_statement_whose_client_goes_away_leaves_nothing() -> None:
    async def test(proxied: Proxied) -> None:
        proxied.spark.lets_wait = True
        proxied.planned.plans["HANG"] = Forward(brief=True)
        async with RawClient(proxied.port) as client:
            executing = asyncio.create_task(client.execute(await client.open_session(), "HANG", run_async=False))
            await proxied.spark.called("ExecuteStatement")
            executing.cancel()
        proxied.spark.history[0].end(OperationState.FINISHED)
        await until(lambda: not (proxied.spark.operations or proxied.spark.sessions))

    with_proxy(test)


@pytest.mark.parametrize("between", [(), ("SELECT a",), ("FAIL",), ("HANG",)])
@pytest.mark.parametrize("run_async", [False, True])
def test_the_columns_of_a_constant_statement_are_asked_for_once(between: tuple[str, ...], run_async: bool) -> None:
    async def test(proxied: Proxied) -> None:
        proxied.spark.lets_wait = True
        for sql in ("SELECT 1", "SELECT 2"):
            proxied.planned.plans[sql] = Forward(brief=True, constant=True)
        schemas, asked = [], []
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            for sql in ("SELECT 1", *between, "SELECT 1", "SELECT 2"):
                before = len(proxied.spark.sent("GetResultSetMetadata"))
                asynchronous = run_async or sql == "HANG"
                operation = (await client.execute(session, sql, run_async=asynchronous)).operationHandle
                if sql in proxied.planned.plans:
                    schemas.append(await client.schema(operation))
                    asked.append(len(proxied.spark.sent("GetResultSetMetadata")) - before)
        assert asked == [1, 0, 1]
        assert all(schema == schemas[0] for schema in schemas)

    with_proxy(test)


@pytest.mark.parametrize("ended", [CANCELED, ERROR])
def test_the_columns_of_a_constant_statement_are_not_taken_from_a_run_that_gave_none(ended: int) -> None:
    async def test(proxied: Proxied) -> None:
        answers, proxied.spark.script = proxied.spark.script, lambda _: SqlError("no") if ended == ERROR else None
        proxied.planned.plans["SELECT 1"] = Forward(brief=True, constant=True)
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            operation = (await client.execute(session, "SELECT 1")).operationHandle
            if ended == CANCELED:
                request = ttypes.TCancelOperationReq(operationHandle=operation)
                await client.ask("CancelOperation", request, ttypes.TCancelOperationResp)
            assert (await client.end(operation)).operationState == ended
            await client.schema(operation)
            proxied.spark.script = answers
            operation = (await client.execute(session, "SELECT 1")).operationHandle
            await client.end(operation)
            assert [column.columnName for column in (await client.schema(operation)).columns] == ["sql"]

    with_proxy(test)


def test_metadata_is_never_asked_of_spark_before_the_end() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(), "HANG")).operationHandle
            request = ttypes.TGetResultSetMetadataReq(operationHandle=operation)
            asking = asyncio.create_task(client.ask("GetResultSetMetadata", request, ttypes.TGetResultSetMetadataResp))
            await proxied.spark.called("GetOperationStatus")
            running = proxied.spark.history[0]
            running.outcome = ResultSet.of("late int")
            running.end(FINISHED)  # type: ignore[arg-type]
            assert columns_of((await asking).schema)[0].name == "late"
            assert proxied.spark.early_metadata == 0

    with_proxy(test)


@pytest.mark.parametrize(
    ("kind", "early"), [("bigint", True), ("decimal(10,2)", True), ("interval day", False), ("FAIL", False)]
)
def test_the_columns_of_a_query_that_still_runs_are_told_where_they_are_sure(kind: str, early: bool) -> None:
    def script(sql: str) -> ResultSet | SqlError | None:
        if not sql.startswith("DESCRIBE QUERY\n"):
            return None
        columns = ResultSet.of("col_name", "data_type", "comment", rows=[["a", kind, None], ["B c", "string", None]])
        return SqlError("no", "42000") if kind == "FAIL" else columns

    async def test(proxied: Proxied) -> None:
        proxied.spark.script = script
        async with RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(), " ( SELECT a FROM t)")).operationHandle
            request = ttypes.TGetResultSetMetadataReq(operationHandle=operation)
            asking = asyncio.create_task(client.ask("GetResultSetMetadata", request, ttypes.TGetResultSetMetadataResp))
            if not early:
                await until(lambda: len(proxied.spark.history) == 2)
                proxied.spark.history[0].outcome = ResultSet.of("late int")
                proxied.spark.history[0].end(FINISHED)  # type: ignore[arg-type]
            columns = [(column.name, column.type) for column in columns_of((await asking).schema)]
            assert columns == ([("a", kind), ("B c", "string")] if early else [("late", "int")])
            assert proxied.spark.early_metadata == 0
            assert (await client.status(operation)).operationState == (1 if early else 2)
            await until(lambda: len(proxied.spark.operations) == 1)

    with_proxy(test)


def test_a_client_that_leaves_a_synchronous_statement_cancels_it() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client, RawClient(proxied.port) as other:
            session = await client.open_session()  # stays open: only the other connection goes
            waiting = asyncio.create_task(other.execute(session, "HANG", run_async=False))
            await proxied.spark.called("GetOperationStatus")
            other.writer.close()
            await proxied.spark.history[0].ended.wait()
            assert proxied.spark.history[0].state == CANCELED
            assert proxied.planned.ended == [False]
            with pytest.raises(ConnectionError):
                await waiting
            assert len(proxied.spark.sessions) == 1

    with_proxy(test)


def test_a_client_that_dies_leaves_nothing_on_spark() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            first, second = await client.open_session(), await client.open_session()
            await client.execute(first, "HANG")
            await client.execute(second, "SELECT 1")
            assert len(proxied.spark.sessions) == 2
            client.writer.transport.abort()
            await until(lambda: not proxied.spark.sessions)
            assert proxied.spark.history[0].state == CANCELED
            assert proxied.planned.ended == [False, False]

    with_proxy(test)


def test_a_final_status_is_asked_of_spark_once() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            operation = (await client.execute(session, "SELECT 1")).operationHandle
            await client.end(operation)
            asked = len(proxied.spark.sent("GetOperationStatus"))
            request = ttypes.TGetOperationStatusReq(operationHandle=operation)
            for seqid in (1, -1, 1 << 30):
                head = read_head(reply := await client.call(encode_call("GetOperationStatus", seqid, request)))
                assert head is not None
                assert head.seqid == seqid
                assert read_reply(reply, ttypes.TGetOperationStatusResp).operationState == FINISHED
            assert len(proxied.spark.sent("GetOperationStatus")) == asked
            other = (await client.execute(session, "FAIL")).operationHandle
            assert (await client.end(other)).operationState == ERROR
            await client.close(other)
            assert (await client.status(other)).status.statusCode == 3

    with_proxy(test)


def test_what_a_client_asks_of_each_result_is_on_its_way_before_it_asks() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            # Of the first result a block is read, and on behind it; then the first one of the second.
            for sql, unasked in (("SELECT 1", 0), ("SELECT 2", 3)):
                operation = (await client.execute(session, sql)).operationHandle
                await client.end(operation)
                await until(lambda unasked=unasked: len(proxied.spark.sent("FetchResults")) == unasked)  # type: ignore[misc]
                assert await client.first_column(operation) == [sql]
                await client.close(operation)

    with_proxy(test)


def test_progress_is_told_to_those_who_ask_for_it() -> None:
    async def test(proxied: Proxied) -> None:
        asked: list[str] = []

        async def progress(statement: str) -> tuple[Stage, ...]:
            asked.append(statement)
            return (Stage(3, 8, 2, 4, 0),)

        proxied.server.service.progress = progress
        async with RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(), "HANG")).operationHandle
            request = ttypes.TGetOperationStatusReq(operationHandle=operation, getProgressUpdate=True)
            for _ in range(2):
                told = await client.ask("GetOperationStatus", request, ttypes.TGetOperationStatusResp)
                assert told.progressUpdateResponse.progressedPercentage == 0.25
                assert told.progressUpdateResponse.rows[0][0] == "Stage-3"
            # Both polls came within the time for which one look is good enough.
            (known,) = proxied.spark.operations
            assert asked == [str(UUID(bytes=known))]
            # Without a line in the log, stock beeline draws no bar.
            (line,) = await client.first_column(operation, log=True)
            assert line == f"Spark runs the statement as {asked[0]}"
            assert (await client.status(operation)).progressUpdateResponse is None
            (running,) = proxied.spark.history
            running.outcome = ROW
            running.end(OperationState.FINISHED)
            ended = await client.ask("GetOperationStatus", request, ttypes.TGetOperationStatusResp)
            assert (ended.operationState, ended.progressUpdateResponse) == (FINISHED, None)
            # That line is no reason why a view answers, or does not.
            assert next(iter(proxied.server.service.journal)).answer == ""

    with_proxy(test)


@pytest.mark.parametrize(
    ("state", "version", "shown"),
    [
        (OperationState.PENDING, 9, OperationState.RUNNING),  # Superset would take it for an end
        (OperationState.INITIALIZED, 9, OperationState.RUNNING),
        (OperationState.TIMEDOUT, 7, OperationState.CANCELED),  # V8 does not know of it, and would ask on
        (OperationState.TIMEDOUT, 8, OperationState.TIMEDOUT),
    ],
)
def test_a_state_is_shown_as_the_client_can_understand_it(
    state: OperationState, version: int, shown: OperationState
) -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(version), "HANG")).operationHandle
            proxied.spark.history[0].end(state)
            assert (await client.status(operation)).operationState == shown

    with_proxy(test)


def test_a_client_that_asks_is_not_kept_waiting_by_what_we_ask() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            operation = (await client.execute(session, "SELECT HANG")).operationHandle
            for _ in range(3):  # each held by Spark while several looks are due
                assert (await client.status(operation)).operationState == OperationState.RUNNING
            assert len(proxied.spark.sent("GetOperationStatus")) <= 4  # one more from before the first, at most

    with_proxy(test, Limits(grace=0.2, unseen=0.02))


def test_a_client_gets_the_answer_to_the_question_that_is_out() -> None:
    async def progress(_statement: str) -> tuple[Stage, ...]:
        return (Stage(3, 8, 2, 4, 0),)

    async def test(proxied: Proxied) -> None:
        proxied.server.service.progress = progress
        async with RawClient(proxied.port) as client:
            operation = (await client.execute(await client.open_session(), "SELECT HANG")).operationHandle
            await until(lambda: len(proxied.spark.sent("GetOperationStatus")) == 1)
            request = ttypes.TGetOperationStatusReq(operationHandle=operation, getProgressUpdate=True)
            told = await client.ask("GetOperationStatus", request, ttypes.TGetOperationStatusResp)
            assert told.operationState == OperationState.RUNNING
            assert told.hasResultSet
            assert told.progressUpdateResponse.progressedPercentage == 0.25
            assert len(proxied.spark.sent("GetOperationStatus")) == 1

    with_proxy(test, Limits(grace=0.2, unseen=0.3))  # the second question is due after the first one's answer
