"""The messages that tell users about decisions."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from proxy.answering import Decision
from proxy.session import Forward
from rewriter import Attempt, Outcome, Reason, parse
from rewriter.model import Session, TableName
from tests.unit.answering.test_readable import Asking, asking

__all__ = ["asking"]

STATEMENT = parse("SELECT 1 FROM sales", Session("lake", ("demo",)))


def attempt(view: str, reason: Reason | None = Reason.COLUMN_NOT_IN_VIEW, detail: str = "price") -> Attempt:
    verdict, rule = ("missed", "") if reason else ("chosen", "roll_up")
    return Attempt(TableName(("lake", "demo", view)), verdict, rule, reason, detail)


def decided(*tried: Attempt, problem: str = "", chosen: bool = False) -> Decision:
    replacements: Any = (None,) if chosen else ()
    outcome = Outcome(STATEMENT, replacements, tried)
    return Decision(None, STATEMENT.sql, outcome, problem)


def test_nothing_is_said_where_there_was_nothing_to_decide() -> None:
    assert Decision(None, "SELECT 1").lines() == ()
    assert Decision(None, "SELECT 1 |> x", problem="pipe syntax (|>) is not supported").lines() == ()


def test_views_that_were_seen_at_once_to_lack_something_are_counted() -> None:
    assert Decision(None, "SELECT 1", over=2).lines() == (
        "Viewgate: no view used: none of the 2 views on the statement's tables holds what the statement needs; EXPLAIN "
        "REWRITE says what is missing",
    )


def test_a_view_that_answers_several_parts_is_named_once() -> None:
    parts = decided(attempt("a", None), attempt("a", None), attempt("b"), chosen=True)
    assert parts.lines() == ("Viewgate: answered from lake.demo.a (roll_up)",)


def test_one_reason_for_all_views_is_told_once() -> None:
    off = [attempt(view, Reason.REWRITE_OFF, "the session has SET viewgate.rewrite = off") for view in "abc"]
    assert decided(*off).lines() == ("Viewgate: no view used: the session has SET viewgate.rewrite = off",)
    assert decided(attempt("a"), attempt("a")).lines() == (
        "Viewgate: lake.demo.a not used: the view has no column price",
    )
    assert decided(*off, problem="'BEGIN' may have changed it").lines() == (
        "Viewgate: no view used: 'BEGIN' may have changed it",
    )


def test_what_stands_in_the_way_of_every_view_is_told_once_for_each_part_of_the_statement() -> None:
    tried = [attempt(view, Reason.SHAPE, part) for part in ("one", "other") for view in "ab"]
    assert decided(*tried).lines() == (
        "Viewgate: no view used: the 2 views on the statement's tables have another form: one",
        "Viewgate: no view used: the 2 views on the statement's tables have another form: other",
    )


@pytest.mark.parametrize(
    ("reason", "detail", "said"),
    [
        (Reason.AGGREGATE_NOT_IN_VIEW, "max(price)", "{views} do not store max(price)"),
        (Reason.COLUMN_NOT_IN_VIEW, "price", "{views} have no column price"),
        (Reason.STALE, "", "{views} are stale"),
        (Reason.NEVER_REFRESHED, "", "{views} were never refreshed"),
        (Reason.VIEW_FILTERS_MORE, "a = 1", "{views} hold only the rows with a = 1"),
        (Reason.GROUPING_TOO_COARSE, "day", "the groups of {views} are too coarse: day"),
        (Reason.TABLES_DIFFER, "the view reads t, too", "{views} read t, too"),
        (Reason.TABLES_DIFFER, "t is a temporary view", "t is a temporary view"),
    ],
)  # fmt: skip
def test_a_reason_is_told_of_the_nearest_views_if_others_lack_more(reason: Reason, detail: str, said: str) -> None:
    tables = (TableName(("lake", "demo", "sales")),)
    for tried, views in (
        ("ab", "lake.demo.a and lake.demo.b, the nearest of the 5 views on lake.demo.sales,"),
        ("abc", "lake.demo.a, lake.demo.b and lake.demo.c, the nearest of the 5 views on lake.demo.sales,"),
        ("abcd", "the nearest 4 of the 5 views on lake.demo.sales"),
    ):
        (line,) = replace(decided(*(attempt(view, reason, detail) for view in tried)), over=5, tables=tables).lines()
        assert line == "Viewgate: no view used: " + said.format(views=views)


def test_explain_tells_of_every_view() -> None:
    assert decided(attempt("a"), attempt("b"), attempt("b")).missed == (
        "lake.demo.a not used: the view has no column price",
        "lake.demo.b not used: the view has no column price",
    )


def test_explain_tells_of_several_selects_which_one_a_reason_is_about() -> None:
    sql = "SELECT 1 FROM sales UNION ALL SELECT 2 FROM sales"
    tried = [replace(attempt("a"), block=block) for block in ("SELECT 1 FROM sales", "SELECT 2 FROM sales")]
    assert Decision(None, sql, Outcome(parse(sql, Session("lake", ("demo",))), (), tuple(tried))).missed == (
        "for line 1, column 1: SELECT 1 FROM sales",
        "  lake.demo.a not used: the view has no column price",
        "for line 1, column 31: SELECT 2 FROM sales",
        "  lake.demo.a not used: the view has no column price",
    )


def test_explain_gives_a_reason_of_the_select_once() -> None:
    why = "the function rand() is not supported"
    tried = (attempt(view, Reason.UNSUPPORTED, why) for view in "ab")
    assert decided(*tried).missed == (f"each of 2 views not used: {why}",)


def test_a_view_that_answers_only_its_own_query_is_no_near_miss() -> None:
    slide = attempt("a", Reason.VIEW_UNSUPPORTED, "leave out the slide")
    assert decided(slide, attempt("b")).lines() == ("Viewgate: lake.demo.b not used: the view has no column price",)
    (line,) = replace(decided(slide), over=2).lines()
    assert line.startswith("Viewgate: no view used: none of the 2 views on the statement's tables holds what")
    assert decided(slide).missed == ("lake.demo.a not used: the view answers only its own query: leave out the slide",)


def test_the_nearest_views_come_first_and_a_dearer_one_before_them() -> None:
    tried = [attempt("a", Reason.SHAPE, "x"), attempt("b"), attempt("c", Reason.DEARER, "it would cost more")]
    assert decided(*tried).lines() == (
        "Viewgate: lake.demo.c not used: it would cost more",
        "Viewgate: lake.demo.b not used: the view has no column price",
        "Viewgate: lake.demo.a not used: the view has another form: x",
    )


def test_many_reasons_are_cut_short() -> None:
    lines = decided(*(attempt(view, detail=view) for view in "abcde")).lines()
    assert len(lines) == 4
    assert lines[0] == "Viewgate: lake.demo.a not used: the view has no column a"
    assert lines[-1] == "Viewgate: and 2 more reasons; EXPLAIN REWRITE shows all"


def test_every_reason_has_words() -> None:
    for reason in Reason:
        assert "so" in reason.told("so")
        assert "{" not in reason.told("so")


@pytest.mark.parametrize(
    ("sql", "tables", "storages"),
    [
        ("SELECT sum(amount) FROM sales", ["lake.demo.sales"], ["lake.demo.agg__storage"]),
        ("SELECT sum(total) FROM agg", ["lake.demo.sales"], ["lake.demo.agg__storage"]),
        ("SELECT max(amount) FROM sales", ["lake.demo.sales"], []),
        ("SELECT count(*) FROM other", ["lake.demo.other"], []),
        ("SELECT 1", [], []),
    ],
)
def test_the_base_tables_are_kept_beside_storage(
    asking: Asking, sql: str, tables: list[str], storages: list[str]
) -> None:
    plan = asyncio.run(asking.answers.plan(asking.session, sql))
    assert isinstance(plan, Forward)
    assert [str(name) for name in plan.choice.tables] == tables
    assert [str(name) for name in plan.choice.storages] == storages


def test_explain_suggests_a_view_of_a_table_without_views(asking: Asking) -> None:
    query = "SELECT region, count(*) FROM other GROUP BY region"
    iceberg = asking.house.lake.iceberg
    iceberg.create_table("demo.other", iceberg.load_table("demo.sales").schema())
    decision = asyncio.run(asking.answers.decide(asking.session, query, thorough=True))
    assert decision.suggestion is not None
    assert str(decision.suggestion.made) == "lake.demo.other_by_region"
    assert asyncio.run(asking.answers.decide(asking.session, query)).suggestion is None
