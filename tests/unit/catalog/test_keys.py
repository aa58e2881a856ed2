from __future__ import annotations

import pytest

from proxy.catalog.keys import FOREIGN_KEYS, PRIMARY_KEY, ForeignKey, foreign_keys, primary_key
from tests.unit.catalog.lake import SALES


@pytest.mark.parametrize("declared", ["", "a,", "a b", "(a)", "`a"])
def test_a_primary_key_that_cannot_be_read_is_none(declared: str) -> None:
    assert primary_key({PRIMARY_KEY: declared}) == ()


@pytest.mark.parametrize(
    "declared",
    ["nonsense", "(a) REFERENCES t (x), nonsense", "(a, b) REFERENCES t (x)", "a REFERENCES t (x)", "(a) REFERENCES t"],
)
def test_foreign_keys_that_cannot_be_read_are_none(declared: str) -> None:
    assert foreign_keys({FOREIGN_KEYS: declared}, SALES) == ()


def test_names_are_quoted_as_in_sql_and_completed_from_the_table() -> None:
    declared = "(`a,b`) REFERENCES `odd (name)` (`x``y`),(c)references lake.other.t(d)"
    first, second = foreign_keys({FOREIGN_KEYS: declared}, SALES)
    assert (first.columns, first.table.parts, first.referenced) == (
        ("a,b",),
        ("lake", "demo", "odd (name)"),
        ("x`y",),
    )
    assert second == ForeignKey(("c",), second.table, ("d",))
    assert second.table.parts == ("lake", "other", "t")
