"""Which subqueries in WHERE become SEMI and ANTI joins, and what names in them mean."""

from __future__ import annotations

import pytest
from sqlglot import exp

from rewriter.block import Block, Found, Texts, Unsupported, build_block, opaque_within, text_of
from rewriter.model import Column, TableName
from rewriter.sql import parse_select

TABLES = {
    "o": (Column("a", "int", nullable=False), Column("b", "int"), Column("f", "double"), Column("x", "int")),
    "i": (Column("a", "int", nullable=False), Column("c", "int"), Column("s", "struct<x:int>"), Column("g", "float")),
}


def block(sql: str) -> Block:
    def find(table: exp.Table) -> Found | None:
        found = TABLES.get(table.name)
        return Found(TableName(("lake", "demo", table.name)), found) if found else None

    return build_block(parse_select(sql), find)


@pytest.mark.parametrize(
    ("where", "kind", "on"),
    [
        ("EXISTS (SELECT * FROM i WHERE c = b)", "SEMI", ["i_0.c = o_0.b"]),
        ("NOT EXISTS (SELECT DISTINCT 1 FROM i WHERE c > b AND a = 1)", "ANTI", ["i_0.c > o_0.b", "i_0.a = 1"]),
        ("b IN (SELECT c FROM i WHERE a = 1)", "SEMI", ["o_0.b = i_0.c", "i_0.a = 1"]),
        ("NOT (a IN (SELECT a FROM i))", "ANTI", ["o_0.a = i_0.a"]),
        ("a NOT IN (SELECT c FROM i WHERE c = b)", "ANTI", ["o_0.a = i_0.c", "i_0.c = o_0.b"]),
        ("b NOT IN (SELECT a FROM i) AND b IS NOT NULL", "ANTI", ["o_0.b = i_0.a"]),
        ("EXISTS (SELECT 1 FROM i WHERE o.a = i.a)", "SEMI", ["o_0.a = i_0.a"]),
        ("EXISTS (SELECT 1 FROM o AS y WHERE y.a = o.a)", "SEMI", ["o_1.a = o_0.a"]),
        ("EXISTS (SELECT 1 FROM (SELECT c AS d FROM i WHERE a = 1) AS y WHERE d = b)", "SEMI",
         ["i_0.a = 1", "i_0.c = o_0.b"]),
    ],
)  # fmt: skip
def test_joins(where: str, kind: str, on: list[str]) -> None:
    (join,) = block(f"SELECT a FROM o WHERE {where}").joins
    inner = "o_1" if "FROM o" in where else "i_0"
    assert (join.kind, sorted(join.tables), [part.sql() for part in join.on]) == (kind, [inner], on)


def test_what_is_within_is_joined_with_it() -> None:
    read = block("SELECT a FROM o WHERE a IN (SELECT a FROM i WHERE c IN (SELECT x FROM o AS y WHERE y.b = i.c))")
    (join,) = read.joins
    assert sorted(join.tables) == ["i_0", "o_1"]
    assert [part.sql() for part in join.on] == ["o_0.a = i_0.a", "i_0.c = o_1.x", "o_1.b = i_0.c"]


@pytest.mark.parametrize(
    ("where", "problem"),
    [
        ("EXISTS (SELECT 1 FROM i WHERE a = 1)", "refers to no column of the outer query"),
        ("EXISTS (SELECT 1 FROM i WHERE z = b)", "z is not a column"),
        ("EXISTS (SELECT 1 FROM i WHERE s.x = a)", "s.x is a field of a struct"),  # a field of a struct
        ("EXISTS (SELECT 1 FROM i AS s JOIN o AS y ON s.a = y.a WHERE s.b = x)", "s.b is a field of a struct"),
        ("EXISTS (SELECT 1 FROM (SELECT CAST(c AS INT) FROM i) AS y WHERE x = 1)", "x is not a column"),
        ("EXISTS (SELECT 1 FROM i LEFT JOIN o AS y ON i.a = y.a WHERE i.c = o.b)", "has a LEFT join"),
        ("EXISTS (SELECT count(*) FROM i WHERE c = b)", "computes an aggregate"),
        ("EXISTS (SELECT c FROM i WHERE c = b GROUP BY c)", "has the clause GROUP BY"),
        ("EXISTS (SELECT c FROM i WHERE c = b LIMIT 1)", "has the clause LIMIT"),
        ("EXISTS (SELECT explode(array(c)) FROM i WHERE c = b)", "explode"),
        (
            "EXISTS (SELECT 1 FROM o AS y WHERE EXISTS (SELECT 1 FROM i WHERE c = f))",
            "refers to no column of the outer query",
        ),
        ("EXISTS (SELECT 1 FROM i WHERE EXISTS (SELECT 1 FROM i AS y WHERE y.c = x))", "x is not a column"),
        ("b IN (SELECT c + 1 FROM i)", "have the same type"),
        ("f IN (SELECT g FROM i)", "have the same type"),
        ("(a, b) IN (SELECT a, c FROM i)", "is not supported"),
        ("a NOT IN (SELECT c FROM i)", "exclude NULLs of c"),
        ("b NOT IN (SELECT a FROM i)", "only if neither side can be NULL"),
        ("b NOT IN (SELECT a FROM i) AND (b > 1 OR x = 1)", "only if neither side can be NULL"),
        ("EXISTS (SELECT 1 FROM i WHERE c = b) OR x = 1", "is not supported"),
    ],
)
def test_what_is_no_join(where: str, problem: str) -> None:
    with pytest.raises(Unsupported, match=problem):
        block(f"SELECT a FROM o WHERE {where}")


