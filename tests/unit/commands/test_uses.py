"""Which columns a view needs."""

from __future__ import annotations

import pytest

from proxy.commands.uses import uses
from rewriter.model import Column, MaterializedView, TableName

NAME = TableName(("lake", "demo", "v"))
COLUMNS = [Column(name, "int") for name in ("a", "B", "odd one")]


@pytest.mark.parametrize(
    ("query", "needed"),
    [
        ("SELECT a, count(*) FROM t GROUP BY a", {"a"}),
        ("SELECT t.A * 2 FROM t WHERE b > 0", {"a", "b"}),
        ("SELECT `odd one` FROM t", {"odd one"}),
        ("SELECT 'a' AS x FROM t", set()),
        ("SELECT a AS b FROM t", {"a"}),
        ("SELECT b FROM (SELECT a AS b FROM t)", {"a", "b"}),
        ("SELECT * FROM t", {"a", "b", "odd one"}),
        ("SELECT 1, t.* FROM t", {"a", "b", "odd one"}),
        ("SELECT DISTINCT * FROM t", {"a", "b", "odd one"}),
        ("SELECT 1 AS x FROM t NATURAL JOIN u", {"a", "b", "odd one"}),
    ],
)
def test_columns(query: str, needed: set[str]) -> None:
    view = MaterializedView(NAME, "u", 1, query, query, NAME, (), "lake", ("demo",))
    assert uses(view, COLUMNS) == needed
