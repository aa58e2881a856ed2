"""Cached decisions equal those that would be made now."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from rewriter import Recent
from rewriter.model import Column, Session, Snapshot, Table
from tests.golden.corpus import GoldenFile, World, world

QUERY = "SELECT region, sum(n) FROM sales GROUP BY region"


@pytest.fixture
def built() -> World:
    views = {"by_region": "SELECT region, sum(n) AS s FROM sales GROUP BY region"}
    return world(GoldenFile(Path(), schema="CREATE TABLE sales (region STRING, n INT)", views=views))


def test_the_same_statement_is_decided_once(built: World) -> None:
    recent = Recent(built.definitions)
    asked = recent.ask(QUERY, built.session)
    outcome = asked.decide(built.relations)
    assert outcome.rewritten
    again = recent.ask(QUERY, replace(built.session, settings=dict(built.session.settings)))
    assert again is asked
    assert again.decide(dict(built.relations)) is outcome


def test_a_write_counts_at_once_and_so_does_its_refresh(built: World) -> None:
    asked = Recent(built.definitions).ask(QUERY, built.session)
    assert asked.decide(built.relations).rewritten
    sales = next(r for name, r in built.relations.items() if name.table == "sales")
    assert isinstance(sales, Table)
    written = replace(sales, snapshots=(Snapshot(99, 99, "overwrite", sales.schema_id), *sales.snapshots))
    assert not asked.decide({**built.relations, sales.name: written}).rewritten
    assert asked.decide(built.relations).rewritten


@pytest.mark.parametrize(
    "change",
    [
        {"off": "the session is asked for no view"},
        {"namespace": ("elsewhere",)},
        {"temporary_views": frozenset({"sales"})},
        {"settings": {"spark.sql.caseSensitive": "true"}},
        {"defaults": {"spark.sql.caseSensitive": "true"}},
    ],
)
def test_another_session_is_asked_anew(built: World, change: dict[str, object]) -> None:
    recent = Recent(built.definitions)
    mine = recent.ask(QUERY, built.session)
    other = recent.ask(QUERY, changed(built.session, change))
    assert other is not mine
    assert mine.decide(built.relations).rewritten
    assert other.statement.session != mine.statement.session


def test_what_no_view_reads_concerns_none(built: World) -> None:
    recent = Recent(built.definitions)
    assert recent.ask(QUERY, built.session).concerns_views
    assert not recent.ask("SELECT 1 FROM other", built.session).concerns_views


def test_the_views_over_its_tables_are_counted_whether_they_can_answer_or_not(built: World) -> None:
    recent = Recent(built.definitions)
    lacking = recent.ask("SELECT user_id FROM sales GROUP BY user_id", built.session)
    assert (lacking.over, lacking.concerns_views) == (1, False)
    assert recent.ask("SELECT 1 FROM other", built.session).over == 0


def test_a_text_is_printed_for_the_columns_at_hand(built: World) -> None:
    outcome = Recent(built.definitions).ask(QUERY, built.session).decide(built.relations)
    (original,) = [r.original for r in outcome.replacements]
    columns = (Column("region", "string"), Column("sum(n)", "bigint"))
    renamed = (columns[0], Column("total", "bigint"))
    first = outcome.sql({original: columns})
    assert "`sum(n)`" in first
    assert "AS total" in outcome.sql({original: renamed})
    assert outcome.sql({original: columns}) == first


def changed(session: Session, change: dict[str, object]) -> Session:
    return replace(session, **change)  # type: ignore[arg-type]
