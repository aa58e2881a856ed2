"""A statement reads at most one range of changed rows of each table, and the table in no other unknown way."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rewriter import parse, rewrite
from rewriter.model import Table, TableName
from tests.golden.corpus import FOLDER, World, read, world

SALES = TableName(("lake", "demo", "sales"))
TOTAL = "SELECT region, sum(amount) AS n FROM sales GROUP BY region"
CHEAP = "SELECT region, id FROM sales WHERE price < 5"


def two_refreshes(view: str) -> World:
    """Return a world in which one view was refreshed between two changes of its table, and the others before both."""
    built = world(read(FOLDER / "live.sql"))
    sales, name = built.relations[SALES], TableName(("lake", "demo", f"{view}__storage"))
    storage = built.relations[name]
    assert isinstance(sales, Table)
    assert isinstance(storage, Table)
    assert storage.refresh is not None
    last, before = sales.snapshots
    between = replace(last, id=5400)
    built.relations[SALES] = replace(sales, snapshots=(last, between, before))
    sources = tuple(
        replace(source, snapshot_id=5400) if source.uuid == sales.uuid else source for source in storage.refresh.sources
    )
    built.relations[name] = replace(storage, refresh=replace(storage.refresh, sources=sources))
    return built


@pytest.mark.parametrize("view", ["by_region", "cheap"])
def test_of_two_views_of_different_refreshes_only_one_answers(view: str) -> None:
    built = two_refreshes(view)
    for query in (TOTAL, CHEAP):
        assert built.rewrite(query).live
    both = built.rewrite(f"{TOTAL} UNION ALL {CHEAP}")
    ranges = {(name, read) for made in both.replacements for name, read in made.match.rewriting.ranges if name == SALES}
    assert both.rewritten
    assert len(ranges) == 1
    (missed,) = {attempt.detail for attempt in both.tried if attempt.reason == "NOT_PINNED"}
    assert missed == (
        "another view is read together with the rows of lake.demo.sales that have changed since another refresh, and "
        "Spark reads only one such range of rows of a table in a statement: refresh the views"
    )


def test_two_views_of_one_refresh_both_answer() -> None:
    both = world(read(FOLDER / "live.sql")).rewrite(f"{TOTAL} UNION ALL {CHEAP}")
    assert [made.view.name.table for made in both.replacements if made.match.rewriting.live] == [
        "by_region",
        "cheap",
    ]


CALLS = (
    f"SELECT spark_catalog.default.f() AS region, 1 UNION ALL {TOTAL}",
    f"{TOTAL} UNION ALL VALUES ('eu', `default`.`f` (1))",
    f"SELECT n FROM ({TOTAL}) ORDER BY default.f(n)",
    f"SELECT a.n FROM ({TOTAL}) AS a, LATERAL default.f(a.n) AS b",
    f"INSERT INTO demo.old (region, label) SELECT region, default.f(n) FROM ({TOTAL})",
)


@pytest.mark.parametrize("query", CALLS)
def test_a_function_whose_body_may_read_a_table_is_not_read_beside_a_view(query: str) -> None:
    outcome = world(read(FOLDER / "live.sql")).rewrite(query)
    assert not outcome.rewritten
    assert "the function f may read tables at a different snapshot" in {attempt.detail for attempt in outcome.tried}


@pytest.mark.parametrize("catalog", ["lake", "spark_catalog"])
def test_only_the_session_catalog_has_functions_of_its_own(catalog: str) -> None:
    built = world(read(FOLDER / "live.sql"))
    total = TOTAL.replace("sales", "lake.demo.sales")
    for query, known in (
        (f"SELECT f(n) FROM ({total})", False),
        (f"WITH c(r, n) AS ({total}) SELECT x.r, upper(x.r), rank() OVER (ORDER BY n) FROM c AS x(r, n)", True),
    ):
        statement = parse(query, replace(built.session, catalog=catalog))
        outcome = rewrite(statement, built.definitions, built.relations)
        assert outcome.rewritten == (known or catalog == "lake"), query


def test_a_table_with_listed_columns_is_not_a_function() -> None:
    query = f"INSERT INTO lake.demo.old (region, label) {TOTAL}"
    assert world(read(FOLDER / "live.sql")).rewrite(query).live
