"""The verdicts on plans that read a set operation from a view."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewriter.engine.set_operations import verify_set
from rewriter.verify import PROVED, REFUTED, Verdict
from tests.golden.corpus import GoldenFile, world

SCHEMA = "CREATE TABLE sales (id INT, region STRING); CREATE TABLE returns (id INT, region STRING)"
VIEW = "SELECT id, region FROM sales WHERE id > 3 {} SELECT id, region FROM returns"
PLAN = "SELECT v.`id` AS id, v.`region` AS region FROM lake.demo.mv__storage AS v"


def verdict(operator: str, query: str, plan: str = PLAN) -> Verdict:
    built = world(GoldenFile(Path(), schema=SCHEMA, views={"mv": VIEW.format(operator)}))
    (view,) = built.definitions.views
    return verify_set(query, plan, built.session, view, built.definitions, built.relations)


@pytest.mark.parametrize("operator", ["UNION", "UNION ALL", "INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL"])
def test_the_same_operation_is_proved(operator: str) -> None:
    assert verdict(operator, VIEW.format(operator)).status == PROVED


def test_a_view_of_another_operator_is_refuted() -> None:
    assert verdict("UNION", VIEW.format("INTERSECT")).status == REFUTED
    assert verdict("UNION ALL", VIEW.format("UNION")).status == REFUTED


@pytest.mark.parametrize(
    ("query", "plan"),
    [
        (VIEW.format("UNION ALL").replace("id > 3", "id > 4"), PLAN),
        (VIEW.format("UNION ALL"), f"{PLAN} WHERE v.`id` > 5"),
        (VIEW.format("UNION ALL") + " LIMIT 2", PLAN),
        (VIEW.format("UNION ALL") + " ORDER BY id", f"{PLAN} ORDER BY 2"),
    ],
)
def test_other_rows_or_another_order_are_not_proved(query: str, plan: str) -> None:
    assert verdict("UNION ALL", query, plan).status != PROVED


def test_columns_left_out_merge_rows() -> None:
    plan = "SELECT v.`id` AS id FROM lake.demo.mv__storage AS v"
    query = "SELECT id FROM sales WHERE id > 3 {} SELECT id FROM returns"
    assert verdict("UNION", query.format("UNION"), plan).status == REFUTED
    assert verdict("UNION ALL", query.format("UNION ALL"), plan).status == PROVED
