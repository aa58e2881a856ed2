"""Plans that read tables at several snapshots: those that add up to the current rows are proved, the others refuted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from rewriter import parse
from rewriter.block import build_block, find_among
from rewriter.model import Table, TableName, table_columns
from rewriter.verify import PROVED, REFUTED, Leaves, Verdict, verify
from tests.golden.corpus import GoldenFile, World, world

SCHEMA = "CREATE TABLE sales (region STRING, n INT); CREATE TABLE dim (region STRING, name STRING)"
APPENDED = "INSERT INTO sales VALUES ('eu', 1)"
VIEWS = {
    "grouped": "SELECT region, sum(n) AS total, count(*) AS cnt FROM sales GROUP BY region",
    "joined": "SELECT d.name, sum(s.n) AS total FROM sales s JOIN dim d ON d.region = s.region GROUP BY d.name",
}
QUESTION = "SELECT region, sum(n) FROM sales GROUP BY region"
PLAN = (
    "SELECT v.c0 AS region, sum(v.c1) FROM (SELECT w.region AS c0, w.total AS c1 FROM grouped__storage VERSION AS OF "
    "2000 AS w UNION ALL SELECT s.region AS c0, sum(s.n) AS c1 FROM sales WITH ('start-snapshot-id' = '500', "
    "'end-snapshot-id' = '5500') AS s GROUP BY s.region) AS v GROUP BY v.c0"
)


@pytest.fixture
def built() -> World:
    return world(GoldenFile(Path(), schema=SCHEMA, appended=APPENDED, views=VIEWS))


def verdict(built: World, plan: str, question: str = QUESTION) -> Verdict:
    statement = parse(question, built.session)
    tree = statement.blocks[0].tree
    assert tree is not None
    block = build_block(tree, find_among(statement, table_columns(built.relations)))
    leaves = Leaves(block, built.definitions, built.relations, built.session.time_zone)
    return verify(block, plan, replace(built.session, temporary_views=frozenset()), leaves)


def with_mistake(built: World, plan: str, right: str, planted: str, question: str) -> str:
    """Return the verifier's status of a plan with the text `planted` in place of the text `right`."""
    assert right in plan
    return verdict(built, plan.replace(right, planted), question).status


def with_operation(built: World, operation: str) -> None:
    """Give the snapshot after the refresh another operation."""
    name = TableName(("lake", "demo", "sales"))
    sales = built.relations[name]
    assert isinstance(sales, Table)
    last, *before = sales.snapshots
    built.relations[name] = replace(sales, snapshots=(replace(last, operation=operation), *before))


def test_storage_and_what_was_appended_since_are_the_table(built: World) -> None:
    assert verdict(built, PLAN).status == PROVED


@pytest.mark.parametrize(
    ("right", "planted"),
    [
        ("'start-snapshot-id' = '500'", "'start-snapshot-id' = '499'"),
        ("'end-snapshot-id' = '5500'", "'end-snapshot-id' = '5499'"),
        ("WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500')", "VERSION AS OF 5500"),
        ("WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500')", "VERSION AS OF 500"),
        ("VERSION AS OF 2000", "VERSION AS OF 1999"),
        (
            ") AS v GROUP",
            " UNION ALL " + PLAN[PLAN.index("SELECT s.region") : PLAN.index(") AS v GROUP")] + ") AS v GROUP",
        ),
    ],
)
def test_planted_mistakes_are_refuted(built: World, right: str, planted: str) -> None:
    assert with_mistake(built, PLAN, right, planted, QUESTION) == REFUTED


def test_storage_alone_lacks_what_was_appended(built: World) -> None:
    found = verdict(built, "SELECT v.region AS region, v.total FROM grouped__storage AS v")
    assert (found.status, found.reason) == (
        REFUTED,
        "the rewritten query reads lake.demo.sales at snapshot 500 instead of 5500: the view is not used",
    )


