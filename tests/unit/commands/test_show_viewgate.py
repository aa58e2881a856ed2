from __future__ import annotations

import asyncio
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from proxy.commands import Reloaded, find
from proxy.hs2 import ResultSet, SqlError
from proxy.journal import digest
from proxy.session import Choice, Forward, OperationState
from rewriter.model import TableName
from tests.unit.commands.house import House
from tests.unit.journal.stubs import begun, session
from tests.unit.support.operations import Stub

AGG = TableName(("lake", "demo", "agg"))
VIEW_CHOSEN = Choice((AGG,), (AGG,), (AGG,))


def shown(house: House, sql: str, user: Any = None) -> ResultSet:
    command = find(sql)
    assert command is not None
    return asyncio.run(command.run(house.context, user or session(), house.log.append))


def test_statements_of_all_users_where_nobody_logs_in(house: House) -> None:
    running, ended = Stub(session("bob"), 0), Stub(session("ann"), 0)
    ended.advance(OperationState.ERROR, SqlError("no table x", "42P01"))
    begun(house.journal, running, "SELECT 1")
    begun(house.journal, ended, "SELECT * FROM x")
    rows = [row[1:3] + row[5:] for row in shown(house, "show viewgate statements").rows]
    assert rows == [
        ("bob", "RUNNING", None, None, None, "SELECT 1"),
        ("ann", "ERROR", None, "42P01", "no table x", "SELECT * FROM x"),
    ]


def test_a_queued_statement_is_shown_as_such_and_can_be_ended(house: House) -> None:
    queued, ended = Stub(session("bob"), 0), Stub(session("ann"), 0)
    house.journal.begin(queued, house.journal.receive(queued.session, "SELECT 1"))
    ended.advance(OperationState.FINISHED)
    begun(house.journal, ended, "SELECT 2")
    assert [row[1:3] for row in shown(house, "SHOW VIEWGATE STATEMENTS").rows] == [
        ("bob", "PENDING"), ("ann", "FINISHED"),
    ]  # fmt: skip
    assert shown(house, "SHOW VIEWGATE LAST", queued.session).rows == ()
    assert shown(house, f"KILL VIEWGATE STATEMENT '{queued.handle.id}'").rows[0][0].endswith("of bob ended")
    assert queued.done


def test_only_ones_own_where_users_log_in(house: House) -> None:
    house.context = replace(house.context, open_to_all=False)
    theirs = Stub(session("bob"), 0)
    begun(house.journal, theirs, "SELECT 1")
    begun(house.journal, Stub(session("ann"), 0), "SELECT 2")
    assert [row[-1] for row in shown(house, "SHOW VIEWGATE STATEMENTS").rows] == ["SELECT 2"]
    with pytest.raises(SqlError, match="does not exist, or belongs to another user"):
        shown(house, f"KILL VIEWGATE STATEMENT '{theirs.handle.id}'")
    assert not theirs.done


def test_the_last_of_this_session(house: House) -> None:
    mine = session()
    for sql in ("SELECT 1", "SELECT 2"):
        operation = Stub(mine, 0)
        operation.advance(OperationState.FINISHED)
        begun(house.journal, operation, sql)
    begun(house.journal, Stub(mine, 0), "SHOW VIEWGATE LAST")
    assert [row[-1] for row in shown(house, "SHOW VIEWGATE LAST", mine).rows] == ["SELECT 2"]
    assert shown(house, "SHOW VIEWGATE LAST").rows == ()


def test_a_statement_is_ended_and_its_client_told_by_whom(house: House) -> None:
    running = Stub(session("bob"), 0)
    begun(house.journal, running, "SELECT 1")
    kill = f"KILL VIEWGATE STATEMENT '{running.handle.id}'"
    assert shown(house, kill).rows == ((f"statement {running.handle.id} of bob ended",),)
    assert running.error is not None
    assert (running.state, running.error.sql_state) == (OperationState.ERROR, "57014")
    assert "ended by ann" in running.error.message
    house.journal.end(running)
    with pytest.raises(SqlError, match="has already ended with the state ERROR"):
        shown(house, kill)


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SHOW VIEWGATE", "STATEMENTS, DIGESTS, VIEWS, REFRESHES, UPSTREAMS, SESSIONS, CONFIG, LAST or WORKERS"),
        (
            "SHOW VIEWGATE NONSENSE",
            "STATEMENTS, DIGESTS, VIEWS, REFRESHES, UPSTREAMS, SESSIONS, CONFIG, LAST or WORKERS",
        ),
        ("KILL VIEWGATE STATEMENT 17", "in quotes"),
        ("DRAIN VIEWGATE UPSTREAM spark", "the upstream in quotes"),
        ("SHOW VIEWGATE STATEMENTS LIMIT 3", "SHOW VIEWGATE STATEMENTS"),
    ],
)
def test_what_is_wrong_is_told(sql: str, said: str) -> None:
    with pytest.raises(SqlError, match=said) as problem:
        find(sql)
    assert problem.value.sql_state == "42601"


