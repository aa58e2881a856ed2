"""The comparison of a statement with its rewriting."""

from __future__ import annotations

import time

import pytest

from proxy.console.statements import compared


@pytest.mark.parametrize(
    ("one", "other"), [("SELECT " + "1," * 740, "SELECT " + "1 x " * 600), ("(" * 1490, "( )" * 490)]
)
def test_repeated_tokens_are_compared_at_once(one: str, other: str) -> None:
    since = time.thread_time()
    left, right = compared(one, other)
    assert time.thread_time() - since < 2
    assert ("".join(piece.text for piece in left), "".join(piece.text for piece in right)) == (one, other)


def test_columns_of_a_long_statement_are_compared_one_by_one() -> None:
    names = [f"c{number}" for number in range(170)]
    one = "SELECT " + ", ".join(f"sum(amount) AS {name}" for name in names)
    other = "SELECT " + ", ".join(f"sum(agg.amount) AS {name}" for name in names)
    left, right = compared(one, other)
    assert [piece.text for piece in left if piece.differs] == ["amount"] * 170
    assert [piece.text for piece in right if piece.differs] == ["agg.amount"] * 170
