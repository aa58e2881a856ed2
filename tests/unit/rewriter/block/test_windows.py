"""Which window functions depend on the rows alone."""

from __future__ import annotations

import pytest

from rewriter.block import Block, Found, Unsupported, build_block
from rewriter.model import Column, TableName
from rewriter.sql import parse_select

COLUMNS = tuple(Column(name, "int") for name in "abx")
ROWS = "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"


def block(sql: str) -> Block:
    return build_block(parse_select(sql), lambda table: Found(TableName(("lake", "demo", "t")), COLUMNS))


@pytest.mark.parametrize(
    "window",
    [
        "rank() OVER (ORDER BY sum(x))",
        "sum(sum(x)) OVER ()",
        "sum(sum(x)) OVER (PARTITION BY a ORDER BY count(*))",
        "count(1) OVER (ORDER BY a RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)",
        "sum(sum(x)) OVER (ORDER BY a RANGE BETWEEN 6 PRECEDING AND 2 FOLLOWING)",
        "sum(sum(x)) OVER (ORDER BY a RANGE INTERVAL 6 DAYS PRECEDING)",
        "max(b) OVER (ORDER BY a ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)",
        "row_number() OVER (PARTITION BY b ORDER BY sum(x), a)",
        f"mean(count(*)) OVER (ORDER BY a, b {ROWS})",
    ],
)
def test_the_same_for_equal_rows_or_no_rows_are_equal(window: str) -> None:
    read = block(f"SELECT a, b, {window} FROM t GROUP BY a, b")
    assert not read.plain
    assert read.keys is not None


@pytest.mark.parametrize(
    "window",
    [
        "row_number() OVER (ORDER BY a)",
        "lag(sum(x)) OVER (PARTITION BY a ORDER BY sum(x))",
        f"sum(sum(x)) OVER (ORDER BY a {ROWS})",
        "last_value(b) OVER (ORDER BY a)",
    ],
)
def test_what_tells_equal_rows_apart_is_not_read(window: str) -> None:
    with pytest.raises(Unsupported, match="rows with equal values in its ORDER BY"):
        block(f"SELECT a, b, {window} FROM t GROUP BY a, b")


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("SELECT row_number() OVER (ORDER BY a, b, x) FROM t", "rows with equal values"),
        ("SELECT a, row_number() OVER (ORDER BY a) FROM t GROUP BY ROLLUP (a)", "rows with equal values"),
        (
            "SELECT a, sum(x) FILTER (WHERE b > 1) OVER () FROM t",
            "FILTER is not supported in a window function",
        ),
        (
            "SELECT lag(x) IGNORE NULLS OVER (ORDER BY a) FROM t",
            "IGNORE NULLS is not supported in a window function",
        ),
        (
            "SELECT sum(x) OVER w FROM t WINDOW w AS (PARTITION BY a)",
            "the clause WINDOW is not supported: write each window in OVER",
        ),
        ("SELECT count(DISTINCT x) OVER () FROM t", "DISTINCT is not supported in a window function"),
        ("SELECT sum(rank() OVER (ORDER BY a)) OVER () FROM t", "contains another window function"),
        ("SELECT sum(rank() OVER (ORDER BY a)) FROM t", "contains a window function"),
        (
            "SELECT sum(x) OVER (ORDER BY a RANGE BETWEEN 1 + 1 PRECEDING AND CURRENT ROW) FROM t",
            "the bounds of the window frame must be constants",
        ),
        ("SELECT a FROM t ORDER BY rank() OVER (ORDER BY a)", "ORDER BY has a window function that is not an output"),
        ("SELECT a FROM t WHERE rank() OVER (ORDER BY a) = 1", "has a window function: compute"),
        (
            "SELECT a, rank() OVER (ORDER BY a) AS r FROM t GROUP BY a HAVING r = 1",
            "has a window function: compute",
        ),
        ("SELECT a, rank() OVER (ORDER BY b) FROM t GROUP BY a", "neither grouped nor aggregated"),
    ],
)
def test_what_is_not_read(sql: str, problem: str) -> None:
    with pytest.raises(Unsupported, match=problem):
        block(sql)


def test_a_window_is_no_aggregate_of_the_block() -> None:
    read = block("SELECT a, sum(x) OVER (PARTITION BY a) FROM t")
    assert read.keys is None
    assert block("SELECT DISTINCT a, sum(x) OVER (PARTITION BY a) FROM t").distinct
