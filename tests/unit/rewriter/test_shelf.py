"""Bit sets of views: which views expose, keep, aggregate and equate names."""

from __future__ import annotations

import pytest

from rewriter.index import features_of
from rewriter.model import Session, TableName
from rewriter.select_requirements import Values, requirements_of
from rewriter.shelf import Shelf
from rewriter.sql import parse_select

QUERIES = {
    "by_day": "SELECT d, sum(n) AS s FROM sales GROUP BY d",
    "joined": "SELECT dim.id, avg(n * x) AS a FROM sales JOIN dim ON sales.dim_id = dim.id GROUP BY dim.id",
    "late": "SELECT n FROM sales WHERE d >= DATE '2024-06-01' AND d < DATE '2024-07-01'",
    "twice": "SELECT a.n FROM sales a JOIN sales b ON a.n = b.x WHERE a.d > b.d",
    "top": "SELECT n FROM sales ORDER BY n LIMIT 3",
}


@pytest.fixture(scope="module")
def shelf() -> Shelf:
    session = Session("lake", ("demo",))
    return Shelf.of({TableName((name,)): features_of(sql, session) for name, sql in QUERIES.items()})


def names(shelf: Shelf, bits: int) -> set[str]:
    return {shelf.views[place].table for place in shelf.pick(bits)}


def test_what_is_no_plain_block_is_not_understood(shelf: Shelf) -> None:
    assert names(shelf, shelf.understood) == QUERIES.keys() - {"top"}


def test_tables_are_counted_as_often_as_they_are_read(shelf: Shelf) -> None:
    sales = TableName(("lake", "demo", "sales"))
    assert names(shelf, shelf.reads[sales, 1]) == QUERIES.keys()
    assert names(shelf, shelf.reads[sales, 2]) == {"twice"}


def test_a_column_is_shown_by_any_name_that_the_view_equates(shelf: Shelf) -> None:
    assert names(shelf, shelf.show({"dim_id"})) == names(shelf, shelf.show({"id"})) == {"joined"}
    assert names(shelf, shelf.show({"d"})) == {"by_day"}  # others only filter by it
    assert names(shelf, shelf.join(frozenset({"dim_id", "id"}))) == {"joined"}


def test_a_filter_is_kept_by_all_comparisons_of_a_view_together(shelf: Shelf) -> None:
    def june(first: str, end: str) -> Values:
        required = requirements_of(parse_select(f"SELECT 1 FROM t WHERE d >= DATE '{first}' AND d <= DATE '{end}'"))
        ((low, high),) = required.limits.values()
        return Values(low.kind, low.set.meet(high.set))

    # What `twice` compares with is not known.
    assert names(shelf, shelf.keep(frozenset({"d"}), june("2024-06-01", "2024-06-30"))) == {"late", "twice"}
    assert names(shelf, shelf.keep(frozenset({"d"}), june("2024-06-02", "2024-06-30"))) == {"twice"}
    assert names(shelf, shelf.keep(frozenset({"d"}), None)) == {"late", "twice"}


def test_an_aggregate_is_made_of_those_of_no_more_columns(shelf: Shelf) -> None:
    n, both = frozenset({"n"}), frozenset({"n", "x"})
    assert names(shelf, shelf.fold(n, "avg", n)) == {"by_day"}
    assert names(shelf, shelf.fold(n, "sum", both)) == {"by_day", "joined"}
    assert names(shelf, shelf.fold(n, "max", both)) == set()
    assert names(shelf, shelf.fold(n, "", n)) == {"by_day", "joined"}
