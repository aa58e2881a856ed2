from __future__ import annotations

import pytest

from proxy.hs2 import SqlError
from proxy.pipeline import pin, relations
from rewriter.model import Session, TableName

SESSION = Session("lake", ("demo",))
A, B = TableName(("lake", "demo", "a")), TableName(("lake", "demo", "b"))


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("SELECT i FROM a", {A}),
        ("SELECT i FROM demo.a JOIN lake.demo.b USING (i)", {A, B}),
        ("WITH c AS (SELECT i FROM a) SELECT i FROM c WHERE i IN (SELECT i FROM b)", {A, B}),
        ("SELECT i FROM a UNION ALL SELECT i FROM b", {A, B}),
        ("SELECT (SELECT max(i) FROM b) AS m FROM a", {A, B}),
        ("SELECT i FROM a WHERE i IS NOT DISTINCT FROM j", {A}),
    ],
)
def test_every_relation_is_named(query: str, named: set[TableName]) -> None:
    assert set(relations(query, SESSION)) == named


@pytest.mark.parametrize(
    "query",
    [
        "SELECT i FROM a UNION ALL TABLE b",
        "SELECT i FROM a UNION ALL (FROM b)",
        "SELECT i FROM a MINUS FROM b",
        "WITH c AS (TABLE b) SELECT i FROM c, a",
        "WITH c AS (SELECT i FROM a) FROM b",
        "FROM a",
        "SELECT i FROM (a JOIN b USING (i))",
        "SELECT i FROM ${t}",
        "SELECT i FROM a |> WHERE i > 1",
    ],
)
def test_what_could_hide_a_source_is_refused(query: str) -> None:
    with pytest.raises(SqlError, match="the tables of this query cannot be determined") as refused:
        relations(query, SESSION)
    assert refused.value.sql_state == "0A000"


def test_a_query_without_a_table_is_told_what_it_lacks() -> None:
    with pytest.raises(SqlError, match="reads no table: a materialized view is defined by SELECT"):
        relations("SELECT 1 AS one", SESSION)
    hidden = Session("lake", ("demo",), temporary_views=frozenset({"a"}))
    with pytest.raises(SqlError, match=r"A is a temporary view .*DROP VIEW A, or write demo\.A") as refused:
        relations("SELECT i FROM A", hidden)
    assert refused.value.sql_state == "0A000"


def test_every_occurrence_is_pinned() -> None:
    pinned = pin("SELECT i FROM a AS x JOIN a AS y USING (i) WHERE i IN (SELECT i FROM b)", {A: 1, B: 2}, SESSION)
    assert pinned == (
        "SELECT i FROM lake.demo.a VERSION AS OF 1 AS x JOIN lake.demo.a VERSION AS OF 1 AS y USING (i)"
        " WHERE i IN (SELECT i FROM lake.demo.b VERSION AS OF 2)"
    )


def test_what_cannot_be_pinned_everywhere_is_refused() -> None:
    with pytest.raises(SqlError, match=r"lake\.demo\.a cannot be pinned to a snapshot, .* in a join in parentheses;"):
        pin("SELECT i FROM (a JOIN b USING (i))", {A: 1}, SESSION)
