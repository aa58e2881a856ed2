"""The verifier distinguishes filters other than comparisons of a column with a literal of its type."""

from __future__ import annotations

import pytest

from rewriter.block import Block, Found, build_block
from rewriter.model import Column, TableName
from rewriter.sql import parse_select
from rewriter.verify.cells import Difference, difference
from rewriter.verify.forms import Mode
from rewriter.verify.normal import normal_block

KINDS = ("int", "bigint", "string", "double", "date", "timestamp", "boolean", "decimal(10,2)")
COLUMNS = tuple(Column(kind[:3], kind) for kind in KINDS)


def block_of(predicate: str) -> Block:
    tree = parse_select(f"SELECT 1 FROM t WHERE {predicate}")
    return normal_block(
        build_block(tree, lambda table: Found(TableName(("lake", "demo", "t")), COLUMNS)), Mode("UTC", ansi=True)
    )


def between(one: str, other: str) -> Difference | None:
    left, right = block_of(one), block_of(other)
    return difference(left.where, right.where, left, "UTC")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("`str` LIKE 'ab%'", "`str` >= 'ab' AND `str` < 'ac'"),
        ("startswith(`str`, 'a') AND `str` LIKE 'a%'", "`str` LIKE 'a%'"),
        ("`str` LIKE 'ab%c' AND `str` >= 'a'", "`str` LIKE 'ab%c'"),
        ("coalesce(`int`, 5) = 5", "`int` = 5 OR `int` IS NULL"),
        ("coalesce(`int`, 5) > 5", "`int` > 5"),
        ("`int` <=> 5", "`int` = 5"),
        ("NOT (`int` <=> 5)", "`int` <> 5 OR `int` IS NULL"),
        ("`boo`", "`boo` = true AND `boo` IS NOT NULL"),
        ("`boo` IS NOT TRUE", "NOT `boo` OR `boo` IS NULL"),
        ("(`int` > 5) IS TRUE", "`int` > 5"),
        ("(`int` > 5) = false", "`int` <= 5"),
        ("CAST(`int` AS BIGINT) > 5", "`int` > 5"),
        ("CAST(`big` AS DOUBLE) < 1000", "`big` < 1000D"),
        ("CAST(`dec` AS DECIMAL(12,4)) < 1.5", "`dec` < 1.5"),
        ("year(`dat`) = 2024", "`dat` >= '2024-01-01' AND `dat` < '2025-01-01'"),
        ("`dou` < 0.5 AND `dou` < 0.7", "`dou` < 0.5"),
        ("`dat` <= DATE '2024-03-31' - INTERVAL 1 MONTH", "`dat` < '2024-03-01'"),
        ("`str` LIKE '%b%' AND `str` IS NOT NULL", "`str` LIKE '%b%'"),
        ("NOT `str` LIKE 'é%' AND `str` IS NOT NULL", "NOT `str` LIKE 'é%'"),
        ("`int` <> `big` AND `int` IS NOT NULL AND `big` IS NOT NULL", "`int` <> `big`"),
        ("1 = 1 AND `int` > 5", "`int` > 5"),
        ("'a' < 'b' AND `int` > 5 OR 2 = 1", "`int` > 5"),
        ("DATE '2024-01-01' > DATE '2024-01-02' AND `int` > 5", "1.5 > 2"),
    ],
)
def test_equal(one: str, other: str) -> None:
    assert between(one, other) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("`str` LIKE 'ab%'", "`str` >= 'ab' AND `str` <= 'ac'"),
        ("`str` LIKE 'ab%c'", "`str` LIKE 'ab%'"),
        ("`str` LIKE '%b%' OR `str` IS NULL", "`str` LIKE '%b%'"),
        ("NOT `str` LIKE '%b%' OR `str` IS NULL", "NOT `str` LIKE '%b%'"),
        ("upper(`str`) LIKE '%B%' AND `str` IS NOT NULL", "upper(`str`) LIKE '%B%'"),
        ("`str` LIKE 'a\\\\%%'", "`str` LIKE 'a%'"),
        ("coalesce(`int`, 5) = 5", "`int` = 5"),
        ("coalesce(`int`, 5) > 5", "`int` > 5 OR `int` IS NULL"),
        ("NOT (`int` <=> 5)", "`int` <> 5"),
        ("`boo` IS NOT TRUE", "NOT `boo`"),
        ("`boo` IS NOT NULL", "`boo`"),
        ("CAST(`dec` AS DECIMAL(10,1)) = 1.5", "`dec` = 1.5"),
        ("CAST(`big` AS DOUBLE) = 9007199254740992", "`big` = 9007199254740992"),
        ("year(`dat`) = 2024", "`dat` > '2024-01-01' AND `dat` < '2025-01-01'"),
        ("year(`dat`) <> 2024", "`dat` < '2024-01-01' OR `dat` > '2025-01-01'"),
        ("`dou` <= 0.5", "`dou` < 0.5"),
    ],
)
def test_different(one: str, other: str) -> None:
    assert between(one, other) is not None


def test_filters_that_nothing_fulfils_are_equal() -> None:
    assert between("`int` = 1 AND `int` = 2 AND `str` = 'a'", "`int` = 1 AND `int` = 2") is None


@pytest.mark.parametrize("computed", ["CAST(`int` AS STRING) LIKE '1%'", "upper(`str`) = 'B'", "`int` + 1 > 2"])
def test_nothing_is_refuted_of_what_may_be_null_with_its_column(computed: str) -> None:
    column = "str" if "str" in computed else "int"
    found = between(f"{computed} AND `{column}` IS NOT NULL", computed)
    assert found is None or not found.certain
