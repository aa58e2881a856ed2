"""Sessions, principals, and calls other than statements."""

import asyncio
from contextlib import AsyncExitStack
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from proxy.authentication import ProxyUsers
from proxy.catalog import Catalogs
from proxy.hs2 import ResultSet, SqlError, encode_call, read_reply, read_request
from proxy.hs2.generated import ttypes
from proxy.service.call import Budget
from proxy.session import ClientSession, Local, Log, Plan
from proxy.upstream import Steering, Terms
from proxy.wire import CALL, EXCEPTION, REPLY, find, read_head, read_i32, with_field, write_head
from proxy.wire.message import I32, I64
from tests.unit.support.proxied import Planned, Proxied, RawClient, until, with_proxy

POLL = "set:hiveconf:hive.server2.long.polling.timeout"


@pytest.mark.parametrize(("asked", "answered"), [(0, 0), (5, 5), (10, 10), (11, 10), (42247, 10)])
def test_the_version_is_the_clients_or_the_latest(asked: int, answered: int) -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            request = ttypes.TOpenSessionReq(client_protocol=asked, configuration={"set:hiveconf:a": "b"})
            response = await client.ask("OpenSession", request, ttypes.TOpenSessionResp)
            assert response.serverProtocolVersion == answered
            assert response.configuration == {}
            (session,) = proxied.server.service.sessions.all
            assert session.protocol == answered
            assert session.user == "bob"
            assert session.facts == ("bob", {"set:hiveconf:a": "b"})

    with_proxy(test)


def test_a_client_that_names_no_version_gets_the_latest() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            request = write_head("OpenSession", CALL, 0) + bytes.fromhex("0c0001 00 00")
            message = with_field(request, (1, 0x501), I64, (42247).to_bytes(8, "big"))
            response = read_reply(await client.call(message), ttypes.TOpenSessionResp)
            assert response.serverProtocolVersion == 10
            (sent,) = proxied.spark.sent("OpenSession")
            assert find(sent, (1, 0x501)) is not None

    with_proxy(test)


def test_handles_are_ours_and_bound_to_their_principal() -> None:
    async def test(proxied: Proxied) -> None:
        async with (
            RawClient(proxied.port, "alice") as alice,
            RawClient(proxied.port, "alice") as also_alice,
            RawClient(proxied.port, "mallory") as mallory,
        ):
            session = await alice.open_session()
            assert session.sessionId.guid not in proxied.spark.sessions
            operation = (await alice.execute(session, "SELECT 1", run_async=False)).operationHandle
            assert operation.operationId.guid not in proxied.spark.operations
            assert await also_alice.first_column(operation) == ["SELECT 1"]
            refused = await mallory.execute(session, "SELECT 1")
            assert refused.status.statusCode == 3
            assert refused.status.errorMessage.startswith("Invalid SessionHandle")
            assert (await mallory.fetch(operation)).status.errorMessage.startswith("Invalid OperationHandle")
            session.sessionId.secret = bytes(16)
            assert (await alice.execute(session, "SELECT 1")).status.sqlState == "08003"

    with_proxy(test)


RAW = "Error running query: org.apache.iceberg.exceptions.RESTException: Error occurred while processing GET request"
DEFAULT = "set:hiveconf:spark.sql.defaultCatalog"


@pytest.mark.parametrize(
    ("namespace", "opens"), [("lake.demo", True), ("lake", True), ("default", False), ("rest.shop", False)]
)
def test_a_session_in_another_catalog_than_the_default_one_which_is_down(namespace: str, opens: bool) -> None:
    def refusal(message: bytes) -> SqlError | None:
        given = read_request(message, ttypes.TOpenSessionReq).configuration
        return SqlError(RAW, None) if given[DEFAULT] == "rest" else None

    async def test(proxied: Proxied) -> None:
        proxied.spark.refuses = refusal
        given = {"use:database": namespace, DEFAULT: "rest", "set:hiveconf:a": "1"}
        request = ttypes.TOpenSessionReq(client_protocol=10, configuration=given)
        async with RawClient(proxied.port) as client:
            opened = await client.ask("OpenSession", request, ttypes.TOpenSessionResp)
        if opens:
            assert opened.status.statusCode == 0
            last = read_request(proxied.spark.sent("OpenSession")[-1], ttypes.TOpenSessionReq)
            assert last.configuration.items() >= {**given, DEFAULT: "lake"}.items()
        else:
            assert opened.status.sqlState == "08001"
            assert "Spark gets no answer from the catalog rest (Error occurred" in opened.status.errorMessage
            assert "?spark.sql.defaultCatalog=lake" in opened.status.errorMessage

    with_proxy(test, catalogs=Catalogs([known("lake", True), known("rest", False)]))


