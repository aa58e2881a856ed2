"""Plans that add groups of changed rows to stored groups: exact ones are proved, and planted mistakes are refuted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from rewriter.model import Table, TableName
from rewriter.verify import PROVED, REFUTED
from tests.golden.corpus import GoldenFile, World, world
from tests.unit.rewriter.verify.test_moments import verdict, with_mistake

SCHEMA = "CREATE TABLE sales (region STRING, n INT, x DOUBLE); CREATE TABLE dim (region STRING, name STRING)"
VIEWS = {"grouped": "SELECT region, sum(n) AS total, count(*) AS cnt, count(n) AS known FROM sales GROUP BY region"}
QUESTION = "SELECT region, sum(n), count(*) FROM sales GROUP BY region"
CHANGES = "WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500')"
SALES = TableName(("lake", "demo", "sales"))


@pytest.fixture
def built() -> World:
    return world(GoldenFile(Path(), schema=SCHEMA, appended="DELETE FROM sales", views=VIEWS))


def test_stored_groups_and_changed_rows_are_the_table(built: World) -> None:
    outcome = built.rewrite(QUESTION)
    (replaced,) = outcome.replacements
    assert (replaced.rule, replaced.verdict.status) == ("changelog_union", PROVED)
    assert outcome.live
    assert verdict(built, outcome.sql(), QUESTION).status == PROVED
    (chosen,) = (attempt for attempt in outcome.tried if attempt.verdict == "chosen")
    assert "together with the rows inserted into and deleted from lake.demo.sales since snapshot 500" in chosen.detail


@pytest.mark.parametrize(
    ("right", "planted"),
    [
        ("'start-snapshot-id' = '500'", "'start-snapshot-id' = '499'"),
        ("'end-snapshot-id' = '5500'", "'end-snapshot-id' = '5499'"),
        (" HAVING coalesce(sum(v.`c2`), 0) > 0", ""),
        (" HAVING coalesce(sum(v.`c2`), 0) > 0", " HAVING coalesce(sum(v.`c2`), 0) > 1"),
        (" HAVING coalesce(sum(v.`c2`), 0) > 0", " HAVING coalesce(sum(v.`c3`), 0) > 0"),
        ("CASE WHEN coalesce(sum(v.`c3`), 0) = 0 THEN NULL ELSE sum(v.`c1`) END", "sum(v.`c1`)"),
        ("CASE WHEN coalesce(sum(v.`c3`), 0) = 0 THEN", "CASE WHEN coalesce(sum(v.`c2`), 0) = 0 THEN"),
        ("CASE WHEN coalesce(sum(v.`c3`), 0) = 0 THEN NULL", "CASE WHEN coalesce(sum(v.`c3`), 0) = 0 THEN 0"),
        ("CAST(coalesce(sum(v.`c2`), 0) AS bigint)", "CAST(coalesce(max(v.`c2`), 0) AS bigint)"),
        ("THEN sales_0.n ELSE -CAST(sales_0.n AS BIGINT)", "THEN sales_0.n ELSE CAST(sales_0.n AS BIGINT)"),
        ("THEN sales_0.n ELSE -CAST(sales_0.n AS BIGINT)", "THEN sales_0.n ELSE -CAST(sales_0.n AS TINYINT)"),
        ("THEN 1 ELSE -1 END) AS c2", "THEN 1 ELSE 0 END) AS c2"),
        ("('INSERT', 'UPDATE_AFTER') THEN sales_0.n", "('INSERT', 'DELETE') THEN sales_0.n"),
        ("('INSERT', 'UPDATE_AFTER') THEN sales_0.n", "('DELETE') THEN sales_0.n"),
        (" AS sales_0 GROUP", " AS sales_0 WHERE sales_0._change_type = 'INSERT' GROUP"),
        (" AS sales_0 GROUP BY sales_0.region)", " AS sales_0 GROUP BY sales_0.region HAVING count(*) > 1)"),
        ("GROUP BY v.`c0` HAVING", "GROUP BY v.`c0`, v.`c1` HAVING"),
        ("VERSION AS OF 2000", "VERSION AS OF 1999"),
    ],
)
def test_planted_mistakes_are_refuted(built: World, right: str, planted: str) -> None:
    assert with_mistake(built, built.rewrite(QUESTION).sql(), right, planted, QUESTION) == REFUTED


@pytest.mark.parametrize(
    ("right", "planted"),
    [
        (" AS sales_0 GROUP", " AS sales_0 WHERE sales_0.n > 1 GROUP"),
        ("v.`total` AS c1", "v.`cnt` AS c1"),
        ("sales.changes WITH", "sales WITH"),
        (f"sales.changes {CHANGES}", "sales VERSION AS OF 5500"),
        (f"sales.changes {CHANGES}", "sales VERSION AS OF 500"),
    ],
)
def test_branches_of_other_rows_or_values_are_not_proved(built: World, right: str, planted: str) -> None:
    assert with_mistake(built, built.rewrite(QUESTION).sql(), right, planted, QUESTION) != PROVED


def test_changed_rows_alone_are_refuted(built: World) -> None:
    changes = f"sales.changes {CHANGES} AS s"
    signs = "sum(CASE WHEN s._change_type IN ('INSERT') THEN 1 ELSE -1 END)"
    asked = "SELECT region, count(*) FROM sales GROUP BY region"
    for plan in (
        f"SELECT s.region AS region, {signs} FROM {changes} GROUP BY s.region",
        f"SELECT s.region AS region, count(*) FROM {changes} GROUP BY s.region",
        f"SELECT v.a AS region, sum(v.b) FROM (SELECT s.region AS a, {signs} AS b FROM {changes} GROUP BY s.region) "
        "AS v GROUP BY v.a",
    ):
        assert verdict(built, plan, asked).status == REFUTED


@pytest.mark.parametrize("marked", [0, 1])
def test_delete_files_hide_deleted_rows(built: World, marked: int) -> None:
    text = built.rewrite(QUESTION).sql()
    sales = built.relations[SALES]
    assert isinstance(sales, Table)
    for files in (1, None):
        snapshots = [
            replace(each, delete_files=files if at == marked else 0) for at, each in enumerate(sales.snapshots)
        ]
        built.relations[SALES] = replace(sales, snapshots=tuple(snapshots))
        assert verdict(built, text, QUESTION).status == REFUTED
        outcome = built.rewrite(QUESTION)
        assert not outcome.rewritten
        assert {str(attempt.reason) for attempt in outcome.tried} == {"STALE"}


def test_of_columns_changed_since_no_changes_are_read(built: World) -> None:
    sales = built.relations[SALES]
    assert isinstance(sales, Table)
    last, before = sales.snapshots
    built.relations[SALES] = replace(sales, schema_id=1, snapshots=(replace(last, schema_id=1), before))
    assert not built.rewrite(QUESTION).rewritten


def test_large_changes_are_dearer_than_the_table(built: World) -> None:
    sales = built.relations[SALES]
    assert isinstance(sales, Table)
    last, before = sales.snapshots
    for added, removed, answered in ((10**9, 10**9, False), (1000, 10**9, False), (1000, 1000, True)):
        changed = replace(last, added=added, removed=removed)
        built.relations[SALES] = replace(sales, records=10**7, size=10**9, snapshots=(changed, before))
        outcome = built.rewrite(QUESTION)
        assert outcome.rewritten is answered
        if not answered:
            (missed,) = outcome.tried
            assert "; together with the inserted and deleted rows: reading the view would cost about " in missed.detail
    # Compaction changes no rows, and its files are not read.
    compacted = replace(last, id=7000, operation="replace", added=10**9, removed=10**9)
    small = replace(last, added=1000, removed=1000)
    snapshots = (replace(small, id=7001), compacted, small, before)
    built.relations[SALES] = replace(sales, records=10**7, size=10**9, snapshots=snapshots)
    assert built.rewrite(QUESTION).rewritten
