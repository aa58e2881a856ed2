"""Decisions about views that a statement names, expanded or not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from rewriter import Reason, parse, read_by, rewrite
from rewriter.model import TableName
from tests.golden.corpus import FOLDER, World, read, world

KNOWN = TableName(("lake", "demo", "known"))
QUERY = "SELECT region, count(*) AS n FROM sales GROUP BY region"


@pytest.fixture(scope="module")
def built() -> World:
    return world(read(Path(FOLDER / "views.sql")))


def used(built: World, sql: str) -> list[str]:
    outcome = rewrite(parse(sql, built.session), built.definitions, built.relations)
    return [replacement.view.name.table for replacement in outcome.replacements]


def test_what_the_user_typed_is_kept_beside_what_is_run(built: World) -> None:
    outcome = built.rewrite("SELECT r, count(*) /* c */ FROM known GROUP BY r")
    assert outcome.original == "SELECT r, count(*) /* c */ FROM known GROUP BY r"
    assert "FROM (SELECT id, region AS r" in outcome.expanded
    assert "known" not in outcome.sql()


def test_a_view_that_has_been_replaced_meanwhile_stays_a_name_and_what_stands_on_it_is_not_used(built: World) -> None:
    now = replace(built.definitions.plain_by_name[KNOWN].state, version=2)
    changed = World(built.session, {**built.relations, KNOWN: now}, built.definitions)
    assert used(changed, "SELECT r, count(*) FROM known GROUP BY r") == []
    assert used(built, "SELECT region, min(day) FROM sales WHERE region IS NOT NULL GROUP BY region") == ["over_known"]
    outcome = changed.rewrite("SELECT region, min(day) FROM sales WHERE region = 'eu' GROUP BY region")
    assert [r.view.name.table for r in outcome.replacements] == ["by_day"]


def test_of_several_ways_the_one_that_leaves_least_to_do(built: World) -> None:
    assert used(built, "SELECT cnt, sum(total) FROM totals GROUP BY cnt") == ["big_totals"]
    assert used(built, "SELECT region, sum(total) FROM totals GROUP BY region") == ["by_region"]


def test_a_named_view_whose_storage_is_stale_is_answered_as_its_query(built: World) -> None:
    stale = TableName(("lake", "demo", "priced__storage"))
    relations = {**built.relations, stale: replace(built.relations[stale], refresh=None)}  # type: ignore[type-var]
    sql = "SELECT region, max(price) FROM priced GROUP BY region"
    outcome = rewrite(parse(sql, built.session), built.definitions, relations)
    assert [r.view.name.table for r in outcome.replacements] == ["dear"]


def test_the_closure_holds_all_that_is_read_through(built: World) -> None:
    names = {name.table for name in built.definitions.closure(parse("SELECT label FROM labelled", built.session))}
    assert {"labelled", "known", "sales", "names", "by_label", "by_label__storage"} <= names


def test_a_view_that_is_named_is_what_its_query_would_be_in_this_session() -> None:
    """In another time zone its dates would differ; whole hours, and times without a zone, would not."""
    built = world(read(Path(FOLDER / "time_zone.sql")))
    elsewhere = replace(built.session, time_zone="America/New_York")
    outcome = World(elsewhere, built.relations, built.definitions).rewrite("SELECT d, top FROM by_date")
    assert not outcome.rewritten
    assert Reason.SETTINGS_DIFFER in [a.reason for a in outcome.tried if a.view.table == "by_date"]
    assert used(built, "SELECT d, top FROM by_date") == ["by_date"]
    assert used(World(elsewhere, built.relations, built.definitions), "SELECT h, s FROM by_hour") == ["by_hour"]
    assert used(World(elsewhere, built.relations, built.definitions), "SELECT h, s FROM local_hour") == ["local_hour"]


@pytest.mark.parametrize("head", ["INSERT INTO copy (r, n) ", "CREATE TABLE copy USING iceberg AS "])
def test_a_view_in_a_query_whose_rows_are_written_is_put_in_its_place(built: World, head: str) -> None:
    query = "SELECT r, count(*) AS n FROM known GROUP BY r"
    outcome = built.rewrite(head + query)
    assert outcome.sql() == head + built.rewrite(query).sql()
    assert outcome.original == head + query
    assert (read_by(outcome.original), read_by(outcome.expanded)) == (query, built.rewrite(query).expanded)