def test_what_a_left_join_fills_up_may_be_null() -> None:
    with pytest.raises(Unsupported, match="only if neither side can be NULL"):
        block("SELECT o.a FROM o LEFT JOIN i ON o.a = i.a WHERE i.a NOT IN (SELECT a FROM o AS y)")
    assert block("SELECT o.a FROM o LEFT JOIN i ON o.a = i.a WHERE o.a NOT IN (SELECT a FROM o AS y)").joins


def constants(sql: str) -> list[str]:
    """Return the texts of the subqueries that a SELECT's block keeps."""

    def find(table: exp.Table) -> Found | None:
        found = TABLES.get(table.name)
        return Found(TableName(("lake", "demo", table.name)), found) if found else None

    read = build_block(parse_select(sql), find, texts=Texts(lambda tree: tree.sql("spark")))
    return [text_of(call) for tree in read.expressions for call in opaque_within(tree)]


@pytest.mark.parametrize(
    "where",
    [
        "b > (SELECT MAX(c) FROM i)",
        "b = 1 OR b IN (SELECT c + 1 FROM i GROUP BY c + 1 HAVING COUNT(*) > 1)",
        "a NOT IN (SELECT c FROM i)",
        "NOT EXISTS(SELECT 1 FROM i WHERE c = 1)",
        "b > (SELECT MIN(c) FROM i WHERE EXISTS(SELECT 1 FROM o WHERE o.a = i.a))",
    ],
)
def test_what_depends_on_nothing_is_kept(where: str) -> None:
    (text,) = constants(f"SELECT a FROM o WHERE {where}")
    assert f"({text})" in where


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("SELECT a FROM o WHERE b > (SELECT max(c) FROM i WHERE c = f)", "refers to f"),
        ("SELECT a FROM o WHERE b > (SELECT c FROM i LIMIT 1)", "has LIMIT, which is not supported"),
        (f"SELECT a FROM o WHERE {'b > (SELECT max(b) FROM o WHERE ' * 4}a = 1{')' * 4}", "is not supported"),
        ("SELECT a FROM o WHERE b > (SELECT max(c) * rand() FROM i)", "rand"),
        ("SELECT a FROM o WHERE b > (SELECT max(row_number() OVER (ORDER BY c)) FROM i)", "contains a window function"),
        ("SELECT a FROM o WHERE b IN (SELECT c FROM i UNION ALL SELECT 1)", "write the subquery as a single SELECT"),
        ("SELECT a, b IN (SELECT c FROM i) FROM o", "subquery SELECT c FROM i is supported only in WHERE and HAV"),
        ("SELECT sum(b + (SELECT max(c) FROM i)) FROM o", "contains a subquery"),
        ("SELECT count(*) FILTER (WHERE b > (SELECT max(c) FROM i)) FROM o", "contains a subquery"),
        ("SELECT rank() OVER (ORDER BY b - (SELECT max(c) FROM i)) FROM o", "window function"),
        (
            "SELECT count(*) FROM o GROUP BY b + (SELECT max(c) FROM i)",
            "a subquery in GROUP BY is not supported",
        ),
        ("SELECT a FROM o LEFT JOIN (SELECT c FROM i WHERE c > (SELECT max(x) FROM o)) AS y ON c = b", "of a join"),
    ],
)
def test_what_is_not_kept(sql: str, problem: str) -> None:
    with pytest.raises(Unsupported, match=problem):
        constants(sql)
