"""The message of an unsupported query names the one cause that applies."""

from __future__ import annotations

import pytest
from sqlglot import exp

from rewriter.block import Found, Unsupported, build_block
from rewriter.model import Column, TableName
from rewriter.sql import parse_select

COLUMNS = (Column("a", "int", nullable=False), Column("b", "int"), Column("c", "string"))


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT t.a FROM t LEFT JOIN (SELECT a + 1 AS z FROM u) AS d ON z = t.a", "LEFT join of d is .* computes a"),
        ("SELECT t.a FROM t LEFT JOIN (SELECT u.a FROM u LEFT JOIN v ON u.a = v.a) AS d ON d.a = t.a", "a LEFT join:"),
        ("SELECT t.a FROM t LEFT JOIN u ON t.a = u.a RIGHT JOIN v ON v.a = t.a", "RIGHT join after a LEFT join"),
        ("SELECT t.a FROM t RIGHT JOIN (SELECT u.a FROM u LEFT JOIN v ON u.a = v.a) AS d ON d.a = t.a", "table d,"),
        ("SELECT d.z FROM (SELECT a + 1 AS z FROM u) AS d RIGHT JOIN t ON z = t.a", "after a derived table that compu"),
        ("SELECT t.a FROM t JOIN u ON t.a = u.a FULL JOIN v ON v.a = t.a", "more than two tables"),
        ("SELECT t.a FROM t FULL JOIN (SELECT a FROM u WHERE b > 1) AS d ON d.a = t.a", "table that filters rows"),
        ("SELECT t.a FROM t FULL JOIN (SELECT a + 1 AS z FROM u) AS d ON z = t.a", "table that computes a column"),
        ("SELECT t.a FROM t SEMI JOIN (SELECT u.a FROM u LEFT JOIN v ON u.a = v.a) AS d ON d.a = t.a", "table d,"),
        ("SELECT x.a FROM (SELECT a FROM u GROUP BY a) AS x", "x groups its rows, so"),
        ("SELECT x.a FROM (SELECT a FROM u LIMIT 1) AS x", "x has LIMIT or OFFSET, so"),
        ("SELECT x.r FROM (SELECT rank() OVER (ORDER BY a) AS r FROM u) AS x", "x has DISTINCT or a window function"),
        ("SELECT t.a FROM t TABLESAMPLE (10 PERCENT)", "in FROM has TABLESAMPLE, which is not supported"),
        ("SELECT t.x FROM t AS t (x, y, z)", "in FROM has column aliases, which is not supported"),
        ("SELECT a, count(*) FROM t GROUP BY a, a WITH ROLLUP", "names the key a twice"),
        ("SELECT count(*) FROM t GROUP BY CUBE (a, b), ROLLUP (a, b, c), CUBE (a, b, c), CUBE (b, c)", "grouping sets"),
        ("SELECT sum(a) AS s FROM t GROUP BY s", "GROUP BY with an aggregate is not supported"),
        ("SELECT a AS x, b AS x FROM t HAVING x > 1", "two outputs have this name"),
        ("SELECT a FROM t WHERE sum(b) > 1", r"an aggregate in sum\(b\) > 1"),
        ("SELECT dateadd(DAY, a, DATE '2024-01-01') FROM t", "the number of units, a, must be a literal"),
        ("SELECT `upper`(c) FROM t", "a function name in backticks is not supported: remove the backticks"),
        ("SELECT dateadd(DAY, 1, c) FROM t", "c is not certainly a DATE or TIMESTAMP"),
        ("SELECT timestampdiff(DAY, DATE '2024-01-01', c) FROM t", "c is not certainly a DATE or TIMESTAMP"),
        ("SELECT t.a FROM t JOIN u ON t.a = u.a AND rank() OVER (ORDER BY t.a) = 1", "has a window function"),
        ("SELECT a FROM t WHERE a IN (SELECT a, b FROM u)", "must have exactly one output"),
        ("SELECT a FROM t WHERE EXISTS (SELECT rank() OVER (ORDER BY b) FROM u WHERE u.a = t.a)", "a window function"),
        ("SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE NOT EXISTS (SELECT 1 FROM v WHERE v.a = u.a))",
         "has an ANTI join"),
        ("SELECT b FROM t, u", "b is ambiguous, because several tables"),
        ("SELECT row_number() OVER (ORDER BY a) FROM t", "only over the groups of a GROUP BY without grouping sets"),
        ("SELECT row_number() OVER (ORDER BY a) FROM t GROUP BY a, b", "add all keys of GROUP BY"),
        ("SELECT some_rank() OVER (ORDER BY a) FROM t", r"some_rank\(\) is not supported as a window function"),
        ("SELECT a FROM t SORT BY a", "the clause SORT BY is not supported"),
    ],
)  # fmt: skip
def test_the_cause_is_named(sql: str, message: str) -> None:
    def find(table: exp.Table) -> Found | None:
        return Found(TableName(("lake", "demo", table.name)), COLUMNS)

    with pytest.raises(Unsupported, match=message):
        build_block(parse_select(sql), find)