def test_a_queued_statement_whose_session_is_refused_is_told_of_the_catalog() -> None:
    async def test(proxied: Proxied) -> None:
        proxied.spark.refuses = lambda _message: SqlError(RAW, None)
        proxied.spark.held["OpenSession"] = asyncio.Event()
        request = ttypes.TOpenSessionReq(client_protocol=10, configuration={"use:database": "viewgate.system"})
        async with RawClient(proxied.port) as client:
            session = (await client.ask("OpenSession", request, ttypes.TOpenSessionResp)).sessionHandle
            operation = (await client.execute(session, "SELECT 1 FROM t")).operationHandle
            proxied.spark.held["OpenSession"].set()
            await until(lambda: not proxied.server.service.sessions.running)
            status = await client.status(operation)
        assert (status.sqlState, status.operationState) == ("08001", ttypes.TOperationState.ERROR_STATE)
        assert "Spark gets no answer from the catalog rest (Error occurred" in status.errorMessage

    with_proxy(test, catalogs=Catalogs([known("lake", True), known("rest", False)]))


def known(name: str, available: bool) -> Any:
    return SimpleNamespace(name=name, available=available, lower_names=False)


def test_a_closed_session_is_gone() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            first, second = await client.open_session(), await client.open_session()
            await client.execute(first, "HANG")
            request = ttypes.TCloseSessionReq(sessionHandle=first)
            assert (await client.ask("CloseSession", request, ttypes.TCloseSessionResp)).status.statusCode == 0
            assert len(proxied.spark.sessions) == 1
            assert (await client.execute(first, "SELECT 1")).status.statusCode == 3
            assert (await client.execute(second, "SELECT 1")).status.statusCode == 0

    with_proxy(test)


@pytest.mark.parametrize("here", [True, False])
def test_a_statement_that_is_planned_while_its_session_closes_is_not_begun(here: bool) -> None:
    async def test(proxied: Proxied) -> None:
        asked, closed = asyncio.Event(), asyncio.Event()

        async def never(_log: Log) -> ResultSet:
            raise AssertionError

        class Slow(Planned):
            async def plan(self, session: ClientSession, sql: str) -> Plan:
                asked.set()
                await closed.wait()
                return Local(never) if here else await super().plan(session, sql)

        proxied.server.service.answering = Slow()
        async with RawClient(proxied.port) as client, RawClient(proxied.port) as other:
            session = await client.open_session()
            begun = asyncio.create_task(client.execute(session, "HANG"))
            await asked.wait()
            request = ttypes.TCloseSessionReq(sessionHandle=session)
            assert (await other.ask("CloseSession", request, ttypes.TCloseSessionResp)).status.statusCode == 0
            closed.set()
            assert (await begun).status.sqlState == "08003"
            assert proxied.server.service.sessions.running == 0
            assert proxied.spark.history == []

    with_proxy(test)


@pytest.mark.parametrize("name", ["GetLog", "CloseImpalaOperation", "PingImpalaHS2Service", "ü"])
def test_unknown_methods_are_told_by_the_type_that_clients_look_for(name: str) -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            reply = await client.call(write_head(name, CALL, 31) + b"\0")
            head = read_head(reply)
            assert head is not None
            assert (head.name, head.type, head.seqid) == (name, EXCEPTION, 31)
            kind = find(reply, (2,))
            assert kind is not None
            assert read_i32(reply, kind) == 1
            assert await client.open_session()

    with_proxy(test)


