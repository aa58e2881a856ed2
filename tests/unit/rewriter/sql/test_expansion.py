"""Views expanded in place of their names."""

from __future__ import annotations

import pytest

from rewriter.model import Column, MaterializedView, PlainView, Session, TableName
from rewriter.sql import Expanded, by_name, expand, from_storage, in_place, parse
from rewriter.sql.expansion import DEEPEST

SESSION = Session("lake", ("demo",), catalogs=frozenset({"lake"}))


def name(table: str, namespace: str = "demo") -> TableName:
    return TableName(("lake", namespace, table))


def typed(columns: str) -> tuple[Column, ...]:
    pairs = (column.split(" ") for column in columns.split(", "))
    return tuple(Column(label, kind) for label, kind in pairs)


def plain(table: str, query: str, columns: str, namespace: str = "demo") -> PlainView:
    return PlainView(name(table), f"u-{table}", 1, query, typed(columns), "lake", (namespace,))


def materialized(table: str, query: str, columns: str) -> MaterializedView:
    storage = name(f"{table}__storage")
    return MaterializedView(name(table), f"u-{table}", 1, query, query, storage, typed(columns), "lake", ("demo",))


PLAIN = (
    plain("eu", "SELECT id, region AS r FROM sales WHERE region = 'eu'", "id bigint, r string"),
    plain("renamed", "SELECT id, region FROM sales", "a bigint, b string"),
    plain("starred", "SELECT * FROM eu -- all", "id bigint, r string"),
    plain("narrow", "SELECT CAST(id AS SMALLINT) AS s, id + 1 AS n FROM sales", "s int, n int"),
    plain("elsewhere", "SELECT id FROM sales", "id bigint", namespace="other"),
    plain("round", "SELECT id FROM about", "id bigint"),
    plain("about", "SELECT id FROM round", "id bigint"),
    plain("bare", "FROM sales SELECT id", "id bigint"),
    plain("paired", "SELECT a.id FROM (sales a JOIN other b ON a.id = b.id)", "id bigint"),
    plain("either", "SELECT id FROM sales UNION ALL SELECT id FROM eu", "id bigint"),
)
VIEWS = by_name(PLAIN, ())
EU = "(SELECT id, region AS r FROM lake.demo.sales WHERE region = 'eu')"


def expanded(sql: str, session: Session = SESSION) -> Expanded:
    return expand(parse(sql, session), VIEWS)


@pytest.mark.parametrize(
    ("sql", "whole"),
    [
        ("SELECT /* kept */ id FROM eu", f"SELECT /* kept */ id FROM {EU} AS eu"),
        ("SELECT x.id FROM lake.demo.eu AS x", f"SELECT x.id FROM {EU} AS x"),
        ("SELECT a FROM renamed", "SELECT a FROM (SELECT a, b FROM (SELECT id, region FROM lake.demo.sales) "
         "AS renamed (a, b)) AS renamed"),
        ("SELECT r FROM starred s", f"SELECT r FROM (SELECT id, r FROM (SELECT * FROM {EU} AS eu -- all\n) "
         "AS starred (id, r)) s"),
        ("SELECT s FROM narrow", "SELECT s FROM (SELECT CAST(s AS int) AS s, n FROM (SELECT CAST(id AS SMALLINT) AS s, "
         "id + 1 AS n FROM lake.demo.sales) AS narrow (s, n)) AS narrow"),
        ("SELECT id FROM elsewhere", "SELECT id FROM (SELECT id FROM lake.other.sales) AS elsewhere"),
        ("SELECT 1 FROM t WHERE id IN (SELECT id FROM eu)", f"SELECT 1 FROM t WHERE id IN (SELECT id FROM {EU} AS eu)"),
        ("SELECT id FROM either", f"SELECT id FROM (SELECT id FROM (SELECT id FROM lake.demo.sales UNION ALL SELECT id "
         f"FROM {EU} AS eu) AS either (id)) AS either"),
    ],
)  # fmt: skip
def test_a_view_stands_as_a_derived_table(sql: str, whole: str) -> None:
    found = expanded(sql)
    assert found.statement.sql == whole
    assert not found.refused


