"""Which view is cheapest, and when none is worth while."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rewriter import Reason, parse, rewrite
from rewriter.cost import SCAN, cost, least_costs
from rewriter.engine.questions import block_of, finder
from rewriter.model import Relation, Table, TableName
from tests.golden.corpus import GoldenFile, World, world

SCHEMA = "CREATE TABLE sales (region STRING, sex STRING, n INT)"
VIEWS = {
    "fine": "SELECT region, sex, sum(n) AS s FROM sales GROUP BY region, sex",
    "right": "SELECT region, sum(n) AS s FROM sales GROUP BY region",
}


@pytest.fixture
def built() -> World:
    return world(GoldenFile(Path(), schema=SCHEMA, views=VIEWS))


def sized(built: World, sizes: dict[str, int | None]) -> dict[TableName, Relation | None]:
    """The relations, some tables of these sizes in bytes."""
    return {
        name: replace(r, size=sizes[name.table], records=None) if isinstance(r, Table) and name.table in sizes else r
        for name, r in built.relations.items()
    }


def chosen(
    built: World, sizes: dict[str, int | None], query: str = "SELECT region, sum(n) FROM sales GROUP BY region"
) -> Any:
    outcome = rewrite(parse(query, built.session), built.definitions.thorough, sized(built, sizes))
    return [r.view.name.table for r in outcome.replacements], {a.view.table: a.reason for a in outcome.tried}


def test_grouping_again_costs_as_much_as_some_bytes(built: World) -> None:
    assert chosen(built, {"right__storage": SCAN - 1, "fine__storage": 0})[0] == ["right"]
    assert chosen(built, {"right__storage": SCAN + 1, "fine__storage": 0})[0] == ["fine"]


def test_a_rewriting_that_reads_more_than_the_original_is_not_used(built: World) -> None:
    views, tried = chosen(built, {"right__storage": 3 * SCAN, "fine__storage": 9 * SCAN, "sales": 0})
    assert views == []
    assert set(tried.values()) == {Reason.DEARER}


def test_the_tables_under_groups_are_what_a_view_over_these_saves() -> None:
    groups = "(SELECT region, sum(n) AS s FROM sales GROUP BY region)"
    query = f"SELECT x.region, y.s FROM {groups} AS x JOIN {groups} AS y ON x.s = y.s"
    built = world(GoldenFile(Path(), schema=SCHEMA, views={"pairs": query}))
    assert chosen(built, {"pairs__storage": SCAN, "sales": SCAN}, f"{query} WHERE x.region > 'a'")[0] == ["pairs"]
    assert chosen(built, {"pairs__storage": 9 * SCAN, "sales": SCAN}, f"{query} WHERE x.region > 'a'")[0] == []


def test_what_is_not_known_is_read_last_but_read(built: World) -> None:
    assert chosen(built, {"right__storage": None, "fine__storage": 2 * SCAN, "sales": 2 * SCAN})[0] == ["fine"]
    assert chosen(built, {"right__storage": None, "fine__storage": None, "sales": 0})[0] == ["right"]


def test_equally_good_views_are_taken_by_name(built: World) -> None:
    query = "SELECT sum(n) FROM sales"
    assert chosen(built, {"right__storage": 7, "fine__storage": 7}, query)[0] == ["fine"]


def test_views_with_parts_of_the_rows_are_bounded_by_what_a_union_reads_of_them() -> None:
    views = {"late": "SELECT region, n, max(sex) AS m FROM sales WHERE n > 0 GROUP BY region, n"}
    built = world(GoldenFile(Path(), schema=SCHEMA, views=views))
    relations = sized(built, {"late__storage": 2 * SCAN, "sales": 100 * SCAN})
    statement = parse("SELECT max(sex) FROM sales", built.session)
    (select,) = statement.blocks
    assert select.tree is not None
    block, _ = block_of(select, select.tree, statement, finder(statement, built.definitions, relations))
    shortlist = built.definitions.shortlist(statement, select)
    bounds = {view.name: bound for bound, view in least_costs(shortlist, block, relations)}
    (replaced,) = rewrite(statement, built.definitions, relations).replacements
    assert bounds[replaced.view.name] <= cost(replaced.match, relations)
