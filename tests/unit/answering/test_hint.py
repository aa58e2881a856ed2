"""What a statement's log says about the view that its hint names."""

from __future__ import annotations

import asyncio

import pytest

from proxy.hs2 import SqlError
from tests.unit.answering.test_readable import Asking, asking
from tests.unit.catalog.lake import ROWS

__all__ = ["asking"]


def make(asking: Asking, view: str, table: str = "sales") -> None:
    """Create a view with maxima."""
    asking.house.upstream.described = [("region", "string"), ("top", "bigint")]
    query = f"SELECT region, max(amount) AS top FROM {table} GROUP BY region"
    asyncio.run(asking.house.run(f"CREATE MATERIALIZED VIEW {view} AS {query}"))


def logged(asking: Asking, sql: str) -> tuple[str, ...]:
    return tuple(asyncio.run(asking.answers.plan(asking.session, sql)).log)


HINT = "/*+ VIEWGATE(use = 'demo.{}') */"


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("max(amount) FROM sales", "the view does not store max(amount)"),
        ("region, max(amount) FROM sales GROUP BY region", "the view does not store max(amount)"),
        (
            "amount FROM sales",
            "the view's groups are too coarse: the view stores groups, and the query needs rows: create a view "
            "without GROUP BY",
        ),
    ],
)
def test_the_log_gives_the_reason_that_explain_gives_for_the_named_view_alone(
    asking: Asking, query: str, why: str
) -> None:
    make(asking, "tops")
    sql = f"SELECT {HINT.format('agg')} {query}"
    assert logged(asking, sql) == (f"Viewgate: lake.demo.agg not used: {why}",)
    explained = asyncio.run(asking.answers.decide(asking.session, sql, thorough=True))
    assert f"lake.demo.agg not used: {why}" in explained.missed
    choice = asyncio.run(asking.answers.decide(asking.session, sql)).choice
    assert [str(view) for view in choice.considered] == ["lake.demo.agg"]


def test_the_named_view_answers_whatever_the_others_hold(asking: Asking) -> None:
    make(asking, "tops")
    sql = f"SELECT {HINT.format('tops')} max(amount) FROM sales"
    assert logged(asking, sql) == ("Viewgate: answered from lake.demo.tops (roll_up)",)


@pytest.mark.parametrize(
    ("view", "why"),
    [
        ("others", "the view reads none of the statement's tables"),
        ("nothing", "no materialized view is named lake.demo.nothing: SHOW MATERIALIZED VIEWS lists the names"),
    ],
)
def test_a_view_over_other_tables_or_none_is_told_apart(asking: Asking, view: str, why: str) -> None:
    asking.house.lake.iceberg.create_table("demo.more", ROWS.schema).append(ROWS)
    make(asking, "others", "more")
    sql = f"SELECT {HINT.format(view)} region, sum(amount) FROM sales GROUP BY region"
    assert logged(asking, sql) == (f"Viewgate: lake.demo.{view} not used: {why}",)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("demo.top", "lake.demo.tops"),
        ("demo.Tops", "lake.demo.tops"),
        ("other.tops", "lake.demo.tops"),
        ("lake.other.tops", "lake.demo.tops"),
        ("demo.tops__storage", "lake.demo.tops"),
        ("tops", ""),
    ],
)
def test_an_unknown_view_in_a_hint_is_told_with_the_views_of_similar_names(
    asking: Asking, name: str, near: str
) -> None:
    make(asking, "tops")
    sql = f"SELECT /*+ VIEWGATE(use = '{name}') */ region, max(amount) FROM sales GROUP BY region"
    (line,) = logged(asking, sql)
    assert line.endswith(f": did you mean {near}?" if near else "answered from lake.demo.tops (same_grain)")
    decision = asyncio.run(asking.answers.decide(asking.session, sql))
    assert decision.choice.reason == ("NO_SUCH_VIEW" if near else "")


