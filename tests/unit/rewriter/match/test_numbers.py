"""The types of sums, each checked on Spark with typeof()."""

from __future__ import annotations

import pytest

from rewriter.match.numbers import sum_type, summed_type, wider


@pytest.mark.parametrize(
    ("kinds", "kind"),
    [
        (("decimal(10,2)", "int"), "decimal(12,2)"),
        (("decimal(10,2)", "decimal(3,3)"), "decimal(11,3)"),
        (("int", "decimal(1,1)"), "decimal(11,1)"),
        (("bigint", "decimal(1,1)"), "decimal(21,1)"),
        (("int", "bigint", "void"), "bigint"),
        (("double", "decimal(10,2)"), "double"),
        (("decimal(38,4)", "int"), "decimal(38,4)"),
        (("decimal(38,4)", "decimal(5,5)"), None),
        (("int", "string"), None),
        (("int", None), None),
    ],
)
def test_the_type_of_a_choice(kinds: tuple[str | None, ...], kind: str | None) -> None:
    assert wider(kinds) == kind


def test_the_type_of_a_sum_and_back() -> None:
    assert [sum_type(k) for k in ("decimal(10,2)", "decimal(32,4)", "string")] == [
        "decimal(20,2)",
        "decimal(38,4)",
        None,
    ]
    assert [summed_type(k) for k in ("decimal(20,2)", "double", "bigint")] == ["decimal(10,2)", "double", None]
