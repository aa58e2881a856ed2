"""The components of an average; the integration tests compare the digits with Spark's."""

from __future__ import annotations

import pytest
from sqlglot import exp

from rewriter.functions.averages import average
from rewriter.match.printing import expression_text

TOTAL, COUNT = exp.column("s"), exp.column("c")


def test_integers_and_doubles_are_divided_as_doubles() -> None:
    for kind in ("int", "bigint", "double"):
        tree = average(TOTAL, COUNT, kind)
        assert tree is not None
        assert expression_text(tree) == "CAST(s AS DOUBLE) / CAST(nullif(c, 0) AS DOUBLE)"


def test_decimals_of_few_digits_too_with_their_digits_as_whole_numbers() -> None:
    tree = average(TOTAL, COUNT, "decimal(11,4)")
    assert tree is not None
    assert expression_text(tree) == (
        "CAST((CAST(s * 10000 AS DOUBLE) / CAST(nullif(c, 0) AS DOUBLE)) / CAST(10000 AS DOUBLE) AS DECIMAL(15, 8))"
    )


def test_decimals_of_many_digits_by_whole_part_and_remainder() -> None:
    tree = average(TOTAL, COUNT, "decimal(12,2)")
    assert tree is not None
    text = expression_text(tree)
    assert " % " in text
    assert text.endswith("AS DECIMAL(16, 6))")


@pytest.mark.parametrize("kind", ["decimal(29,2)", "decimal(20,7)", "decimal(31,2)", "decimal(38,4)", "string", None])
def test_what_is_not_proved_is_refused(kind: str | None) -> None:
    assert average(TOTAL, COUNT, kind) is None
