"""The requirements of a SELECT, by names alone, and above all the names that it does not require."""

from __future__ import annotations

import pytest

from rewriter.select_requirements import Requirements, requirements_of
from rewriter.sql import parse_select


def of(sql: str) -> Requirements:
    return requirements_of(parse_select(sql))


def names(sql: str) -> set[str]:
    return {reference.name for reference in of(sql).rows}


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT region, year(d) FROM sales", {"region", "d"}),
        ("SELECT count(*), count(n) FROM sales", set()),
        ("SELECT upper(region) AS r FROM sales GROUP BY r ORDER BY r", {"region"}),
        ("SELECT a AS x, x + 1 FROM sales", {"a"}),
        ("SELECT region FROM sales WHERE n IS NOT NULL OR n = 1", {"region"}),
        ("SELECT region FROM sales WHERE EXISTS (SELECT other FROM dim)", {"region"}),
        ("SELECT count(*) OVER (PARTITION BY region), sum(sum(n)) OVER () FROM sales GROUP BY region", {"region"}),
        ("SELECT sum(n) OVER (PARTITION BY region ORDER BY d) FROM sales", {"n", "region", "d"}),
    ],
)
def test_columns_outside_aggregates(sql: str, expected: set[str]) -> None:
    assert names(sql) == expected


def test_a_count_of_all_is_no_star() -> None:
    assert not of("SELECT count(*), count(*) OVER () FROM t").stars
    assert of("SELECT t.*, u.a FROM t, u").stars == {"t": frozenset()}


def test_what_a_star_leaves_out() -> None:
    assert of("SELECT * EXCEPT (A, b), * EXCEPT (a) FROM t").stars == {"": {"a"}}


def test_aggregates_with_their_columns() -> None:
    found = of("SELECT sum(a * b), count(DISTINCT c), mean(d) FILTER (WHERE e = 1), median(f) FROM t").aggregates
    plain = [(a.function, {c.name for c in a.columns}, {c.name for c in a.within}) for a in found]
    assert plain == [
        ("sum", {"a", "b"}, {"a", "b"}),
        ("", {"c"}, {"c"}),
        ("avg", {"d"}, {"d", "e"}),
        ("", {"e"}, {"e"}),
        ("", {"f"}, {"f"}),
    ]


@pytest.mark.parametrize(
    ("where", "kind"),
    [
        ("n > 5", "number"),
        ("-5 < n", "number"),
        ("n BETWEEN 1 AND 2.5", "number"),
        ("n IN (1, 2)", "number"),
        ("n = 'eu'", "text"),
        ("n >= DATE '2024-01-01'", "time"),
        ("n >= '2024-01-01 10:00:00'", "time"),
        # Spark may compare these as something else than the text that they are.
        ("n = '1'", ""),
        ("n = 'true'", ""),
        ("n = 'N'", ""),
        ("n = ''", ""),
        ("n > 1 OR n < 0", ""),
        ("NOT n > 1", ""),
        ("n > m", ""),
        ("n + 1 > 2", ""),
    ],
)
def test_comparisons_with_constants(where: str, kind: str) -> None:
    required = of(f"SELECT 1 FROM t WHERE {where}")
    assert [values.kind for each in required.limits.values() for values in each] == [kind] * bool(kind)
    assert ("n" in {column.name for column in required.loose}) != bool(kind)


def test_a_comparison_in_an_outer_join_filters_nothing() -> None:
    required = of("SELECT 1 FROM t LEFT JOIN u ON t.a = u.a AND u.b = 7")
    assert not required.limits
    assert {column.name for column in required.loose} == {"b"}
    assert [(left.name, right.name) for left, right in required.joins] == [("a", "a")]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM t GROUP BY a WITH ROLLUP",
        "SELECT a FROM t LIMIT 1",
        "SELECT a FROM (SELECT a FROM t)",
        "SELECT a FROM t AS x (a)",
        "SELECT a FROM t JOIN u USING (a)",
        "SELECT a FROM t HAVING count(*) > 1",
    ],
)
def test_more_than_plain_tables_filters_and_groups(sql: str) -> None:
    assert not of(sql).simple
    assert of("SELECT a FROM t, u WHERE t.a = u.b GROUP BY a").simple


def test_a_pair_needs_nothing_of_what_only_has_to_be_there() -> None:
    def needed(call: str) -> set[str]:
        aggregates = requirements_of(parse_select(f"SELECT {call} FROM t")).aggregates
        return {column.name for aggregate in aggregates for column in aggregate.columns}

    assert needed("regr_count(y, x)") == set()
    assert needed("regr_avgx(y, x)") == needed("regr_sxx(y, x)") == {"x"}
    assert needed("regr_syy(y, x)") == {"y"}
    assert needed("corr(y, x)") == {"x", "y"}
