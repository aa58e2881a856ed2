"""Which views may expose what a block needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewriter import parse
from tests.golden.corpus import GoldenFile, World, world

SCHEMA = """
CREATE TABLE sales (id INT NOT NULL, region STRING, n INT, d DATE, due DATE, dim_id INT NOT NULL);
CREATE TABLE dim (id INT NOT NULL, name STRING, area_id INT);
ALTER TABLE dim SET TBLPROPERTIES ('viewgate.primary-key' = 'id')
"""
VIEWS = {
    "by_dim": "SELECT dim_id, sum(n) AS s FROM sales GROUP BY dim_id",
    "by_name": "SELECT name, sum(n) AS s FROM sales JOIN dim ON dim_id = dim.id GROUP BY name",
    "by_id": "SELECT dim.id, sum(n) AS s FROM sales JOIN dim ON dim_id = dim.id GROUP BY dim.id",
    "early": "SELECT region, sum(n) AS s FROM sales WHERE d < due GROUP BY region",
    "by_dates": "SELECT d, due, region, sum(n) AS s FROM sales GROUP BY d, due, region",
}


@pytest.fixture(scope="module")
def built() -> World:
    return world(GoldenFile(Path(), schema=SCHEMA, views=VIEWS))


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        # A join that the view has needs no column, one beside it does.
        ("SELECT sum(n) FROM sales JOIN dim ON dim_id = dim.id", {"by_dim", "by_name", "by_id"}),
        ("SELECT sum(n) FROM sales JOIN dim ON region = dim.area_id", {"early", "by_dates"}),
        ("SELECT name, sum(n) FROM sales JOIN dim ON dim_id = dim.id GROUP BY name", {"by_dim", "by_name", "by_id"}),
        # What a view only joins by is no column of it.
        ("SELECT dim_id, sum(n) FROM sales JOIN dim ON dim_id = dim.id GROUP BY dim_id", {"by_dim", "by_id"}),
        # A comparison of columns is implied by itself alone.
        ("SELECT region, sum(n) FROM sales WHERE d < due GROUP BY region", {"early", "by_dates"}),
        ("SELECT region, sum(n) FROM sales WHERE d >= due GROUP BY region", {"early", "by_dates"}),
        ("SELECT sum(n) FROM sales WHERE id < n", set()),
        # An inner join stands for what is asked by a whole key, by no less.
        ("SELECT sum(n) FROM sales WHERE dim_id IN (SELECT id FROM dim)", VIEWS.keys()),
        ("SELECT sum(n) FROM sales WHERE dim_id IN (SELECT * FROM dim)", VIEWS.keys()),
        (
            "WITH d AS (SELECT id AS k FROM dim) SELECT sum(n) FROM sales WHERE dim_id IN (SELECT k FROM d)",
            VIEWS.keys(),
        ),
        (
            "SELECT sum(n) FROM sales WHERE EXISTS (SELECT 1 FROM dim WHERE area_id = dim_id)",
            {"by_dim", "early", "by_dates"},
        ),
    ],
)
def test_what_a_view_must_have(built: World, sql: str, expected: set[str]) -> None:
    listed = built.definitions.shortlisted(parse(sql, built.session))
    assert {view.name.table for view in listed} == expected


def test_a_name_of_the_block_around_is_a_constant(built: World) -> None:
    sql = "SELECT name FROM dim WHERE area_id < (SELECT sum(n) FROM sales WHERE dim_id = name)"
    statement = parse(sql, built.session)
    inner = min(statement.blocks, key=lambda block: len(block.text))
    listed = built.definitions.shortlist(statement, inner)
    # Those that join dim by dim_id do not show it.
    assert {view.name.table for view in listed.views()} == {"by_dim"}


def test_a_column_that_goes_by_another_name_below_leaves_an_aggregate_open(built: World) -> None:
    least = "min(CASE WHEN n > 1 THEN area_id END)"
    sql = f"SELECT {least} FROM (SELECT n, dim_id FROM sales) AS s (n, dim_id) JOIN dim ON s.dim_id = dim.id"
    views = {"by_case": f"SELECT name, {least} AS m FROM sales JOIN dim ON dim_id = dim.id GROUP BY name"}
    found = world(GoldenFile(Path(), schema=SCHEMA, views=views)).definitions.shortlisted(parse(sql, built.session))
    assert [view.name.table for view in found] == ["by_case"]


def test_tables_that_must_be_joined_back_are_told(built: World) -> None:
    statement = parse("SELECT name, sum(n) FROM sales JOIN dim ON dim_id = dim.id GROUP BY name", built.session)
    listed = built.definitions.shortlist(statement, statement.blocks[0])
    found = {
        view.name.table: {table.table for table in group.beside}
        for group in listed.groups
        for view in built.definitions.at(group.views)
        if group.beside
    }
    assert found == {"by_id": {"dim"}}
