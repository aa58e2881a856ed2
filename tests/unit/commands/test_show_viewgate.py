from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from proxy.commands import find
from proxy.hs2 import ResultSet, SqlError
from proxy.session import OperationState
from tests.unit.commands.house import House
from tests.unit.session.test_journal import Stub, session


def shown(house: House, sql: str, user: Any = None) -> ResultSet:
    command = find(sql)
    assert command is not None
    return asyncio.run(command.run(house.context, user or session(), house.log.append))


def test_statements_of_all_users_where_nobody_logs_in(house: House) -> None:
    running, ended = Stub(session("bob"), 0), Stub(session("ann"), 0)
    ended.advance(OperationState.ERROR, SqlError("no table x", "42P01"))
    house.journal.begin(running, "SELECT 1")
    house.journal.begin(ended, "SELECT * FROM x")
    rows = [row[1:3] + row[5:] for row in shown(house, "show viewgate statements").rows]
    assert rows == [
        ("bob", "RUNNING", None, None, "SELECT 1"),
        ("ann", "ERROR", None, "42P01: no table x", "SELECT * FROM x"),
    ]


def test_only_ones_own_where_users_log_in(house: House) -> None:
    house.context = replace(house.context, open_to_all=False)
    theirs = Stub(session("bob"), 0)
    house.journal.begin(theirs, "SELECT 1")
    house.journal.begin(Stub(session("ann"), 0), "SELECT 2")
    assert [row[-1] for row in shown(house, "SHOW VIEWGATE STATEMENTS").rows] == ["SELECT 2"]
    with pytest.raises(SqlError, match="there is no statement"):
        shown(house, f"KILL VIEWGATE STATEMENT '{theirs.handle.id}'")
    assert not theirs.done


def test_the_last_of_this_session(house: House) -> None:
    mine = session()
    for sql in ("SELECT 1", "SELECT 2"):
        operation = Stub(mine, 0)
        operation.advance(OperationState.FINISHED)
        house.journal.begin(operation, sql)
    house.journal.begin(Stub(mine, 0), "SHOW VIEWGATE LAST")
    assert [row[-1] for row in shown(house, "SHOW VIEWGATE LAST", mine).rows] == ["SELECT 2"]
    assert shown(house, "SHOW VIEWGATE LAST").rows == ()


def test_a_statement_is_ended_and_its_client_told_by_whom(house: House) -> None:
    running = Stub(session("bob"), 0)
    house.journal.begin(running, "SELECT 1")
    kill = f"KILL VIEWGATE STATEMENT '{running.handle.id}'"
    assert shown(house, kill).rows == ((f"statement {running.handle.id} of bob ended",),)
    assert running.error is not None
    assert (running.state, running.error.sql_state) == (OperationState.ERROR, "57014")
    assert "ended by ann" in running.error.message
    house.journal.end(running)
    with pytest.raises(SqlError, match="has ended already: ERROR"):
        shown(house, kill)


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SHOW VIEWGATE", "STATEMENTS, LAST or WORKERS"),
        ("SHOW VIEWGATE NONSENSE", "STATEMENTS, LAST or WORKERS"),
        ("KILL VIEWGATE STATEMENT 17", "in quotes"),
        ("SHOW VIEWGATE STATEMENTS LIMIT 3", "SHOW VIEWGATE STATEMENTS"),
    ],
)
def test_what_is_wrong_is_told(sql: str, said: str) -> None:
    with pytest.raises(SqlError, match=said) as problem:
        find(sql)
    assert problem.value.sql_state == "42601"


def test_nothing_else_is_ours() -> None:
    assert find("SHOW VIEWS") is None
    assert find("KILL QUERY 'x'") is None
