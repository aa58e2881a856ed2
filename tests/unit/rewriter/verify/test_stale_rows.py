"""A plan that reads stale partitions of storage beside the tables is refuted."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from rewriter.match.printing import print_rewriting
from rewriter.model import Table, TableName
from tests.golden.corpus import FOLDER, read, world

QUERY = "SELECT region, sum(qty) AS q FROM sales GROUP BY region"
SALES = TableName(("lake", "demo", "sales"))
STORAGE = TableName(("lake", "demo", "by_day__storage"))
MAXIMUM = "SELECT region, max(qty) AS top FROM sales GROUP BY region"


@pytest.mark.parametrize(
    ("file", "query", "problem"),
    [
        ("fresh_partitions", QUERY, "the rewritten query reads rows of lake.demo.by_day__storage that are stale"),
        # All rows of this storage table are those of the last refresh, which only changed rows complete.
        ("live_parts", MAXIMUM, "lake.demo.sales"),
    ],
)
def test_a_plan_that_reads_stale_rows_is_refuted(
    monkeypatch: pytest.MonkeyPatch, file: str, query: str, problem: str
) -> None:
    built = world(read(FOLDER / f"{file}.sql"))
    assert [made.view.name.table for made in built.rewrite(query).replacements] == ["by_day"]

    def forgetful(storage: Table, pins: object) -> str:
        return f"{storage.name.sql()} VERSION AS OF {storage.snapshot_id}"

    monkeypatch.setattr(sys.modules[print_rewriting.__module__], "_held", forgetful)
    outcome = built.rewrite(query)
    assert outcome.replacements == ()
    refuted = {attempt.view.table: attempt.detail for attempt in outcome.tried if attempt.reason == "PLAN_REFUTED"}
    assert problem in refuted["by_day"]


def test_the_cheaper_one_of_fresh_partitions_and_changed_rows_answers() -> None:
    built = world(read(FOLDER / "live_parts.sql"))
    sales = built.relations[SALES]
    assert isinstance(sales, Table)
    storage = built.relations[STORAGE]
    assert isinstance(storage, Table)
    assert storage.refresh is not None
    last, before = sales.snapshots
    rules = []
    for stale_share, removed in ((0.95, 1000), (0.01, 10**9)):
        snapshots = (replace(last, removed=removed), before)
        built.relations[SALES] = replace(sales, records=10**7, size=10**9, snapshots=snapshots)
        built.relations[STORAGE] = replace(storage, refresh=replace(storage.refresh, stale_share=stale_share))
        (made,) = built.rewrite(QUERY).replacements
        rules.append(made.rule)
    assert rules == ["changelog_union", "union_remainder"]