def test_what_was_not_appended_is_read_by_no_delta(built: World) -> None:
    with_operation(built, "overwrite")
    assert verdict(built, PLAN).status == REFUTED
    with_operation(built, "replace")  # compaction moves rows only: storage is fresh
    assert verdict(built, PLAN).status == REFUTED


def test_a_row_lost_from_the_delta_is_not_proved(built: World) -> None:
    assert with_mistake(built, PLAN, " AS s GROUP", " AS s WHERE s.n > 1 GROUP", QUESTION) != PROVED


BY_NAME = "SELECT d.name, sum(s.n) FROM dim d LEFT JOIN sales s ON d.region = s.region GROUP BY d.name"


def test_a_delta_adds_up_within_the_side_of_an_outer_join(built: World) -> None:
    outcome = built.rewrite(BY_NAME)
    assert "LEFT JOIN (SELECT" in outcome.sql()
    (replaced,) = outcome.replacements
    assert replaced.verdict.status == PROVED


@pytest.mark.parametrize(
    ("right", "planted"),
    [
        ("'start-snapshot-id' = '500'", "'start-snapshot-id' = '499'"),
        ("VERSION AS OF 2000", "VERSION AS OF 1999"),
        ("WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS", "VERSION AS OF 5500 AS"),
        (" GROUP BY sales_0.region)", " WHERE sales_0.n > 1 GROUP BY sales_0.region)"),
        ("v.`total` AS total", "v.`total` + 1 AS total"),
        ("LEFT JOIN (", "JOIN ("),
    ],
)
def test_mistakes_within_the_side_of_an_outer_join_are_not_proved(built: World, right: str, planted: str) -> None:
    text = built.rewrite(BY_NAME).sql()
    assert verdict(built, text, BY_NAME).status == PROVED
    assert with_mistake(built, text, right, planted, BY_NAME) != PROVED


def test_a_delta_does_not_add_up_behind_an_outer_join(built: World) -> None:
    held, came = (
        f"SELECT d.name AS c0, sum({number}) AS c1 FROM dim VERSION AS OF 1001 AS d LEFT JOIN {source} ON d.region = "
        "s.region GROUP BY d.name"
        for number, source in (
            ("s.total", "grouped__storage VERSION AS OF 2000 AS s"),
            ("s.n", "sales WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS s"),
        )
    )
    plan = f"SELECT v.c0 AS name, sum(v.c1) FROM ({held} UNION ALL {came}) AS v GROUP BY v.c0"
    assert verdict(built, plan, BY_NAME).status != PROVED


def test_what_a_live_answer_reads_is_told(built: World) -> None:
    (chosen,) = (a for a in built.rewrite(QUESTION).tried if a.verdict == "chosen")
    assert chosen.rule == "delta_union"
    assert chosen.detail == (
        "live: the stale view is read together with the rows appended to lake.demo.sales since snapshot 500; proved"
    )


def test_of_columns_changed_since_no_delta_is_read(built: World) -> None:
    name = TableName(("lake", "demo", "sales"))
    sales = built.relations[name]
    assert isinstance(sales, Table)
    last, before = sales.snapshots
    built.relations[name] = replace(sales, schema_id=1, snapshots=(replace(last, schema_id=1), before))
    assert not built.rewrite(QUESTION).rewritten


def test_a_large_delta_is_dearer_than_the_table(built: World) -> None:
    name = TableName(("lake", "demo", "sales"))
    sales = built.relations[name]
    assert isinstance(sales, Table)
    last, before = sales.snapshots
    grown = replace(sales, records=10**7, size=10**9, snapshots=(replace(last, added=10**9 - 1), before))
    built.relations[name] = grown
    (missed,) = (a for a in built.rewrite(QUESTION).tried if a.view.table == "grouped")
    assert "; together with the appended rows: reading the view would cost about " in missed.detail
    # Of the files that compaction adds no delta reads any.
    compacted = replace(last, id=7000, operation="replace", added=5_000_000)
    more = replace(last, id=7001, added=1000)
    built.relations[name] = replace(grown, snapshots=(more, compacted, replace(last, added=1000), before))
    assert built.rewrite(QUESTION).rewritten
