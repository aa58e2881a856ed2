"""What Spark is asked about correlated subqueries, and which outer names prevent a rewriting."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewriter import Reason, parse
from tests.golden.corpus import GoldenFile, World, world

SCHEMA = """
CREATE TABLE part (id INT NOT NULL, size DECIMAL(10,2));
CREATE TABLE items (pid INT NOT NULL, qty INT, day DATE)
"""
VIEWS = {"by_part": "SELECT pid, day, sum(qty) AS total, count(*) AS cnt FROM items GROUP BY pid, day"}


@pytest.fixture(scope="module")
def built() -> World:
    return world(GoldenFile(Path(), schema=SCHEMA, views=VIEWS))


def test_the_original_can_be_described_by_itself(built: World) -> None:
    within = "SELECT sum(qty) FROM items AS i WHERE i.pid = p.id AND p.size > 1"
    (replacement,) = built.rewrite(f"SELECT id FROM part AS p WHERE size > ({within})").replacements
    values = within.replace("p.id", "CAST(NULL AS int)").replace("p.size", "CAST(NULL AS decimal(10,2))")
    assert replacement.original == values
    assert replacement.text(None, {}).endswith("AS v WHERE v.`pid` = p.id AND p.size > 1")


@pytest.mark.parametrize("alias", ["p", "v", "total", "CNT", "`day`"])
def test_a_name_that_would_mean_something_else(built: World, alias: str) -> None:
    sql = f"SELECT {alias}.id FROM part AS {alias} WHERE 9 > (SELECT sum(qty) FROM items WHERE pid = {alias}.id)"
    assert built.rewrite(sql).rewritten == (alias == "p")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM part AS p WHERE EXISTS (SELECT sum(qty) FROM items WHERE pid = p.id)",
        "SELECT id FROM part AS p WHERE id IN (SELECT sum(qty) FROM items WHERE pid = p.id)",
        "SELECT id FROM part AS p JOIN (SELECT sum(qty) AS q FROM items WHERE pid = p.id) AS i ON q = size",
        "SELECT id FROM part AS p GROUP BY id HAVING id > (SELECT sum(qty) FROM items WHERE pid = p.id)",
        "SELECT id FROM part LATERAL VIEW explode(array(1)) AS x WHERE id > (SELECT sum(qty) FROM items WHERE pid = x)",
    ],
)
def test_only_operands_of_where_take_something_from_around(built: World, sql: str) -> None:
    inner = parse(sql, built.session).blocks[1]
    outcome = built.rewrite(sql)
    assert not outcome.rewritten
    assert {attempt.reason for attempt in outcome.tried if attempt.block == inner.text} == {Reason.UNSUPPORTED}


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("id > (SELECT sum(qty) FROM items WHERE pid = p.id HAVING sum(qty) > 1)", "has HAVING"),
        ("id > (SELECT sum(qty) FROM items WHERE pid = p.id GROUP BY day)", "has GROUP BY or DISTINCT"),
        ("id > (SELECT qty FROM items WHERE pid = p.id)", "has no aggregate, and is not in EXISTS or IN"),
        ("id IN (SELECT qty FROM items WHERE pid = p.id LIMIT 1)", "has LIMIT"),
        ("id IN (SELECT sum(qty) FROM items WHERE pid = p.id)", "computes an aggregate in EXISTS or IN"),
        ("id IN (SELECT rank() OVER (ORDER BY qty) FROM items WHERE pid = p.id)", "has a window function"),
    ],
)
def test_the_unsupported_part_of_a_correlated_subquery_is_named(built: World, sql: str, problem: str) -> None:
    tried = built.rewrite(f"SELECT id FROM part AS p WHERE {sql}").tried
    message = f"the correlated subquery {problem}, which is not supported: write the subquery as a join"
    assert message in {attempt.detail for attempt in tried}
