"""Types as Spark gives them: each of these was asked of Spark with typeof()."""

from __future__ import annotations

import pytest

from rewriter.block import build_block
from rewriter.match.numbers import numeric_type, sum_type, summed_type, wider
from rewriter.model import Column, TableName
from rewriter.sql import parse_select

COLUMNS = (
    Column("n", "int"), Column("big", "bigint"), Column("price", "decimal(10,2)"), Column("mid", "decimal(15,2)"),
    Column("score", "double"), Column("name", "string"),
)  # fmt: skip
NAME = TableName(("lake", "demo", "t"))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("n", "int"),
        ("n * 2 + big", "bigint"),
        ("n * score", "double"),
        ("n * 0.5", "decimal(12,1)"),
        ("price * 2", "decimal(12,2)"),
        ("price + n", "decimal(13,2)"),
        ("price * price", "decimal(21,4)"),
        ("-price", "decimal(10,2)"),
        ("mid * (1 - price)", "decimal(27,4)"),
        ("0.0", "decimal(1,1)"),
        ("0.05", "decimal(2,2)"),
        ("1.50", "decimal(3,2)"),
        ("3000000000", "bigint"),
        ("mid * mid * mid", None),
        ("name", None),
        ("'7'", None),
        ("1e3", None),
        ("n / 2", None),
    ],
)
def test_the_type_of_an_expression(text: str, kind: str | None) -> None:
    block = build_block(parse_select(f"SELECT {text} FROM t"), lambda table: (NAME, COLUMNS))
    assert numeric_type(block.outputs[0], block) == kind


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