def test_get_info_is_answered_for_every_kind() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            for kind in [*range(120), *range(10000, 10007)]:
                request = ttypes.TGetInfoReq(sessionHandle=session, infoType=kind)
                response = await client.ask("GetInfo", request, ttypes.TGetInfoResp)
                assert response.infoValue is not None
                if kind == 17:
                    assert response.infoValue.stringValue == "Spark SQL"
                if kind == 47:
                    assert response.infoValue.stringValue == "bob"
            assert len(proxied.spark.sent("GetInfo")) == 4

    with_proxy(test)


def test_metadata_calls_are_forwarded_under_handles_of_ours() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            request = ttypes.TCloseSessionReq(sessionHandle=session)
            response = await client.ask("GetTables", request, ttypes.TExecuteStatementResp)
            assert response.operationHandle.operationType == 4
            assert (await client.fetch(response.operationHandle)).results.columns[0].i32Val.values == [42]

    with_proxy(test)


def test_query_ids_and_client_info_are_forwarded() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            operation = (await client.execute(session, "SELECT 1")).operationHandle
            request = ttypes.TGetQueryIdReq(operationHandle=operation)
            assert (await client.ask("GetQueryId", request, ttypes.TGetQueryIdResp)).queryId == "spark's"
            proxied.spark.query_id = ""
            (known,) = proxied.spark.operations
            answer = await client.ask("GetQueryId", request, ttypes.TGetQueryIdResp)
            assert answer.queryId == str(UUID(bytes=known))
            info = ttypes.TSetClientInfoReq(sessionHandle=session, configuration={"ApplicationName": "x"})
            await client.ask("SetClientInfo", info, ttypes.TSetClientInfoResp)
            assert len(proxied.spark.sent("SetClientInfo")) == 1

    with_proxy(test)


def test_a_call_without_a_handle_is_refused_and_the_connection_lives() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            await client.open_session()
            for body in (b"\0", bytes.fromhex("0c0001 00 00"), bytes.fromhex("0c0001 08 0001 00000000 00 00")):
                head = read_head(await client.call(write_head("ExecuteStatement", CALL, 3) + body))
                assert head is not None
                assert (head.type, head.seqid) == (EXCEPTION, 3)
            head = read_head(await client.call(encode_call("OpenSession", 4, ttypes.TOpenSessionReq())))
            assert head is not None
            assert head.type == REPLY

    with_proxy(test)


def test_an_upstream_that_lets_logins_hang_is_an_error_in_time() -> None:
    async def test(proxied: Proxied) -> None:
        proxied.spark.log_in = False
        async with RawClient(proxied.port) as client:
            request = ttypes.TOpenSessionReq(client_protocol=10)
            response = await client.ask("OpenSession", request, ttypes.TOpenSessionResp)
            assert (response.status.statusCode, response.status.sqlState) == (3, "08S01")
            assert "all threads of the server are busy" in response.status.errorMessage

    with_proxy(test)


def test_a_wrong_type_in_the_version_field_is_refused() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            message = write_head("OpenSession", CALL, 0) + bytes.fromhex("0c0001 0b0001 00000000 00 00")
            head = read_head(await asyncio.wait_for(client.call(message), 5))
            assert head is not None
            assert head.type == EXCEPTION
            assert with_field(message, (1, 2), I32, bytes(4)) != message

    with_proxy(test)


