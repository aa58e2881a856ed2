from __future__ import annotations

from proxy.answering.usage import Usage, Uses
from rewriter import Attempt
from rewriter.model import TableName

ONE, OTHER = TableName(("lake", "demo", "one")), TableName(("lake", "demo", "other"))


def test_each_statement_counts_once_for_a_view() -> None:
    usage = Usage()
    usage.decided([Attempt(ONE, "chosen"), Attempt(ONE, "missed"), Attempt(OTHER, "not chosen")], 1000)
    usage.decided([Attempt(ONE, "missed")], 2000)
    usage.decided([], 3000)
    assert usage.views == {ONE: Uses(2, 1, 1, 0, 1000), OTHER: Uses(1, 1, 0)}


def test_a_rewriting_that_spark_could_not_run() -> None:
    usage, tried = Usage(), [Attempt(ONE, "chosen"), Attempt(OTHER, "missed")]
    usage.decided(tried, 1000)
    usage.failed(tried)
    assert [uses.failed for uses in usage.views.values()] == [1, 0]
