"""What a WHERE clause is known to imply."""

from __future__ import annotations

from typing import Any

import pytest

from rewriter.block import Predicates, build_block
from rewriter.block.conjuncts import conjuncts_of
from rewriter.model import Column, TableName
from rewriter.sql import parse_select

COLUMNS = tuple(
    Column(name, kind, nullable)
    for name, kind, nullable in (
        ("n", "int", True),
        ("id", "int", False),
        ("m", "bigint", True),
        ("k", "int", True),
        ("s", "string", True),
        ("x", "double", True),
        ("y", "double", True),
        ("d", "date", True),
        ("ts", "timestamp", True),
        ("price", "decimal(10,2)", True),
        ("wide", "decimal(38,10)", True),
    )
)


def implies(query: str, view: str, zone: str = "UTC") -> bool:
    """Whether one predicate implies every part of another."""

    def block_of(predicate: str) -> Any:
        tree = parse_select(f"SELECT 1 FROM t WHERE {predicate}")
        return build_block(tree, lambda table: (TableName(("lake", "demo", "t")), COLUMNS))

    block = block_of(query)
    known = Predicates(block, block.where, zone)
    return all(known.implies(part) for whole in block_of(view).where for part in conjuncts_of(whole))


@pytest.mark.parametrize(
    ("query", "view"),
    [
        ("n > 5", "n > 4"),
        ("n > 5", "n >= 6"),
        ("n = 3", "n IN (1, 2, 3)"),
        ("n BETWEEN 2 AND 4", "NOT n < 2"),
        ("n = 3", "n IS NOT NULL"),
        ("s = 'b'", "s > 'a' AND s < 'c'"),
        ("NOT (s = 'a' OR s = 'b')", "s <> 'a'"),
        ("s NOT IN ('a', 'b')", "NOT (s = 'b')"),
        ("n IS NULL", "n < 0 OR n IS NULL"),
        ("n = k AND n = 5", "k < 6"),
        ("n = k", "k = n AND n IS NOT NULL"),
        ("price >= 1.50", "price > 1.49"),
        ("d = '2024-01-31'", "d >= DATE '2024-01-01' AND d < '2024-02-01'"),
        ("d <= '2024-01-31'", "d < '2024-02-01'"),
        ("ts >= TIMESTAMP '2024-01-02 00:00:00'", "ts > '2024-01-01 23:59:59.5'"),
        ("ts IN (TIMESTAMP '2024-01-02 00:00:00', DATE '2024-01-03')", "ts > '2024-01-01'"),
        ("d IN ('2024-01-02', '2024-01-03')", "d > '2024-01-01'"),
        ("wide >= 0.1234567891", "wide > 0.1234567890"),
        ("length(s) > 2", "length(s) > 2"),
        ("id IN (1)", "id IS NOT NULL"),
        ("n > 9 AND n < 3", "n = 77"),
    ],
)
def test_implied(query: str, view: str) -> None:
    assert implies(query, view)


@pytest.mark.parametrize(
    ("query", "view"),
    [
        ("n >= 5", "n > 5"),
        ("n IS NULL", "n <> 3"),
        ("n <> 3", "n < 3"),
        ("s IS NOT NULL", "s = 'a'"),
        ("n = m", "m = n AND n > 0"),
        ("x = y AND x = 0.0", "y = 0.0"),
        ("x > 1", "x > 0"),
        ("length(s) > 3", "length(s) > 2"),
        ("n = '5'", "n > 4"),
        ("d = '2024-01-31 12:00:00'", "d < '2024-02-01'"),
        ("s > 5", "s > '4'"),
        ("price > 1.5", "price > 1.6"),
        ("n IN (1, NULL)", "n = 1"),
        ("TRUE", "n = n"),
        ("wide >= 0.12345678907", "wide > 0.12345678906"),  # both are 0.1234567891 to Spark
        ("n = 0.99999999999999999999999999999", "n < 1"),  # with 28 digits behind the point it is 1
        ("ts IN ('2024-01-02')", "ts = '2024-01-02'"),  # without ANSI mode, IN compares texts
        ("ts NOT IN ('2024-01-02')", "ts <> '2024-01-02'"),
        ("d IN (' 2024-01-02')", "d = '2024-01-02'"),
    ],
)
def test_not_implied(query: str, view: str) -> None:
    assert not implies(query, view)


def test_a_local_time_in_a_gap_is_the_instant_that_java_makes_of_it() -> None:
    # In Berlin 02:30 did not exist on this day: it is 03:30, which is after 03:00.
    assert implies("ts = '2024-03-31 02:30:00'", "ts > '2024-03-31 03:00:00'", zone="Europe/Berlin")
    assert not implies("ts = '2024-03-31 02:30:00'", "ts > '2024-03-31 03:00:00'", zone="UTC")
