"""The grouping sets that GROUP BY stands for."""

from __future__ import annotations

import pytest

from rewriter.block import Block, Found, Unsupported, build_block
from rewriter.model import Column, TableName
from rewriter.sql import parse_select, render

COLUMNS = tuple(Column(name, "int") for name in "abcx")


def block(sql: str) -> Block:
    return build_block(parse_select(sql), lambda table: Found(TableName(("lake", "demo", "t")), COLUMNS))


@pytest.mark.parametrize(
    ("group", "sets"),
    [
        ("ROLLUP (a, b)", ["ab", "a", ""]),
        ("a, b WITH ROLLUP", ["ab", "a", ""]),
        ("ROLLUP (1, 2)", ["ab", "a", ""]),
        ("CUBE (a, b)", ["ab", "a", "b", ""]),
        ("a, b WITH CUBE", ["ab", "a", "b", ""]),
        ("ROLLUP ((a, b), c)", ["abc", "ab", ""]),
        ("GROUPING SETS ((a, b), c, ())", ["ab", "c", ""]),
        ("a, b GROUPING SETS ((b), (a, b))", ["b", "ab"]),
        ("a, GROUPING SETS ((b), (c))", ["ab", "ac"]),
        ("c, ROLLUP (a), CUBE (b)", ["cab", "ca", "cb", "c"]),
        ("a, ROLLUP (a, b)", ["ab", "a", "a"]),
    ],
)
def test_each_spelling_is_a_list_of_sets(group: str, sets: list[str]) -> None:
    read = block(f"SELECT a, b, c, count(*) FROM t GROUP BY {group}" if "c" in group else
                 f"SELECT a, b, count(*) FROM t GROUP BY {group}")  # fmt: skip
    assert ["".join(key.name for key in keys) for keys in read.sets or ()] == sets


def test_all_means_what_is_not_aggregated() -> None:
    read = block("SELECT a + 1, b, sum(x) FROM t GROUP BY ALL")
    assert [key.sql() for key in read.keys or ()] == ["t_0.a + 1", "t_0.b"]


def test_grouping_id_counts_the_keys_in_the_order_of_the_text() -> None:
    read = block("SELECT grouping_id() FROM t GROUP BY GROUPING SETS ((b), (a, b))")
    assert render(read.outputs[0]) == "CAST(grouping(t_0.b) AS BIGINT) * 2 + CAST(grouping(t_0.a) AS BIGINT)"
    assert block("SELECT grouping_id(b, a) FROM t GROUP BY GROUPING SETS ((b), (a, b))").outputs == read.outputs


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        (
            "SELECT grouping_id(a, b) FROM t GROUP BY GROUPING SETS ((b), (a, b))",
            "with all grouping keys in the order of GROUP BY",
        ),
        ("SELECT count(*) FROM t GROUP BY GROUPING SETS (())", "without a grouping key"),
        ("SELECT a FROM t GROUP BY ROLLUP (a, a)", "ROLLUP names the key a twice"),
        ("SELECT a FROM t GROUP BY GROUPING SETS (ROLLUP (a))", "within GROUPING SETS"),
        ("SELECT a FROM t GROUP BY a GROUPING SETS ((b))", "names b, which is not a key"),
        ("SELECT a, grouping(a) FROM t GROUP BY a", "only with GROUPING SETS, ROLLUP or CUBE"),
        ("SELECT a, b FROM t GROUP BY ROLLUP (a)", "neither grouped nor aggregated"),
        ("SELECT 1, a FROM t GROUP BY ALL", "with a constant"),
        ("SELECT a, count(*) FROM t WHERE grouping(a) = 1 GROUP BY ROLLUP (a)", "WHERE contains grouping()"),
        ("SELECT a FROM t WHERE count(*) = 1 GROUP BY a", "WHERE contains an aggregate"),
        ("SELECT rank() OVER (ORDER BY a) AS r FROM t GROUP BY r", "with a window function is not supported"),
    ],
)
def test_what_is_not_read(sql: str, problem: str) -> None:
    with pytest.raises(Unsupported, match=problem):
        block(sql)


def test_within_an_aggregate_nobody_guesses_which_of_an_output_and_a_column_is_meant() -> None:
    with pytest.raises(Unsupported, match="x is ambiguous"):
        block("SELECT a AS x, sum(x) FROM t GROUP BY a ORDER BY sum(x)")