@pytest.mark.parametrize(
    "sql",
    [
        "WITH eu AS (SELECT 1 AS id) SELECT id FROM eu",
        "SELECT id FROM sales",
        "INSERT INTO eu SELECT 1",
        "SELECT 1; SELECT id FROM eu",
    ],
)
def test_what_names_no_view_stays(sql: str) -> None:
    assert expanded(sql).statement.sql == sql
    assert not expanded(sql).views


def test_a_temporary_view_hides_a_view_of_its_name() -> None:
    session = Session("lake", ("demo",), temporary_views=frozenset({"eu"}))
    assert expanded("SELECT id FROM eu", session).statement.sql == "SELECT id FROM eu"


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT id FROM eu VERSION AS OF 1", "has more than an alias after the view's name"),
        ("SELECT id FROM round", "refers to itself"),
        ("SELECT id FROM bare", "is not supported"),
        ("SELECT id FROM paired", "is not supported"),
    ],
)
def test_what_cannot_be_put_in_place_stays_a_name_with_the_reason(sql: str, why: str) -> None:
    found = expanded(sql)
    assert found.statement.sql == sql
    assert [why in refusal for refusal in found.refused.values()] == [True]


def test_one_that_stays_a_name_leaves_the_others() -> None:
    found = expanded("SELECT 1 FROM eu JOIN round USING (id)")
    assert found.statement.sql == f"SELECT 1 FROM {EU} AS eu JOIN round USING (id)"
    assert [view.name for view in found.views] == [name("eu")]
    assert list(found.refused) == [name("round")]


def test_a_name_that_means_something_else_here_is_not_put_in() -> None:
    """If names have no catalog, a common table expression can hide the table under a view."""
    session = Session("", (), catalogs=frozenset({""}))
    view = PlainView(TableName(("", "eu")), "u", 1, "SELECT id FROM sales", (Column("id", "bigint"),), "", ())
    hidden = parse("WITH sales AS (SELECT 1 AS id) SELECT id FROM eu", session)
    assert (
        "would refer to a CTE of the statement: rename the CTE" in expand(hidden, {view.name: view}).refused[view.name]
    )
    assert expand(parse("SELECT id FROM eu", session), {view.name: view}).views == (view,)


def test_views_nested_too_deeply_stay_names() -> None:
    views = [plain("v0", "SELECT id FROM sales", "id bigint")]
    views += [plain(f"v{i}", f"SELECT id FROM v{i - 1}", "id bigint") for i in range(1, DEEPEST + 2)]
    found = expand(parse(f"SELECT id FROM v{DEEPEST + 1}", SESSION), by_name(views, []))
    assert "lake.demo.v0 is nested more than" in found.refused[name(f"v{DEEPEST + 1}")]


def test_a_materialized_view_over_views_is_read_through() -> None:
    a = materialized("a", "SELECT r, count(*) AS n FROM eu GROUP BY r", "r string, n bigint")
    b = materialized("b", "SELECT sum(n) AS s FROM a", "s bigint")
    found_a, found_b = in_place([a, b], PLAIN)
    assert found_a.storage_query == f"SELECT r, count(*) AS n FROM {EU} AS eu GROUP BY r"
    assert [state.name.table for state in found_a.through] == ["eu"]
    assert found_b.storage_query == f"SELECT sum(n) AS s FROM ({found_a.storage_query}) AS a"
    assert [state.name.table for state in found_b.through] == ["eu", "a"]
    assert found_b.written == b.storage_query
    assert in_place([found_a, found_b], PLAIN) == (found_a, found_b)
    known = by_name(PLAIN, [found_a, found_b])
    text = from_storage(found_b, known, {a.name: found_a})
    assert text == "SELECT sum(n) AS s FROM (SELECT r, n FROM lake.demo.a__storage) AS a"


def test_views_that_stand_on_each_other_stay_names() -> None:
    a = materialized("a", "SELECT s FROM b", "s bigint")
    b = materialized("b", "SELECT s FROM a", "s bigint")
    assert [(view.storage_query, view.through) for view in in_place([a, b], ())] == [(a.query, ()), (b.query, ())]