def test_statements_by_their_texts_without_literals(house: House) -> None:
    ended = (
        ("SELECT a FROM t WHERE b = 1", "answered from v (roll_up)", OperationState.ERROR),
        ("SELECT a\nFROM t WHERE b = 'x'", "no view used", OperationState.FINISHED),
        ("SELECT c IN (1, 2)", "", OperationState.FINISHED),
    )
    for number, (sql, answer, state) in enumerate(ended):
        operation = Stub(session(), 0)
        operation.log.add(f"Viewgate: {answer}")
        operation.advance(state)
        record = house.journal.receive(operation.session, sql)
        record.planned(Forward(choice=VIEW_CHOSEN if "answered" in answer else Choice()), 0.0)
        house.journal.begin(operation, record)
        record.started_ms -= 60_000 * 4**number
    begun(house.journal, Stub(session(), 0), "SELECT a FROM t WHERE b = 3")
    rows = shown(house, "SHOW VIEWGATE DIGESTS").rows
    assert [row[:3] + row[5:] for row in rows] == [
        (1, 0, 0, None, "SELECT c IN (?)"),
        (2, 1, 1, "no view used", "SELECT a FROM t WHERE b = ?"),
    ]
    assert all(slowest <= total < slowest * 1.5 for _, _, _, total, slowest, *_ in rows)


def test_what_views_are_worth(house: House) -> None:
    asyncio.run(house.run("CREATE MATERIALIZED VIEW agg AS SELECT region, sum(amount) FROM sales GROUP BY region"))
    asyncio.run(house.run("CREATE MATERIALIZED VIEW unused AS SELECT region, sum(amount) FROM sales GROUP BY region"))
    agg = TableName(("lake", "demo", "agg"))
    for choice in (Choice((agg,), (agg,), (agg,)), Choice((agg,), reason="STALE")):
        operation = Stub(session(), 0)
        record = house.journal.receive(operation.session, "SELECT 1")
        record.planned(Forward(choice=choice), 0.0)
        operation.advance(OperationState.FINISHED)
        house.journal.begin(operation, record)
        record.ended_ms = 1_700_000_000_000
        house.journal.close(operation)
    rows = shown(house, "SHOW VIEWGATE VIEWS").rows
    assert [row[:8] for row in rows] == [
        ("lake.demo.agg", 2, 1, 1, 1, 0, "2023-11-14 22:13:20.000 UTC", "fresh"),
        ("lake.demo.unused", 0, 0, 0, 0, 0, None, "fresh"),
    ]
    assert rows[0][10:12] == (0.0, 2)
    assert rows[0][13:14] + rows[0][15:20] == ("full", 2, None, 0, 0, 1)


def test_the_upstreams(house: House) -> None:
    first, second = house.upstreams.places
    first.sessions = 3
    assert first.statements.take()
    second.problem = SqlError("Spark at spark-2:10000 cannot be reached", "08S01")
    assert shown(house, "SHOW VIEWGATE UPSTREAMS").rows == (
        ("spark-1:10000", "up", 3, 450, 1, 100, 0, 0, 0.0, None, 1),
        ("spark-2:10000", "down", 0, 450, 0, 100, 0, 0, 0.0, "Spark at spark-2:10000 cannot be reached", 1),
    )
    house.upstreams.reconfigure([first.upstream])
    assert [row[1] for row in shown(house, "SHOW VIEWGATE UPSTREAMS").rows] == ["up", "draining"]


def test_the_sessions_that_one_may_see(house: House) -> None:
    anns, bobs = session("ann"), session("bob")
    bobs.client = "10.0.0.7:5432"
    for one in (anns, bobs):
        one.upstream = SimpleNamespace(attached=one is bobs)
        house.sessions.add(one)
    house.sessions.add_operation(Stub(bobs, 0))
    rows = sorted(shown(house, "SHOW VIEWGATE SESSIONS").rows, key=lambda row: str(row[1]))
    assert [row[1:] for row in rows] == [
        ("ann", None, "ann", 0, 0, False, 1),
        ("bob", "10.0.0.7:5432", "bob", 1, 0, True, 1),
    ]
    house.context = replace(house.context, open_to_all=False)
    assert [row[1] for row in shown(house, "SHOW VIEWGATE SESSIONS").rows] == ["ann"]


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("SELECT 1.5, 'a', 2e3 /* c */ FROM t1", "SELECT ? FROM t1"),
        ("SELECT t.a, 1 FROM `x 1` AS t -- end", "SELECT t.a, ? FROM `x 1` AS t"),
        ("INSERT INTO t VALUES (1, 'a'), (2, 'b')", "INSERT INTO t VALUES (?)"),
        ("", ""),
    ],
)
def test_literals_are_left_out(sql: str, text: str) -> None:
    assert digest(sql) == text


def test_nothing_else_is_ours() -> None:
    assert find("SHOW VIEWS") is None
    assert find("KILL QUERY 'x'") is None


