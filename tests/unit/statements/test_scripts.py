"""Variables in a statement, replaced as Spark replaces them."""

from __future__ import annotations

import pytest

from proxy.statements import substituted

SETTINGS = {"a": "t", "b": "${a}", "wide": "${b}" * 3}


@pytest.mark.parametrize(
    ("sql", "meant"),
    [
        ("DROP TABLE ${a}", "DROP TABLE t"),
        ("DROP TABLE ${hivevar:b}${spark:a}", "DROP TABLE tt"),
        ("SELECT ${${a}}", "SELECT ${${a}}"),
        ("SELECT ${a b} ${} ${a", "SELECT ${a b} ${} ${a"),
        ("SELECT ${spark:} ${x:a} ${wide}", "SELECT ${spark:} ${x:a} ttt"),
        ("${" * 200_000, "${" * 200_000),
    ],
)
def test_each_is_replaced_by_its_value(sql: str, meant: str) -> None:
    assert substituted(sql, SETTINGS) == meant


def test_values_that_name_each_other_do_not_grow_without_end() -> None:
    settings = {str(depth): f"${{{depth + 1}}}" * 100 for depth in range(8)}
    assert len(substituted("${0}", settings)) < 100_000_000
