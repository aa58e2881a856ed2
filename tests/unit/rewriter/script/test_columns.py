"""Columns that no table has, and names that only look like such columns."""

from __future__ import annotations

import pytest

from rewriter.script.columns import unknown_column

TABLES = {"t": ["a", "b"], "u": ["c"]}


@pytest.mark.parametrize(
    ("query", "unknown"),
    [
        ("SELECT cty FROM t", "cty"),
        ("SELECT a FROM t WHERE t.cty = 1", "t.cty"),
        ("SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.c = t.nope)", "t.nope"),
        ("WITH x AS (SELECT a FROM t) SELECT x.zz FROM x", "x.zz"),
    ],
)
def test_a_column_that_is_nowhere(query: str, unknown: str) -> None:
    assert unknown_column(query, TABLES) == unknown


@pytest.mark.parametrize(
    "query",
    [
        "SELECT A AS x FROM t ORDER BY x",
        "SELECT `max(a)` FROM (SELECT max(a) FROM t)",
        "SELECT f FROM (SELECT a.f FROM t)",
        "SELECT s.f FROM (SELECT a AS s FROM t)",
        "SELECT transform(a, x -> x + 1) FROM t",
        "SELECT col FROM (SELECT explode(a) FROM t)",
        "SELECT c0 FROM (SELECT json_tuple(a, 'x') FROM t)",
        "SELECT k, a FROM t LATERAL VIEW explode(b) e AS k",
        "SELECT p FROM t PIVOT (sum(a) FOR b IN ('p'))",
        "SELECT id FROM t, range(3)",
        "SELECT _file, current_user, timestampdiff(MONTH, a, b), extract(DOW FROM a) FROM t",
        "SELECT /*+ BROADCAST(e) */ a FROM t e GROUP BY ALL ORDER BY ALL",
        "SELECT z FROM t JOIN elsewhere USING (a)",
        "SELECT a FROM",
    ],
)
def test_names_that_may_be_something(query: str) -> None:
    assert unknown_column(query, TABLES) is None
