"""Constraints in table properties."""

from __future__ import annotations

import pytest

from rewriter.model import ConstraintError, ForeignKey, TableName
from rewriter.model.constraints import read_foreign_keys, read_primary_key

OWNER = TableName(("lake", "demo", "lineitem"))


@pytest.mark.parametrize(
    ("text", "columns"),
    [("a", ("a",)), (" (a , b)", ("a", "b")), ("`order date`,`a``b`", ("order date", "a`b"))],
)
def test_a_primary_key(text: str, columns: tuple[str, ...]) -> None:
    assert read_primary_key(text) == columns


@pytest.mark.parametrize("text", ["a;b", "a b", "(a", "a,,b", "1 = 1"])
def test_what_is_no_primary_key(text: str) -> None:
    with pytest.raises(ConstraintError, match="is not a list of columns: write 'l_orderkey, l_linenumber'"):
        read_primary_key(text)


def test_foreign_keys() -> None:
    text = "l_orderkey REFERENCES orders (o_orderkey); foreign key (p, s) references other.`part supp`(ps_p, ps_s)"
    assert read_foreign_keys(text, OWNER) == (
        ForeignKey(("l_orderkey",), TableName(("lake", "demo", "orders")), ("o_orderkey",)),
        ForeignKey(("p", "s"), TableName(("lake", "other", "part supp")), ("ps_p", "ps_s")),
    )
    (whole,) = read_foreign_keys("(a) REFERENCES lake.x.t (b)", OWNER)
    assert whole.table == TableName(("lake", "x", "t"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(a) orders (b)", r"cannot be parsed from '\(a\) orders \(b\)' on: write"),
        ("(a) REFERENCES t (b); nonsense", "cannot be parsed from 'nonsense' on"),
        ("(a, b) REFERENCES t (c)", "has 2 columns, but references 1"),
    ],
)
def test_what_is_no_foreign_key(text: str, message: str) -> None:
    with pytest.raises(ConstraintError, match=message):
        read_foreign_keys(text, OWNER)
