"""Variances from exact sums."""

from __future__ import annotations

import statistics

import duckdb
import pytest
from sqlglot import exp

from rewriter.functions.moments import deviation, digits_of, scale_of, squared
from rewriter.match.printing import expression_text

VALUES = (1000001, 1000002, 1000004, -7, -7)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("var_pop", statistics.pvariance(VALUES)),
        ("var_samp", statistics.variance(VALUES)),
        ("stddev_pop", statistics.pstdev(VALUES)),
        ("stddev_samp", statistics.stdev(VALUES)),
    ],
)
@pytest.mark.parametrize("scale", [0, 2])
def test_of_whole_numbers(name: str, expected: float, scale: int) -> None:
    sums = (f"CAST({number} AS DECIMAL(38,0))" for number in (sum(VALUES), sum(v * v for v in VALUES)))
    total, squares = (exp.Var(this=text) for text in sums)
    tree = deviation(name, total, squares, exp.Literal.number(len(VALUES)), scale)
    ((value,),) = duckdb.execute(f"SELECT {expression_text(tree)}").fetchall()
    per = 100 if scale else 1
    assert value == pytest.approx(expected / (per if name.startswith("stddev") else per * per))


def test_of_nothing_and_of_one_value() -> None:
    zero = exp.Literal.number(0)
    none = deviation("var_pop", exp.Null(), exp.Null(), zero, 0)
    one = deviation("var_samp", zero, zero, exp.Literal.number(1), 0)
    assert duckdb.execute(f"SELECT {expression_text(none)}, {expression_text(one)}").fetchall() == [(None, None)]


@pytest.mark.parametrize(
    ("kind", "scale"),
    [("int", 0), ("decimal(10,2)", 2), ("bigint", None), ("decimal(11,2)", None), ("double", None), (None, None)],
)
def test_types_of_which_the_sums_are_exact(kind: str | None, scale: int | None) -> None:
    assert scale_of(kind) == scale


def test_the_digits_of_a_decimal() -> None:
    digits = digits_of(exp.column("price"), 2)
    assert expression_text(digits) == "CAST(price * 100 AS DECIMAL(19, 0))"
    assert expression_text(squared(digits)).count("price") == 2