@pytest.mark.parametrize("key", ["hive.server2.proxy.user", "set:hiveconf:hive.server2.proxy.user"])
def test_a_tool_opens_sessions_for_users_whom_it_may_act_for(key: str) -> None:
    async def test(proxied: Proxied) -> None:
        service = proxied.server.service
        service.proxy_users = ProxyUsers({"superset": frozenset({"ann"})})

        async def opened(user: str) -> Any:
            request = ttypes.TOpenSessionReq(client_protocol=10, configuration={"use:database": "d", key: user})
            return await client.ask("OpenSession", request, ttypes.TOpenSessionResp)

        async with RawClient(proxied.port, "superset") as client, RawClient(proxied.port, "ann") as ann:
            refused = (await opened("bob")).status
            assert (refused.statusCode, refused.sqlState) == (3, "28000")
            assert proxied.spark.sessions == {}
            session = (await opened("ann")).sessionHandle
            assert list(proxied.spark.sessions.values()) == ["ann"]
            (sent,) = proxied.spark.sent("OpenSession")
            assert read_request(sent, ttypes.TOpenSessionReq).configuration == {"use:database": "d", POLL: "30ms"}
            assert service.sessions.all[0].facts == ("ann", {"use:database": "d"})
            assert (await client.execute(session, "SELECT 1")).status.statusCode == 0
            assert (await ann.execute(session, "SELECT 1")).status.sqlState == "08003"

    with_proxy(test)


@pytest.mark.parametrize(("asked", "answered"), [("1000", "10000"), ("50", None), (None, None)])
def test_hive_jdbc_is_told_to_fetch_more_at_once_unless_its_user_has_chosen(
    asked: str | None, answered: str | None
) -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            key = "hive.server2.thrift.resultset.default.fetch.size"
            configuration = {"set:hiveconf:" + key: asked} if asked else {}
            request = ttypes.TOpenSessionReq(client_protocol=9, configuration=configuration)
            response = await client.ask("OpenSession", request, ttypes.TOpenSessionResp)
            assert response.configuration == ({key: answered} if answered else {})

    with_proxy(test)


@pytest.mark.parametrize(
    ("version", "chosen", "sent"),
    [
        (9, {}, {POLL: "30ms"}),
        (9, {POLL: "2s"}, {POLL: "2s"}),
        (9, {POLL.rsplit(":", 1)[1]: "2s"}, {POLL.rsplit(":", 1)[1]: "2s"}),
        (5, {}, None),  # it sleeps between two questions
    ],
)
def test_spark_is_asked_to_answer_soon_unless_the_client_sleeps_or_has_chosen(
    version: int, chosen: dict[str, str], sent: dict[str, str] | None
) -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            request = ttypes.TOpenSessionReq(client_protocol=version, configuration=chosen or None)
            await client.ask("OpenSession", request, ttypes.TOpenSessionResp)
            (message,) = proxied.spark.sent("OpenSession")
            assert read_request(message, ttypes.TOpenSessionReq).configuration == sent

    with_proxy(test)


def test_what_is_read_ahead_goes_with_its_session() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            operation = (await client.execute(session, "SELECT 1")).operationHandle
            await client.end(operation)
            await client.first_column(operation)
            budget = proxied.server.service.prefetch
            assert budget.left < Budget().left
            await client.ask("CloseSession", ttypes.TCloseSessionReq(session), ttypes.TCloseSessionResp)
            assert budget.left == Budget().left

    with_proxy(test)


@pytest.mark.parametrize("state", ["drained", "paused", "down"])
def test_a_session_for_operators_needs_no_upstream(state: str) -> None:
    async def answer(_: Log) -> ResultSet:
        return ResultSet.of("result", rows=[("done",)])

    async def test(proxied: Proxied) -> None:
        upstreams = proxied.server.service.upstreams
        (place,) = upstreams.places
        if state == "down":
            await proxied.spark.end()
        else:
            upstreams.steer(str(place.upstream), Steering.DRAIN if state == "drained" else Steering.PAUSE)
        async with RawClient(proxied.port) as client:
            configuration = {"use:database": "Viewgate.System"}
            request = ttypes.TOpenSessionReq(client_protocol=10, configuration=configuration)
            session = (await client.ask("OpenSession", request, ttypes.TOpenSessionResp)).sessionHandle
            names = []
            for kind in (17, 18, 47):
                ask = ttypes.TGetInfoReq(sessionHandle=session, infoType=kind)
                names.append((await client.ask("GetInfo", ask, ttypes.TGetInfoResp)).infoValue.stringValue)
            assert (names[0], names[1][0].isdigit(), names[2]) == ("Viewgate", True, "bob")
            operation = (await client.execute(session, "RESUME", run_async=False)).operationHandle
            assert (await client.end(operation)).operationState == 2
            assert await client.first_column(operation) == ["done"]
            assert not proxied.spark.sent("OpenSession")
            if state != "paused":
                status = (await client.execute(session, "SELECT 1", run_async=False)).status
                assert (status.statusCode, status.sqlState) == (3, "08S01")
            if state != "down":
                upstreams.steer(str(place.upstream), Steering.RESUME)
                operation = (await client.execute(session, "SELECT 1")).operationHandle
                assert (await client.end(operation)).operationState == 2
                (sent,) = proxied.spark.sent("OpenSession")
                assert b"use:database" not in sent

    with_proxy(test, planned=Planned({"RESUME": Local(answer)}))


