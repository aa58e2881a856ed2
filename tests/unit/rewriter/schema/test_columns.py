"""Types of outputs, each checked on Spark with typeof()."""

from __future__ import annotations

import pytest

from rewriter.block import Found, build_block
from rewriter.model import Column, TableName
from rewriter.schema import numeric_type
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
        ("1e3", "double"),
        ("n / 2", "double"),
    ],
)
def test_the_type_of_an_expression(text: str, kind: str | None) -> None:
    block = build_block(parse_select(f"SELECT {text} FROM t"), lambda table: Found(NAME, COLUMNS))
    assert numeric_type(block.outputs[0], block) == kind
