from __future__ import annotations

from proxy.journal import Record, Usage, Uses
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
