"""The shortlist leaves out views that cannot match; the property tests check that it leaves out no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewriter import Definitions, parse, rewrite
from rewriter.model import Column, Declared, TableName
from tests.golden.corpus import GoldenFile, World, world

NOTHING = Declared()
SCHEMA = """
CREATE TABLE sales (id INT NOT NULL, region STRING, n INT, x DOUBLE, d DATE, dim_id INT);
CREATE TABLE dim (id INT NOT NULL, name STRING, weight INT)
"""
VIEWS = {
    "by_region": "SELECT region, sum(n) AS s, max(x) AS m FROM sales GROUP BY region",
    "by_day": "SELECT d, avg(n) AS a FROM sales GROUP BY d",
    "eu": "SELECT region, d, sum(n) AS s FROM sales WHERE region = 'eu' GROUP BY region, d",
    "late": "SELECT region, n FROM sales WHERE d >= DATE '2024-06-01'",
    "joined": "SELECT name, sum(n) AS s FROM sales JOIN dim ON sales.dim_id = dim.id GROUP BY name",
    "products": "SELECT region, sum(n * x) AS s FROM sales GROUP BY region",
    "top": "SELECT region, count(*) AS c FROM sales GROUP BY region HAVING count(*) > 10",
}


@pytest.fixture(scope="module")
def built() -> World:
    return world(GoldenFile(Path(), schema=SCHEMA, views=VIEWS))


def shortlist(built: World, sql: str, declared: Declared = NOTHING) -> set[str]:
    """Return the views on the shortlist; the query of `top` is unsupported, so that it is on all shortlists."""
    definitions = built.definitions.knowing(declared)
    found = {view.name.table for view in definitions.shortlisted(parse(sql, built.session))}
    assert "top" in found
    return found - {"top"}


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT region, sum(n) FROM sales GROUP BY region", {"by_region"}),
        ("SELECT sum(n) FROM sales", {"by_region", "by_day"}),
        ("SELECT max(x) FROM sales", {"by_region"}),
        ("SELECT max(n) FROM sales", set()),
        ("SELECT sum(x * n) FROM sales", {"products"}),
        ("SELECT region AS n, sum(x * n) FROM sales GROUP BY region", {"by_region", "products"}),
        ("SELECT region AS n, sum(x) FILTER (WHERE n > 1) FROM sales GROUP BY region", {"by_region", "products"}),
        ("SELECT region AS n, sum(n * x * unknown(x)) FROM sales GROUP BY region", {"by_region", "products"}),
        ("SELECT count(n) FROM sales", {"by_region", "by_day", "products"}),
        ("SELECT region, n FROM sales", set()),
        ("SELECT sum(n) FROM sales WHERE region = 'eu'", {"by_region", "eu"}),
        ("SELECT sum(n) FROM sales WHERE region = 'us'", {"by_region"}),
        ("SELECT sum(n) FROM sales WHERE region IN ('eu', 'us')", {"by_region"}),
        ("SELECT sum(n) FROM sales WHERE region = 'eu' OR region = 'us'", {"by_region", "by_day", "eu"}),
        ("SELECT region, n FROM sales WHERE d >= DATE '2024-07-01'", set()),
        ("SELECT region, n FROM sales WHERE d >= DATE '2024-06-01'", {"late"}),
        ("SELECT region, n FROM sales WHERE d >= DATE '2024-05-01' AND d >= DATE '2024-06-01'", {"late"}),
        ("SELECT region, n FROM sales WHERE d > '2024-05-31'", {"late"}),
        ("SELECT region, n FROM sales WHERE d > '2024-05-30'", set()),
        ("SELECT name, sum(n) FROM sales, dim WHERE dim_id = dim.id GROUP BY name", {"joined"}),
        ("SELECT * FROM sales", set()),
        ("SELECT nowhere FROM sales", set()),
    ],
)
def test_only_views_that_have_what_is_needed(built: World, sql: str, expected: set[str]) -> None:
    assert shortlist(built, sql) == expected


def test_a_star_needs_no_columns_of_a_table_that_is_only_asked() -> None:
    query = "SELECT {} FROM sales LEFT SEMI JOIN dim ON sales.dim_id = dim.id"
    known = world(GoldenFile(Path(), schema=SCHEMA, views={"known": query.format("id, region, n, x, d, dim_id")}))
    assert rewrite(parse(query.format("*"), known.session), known.definitions, known.relations).rewritten


def test_another_table_may_have_the_column(built: World) -> None:
    # `weight` and `label` are used by no view: they can be of `dim`, to which a view of sales would be joined.
    sql = "SELECT region, weight, sum(n) FROM sales JOIN dim ON region = dim.label GROUP BY region, weight"
    assert shortlist(built, sql) == {"by_region"}


def test_derived_tables_are_seen_through(built: World) -> None:
    sql = "SELECT r, sum(m) FROM (SELECT region AS r, n AS m FROM sales WHERE region = 'us') GROUP BY r"
    assert shortlist(built, sql) == {"by_region", "eu"}
    assert shortlist(built, "WITH w AS (SELECT * FROM sales) SELECT max(x) FROM w") == {"by_region"}


def test_a_column_of_a_block_around_is_not_needed(built: World) -> None:
    sql = "SELECT name FROM dim WHERE weight > (SELECT sum(n) FROM sales WHERE region = dim.label)"
    assert "by_region" in shortlist(built, sql)


def test_a_view_that_is_named_is_on_the_list_and_what_its_query_could_be_answered_from(built: World) -> None:
    statement = parse("SELECT m FROM by_region", built.session)
    assert [view.name.table for view in built.definitions.shortlisted(statement)] == ["by_region", "top"]


def test_thorough_definitions_list_all_views_of_the_tables(built: World) -> None:
    statement = parse("SELECT nowhere FROM sales", built.session)
    listed = {view.name.table for view in built.definitions.thorough.shortlisted(statement)}
    assert listed == VIEWS.keys()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT region, sum(s) FROM (SELECT region, sum(n) AS s FROM sales WHERE n > x GROUP BY 1, d) AS g GROUP BY 1",
        "WITH g AS (SELECT region, n FROM sales WHERE n > x LIMIT 5) SELECT region, sum(n) FROM g GROUP BY region",
        "SELECT region FROM sales TABLESAMPLE (5 ROWS) LATERAL VIEW explode(array(1)) AS y GROUP BY region",
    ],
)
def test_a_form_that_no_block_has_shortlists_no_view(built: World, sql: str) -> None:
    statement = parse(sql, built.session)
    outer = statement.blocks[-1 if sql.startswith("WITH") else 0]
    assert {view.name.table for view in built.definitions.shortlist(statement, outer).views()} == {"top"}
    assert {view.name.table for view in built.definitions.thorough.shortlist(statement, outer).views()} == VIEWS.keys()


@pytest.mark.parametrize("condition", ["n = 2", "n >= 2", "region IN ('eu', 'us')", "n > 2 AND region = 'eu'"])
@pytest.mark.parametrize("part", ["id < 2", "id = 2", ""])
def test_a_view_that_holds_a_part_is_used_as_if_all_were_tried(condition: str, part: str) -> None:
    views = {"held": f"SELECT id, sum(n) AS s FROM sales WHERE {condition} GROUP BY id"}
    here = world(GoldenFile(Path(), schema=SCHEMA, views=views, parts={"held": part} if part else {}))
    for sql in ("SELECT sum(n) FROM sales", f"SELECT sum(n) FROM sales WHERE {condition}"):
        quick, thorough = (
            rewrite(parse(sql, here.session), definitions, here.relations)
            for definitions in (here.definitions, here.definitions.thorough)
        )
        assert quick.sql() == thorough.sql()


def test_a_view_may_join_a_table_that_has_a_key(built: World) -> None:
    sales, dim = (TableName(("lake", "demo", table)) for table in ("sales", "dim"))
    known = Declared({dim: ("id",)}, {sales: frozenset({dim})})
    assert shortlist(built, "SELECT sum(n) FROM sales", known) == {"by_region", "by_day", "joined"}
    assert shortlist(built, "SELECT sum(n) FROM sales WHERE region = 'us'", known) == {"by_region"}
    assert shortlist(built, "SELECT sum(n) FROM sales", Declared({dim: ("id",)})) == {"by_region", "by_day"}
    unknown = Definitions(built.definitions.views).shortlisted(parse("SELECT sum(n) FROM sales", built.session))
    assert {view.name.table for view in unknown} == {"by_region", "by_day", "joined", "top"}


def test_a_table_may_be_joined_back_by_its_key(built: World) -> None:
    sql = "SELECT name, weight, sum(n) FROM sales, dim WHERE dim_id = dim.id GROUP BY name, weight"
    assert shortlist(built, sql) == set()
    for key, expected in (("id",), set()), (("name",), {"joined"}), (("name", "weight"), set()):
        assert shortlist(built, sql, Declared({TableName(("lake", "demo", "dim")): key})) == expected
    unknown = Definitions(built.definitions.views).shortlisted(parse(sql, built.session))
    assert "joined" in {view.name.table for view in unknown}


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT region, sum(n) FROM sales s JOIN dim ON s.dim_id = dim.id GROUP BY region", {"by_region"}),
        ("SELECT region, sum(n) FROM sales s LEFT JOIN dim ON s.dim_id = dim.id GROUP BY region", {"by_region"}),
        ("SELECT region, sum(n) FROM sales s JOIN dim ON s.dim_id = dim.id GROUP BY region, dim.name", set()),
        (
            "SELECT region, sum(n) FROM sales s JOIN dim ON s.dim_id = dim.id WHERE lower(name) = 'a' GROUP BY region",
            set(),
        ),
        (
            "SELECT region, sum(n) FROM sales s JOIN dim ON s.dim_id = dim.id WHERE dim.name = 'a' GROUP BY region",
            set(),
        ),
        ("SELECT * FROM sales s JOIN dim ON s.dim_id = dim.id", set()),
    ],
)
def test_a_plan_may_leave_out_a_table_that_has_a_key(built: World, sql: str, expected: set[str]) -> None:
    sales, dim = (TableName(("lake", "demo", table)) for table in ("sales", "dim"))
    columns = (Column("id", "int"), Column("name", "string"), Column("weight", "int"))
    declared = Declared({dim: ("id",)}, {sales: frozenset({dim})}, {dim: columns})
    assert shortlist(built, sql, declared) - {"joined"} == expected
    assert shortlist(built, sql) - {"joined"} == set()


def test_what_is_looked_up(built: World) -> None:
    statement = parse("SELECT max(x) FROM sales", built.session)
    looked_up = {name.table for name in built.definitions.knowing(NOTHING).closure(statement)}
    # What is known of the keys of dim may have changed.
    assert looked_up == {"sales", "dim", "by_region", "by_region__storage", "top", "top__storage"}
    assert Definitions(()).closure(statement) == set(statement.tables)
    unknown = {name.table for name in Definitions(built.definitions.views).closure(statement)}
    assert unknown == looked_up | {"joined", "joined__storage"}


def test_what_is_nested_too_deeply_puts_no_view_aside(built: World) -> None:
    deep = "n" + " + n" * 3000
    assert "products" in shortlist(built, f"SELECT max({deep}) FROM sales")
    long = " AND ".join(f"n <> {i}" for i in range(3000))
    assert "products" not in shortlist(built, f"SELECT max(n) FROM sales WHERE {long}")


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT sum(n) FROM sales WHERE EXISTS (SELECT 1 FROM dim WHERE dim.id = dim_id)", {"by_day", "by_region"}),
        ("SELECT region, sum(n) FROM sales WHERE dim_id IN (SELECT id FROM dim) GROUP BY region", {"by_region"}),
        ("SELECT d, sum(n) FROM sales GROUP BY d HAVING sum(n) > (SELECT avg(weight) FROM dim)", {"by_day"}),
        ("SELECT max(x) FROM sales WHERE region > (SELECT max(s.region) FROM sales s WHERE s.n > 1)", {"by_region"}),
        ("SELECT max(x) FROM sales WHERE region = 'eu' AND n > (SELECT avg(s.n) FROM sales s)", set()),
    ],
)
def test_what_stands_in_a_subquery_is_not_needed_of_a_view(built: World, sql: str, expected: set[str]) -> None:
    statement = parse(sql, built.session)
    outer = max(statement.blocks, key=lambda block: len(block.text))
    definitions = built.definitions.knowing(NOTHING)
    assert {view.name.table for view in definitions.shortlist(statement, outer).views()} - {"top"} == expected


def test_a_name_that_no_view_uses_belongs_to_the_table_that_has_it(built: World) -> None:
    sql = "SELECT region, sum(n) FROM sales CROSS JOIN dim WHERE tax > 3 GROUP BY region"
    sales, dim = (TableName(("lake", "demo", table)) for table in ("sales", "dim"))
    tax = (Column("tax", "int"),)
    assert shortlist(built, sql) == {"by_region"}
    assert shortlist(built, sql, Declared(columns={dim: tax})) == {"by_region"}
    assert shortlist(built, sql, Declared(columns={sales: tax})) == set()
