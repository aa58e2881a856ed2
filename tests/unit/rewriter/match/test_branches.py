"""CASE and if() split into conditions and values, and built again."""

from __future__ import annotations

import pytest
from sqlglot import exp

from rewriter.block import Scope, canonical
from rewriter.match.branches import branches_of, chosen
from rewriter.sql import parse_select, render


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("CASE WHEN TRUE THEN 1 ELSE 2 END", "CASE WHEN TRUE THEN 1 ELSE 2 END"),
        ("CASE 7 WHEN 1 THEN 2 WHEN 3 THEN 4 END", "CASE 7 WHEN 1 THEN 2 WHEN 3 THEN 4 END"),
        ("if(TRUE, 1, NULL)", "CASE WHEN TRUE THEN 1 END"),
    ],
)
def test_a_choice_survives(text: str, again: str) -> None:
    branches = branches_of(canonical(parse_select(f"SELECT {text} FROM t").expressions[0], Scope(())))
    assert branches is not None
    assert render(chosen(branches, list(branches.conditions), list(branches.values))) == again


def test_other_expressions_choose_nothing() -> None:
    assert branches_of(exp.column("x")) is None
    assert branches_of(exp.Anonymous(this="if", expressions=[exp.column("x")])) is None
