"""Groups of groups become groups of rows, or the reason why they cannot is returned."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewriter.block import Block
from rewriter.match.flattened import flattened
from rewriter.match.printing import print_block
from rewriter.sql import columns_in
from tests.golden.corpus import GoldenFile, world
from tests.unit.rewriter.engine.test_leaves import block

GROUPS = "(SELECT id, n, sum(n) AS s, count(*) AS c, max(n) AS top FROM facts GROUP BY id, n)"
INNER = "SELECT sum(s) FROM (SELECT {} id, {} AS s FROM facts {})"


@pytest.mark.parametrize(
    ("query", "select"),
    [
        ("SELECT id, sum(s), max(top) FROM {} GROUP BY id", "sum(facts_0.n) AS c1, max(facts_0.n) AS c2"),
        ("SELECT id, sum(c), min(n) FROM {} GROUP BY id", "count(*) AS c1, min(facts_0.n) AS c2"),
        ("SELECT id, count(DISTINCT n) FROM {} WHERE id > 1 GROUP BY id", "count(DISTINCT facts_0.n) AS c1"),
        ("SELECT id, sum(s) FILTER (WHERE n > 1) FROM {} GROUP BY id", "sum(facts_0.n) FILTER(WHERE facts_0.n > 1)"),
        ("SELECT sum(c) FROM {}", "SELECT sum(1) AS c0"),  # count(*) would be 0 without rows
    ],
)
def test_an_aggregate_of_groups_becomes_an_aggregate_of_rows(query: str, select: str) -> None:
    flat = flattened(block(query.format(GROUPS)))
    assert isinstance(flat, Block)
    text = print_block(flat, [f"c{place}" for place in range(len(flat.outputs))])
    assert select in text
    assert text.count("SELECT") == 1


@pytest.mark.parametrize("alias", ["", "AS facts", "AS d"])
def test_keys_of_groups_are_columns_of_the_tables_of_the_block(alias: str) -> None:
    flat = flattened(block(f"SELECT s FROM {GROUPS} {alias}"))
    assert isinstance(flat, Block)
    assert {column.table for tree in flat.expressions for column in columns_in(tree)} == {t.id for t in flat.tables}


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        (f"SELECT id, avg(s) FROM {GROUPS} GROUP BY id", "avg(sum(n)) needs the complete groups of a derived table"),
        (f"SELECT sum(top) FROM {GROUPS}", "sum(max(n)) needs the complete groups of a derived table"),
        (f"SELECT min(top) FROM {GROUPS}", "min(max(n)) needs the complete groups of a derived table"),
        (f"SELECT count(*) FROM {GROUPS}", "count(*) depends on the number of groups of a derived table"),
        (f"SELECT count(id) FROM {GROUPS}", "count(id) depends on the number of groups of a derived table"),
        (
            f"SELECT sum(s) FROM {GROUPS} WHERE s > 9",
            "the outer SELECT filters by sum(n) > 9, which needs the complete",
        ),
        (f"SELECT s FROM {GROUPS} GROUP BY s", "the outer SELECT groups by sum(n), which needs the complete groups"),
        (
            f"SELECT max(g.top) FROM {GROUPS} AS g LEFT JOIN names ON names.id = g.s",
            "the outer SELECT joins on id = sum(n), which needs the complete groups",
        ),
        (
            f"SELECT sum(s) FILTER (WHERE c > 1) FROM {GROUPS}",
            "the condition of sum(sum(n)) FILTER(WHERE count(*) > 1) needs the complete groups",
        ),
        (
            INNER.format("", "count(*) FILTER (WHERE n > 1)", "GROUP BY id"),
            "sum(count(*) FILTER(WHERE n > 1)) needs the complete groups",
        ),
        (
            INNER.format("", "sum(CAST(n AS DECIMAL(29, 2)))", "GROUP BY id"),
            "the sum sum(CAST(n AS DECIMAL(29, 2))) of one group may overflow, to NULL without ANSI mode",
        ),
        (INNER.format("", "sum(n)", "GROUP BY id HAVING count(*) > 1"), "a derived table has HAVING"),
        (INNER.format("", "sum(n)", "GROUP BY id LIMIT 3"), "a derived table has LIMIT or OFFSET"),
        (INNER.format("", "sum(n)", "GROUP BY ROLLUP (id)"), "a derived table has GROUPING SETS"),
        (INNER.format("DISTINCT", "sum(n)", "GROUP BY id"), "a derived table has DISTINCT or window functions"),
        (
            INNER.format("", "sum(n)", "WHERE n > (SELECT max(id) FROM names) GROUP BY id"),
            "a derived table has a subquery",
        ),
        (
            INNER.format("CAST(n AS DOUBLE) AS", "sum(n)", "GROUP BY CAST(n AS DOUBLE)"),
            "a derived table groups by a floating-point number, or by an expression of unknown type",
        ),
        (
            "SELECT sum(n) FROM (SELECT id, n FROM facts UNION SELECT n, id FROM facts)",
            "a derived table is not a single",
        ),
        ("SELECT sum(s) FROM (SELECT sum(n) AS s FROM facts)", "a derived table has no GROUP BY"),
        (
            f"SELECT sum(g.s) FROM {GROUPS} AS g FULL JOIN names ON names.id = g.id",
            "a SELECT with a FULL join reads a derived table with GROUP BY",
        ),
        (
            f"SELECT sum(g.s) FROM names LEFT JOIN {GROUPS} AS g ON names.id = g.id",
            "a derived table with GROUP BY is on the right side of a LEFT join",
        ),
        (
            f"SELECT g.s FROM names JOIN {GROUPS} AS g ON names.id = g.id",
            "a SELECT without aggregates joins a derived table with GROUP BY",
        ),
        (
            f"SELECT s, rank() OVER (ORDER BY s) AS r FROM {GROUPS}",
            "a window function reads a derived table with GROUP BY",
        ),
    ],
)
def test_the_reason_is_returned(query: str, reason: str) -> None:
    found = flattened(block(query))
    assert isinstance(found, str)
    assert found.startswith(reason)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT id, sum(s) FROM (SELECT id, n, sum(x) AS s FROM facts GROUP BY id, n) GROUP BY id",
        "SELECT id, sum(x) FROM (SELECT id, n, sum(x) AS x FROM facts GROUP BY id, n) AS d GROUP BY id",
        "SELECT i, sum(c) FROM (SELECT id AS i, n, count(*) AS c FROM facts GROUP BY id, n) AS d GROUP BY i",
        "SELECT id, sum(c) FROM (SELECT id, count(x) AS c FROM facts GROUP BY id, n) WHERE id > 3 GROUP BY id",
        "WITH d AS (SELECT id, n, sum(x) AS s FROM facts GROUP BY id, n) SELECT id, sum(s) FROM d GROUP BY id",
        "SELECT id, sum(s) FROM (SELECT id, sum(CASE WHEN n > 1 THEN x END) s FROM facts GROUP BY id, n) GROUP BY id",
        "SELECT k, sum(s) FROM (SELECT id AS k, s FROM (SELECT id, sum(x) AS s FROM facts GROUP BY id, n)) GROUP BY k",
        "SELECT id, s FROM (SELECT id, sum(x) AS s, max(n) AS unused FROM facts GROUP BY id)",
        "SELECT 1 IN (SELECT id FROM (SELECT id, max(n) AS unused FROM facts GROUP BY id))",
    ],
)
def test_the_index_finds_views_for_the_rows_of_groups(query: str) -> None:
    view = (
        "SELECT id, sum(x) AS s, count(*) AS c, count(x) AS cx, sum(CASE WHEN n > 1 THEN x END) AS some FROM facts "
        "GROUP BY id"
    )
    built = world(GoldenFile(Path(), schema="CREATE TABLE facts (id INT, n INT, x INT)", views={"by_id": view}))
    assert "by_id__storage" in built.rewrite(query).sql()  # also checks that the index leaves out no view
