"""Which expressions are equal, whatever the order of their operands."""

from __future__ import annotations

import pytest
from sqlglot import exp

from rewriter.block import meaning
from rewriter.sql import parse_select, render


def expression(text: str) -> exp.Expr:
    found: exp.Expr = parse_select(f"SELECT {text} FROM t").expressions[0]
    return found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a + b", "b + a"),
        ("sum(a * (b + c))", "sum((c + b) * a)"),
        ("a = b", "b = a"),
        ("a <> b", "b <> a"),
        ("a <=> b", "b <=> a"),
        ("a <= b", "b >= a"),
        ("a AND b AND c", "c AND a AND b"),
        ("a OR b OR a", "b OR a"),
        ("CASE WHEN a < b AND c THEN d ELSE e END", "CASE WHEN c AND b > a THEN d ELSE e END"),
        ("x IN (1, 2, 3, 2)", "x IN (3, 2, 1)"),
        ("a + b IN (SELECT c FROM u)", "b + a IN (SELECT c FROM u)"),
    ],
)
def test_one_meaning(one: str, other: str) -> None:
    assert meaning(expression(one)) == meaning(expression(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a - b", "b - a"),
        ("a / b", "b / a"),
        ("a < b", "b < a"),
        ("a + b + c", "c + b + a"),
        ("a * b * c", "b * c * a"),
        ("coalesce(a, b)", "coalesce(b, a)"),
        ("concat(a, b)", "concat(b, a)"),
        ("CASE WHEN a THEN b WHEN c THEN d END", "CASE WHEN c THEN d WHEN a THEN b END"),
        ("a AND (b OR c)", "a OR (b AND c)"),
        ("x IN (1, 2)", "x IN (1, 3)"),
    ],
)
def test_different_meanings(one: str, other: str) -> None:
    assert meaning(expression(one)) != meaning(expression(other))


def test_the_expression_stays_as_it_was() -> None:
    tree = parse_select("SELECT b * a, x IN (2, 1) AND y > z FROM t")
    text = render(tree)
    for item in tree.expressions:
        meaning(item)
    assert render(tree) == text
    assert all(child.parent is node for node in tree.walk() for child in node.iter_expressions())


def test_a_long_chain_takes_no_longer_than_it_is() -> None:
    chain = " OR ".join(f"x = {i}" for i in range(3000))
    assert meaning(expression(chain)) == meaning(expression(" OR ".join(reversed(chain.split(" OR ")))))
