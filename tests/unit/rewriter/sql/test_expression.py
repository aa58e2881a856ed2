"""The fast printer writes what sqlglot's generator would write."""

from __future__ import annotations

import pytest
from sqlglot import exp

from rewriter.sql import expression_sql, parse_select, render


@pytest.mark.parametrize(
    "sql",
    [
        "t.a",
        "`a b`.`c``d`",
        "`select`",
        "a + b",
        "a - (b - c)",
        "-(a + b)",
        "(a / b) * 1.50",
        "NOT (a = b)",
        "(a OR b) AND (c <=> d)",
        "(a + 1) IN (1, 'x')",
        "a IS NULL",
        "(a > b) IS TRUE",
        "CASE a WHEN 1 THEN 'x' ELSE NULL END",
        "CASE WHEN a > 1 THEN b + 1 WHEN a <> 2 THEN FALSE END",
        "CAST(a + 1 AS DECIMAL(10, 2))",
        "TRY_CAST(a AS STRING)",
        "DATE '2024-01-01'",
        "coalesce(sum(v.x), 0)",
        "count(DISTINCT a, b)",
        "count(*) FILTER(WHERE a > 1)",
        "sum(a) OVER (PARTITION BY b ORDER BY c DESC NULLS LAST)",
        "INTERVAL '1' DAY",
        "a || 'b'",
        "a LIKE 'x%'",
        "a % (b + 1)",
        r"'it\'s'",
        r"'a\\b'",
        r"'line\nbreak'",
        "'grün'",
    ],
)
def test_as_the_generator_writes_it(sql: str) -> None:
    tree = parse_select(f"SELECT {sql} FROM t").expressions[0]
    assert expression_sql(_bare(tree)) == render(tree)


def test_special_nodes_are_written_otherwise_wherever_they_stand() -> None:
    tree = parse_select("SELECT f(g(a)) + sum(g(b)) OVER (PARTITION BY g(c)) FROM t").expressions[0]

    def special(node: exp.Expr) -> str | None:
        return f"<{node.expressions[0].name}>" if isinstance(node, exp.Anonymous) and node.name == "g" else None

    assert expression_sql(tree, special) == "f(<a>) + sum(<b>) OVER (PARTITION BY <c>)"


def _bare(tree: exp.Expr) -> exp.Expr:
    """Return the tree without parentheses, like canonical trees."""
    bare: exp.Expr = tree.transform(lambda node: node.this if isinstance(node, exp.Paren) else node)
    return bare