def test_the_refreshes_that_were_made_and_what_views_say_of_the_last(house: House) -> None:
    asyncio.run(house.run("CREATE MATERIALIZED VIEW agg AS SELECT region, sum(amount) FROM sales GROUP BY region"))

    async def no_room() -> None:
        raise SqlError("[X] no room\n== plan ==", "53100")

    house.spark.before_insert = no_room
    with pytest.raises(SqlError):
        asyncio.run(house.run("REFRESH MATERIALIZED VIEW agg FULL"))
    rows = shown(house, "SHOW VIEWGATE REFRESHES").rows
    assert [row[:4] + row[7:] for row in rows] == [
        (
            "lake.demo.agg",
            "full",
            "statement",
            "ERROR",
            0,
            "[X] no room (the stored rows of lake.demo.agg are unchanged)",
        ),
        ("lake.demo.agg", "full", "statement", "FINISHED", 2, None),
    ]
    assert all(row[5] >= row[4] and row[6] >= 0 for row in rows)
    assert shown(house, "SHOW VIEWGATE VIEWS").rows[0][13] == "full"


def test_an_upstream_is_paused_drained_and_resumed(house: House) -> None:
    first, second = house.upstreams.places
    for verb, state in (("PAUSE", "paused"), ("DRAIN", "draining"), ("RESUME", "up")):
        ((said,),) = shown(house, f"{verb} VIEWGATE UPSTREAM 'spark-1:10000'").rows
        assert said.startswith("upstream spark-1:10000 is ")
        assert [row[1] for row in shown(house, "SHOW VIEWGATE UPSTREAMS").rows] == [state, "up"]
    shown(house, "drain viewgate upstream 'spark-2'")
    assert (first.terms.draining, second.terms.draining) == (False, True)
    ((said,),) = shown(house, "DRAIN VIEWGATE UPSTREAM 'spark-2'").rows
    assert said.endswith("idle ones move to other upstreams, running statements run to their end")
    ((said,),) = shown(house, "DRAIN VIEWGATE UPSTREAM 'spark-1'").rows
    assert said.endswith(
        "; no other is left: new sessions and statements of idle ones fail with 08S01 until one is resumed"
    )
    with pytest.raises(
        SqlError, match="'spark-3' names no upstream: give host and port, one of spark-1:10000, spark-2:10000"
    ):
        shown(house, "PAUSE VIEWGATE UPSTREAM 'spark-3'")


def test_where_users_log_in_operators_alone_steer_and_they_see_everything(house: House) -> None:
    house.context = replace(house.context, open_to_all=False, operators=lambda: {"olga"})
    theirs = Stub(session("bob"), 0)
    begun(house.journal, theirs, "SELECT 1")
    with pytest.raises(SqlError, match=r"ann is not an operator of Viewgate: .* operators"):
        shown(house, "PAUSE VIEWGATE UPSTREAM 'spark-1'")
    olga = session("olga")
    shown(house, "PAUSE VIEWGATE UPSTREAM 'spark-1'", olga)
    assert house.upstreams.places[0].paused
    assert [row[-1] for row in shown(house, "SHOW VIEWGATE STATEMENTS", olga).rows] == ["SELECT 1"]
    shown(house, f"KILL VIEWGATE STATEMENT '{theirs.handle.id}'", olga)
    assert theirs.done


def test_the_settings_are_read_again_for_operators(house: House) -> None:
    assert shown(house, "RELOAD VIEWGATE CONFIG").rows == (("settings reloaded: upstream.spark-1:10000.weight",),)
    house.reloaded = Reloaded("the settings were not reloaded: [server] port is 'x'", refused=True)
    with pytest.raises(SqlError, match=r"not reloaded: \[server\] port is 'x'") as raised:
        shown(house, "RELOAD VIEWGATE CONFIG")
    assert raised.value.sql_state == "F0000"
    house.context = replace(house.context, open_to_all=False, operators=lambda: {"olga"})
    with pytest.raises(SqlError, match="ann is not an operator of Viewgate"):
        shown(house, "RELOAD VIEWGATE CONFIG")


def test_workers_are_restarted_for_operators(house: House) -> None:
    assert shown(house, "RESTART VIEWGATE WORKERS").rows == (("2 workers are being replaced one by one",),)
    house.restarted = Reloaded("one process serves the port", refused=True)
    with pytest.raises(SqlError, match="one process serves") as raised:
        shown(house, "RESTART VIEWGATE WORKERS")
    assert raised.value.sql_state == "55000"
    house.context = replace(house.context, open_to_all=False, operators=lambda: {"olga"})
    with pytest.raises(SqlError, match="ann is not an operator of Viewgate"):
        shown(house, "RESTART VIEWGATE WORKERS")


def test_the_settings_in_effect_are_for_operators(house: House) -> None:
    assert shown(house, "SHOW VIEWGATE CONFIG").rows == (("server.port", "10001", "10000", False),)
    house.context = replace(house.context, open_to_all=False, operators=lambda: {"olga"})
    assert shown(house, "SHOW VIEWGATE CONFIG", session("olga")).rows
    with pytest.raises(SqlError, match="ann is not an operator of Viewgate"):
        shown(house, "SHOW VIEWGATE CONFIG")
