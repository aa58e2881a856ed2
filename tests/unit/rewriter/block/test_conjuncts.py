"""The conjuncts that all branches of a disjunction share."""

from __future__ import annotations

import pytest

from rewriter.block.conjuncts import conjuncts_of
from rewriter.sql import parse_select


@pytest.mark.parametrize(
    ("predicate", "parts"),
    [
        ("a = 1 AND (b = 2 AND c = 3)", ["a = 1", "b = 2", "c = 3"]),
        ("(a = b AND c = 1) OR (c = 2 AND b = a)", ["a = b", "c = 1 OR c = 2"]),
        ("(a = 1 AND b = 2) OR a = 1", ["a = 1"]),
        ("(a = 1 AND b = 2) OR (a = 1 AND (c = 3 AND b = 2))", ["a = 1", "b = 2"]),
        ("(a = 1 AND b = 2 AND c = 3) OR (a = 1 AND d = 4)", ["a = 1", "b = 2 AND c = 3 OR d = 4"]),
        ("(a = 1 AND b = 2) OR ((a = 1 AND c = 3) OR (d = 4 AND a = 1))", ["a = 1", "b = 2 OR c = 3 OR d = 4"]),
        ("(a < b AND c = 1) OR (b < a AND c = 2)", ["(a < b AND c = 1) OR (b < a AND c = 2)"]),
        ("(a = 1 AND b = 2) OR c = 3", ["(a = 1 AND b = 2) OR c = 3"]),
        ("NOT ((a = 1 AND b = 2) OR (a = 1 AND c = 3))", ["NOT ((a = 1 AND b = 2) OR (a = 1 AND c = 3))"]),
    ],
)
def test_conjuncts(predicate: str, parts: list[str]) -> None:
    where = parse_select(f"SELECT 1 FROM t WHERE {predicate}").args["where"].this
    assert [part.sql() for part in conjuncts_of(where)] == parts


def test_the_predicate_stays_as_it_was() -> None:
    tree = parse_select("SELECT 1 FROM t WHERE (a = 1 AND b = 2) OR (a = 1 AND c = 3)")
    list(conjuncts_of(tree.args["where"].this))
    assert all(child.parent is node for node in tree.walk() for child in node.iter_expressions())
