from __future__ import annotations

from proxy.journal import Cause, Phase, Record, Refresh, Usage, Uses
from proxy.session import Choice, Forward, OperationState
from rewriter.model import TableName

ONE, OTHER = TableName(("lake", "demo", "one")), TableName(("lake", "demo", "other"))


def ended(choice: Choice, state: OperationState = OperationState.FINISHED, *, fell_back: bool = False) -> Record:
    record = Record("s", "ann", "SELECT 1", ended_ms=1000, state=state, fell_back=fell_back)
    record.planned(Forward(choice=choice), 0.0)
    return record


def counted(*records: Record) -> Usage:
    usage = Usage()
    for record in records:
        usage.ended(record)
        usage.closed(record)
    return usage


def test_each_statement_counts_once_for_a_view() -> None:
    usage = counted(ended(Choice((ONE, OTHER), (ONE, OTHER), (ONE,))), ended(Choice((ONE,))), ended(Choice()))
    assert usage.views == {ONE: Uses(2, 1, 1, 1, 0, 1000), OTHER: Uses(1, 1)}


def test_a_rewriting_that_spark_could_not_run() -> None:
    usage = counted(ended(Choice((ONE, OTHER), (ONE,), (ONE,)), fell_back=True))
    assert [(uses.executed, uses.failed) for uses in usage.views.values()] == [(0, 1), (0, 0)]


def test_a_statement_that_fails_all_the_same_counts_against_no_view() -> None:
    usage = counted(ended(Choice((ONE,), (ONE,), (ONE,)), OperationState.ERROR, fell_back=True))
    assert usage.views == {ONE: Uses(1, 1, 1, 0, 0, 1000)}


def took(sql: str, ms: float, *views: TableName) -> Record:
    """Return a statement over tables that views read, answered by some of the views or by the tables."""
    record = Record("s", "ann", sql, ended_ms=1000, state=OperationState.FINISHED)
    record.planned(Forward(choice=Choice((ONE, OTHER), views, views)), 0.001)
    record.seconds[Phase.EXECUTED] = ms / 1000 - 0.001
    return record


def saved(*records: Record) -> tuple[list[int], list[int]]:
    views = counted(*records).views
    uses = [views.get(name, Uses()) for name in (ONE, OTHER)]
    return [round(each.saved_milliseconds) for each in uses], [each.compared for each in uses]


def test_a_view_has_saved_what_the_same_statement_took_more_by_the_tables() -> None:
    by_tables = took("SELECT 1 FROM t WHERE a = 1", 900), took("SELECT 1 FROM t WHERE a = 2", 1100)
    assert saved(*by_tables, took("select 1 FROM t WHERE a = 3", 40, ONE)) == ([0, 0], [0, 0])
    assert saved(*by_tables, took("SELECT 1 FROM t WHERE a = 3", 40, ONE)) == ([960, 0], [1, 0])
    assert saved(*by_tables, took("SELECT 1 FROM t WHERE a = 3", 1500, ONE)) == ([-500, 0], [1, 0])


def test_views_that_answer_together_have_saved_a_part_each() -> None:
    assert saved(took("SELECT 1", 500), took("SELECT 1", 100, ONE, OTHER)) == ([200, 200], [1, 1])


def test_what_was_not_seen_by_the_tables_or_takes_no_time_is_not_compared() -> None:
    assert saved(took("SELECT 1", 19), took("SELECT 1", 5, ONE)) == ([0, 0], [0, 0])
    assert saved(took("INSERT INTO u SELECT 1", 500), took("INSERT INTO u SELECT 1", 5, ONE)) == ([0, 0], [0, 0])


def test_statements_that_views_answered_before_the_tables_did_are_compared_as_soon_as_the_tables_have() -> None:
    of_view = took("SELECT 1", 40, ONE), took("SELECT 1", 20, ONE, OTHER)
    assert saved(*of_view) == ([0, 0], [0, 0])
    assert saved(*of_view, took("SELECT 1", 500)) == ([460 + 240, 240], [2, 1])
    assert saved(*of_view, took("SELECT 1", 500), took("SELECT 1", 900)) == ([460 + 240, 240], [2, 1])
    assert saved(*of_view, took("SELECT 1", 500), took("SELECT 1", 100, ONE)) == ([460 + 240 + 400, 240], [3, 1])


def test_what_waits_for_a_comparison_is_bounded() -> None:
    usage = counted(*(took(f"SELECT {'a' * number}", 40, ONE) for number in range(1, 2100)))
    assert len(usage._by_views) == 2000


def test_what_refreshes_took_is_added_up() -> None:
    usage = Usage()
    for ms in (800, 12):
        usage.refreshed(Refresh(ONE, Cause.COMMIT, 0, OperationState.FINISHED, ms))
    assert (usage.views[ONE].refreshes, usage.views[ONE].refresh_milliseconds) == (2, 812)


def test_the_last_refresh_is_one_that_found_something_to_do() -> None:
    usage = Usage()
    changed = Refresh(ONE, Cause.COMMIT, 0, OperationState.FINISHED, 800, ["append-merge"], 12)
    usage.refreshed(changed)
    usage.refreshed(Refresh(ONE, Cause.COMMIT, 800, OperationState.FINISHED, 805, ["none"]))
    assert (usage.views[ONE].refresh, usage.views[ONE].refreshes) == (changed, 2)