@pytest.mark.parametrize("others", [0, 1])
def test_a_session_that_closes_its_last_result_leaves_a_drained_server(others: int) -> None:
    """Also if its next statement comes before the server has closed the result, as with PyHive."""

    async def test(proxied: Proxied) -> None:
        upstreams, spark = proxied.server.service.upstreams, proxied.spark
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            opened = (await client.execute(session, "SELECT 0")).operationHandle
            await client.end(opened)
            upstreams.steer(str(upstreams.places[0].upstream), Steering.DRAIN)
            kept = (await client.execute(session, "SELECT 1")).operationHandle  # an open result keeps the session there
            await client.end(kept)
            assert [running.sql for running in spark.history] == ["SELECT 0", "SELECT 1"]
            spark.held["CloseOperation"] = asyncio.Event()
            for operation in (opened, kept):
                await client.close(operation)
            response = await client.execute(session, "SELECT 2", run_async=False)
            spark.held.pop("CloseOperation").set()
            assert response.status.sqlState == (None if others else "08S01")
            assert [running.sql for running in proxied.sparks[-1].history][-1:] == [
                "SELECT 2" if others else "SELECT 1"
            ]

    with_proxy(test, terms=[Terms()] * (1 + others))


@pytest.mark.parametrize("configuration", [{}, {"use:database": "viewgate.system"}], ids=["user", "operator"])
def test_sessions_of_every_kind_are_counted(configuration: dict[str, str]) -> None:
    async def test(proxied: Proxied) -> None:
        sessions = proxied.server.service.sessions
        sessions.most = 3
        async with RawClient(proxied.port) as client, AsyncExitStack() as more:
            request = ttypes.TOpenSessionReq(client_protocol=10, configuration=configuration)
            others = [await more.enter_async_context(RawClient(proxied.port)) for _ in range(5)]
            asked = [one.ask("OpenSession", request, ttypes.TOpenSessionResp) for one in others]
            opened = await asyncio.gather(*asked)
            assert sorted(one.status.sqlState or "" for one in opened) == ["", "", "", "53300", "53300"]
            assert len(sessions.all) == 3
            refused = (await client.ask("OpenSession", request, ttypes.TOpenSessionResp)).status
            assert "3 sessions are open, as many as [limits] sessions allows; close " in refused.errorMessage
            first = next(others.index(one) for one, answer in zip(others, opened, strict=True) if answer.sessionHandle)
            close = ttypes.TCloseSessionReq(opened[first].sessionHandle)
            await others[first].ask("CloseSession", close, ttypes.TCloseSessionResp)
            assert (await client.ask("OpenSession", request, ttypes.TOpenSessionResp)).sessionHandle

    with_proxy(test)


@pytest.mark.parametrize("key", ["use:database", "set:hiveconf:a"])
def test_what_a_session_keeps_of_its_client_is_bounded(key: str) -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            for size, state in ((70_000, "54000"), (60_000, None)):
                configuration = {"use:database": "viewgate.system"} | {key: "viewgate.system".ljust(size)}
                request = ttypes.TOpenSessionReq(client_protocol=10, configuration=configuration)
                status = (await client.ask("OpenSession", request, ttypes.TOpenSessionResp)).status
                assert status.sqlState == state
                if state:
                    assert (
                        "bytes, but [limits] configuration allows only 65536 bytes: connect with" in status.errorMessage
                    )

    with_proxy(test)
