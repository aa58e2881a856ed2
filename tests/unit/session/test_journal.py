"""Each statement once: while it runs, and for some time after."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any

import pytest

from proxy.hs2 import SqlError
from proxy.session import ClientSession, Journal, Operation, OperationState
from proxy.session.journal import KEPT


class Stub(Operation):
    """An operation that others bring to its end."""

    async def abandon(self, error: SqlError | None = None) -> None:
        self.advance(OperationState.ERROR if error else OperationState.CANCELED, error)


def session(user: str = "ann") -> ClientSession:
    upstream: Any = SimpleNamespace()
    return ClientSession(user, 9, upstream, None)


def test_a_statement_is_there_while_it_runs_and_after() -> None:
    journal, operation = Journal(), Stub(session(), 0)
    journal.begin(operation, "SELECT 1")
    (record,) = journal
    assert (record.user, record.sql, record.state) == ("ann", "SELECT 1", OperationState.RUNNING)
    assert record.operation is operation
    operation.log.add("Viewgate: answered from lake.demo.agg (roll_up)")
    operation.log.add("Viewgate: and more")
    operation.advance(OperationState.FINISHED)
    journal.end(operation)
    journal.end(operation)
    (record,) = journal
    assert (record.state, record.operation) == (OperationState.FINISHED, None)
    assert record.answer == "answered from lake.demo.agg (roll_up)"
    assert record.ended_ms == operation.completed_ms


def test_one_that_ended_at_once_and_one_that_was_closed() -> None:
    journal, ended, closed = Journal(), Stub(session(), 0), Stub(session(), 0)
    ended.advance(OperationState.ERROR, SqlError("no such table", "42P01"))
    journal.begin(ended, "SELECT * FROM x")
    journal.begin(closed, "SELECT 2")
    journal.end(closed)
    states = {record.sql: (record.state, record.error and record.error.sql_state) for record in journal}
    assert states == {"SELECT * FROM x": (OperationState.ERROR, "42P01"), "SELECT 2": (OperationState.CLOSED, None)}


def test_what_is_no_statement_is_not_told_of() -> None:
    journal = Journal()
    journal.end(Stub(session(), 4))
    assert list(journal) == []


def test_running_ones_come_first_and_the_oldest_go() -> None:
    journal, running = Journal(most=2), Stub(session(), 0)
    journal.begin(running, "running")
    for number in range(3):
        operation = Stub(session(), 0)
        operation.advance(OperationState.FINISHED)
        journal.begin(operation, f"ended {number}")
    assert [record.sql for record in journal] == ["running", "ended 2", "ended 1"]


def test_one_line_in_the_log_for_each(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="proxy")
    journal = Journal()
    journal.refused(session(), "SELEC\n  1" + " " * 300 + "x" * 300, SqlError("syntax", "42601"))
    (line,) = caplog.messages
    assert "user=ann state=ERROR ms=0 error=42601 sql=SELEC 1 xxx" in line
    assert line.endswith("x…")
    assert "\n" not in line


def test_of_a_long_statement_only_the_beginning_is_kept() -> None:
    journal, operation = Journal(), Stub(session(), 0)
    journal.begin(operation, "INSERT INTO t VALUES " + "(1), " * 1_000_000)
    journal.refused(session(), "x" * 5_000_000, None)
    assert {len(record.sql) for record in journal} == {KEPT + 1}
    assert all(record.sql.endswith("…") for record in journal)