@pytest.mark.parametrize(
    ("tail", "why"),
    [
        ("GROUP BY region DISTRIBUTE BY region", "the clause DISTRIBUTE BY is not supported: remove the clause, or"),
        ("GROUP BY region CLUSTER BY region", "the clause CLUSTER BY is not supported: remove the clause, or write"),
        ("LATERAL VIEW explode(array(1)) x AS y GROUP BY region", "the clause LATERAL VIEW is not supported: read the"),
        ("TABLESAMPLE (10 PERCENT) GROUP BY region", "sales TABLESAMPLE (10 PERCENT) in FROM has TABLESAMPLE, which"),
        ("GROUP BY region QUALIFY max(amount) > 1", "the clause QUALIFY is not supported: read the tables in a"),
        ("GROUP BY region HAVING rand() > 0.5", "the function rand() is not supported: read the tables in a subquery"),
        ("NATURAL JOIN sales AS t GROUP BY region", "NATURAL JOIN sales AS t is not supported: write JOIN … ON or"),
    ],
)  # fmt: skip
def test_the_log_names_the_sql_for_which_no_view_is_tried(asking: Asking, tail: str, why: str) -> None:
    make(asking, "tops")
    sql = f"SELECT region, min(amount) FROM sales {tail}"
    (line,) = logged(asking, sql)
    assert f" used: {why}" in line
    decision = asyncio.run(asking.answers.decide(asking.session, sql, thorough=True))
    assert decision.suggestion is None
    assert asyncio.run(asking.answers.decide(asking.session, sql)).choice.reason == "UNSUPPORTED"


def test_explain_names_the_hint_that_turns_views_off(asking: Asking) -> None:
    make(asking, "tops")
    decision = asyncio.run(
        asking.answers.decide(asking.session, "SELECT /*+ VIEWGATE(off) */ max(amount) FROM sales", thorough=True)
    )
    assert decision.outcome is not None
    details = {attempt.detail for attempt in decision.outcome.tried}
    assert details == {"the statement has the hint VIEWGATE(off)"}


def test_a_hint_without_options_is_no_hint_of_spark(asking: Asking) -> None:
    make(asking, "tops")
    assert logged(asking, "SELECT /*+ VIEWGATE */ max(amount) FROM sales") == (
        "Viewgate: answered from lake.demo.tops (roll_up)",
    )


def test_an_option_that_is_given_twice_is_refused(asking: Asking) -> None:
    make(asking, "tops")
    with pytest.raises(SqlError, match="the hint VIEWGATE has the option use twice") as refused:
        logged(asking, "SELECT /*+ VIEWGATE(use = 'demo.tops', USE = 'demo.agg') */ max(amount) FROM sales")
    assert refused.value.sql_state == "42601"


def test_a_hint_of_spark_in_the_same_comment_is_refused(asking: Asking) -> None:
    make(asking, "tops")
    with pytest.raises(SqlError, match=r"another hint, COALESCE\(1\), stands in the comment of the hint VIEWGATE"):
        logged(asking, "SELECT /*+ VIEWGATE(use = 'demo.tops'), COALESCE(1) */ max(amount) FROM sales")


def test_several_hints_of_one_statement_are_refused_unless_they_are_equal(asking: Asking) -> None:
    make(asking, "tops")
    sql = "SELECT /*+ VIEWGATE(off) */ max(amount) FROM (SELECT /*+ VIEWGATE({}) */ amount FROM sales)"
    with pytest.raises(SqlError, match="the statement has several VIEWGATE hints: write all options into one"):
        logged(asking, sql.format("use = 'demo.tops'"))
    assert logged(asking, sql.format("off")) == ("Viewgate: no view used: the statement has the hint VIEWGATE(off)",)


def test_the_log_names_the_hint_of_spark_for_which_no_view_is_tried(asking: Asking) -> None:
    make(asking, "tops")
    why = "a hint of Spark is not supported: remove the hint"
    sql = "SELECT /*+ COALESCE(1) */ region, max(amount) FROM sales GROUP BY region"
    assert logged(asking, sql) == (f"Viewgate: no view used: {why}",)
    assert asyncio.run(asking.answers.decide(asking.session, sql)).choice.reason == "UNSUPPORTED"
