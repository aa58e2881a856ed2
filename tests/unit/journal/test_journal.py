"""The journal has each statement once: while it runs, and for some time after."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from dataclasses import dataclass, field

import pytest

from proxy.hs2 import ResultSet, SqlError, encode_reply, encode_rows, success
from proxy.hs2.generated import ttypes
from proxy.journal import Cause, Journal, Outcome, Phase, Record, Refresh
from proxy.journal.texts import KEPT
from proxy.service import Peer
from proxy.session import Choice, Forward, Local, OperationState
from rewriter.model import TableName
from tests.unit.journal.stubs import begun, refused, session
from tests.unit.support.operations import Stub

VIEW = TableName(("lake", "demo", "agg"))


@dataclass
class Seen:
    """A sink that keeps the records that it gets."""

    ends: list[str] = field(default_factory=list)
    closings: list[str] = field(default_factory=list)
    refreshes: list[Refresh] = field(default_factory=list)

    def ended(self, record: Record) -> None:
        self.ends.append(record.sql)

    def closed(self, record: Record) -> None:
        self.closings.append(record.sql)

    def refreshed(self, refresh: Refresh) -> None:
        self.refreshes.append(refresh)


def test_a_statement_is_there_while_it_runs_and_after() -> None:
    journal, operation = Journal(), Stub(session(), 0)
    begun(journal, operation, "SELECT 1")
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
    assert operation.completed_ms is not None
    assert record.ended_ms is not None
    assert abs(record.ended_ms - operation.completed_ms) < 1000


@pytest.mark.parametrize("step_s", [-3600, 3600])
def test_setting_the_clock_changes_no_duration(monkeypatch: pytest.MonkeyPatch, step_s: int) -> None:
    journal, operation = Journal(), Stub(session(), 0)
    running, clock, clock_ns = begun(journal, operation, "SELECT 1"), time.time, time.time_ns
    with journal.refreshing(VIEW, Cause.COMMIT) as refresh:
        monkeypatch.setattr(time, "time", lambda: clock() + step_s)
        monkeypatch.setattr(time, "time_ns", lambda: clock_ns() + step_s * 1_000_000_000)
        assert 0 <= running.milliseconds < 10_000
    operation.advance(OperationState.FINISHED)
    journal.end(operation)
    assert 0 <= running.milliseconds < 10_000
    assert 0 <= refresh.milliseconds < 10_000


def test_one_that_ended_at_once_and_one_that_was_closed() -> None:
    journal, ended, closed = Journal(), Stub(session(), 0), Stub(session(), 0)
    ended.advance(OperationState.ERROR, SqlError("no such table", "42P01"))
    begun(journal, ended, "SELECT * FROM x")
    begun(journal, closed, "SELECT 2")
    journal.close(closed)
    states = {record.sql: (record.state, record.error and record.error.sql_state) for record in journal}
    assert states == {"SELECT * FROM x": (OperationState.ERROR, "42P01"), "SELECT 2": (OperationState.CLOSED, None)}


def test_an_operation_of_no_statement_has_no_record() -> None:
    journal = Journal()
    journal.end(Stub(session(), 4))
    journal.close(Stub(session(), 4))
    assert list(journal) == []


def test_running_ones_come_first_and_the_oldest_go() -> None:
    journal, running = Journal(most=2), Stub(session(), 0)
    begun(journal, running, "running")
    for number in range(3):
        operation = Stub(session(), 0)
        operation.advance(OperationState.FINISHED)
        begun(journal, operation, f"ended {number}")
    assert [record.sql for record in journal] == ["running", "ended 2", "ended 1"]


def test_sinks_are_told_of_the_end_and_of_the_close_once() -> None:
    seen = Seen()
    journal, failing, reading = Journal([seen]), Stub(session(), 0), Stub(session(), 0)
    begun(journal, failing, "fails")
    begun(journal, reading, "reads")
    refused(journal, "refused")
    failing.advance(OperationState.ERROR, SqlError("no", "42000"))
    reading.advance(OperationState.FINISHED)
    journal.end(failing)
    journal.end(reading)
    assert seen.ends == seen.closings == ["refused", "fails"]  # the rows of the third may still be fetched, or fail
    journal.close(failing)
    journal.close(reading)
    journal.close(reading)
    assert seen.ends == seen.closings == ["refused", "fails", "reads"]


def rewritten(journal: Journal, sql: str) -> Stub:
    """Return a statement whose rewritten form has been executed to its end."""
    operation = Stub(session(), 0)
    record = begun(journal, operation, sql)
    record.planned(Forward("SELECT 2", fallback=True, choice=Choice((VIEW,), (VIEW,), (VIEW,))), 0.0)
    operation.advance(OperationState.FINISHED)
    journal.end(operation)
    return operation


def test_a_rewritten_statement_counts_when_its_original_cannot_take_over_any_more() -> None:
    seen = Seen()
    journal = Journal([seen])
    read, unread = rewritten(journal, "read"), rewritten(journal, "unread")
    assert (seen.ends, len(list(journal))) == ([], 2)
    rows = encode_reply("FetchResults", 0, ttypes.TFetchResultsResp(status=success()))
    for _ in range(2):
        journal.fetched(read.handle, rows)
    assert seen.ends == ["read"]
    journal.close(unread)
    journal.close(read)
    assert seen.ends == ["read", "unread"]


def test_a_statement_without_a_result_is_closed_at_its_end() -> None:
    seen = Seen()
    journal, operation = Journal([seen]), Stub(session(), 0)
    operation.has_result_set = False
    begun(journal, operation, "INSERT INTO t VALUES (1)")
    operation.advance(OperationState.FINISHED)
    journal.end(operation)
    assert seen.closings == ["INSERT INTO t VALUES (1)"]


def test_rows_and_bytes_that_the_client_has_fetched() -> None:
    result = ResultSet.of("a int", rows=[(1,), (2,), (3,)])
    rows = encode_rows(result.columns, result.rows, 0, 9)
    reply = encode_reply("FetchResults", 0, ttypes.TFetchResultsResp(status=success(), results=rows))
    journal, operation = Journal(), Stub(session(), 0)
    record = begun(journal, operation, "SELECT a FROM t")
    operation.advance(OperationState.FINISHED)
    journal.end(operation)
    journal.fetched(operation.handle, reply)
    journal.fetched(operation.handle, reply)
    assert (record.rows, record.bytes) == (6, 2 * len(reply))
    assert record.seconds[Phase.FETCHED] >= 0


def test_each_phase_of_a_statement_has_its_time() -> None:
    journal, operation = Journal(), Stub(session(), 0)
    record = journal.receive(operation.session, "SELECT 1")
    record.planned(Forward(), 0.25)
    record.planned(Forward("SELECT 2", fallback=True), 0.5)
    record.begun()
    journal.begin(operation, record)
    operation.advance(OperationState.FINISHED)
    journal.end(operation)
    assert record.seconds[Phase.PLANNED] == 0.75
    assert list(record.seconds) == [Phase.PLANNED, Phase.QUEUED, Phase.EXECUTED]
    assert record.rewritten == "SELECT 2"


@pytest.mark.parametrize(
    ("choice", "fell_back", "outcome"),
    [
        (Choice(), False, Outcome.NONE),
        (Choice((VIEW,), reason="STALE"), False, Outcome.MISS),
        (Choice((), reason="NOT_TRIED"), False, Outcome.MISS),
        (Choice((VIEW,), (VIEW,), (VIEW,)), False, Outcome.VIEW),
        (Choice((VIEW,), (VIEW,), (VIEW,)), True, Outcome.FALLBACK),
    ],
)
def test_what_answered_a_statement(choice: Choice, fell_back: bool, outcome: Outcome) -> None:
    record = Record("s", "ann", "SELECT 1")
    record.planned(Forward(choice=choice), 0.0)
    record.fell_back = fell_back
    assert record.outcome is outcome


def test_viewgate_itself_answers_and_refuses() -> None:
    async def nothing(_: object) -> ResultSet:
        return ResultSet.of()

    journal, record = Journal(), Record("s", "ann", "SHOW VIEWGATE LAST")
    record.planned(Local(nothing), 0.0)
    assert record.outcome is Outcome.VIEWGATE
    assert refused(journal, "SELEC 1", SqlError("syntax", "42601")).outcome is Outcome.REFUSED


def test_one_line_in_the_log_for_each(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="proxy")
    refused(Journal(), "SELEC\n  1" + " " * 300 + "x" * 300, SqlError("syntax", "42601"))
    (line,) = caplog.messages
    assert " user=ann kind=other outcome=refused state=ERROR ms=" in line
    assert " rows=0 bytes=0 error=42601 sql=SELEC 1 xxx" in line
    assert line.endswith("x…")
    assert "\n" not in line
    refused(Journal(), "SHOW", SqlError("no SQLSTATE", None))
    assert " error=" not in caplog.messages[-1]


def test_a_user_forges_no_line_of_the_log() -> None:
    forged = "ann\nstatement id=1 user=root kind=write"
    record = begun(Journal(), Stub(session(forged), 0), "SELECT 1")
    assert f"user={forged!r} kind=query" in str(record)
    assert str(Peer(forged, "127.0.0.1:4711")) == f"{forged!r}@127.0.0.1:4711"


def test_while_clients_are_served_lines_wait_for_each_other(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="proxy")
    seen = Seen()

    async def serve() -> None:
        journal = Journal([seen])
        for sql in ("SELECT 1", "SELECT 2"):
            refused(journal, sql)
        assert (seen.ends, seen.closings, caplog.messages) == (["SELECT 1", "SELECT 2"], [], [])
        journal.flush()
        journal.flush()

    asyncio.run(serve())
    assert seen.closings == ["SELECT 1", "SELECT 2"]
    assert len(caplog.messages) == 2


def test_of_a_long_statement_only_the_beginning_is_kept() -> None:
    journal, operation = Journal(), Stub(session(), 0)
    record = begun(journal, operation, "INSERT INTO t VALUES " + "(1), " * 1_000_000)
    record.planned(Forward("x" * 5_000_000, fallback=True), 0.0)
    refused(journal, "x" * 5_000_000)
    assert {len(record.sql) for record in journal} == {KEPT + 1}
    assert len(record.rewritten or "") == KEPT + 1
    assert all(record.sql.endswith("…") for record in journal)


def test_of_the_error_of_a_long_statement_only_the_beginning_is_kept() -> None:
    error = SqlError("[PARSE_SYNTAX_ERROR]\n== SQL ==\n" + "x" * 5_000_000, "42601")
    record = refused(Journal(), "SELECT 1", error)
    assert record.error is not None
    assert len(record.error.message) == KEPT + 1


@pytest.mark.parametrize(
    ("raised", "state", "error"),
    [
        (None, OperationState.FINISHED, ""),
        (SqlError("no\ntable x", "42P01"), OperationState.ERROR, "no\ntable x"),
        (asyncio.CancelledError(), OperationState.CANCELED, ""),
    ],
)
def test_each_refresh_once_however_it_ends(
    raised: BaseException | None, state: OperationState, error: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="proxy")
    seen = Seen()
    journal = Journal([seen])
    with contextlib.suppress(SqlError, asyncio.CancelledError), journal.refreshing(VIEW, Cause.COMMIT) as refresh:
        refresh.ways += ["append", "full", "full"]
        refresh.rows = 7
        (running,) = journal.refreshes
        assert (running.state, running.ended_ms) == (OperationState.RUNNING, None)
        if raised is not None:
            raise raised
    (ended,) = journal.refreshes
    assert seen.refreshes == [ended]
    assert (ended.state, ended.error, ended.way, ended.rows) == (state, error, "append, full", 7)
    assert caplog.messages[0].startswith(f"refresh view=lake.demo.agg way=append,full cause=commit state={state.name}")
    assert "\n" not in caplog.messages[0]
    assert journal.usage.views[VIEW].refresh is ended
