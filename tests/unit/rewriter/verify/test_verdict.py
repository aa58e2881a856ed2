"""What the verifier proves, refutes and leaves undecided, for plans written by hand."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from rewriter import parse, rewrite
from rewriter.block import build_block, find_among
from rewriter.engine import decide
from rewriter.model import Table, TableName, table_columns
from rewriter.model.settings import ANSI
from rewriter.verify import PROVED, REFUTED, UNDECIDED, Leaves, Verdict, verdict_on, verify
from tests.golden.corpus import GoldenFile, World, world

SCHEMA = """
CREATE TABLE sales (id BIGINT NOT NULL, dim_id INT, region STRING, n INT, price DECIMAL(10,2), x DOUBLE, ts TIMESTAMP);
CREATE TABLE dim (id INT NOT NULL, name STRING);
ALTER TABLE dim SET TBLPROPERTIES ('viewgate.primary-key' = 'id');
ALTER TABLE sales SET TBLPROPERTIES ('viewgate.foreign-keys' = '(dim_id) REFERENCES dim (id)');
"""
VIEWS = {
    "grouped": "SELECT region, n, sum(price) AS total, count(*) AS cnt, avg(x) AS mean FROM sales GROUP BY region, n",
    "hourly": "SELECT timeseries(ts, 'hour') AS h, sum(n) AS s, count(n) AS c FROM sales GROUP BY 1",
    "joined": "SELECT s.id, s.n, d.name, d.id AS dim FROM sales s LEFT JOIN dim d ON s.dim_id = d.id",
    "inner_joined": "SELECT s.id, s.n, s.dim_id, d.name FROM sales s JOIN dim d ON s.dim_id = d.id",
    "recent": "SELECT id, n FROM sales WHERE n >= 10",
    "by_score": "SELECT x, count(*) AS c FROM sales GROUP BY x",
    "early": "SELECT id, region FROM sales WHERE NOT (region >= 'ac')",
    "whole": "SELECT sum(n) AS s, count(n) AS c FROM sales",
    "ids": "SELECT region, sum(id) AS s FROM sales GROUP BY region",
}


@pytest.fixture(scope="module")
def built() -> World:
    return world(GoldenFile(Path(), schema=SCHEMA, views=VIEWS))


def verdict(built: World, question: str, plan: str, **settings: str) -> Verdict:
    """Return the verdict on a plan that uses short table names, in a session with the settings."""
    statement = parse(question, built.session)
    tree = statement.blocks[0].tree
    assert tree is not None
    block = build_block(tree, find_among(statement, table_columns(built.relations)))
    leaves = Leaves(block, built.definitions, built.relations, built.session.time_zone)
    return verify(block, plan, replace(built.session, temporary_views=frozenset(), settings=settings), leaves)


PROOFS = {
    "groups put together": (
        "SELECT region, sum(price), count(*) FROM sales GROUP BY region",
        "SELECT v.region AS region, sum(v.total), coalesce(sum(v.cnt), 0) FROM grouped__storage AS v GROUP BY v.region",
    ),
    "a key counts as often as its group has rows": (
        "SELECT region, sum(n) FROM sales GROUP BY region",
        "SELECT v.region AS region, sum(CAST(v.n AS BIGINT) * v.cnt) FROM grouped__storage AS v GROUP BY v.region",
    ),
    "a filter by a key": (
        "SELECT sum(price) FROM sales WHERE n > 3 AND n < 5",
        "SELECT sum(v.total) FROM grouped__storage AS v WHERE v.n = 4",
    ),
    "a time's border is its bucket's": (
        "SELECT sum(n) FROM sales WHERE ts >= TIMESTAMP '2024-01-01 05:00:00' AND ts < TIMESTAMP '2024-01-01 07:00:00'",
        "SELECT sum(v.s) FROM hourly__storage AS v WHERE v.h = TIMESTAMP '2024-01-01 05:00:00' "
        "OR v.h = TIMESTAMP '2024-01-01 06:00:00'",
    ),
    "an inner join out of an outer one": (
        "SELECT s.id, d.name FROM sales s JOIN dim d ON s.dim_id = d.id",
        "SELECT v.id AS id, v.name AS name FROM joined__storage AS v WHERE NOT v.dim IS NULL",
    ),
    "a union of complementary parts": (
        "SELECT sum(n) FROM sales",
        "SELECT sum(v.c) FROM (SELECT sum(w.n) AS c FROM recent__storage VERSION AS OF 2004 AS w UNION ALL "
        "SELECT sum(t.n) AS c FROM sales VERSION AS OF 1000 AS t WHERE t.n < 10 OR t.n IS NULL) AS v",
    ),
}


@pytest.mark.parametrize(("question", "plan"), PROOFS.values(), ids=PROOFS)
def test_proved(built: World, question: str, plan: str) -> None:
    assert verdict(built, question, plan) == Verdict(PROVED)


def test_a_proof_names_the_keys_that_it_trusts(built: World) -> None:
    found = verdict(
        built,
        "SELECT id, n FROM sales WHERE dim_id IS NOT NULL",
        "SELECT v.id AS id, v.n AS n FROM inner_joined__storage AS v",
    )
    assert found == Verdict(PROVED, axioms=("the foreign key of lake.demo.sales to lake.demo.dim",))


UNPROVED = {
    "an average of averages": (
        "SELECT avg(x) FROM sales",
        "SELECT avg(v.mean) FROM grouped__storage AS v",
    ),
    "groups that are counted": (
        "SELECT region, count(*) FROM sales GROUP BY region",
        "SELECT v.region AS region, count(*) FROM grouped__storage AS v GROUP BY v.region",
    ),
    "a sum over no rows is no count": (
        "SELECT count(*) FROM sales WHERE n = 1",
        "SELECT sum(v.cnt) FROM grouped__storage AS v WHERE v.n = 1",
    ),
    "a sum of zeros over an empty table is NULL": (
        "SELECT sum(coalesce(n, 0)) FILTER (WHERE true) FROM sales",
        "SELECT sum(coalesce(v.s, 0)) FILTER (WHERE true) FROM whole__storage AS v",
    ),
    "a sum of zeros and ones is no count": (
        "SELECT sum(CASE WHEN n IS NOT NULL THEN 1 ELSE 0 END) FROM sales",
        "SELECT sum(v.c) FROM whole__storage AS v",
    ),
    "a coarser group": (
        "SELECT region, n, sum(price) FROM sales GROUP BY region, n",
        "SELECT v.region AS region, max(v.n) AS n, sum(v.total) FROM grouped__storage AS v GROUP BY v.region",
    ),
    "a grouped zero has lost its sign": (
        "SELECT max(1 / x) FROM sales",
        "SELECT max(1 / v.x) FROM by_score__storage AS v",
    ),
    "branches that leave out NULL": (
        "SELECT count(*) FROM sales",
        "SELECT coalesce(sum(v.c), 0) FROM (SELECT count(*) AS c FROM recent__storage VERSION AS OF 2004 AS w UNION "
        "ALL SELECT count(*) AS c FROM sales VERSION AS OF 1000 AS t WHERE t.n < 10) AS v",
    ),
    "branches that overlap": (
        "SELECT sum(n) FROM sales",
        "SELECT sum(v.c) FROM (SELECT sum(w.n) AS c FROM recent__storage VERSION AS OF 2004 AS w UNION ALL "
        "SELECT sum(t.n) AS c FROM sales VERSION AS OF 1000 AS t WHERE t.n <= 10 OR t.n IS NULL) AS v",
    ),
}


@pytest.mark.parametrize(("question", "plan"), UNPROVED.values(), ids=UNPROVED)
def test_not_proved(built: World, question: str, plan: str) -> None:
    assert verdict(built, question, plan).status != PROVED


@pytest.mark.parametrize("kind", ["DECIMAL(38,0)", "DOUBLE"])
def test_a_sum_of_bigints_may_wrap_without_ansi_mode(built: World, kind: str) -> None:
    question = f"SELECT region, sum(CAST(id AS {kind})) AS t FROM sales GROUP BY region"
    plan = f"SELECT v.region AS region, CAST(v.s AS {kind}) AS t FROM ids__storage AS v"
    assert verdict(built, question, plan).status == PROVED
    assert verdict(built, question, plan, **{ANSI: "false"}).status != PROVED


REFUTATIONS = {
    "the rows that a filter keeps": (
        "SELECT id FROM sales WHERE n >= 12",
        "SELECT v.id AS id FROM recent__storage AS v WHERE v.n > 12",
        "the filters of the query and the rewritten query are not proved equal",
    ),
    "names": (
        "SELECT id AS a FROM sales WHERE n >= 10",
        "SELECT v.id AS b FROM recent__storage AS v",
        "the rewritten query names an output b",
    ),
    "outputs": (
        "SELECT id FROM sales WHERE n >= 10",
        "SELECT v.id AS id, v.n AS n FROM recent__storage AS v",
        "2 outputs",
    ),
    "a join that drops rows": (
        "SELECT d.name FROM dim d",
        "SELECT d.name AS name FROM dim VERSION AS OF 1 AS d LEFT SEMI JOIN recent__storage VERSION AS OF 2004 AS v "
        "ON d.id = v.n",
        "",
    ),
    "another snapshot": (
        "SELECT sum(n) FROM sales",
        "SELECT sum(v.c) FROM (SELECT sum(w.n) AS c FROM recent__storage VERSION AS OF 2004 AS w UNION ALL "
        "SELECT sum(t.n) AS c FROM sales VERSION AS OF 999 AS t WHERE t.n < 10 OR t.n IS NULL) AS v",
        "at snapshot 999 instead of 1000: the view is not used",
    ),
    "two moments": (
        "SELECT sum(n) FROM sales",
        "SELECT sum(v.c) FROM (SELECT sum(w.n) AS c FROM recent__storage AS w UNION ALL "
        "SELECT sum(t.n) AS c FROM sales AS t WHERE t.n < 10 OR t.n IS NULL) AS v",
        "different snapshots",
    ),
}


@pytest.mark.parametrize(("question", "plan", "reason"), REFUTATIONS.values(), ids=REFUTATIONS)
def test_refuted(built: World, question: str, plan: str, reason: str) -> None:
    found = verdict(built, question, plan)
    assert found.status == REFUTED
    assert reason in found.reason


def test_a_plan_over_an_unknown_table_is_undecided(built: World) -> None:
    assert verdict(built, "SELECT id FROM sales", "SELECT 1 AS id FROM nowhere AS v").status == UNDECIDED


@pytest.mark.parametrize("plan", ["DROP TABLE sales", "SELECT v.n OVER () AS id FROM early__storage AS v"])
def test_a_plan_that_is_no_select_is_refuted(built: World, plan: str) -> None:
    found = verdict(built, "SELECT id FROM sales", plan)
    assert found.status == REFUTED
    assert found.reason.startswith("the rewritten query is not valid SQL: ")


@pytest.mark.parametrize(
    ("view", "join", "problem"),
    [
        ("joined", "LEFT JOIN", "has a join in its query, and is on the right side of a LEFT JOIN"),
        ("grouped", "LEFT JOIN", "has GROUP BY, and is on the right side of a LEFT JOIN in a query without groups"),
        ("joined", "LEFT SEMI JOIN", "has a join in its query, and is on the right side of a SEMI JOIN"),
    ],
)
def test_a_join_onto_a_view_that_cannot_be_replaced_is_named(built: World, view: str, join: str, problem: str) -> None:
    name = TableName(("lake", "demo", f"{view}__storage"))
    storage = built.relations[name]
    assert isinstance(storage, Table)
    source = f"{view}__storage VERSION AS OF {storage.snapshot_id} AS v ON d.id = v.n"
    plan = f"SELECT d.name AS name FROM dim VERSION AS OF 1 AS d {join} {source}"
    found = verdict(built, "SELECT d.name FROM dim d", plan)
    assert found.status == UNDECIDED
    assert found.reason.startswith(f"{name} {problem}")


def test_rows_that_another_condition_drops_are_no_counterexample(built: World) -> None:
    question = "SELECT id FROM sales WHERE 'ac' <=> region AND startswith(region, 'a\U0001f600')"
    found = verdict(
        built, question, "SELECT v.id AS id FROM early__storage AS v WHERE startswith(v.region, 'a\U0001f600')"
    )
    assert found.status == UNDECIDED


def test_a_surprise_in_the_verifier_costs_no_rewriting(
    built: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def surprised(*arguments: object) -> Verdict:
        raise KeyError("a surprise")

    monkeypatch.setattr(sys.modules[decide.__module__], "verdict_on", surprised)
    (made,) = built.rewrite("SELECT id FROM sales WHERE n >= 10").replacements
    assert made.verdict.status == UNDECIDED
    assert "the plan is used unverified" in caplog.text


def test_a_refuted_plan_is_not_used_and_the_next_view_is(built: World, monkeypatch: pytest.MonkeyPatch) -> None:
    two = world(
        GoldenFile(Path(), schema=SCHEMA, views={"first": VIEWS["recent"], "second": f"{VIEWS['recent']} AND n >= 5"})
    )
    asked = "SELECT id FROM sales WHERE n >= 10"
    chosen = [r.view.name.table for r in two.rewrite(asked).replacements]
    judged = verdict_on

    def wrong_once(*arguments: object, **named: object) -> Verdict:
        text = str(arguments[2])
        return Verdict(REFUTED, "as a test") if f"{chosen[0]}__storage" in text else judged(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(sys.modules[decide.__module__], "verdict_on", wrong_once)
    outcome = rewrite(parse(asked, two.session), two.definitions, two.relations)
    assert [r.view.name.table for r in outcome.replacements] == [{"first": "second", "second": "first"}[chosen[0]]]
    refuted = [a for a in outcome.tried if a.reason == "PLAN_REFUTED"]
    assert [(a.view.table, a.detail) for a in refuted] == [(chosen[0], "as a test")]
