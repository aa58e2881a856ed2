"""Statements about the past: which are read as time travel, and what answers them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from rewriter import Outcome, parse, rewrite, rewrite_past, travel
from rewriter.model import Column, Relation, Session, Snapshot, Table, TableName
from rewriter.sql import reads_at_snapshots
from tests.golden.corpus import GoldenFile, World, world

SCHEMA = "CREATE TABLE sales (region STRING, n INT); CREATE TABLE names (region STRING, name STRING)"
VIEWS = {
    "by_region": "SELECT region, sum(n) AS total FROM sales GROUP BY region",
    "named": "SELECT name, count(*) AS cnt FROM sales JOIN names USING (region) GROUP BY name",
}
SALES, NAMES, STORAGE = (TableName(("lake", "demo", name)) for name in ("sales", "names", "by_region__storage"))
SESSION = Session("lake", ("demo",))


@pytest.mark.parametrize(
    "clause",
    [
        "VERSION AS OF 5",
        "FOR VERSION AS OF 'eom'",
        "for system_version as of 5",
        "TIMESTAMP AS OF '2024-01-31'",
        "TIMESTAMP AS OF TIMESTAMP '2024-01-31 10:00:00'",
        "FOR SYSTEM_TIME AS OF '2024-01-31'",
        "version\n as  of 5",
    ],
)
@pytest.mark.parametrize("query", ["SELECT n FROM sales {} AS s", "WITH w AS (SELECT n FROM sales {}) SELECT n FROM w"])
def test_clauses_of_literals_are_read(query: str, clause: str) -> None:
    sql = query.format(clause)
    found = travel(sql, SESSION)
    assert found is not None
    assert list(found.moments) == [SALES]
    assert len(found.statement.sql) == len(sql)
    assert found.statement.sql.split() == query.format("").split()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT n FROM sales",
        "SELECT version AS of FROM sales",
        "SELECT 'VERSION AS OF 5' FROM sales",
        "SELECT n FROM sales VERSION AS OF -5",
        "SELECT n FROM sales VERSION AS OF 5L",  # which Spark refuses
        "SELECT n FROM sales TIMESTAMP AS OF current_timestamp()",
        "SELECT n FROM sales TIMESTAMP AS OF '2024-01-31' ' 12:00:00'",  # one string in Spark
        "SELECT n FROM sales TIMESTAMP AS OF (SELECT max(n) FROM names)",
        "SELECT n FROM sales VERSION AS OF 5 JOIN names USING (region)",
        "SELECT n FROM sales VERSION AS OF 5 WHERE n IN (SELECT n FROM sales)",
        "SELECT n FROM sales VERSION AS OF 5 UNION ALL SELECT n FROM sales VERSION AS OF 6",
        "WITH w AS (SELECT n FROM sales) SELECT n FROM w VERSION AS OF 5",
        "FROM sales VERSION AS OF 5 SELECT n",
        "SELECT n FROM sales WITH ('start-snapshot-id' = '5') VERSION AS OF 5",
    ],
)
def test_all_else_stays_as_it_is(sql: str) -> None:
    assert travel(sql, SESSION) is None


@pytest.fixture
def built() -> World:
    return world(GoldenFile(Path(), schema=SCHEMA, views=VIEWS))


def answered(built: World, sql: str, relations: Mapping[TableName, Relation | None] | None = None) -> Outcome | None:
    past = travel(sql, built.session)
    assert past is not None
    return rewrite_past(past, built.definitions, built.relations if relations is None else relations)


def sql_of(outcome: Outcome | None) -> str:
    assert outcome is not None
    return outcome.sql() if outcome.rewritten else ""


def test_storage_is_read_at_its_snapshot(built: World) -> None:
    outcome = answered(built, "SELECT region, sum(n) FROM sales VERSION AS OF 1000 GROUP BY region")
    assert (
        sql_of(outcome)
        == "SELECT v.`region` AS region, v.`total` FROM lake.demo.by_region__storage VERSION AS OF 2000 AS v"
    )
    assert outcome is not None
    (replaced,) = outcome.replacements
    assert " ".join(replaced.original.split()) == "SELECT region, sum(n) FROM sales VERSION AS OF 1000 GROUP BY region"
    assert "proved" in str(replaced.verdict)


def test_what_no_view_answers_is_read_at_the_snapshot(built: World) -> None:
    table = "sales TIMESTAMP AS OF '2024-01-31'"
    totals = f"SELECT region, sum(n) AS s FROM {table} GROUP BY region"
    least = f"SELECT region, min(n) AS m FROM {table} GROUP BY region"
    query = f"SELECT a.region, s, m FROM ({totals}) AS a JOIN ({least}) AS b ON a.region = b.region"
    sql = sql_of(answered(built, query))
    assert "by_region__storage VERSION AS OF 2000" in sql
    assert sql.count("FROM sales VERSION AS OF 1000") == 1
    assert "TIMESTAMP" not in sql


def test_a_join_of_several_moments_is_answered_by_storage_of_just_those(built: World) -> None:
    sql = (
        "SELECT name, count(*) FROM sales VERSION AS OF 1000 JOIN names VERSION AS OF 1001 USING (region) GROUP BY name"
    )
    assert "named__storage VERSION AS OF" in sql_of(answered(built, sql))


def test_rows_that_came_between_a_refresh_and_the_moment_are_read_with_it(built: World) -> None:
    sales = built.relations[SALES]
    assert isinstance(sales, Table)
    for operation, live in (("append", True), ("overwrite", False)):
        line = (Snapshot(7, 7, operation, sales.schema_id, 10), *sales.snapshots)
        then = {**built.relations, SALES: replace(sales, snapshots=line)}
        outcome = answered(built, "SELECT region, sum(n) FROM sales VERSION AS OF 7 GROUP BY region", then)
        assert outcome is not None
        assert [str(each.verdict)[:6] for each in outcome.replacements] == ["proved"] * live
        assert ("WITH ('start-snapshot-id' = '1000', 'end-snapshot-id' = '7')" in sql_of(outcome)) == live


@pytest.mark.parametrize(
    "query",
    [
        "SELECT region, sum(n) FROM {0} WHERE region > (SELECT min(name) FROM {1}) GROUP BY region",
        "SELECT region, sum(n) FROM {0} WHERE region IN (SELECT region FROM {1}) GROUP BY region",
        "SELECT region, sum(n), (SELECT max(region) FROM {1}) FROM {0} GROUP BY region",
        "SELECT s.region, sum(s.n) FROM {0} AS s JOIN (SELECT region FROM {1} LIMIT 2) AS x USING (region) GROUP BY 1",
        "WITH w AS (SELECT region, count(DISTINCT n) AS m FROM {0} GROUP BY region) SELECT t.region, t.s, w.m FROM "
        "(SELECT region, sum(n) AS s FROM {0} GROUP BY region) AS t JOIN w ON t.region = w.region",
        "SELECT region, sum(n) FROM {0} GROUP BY region UNION ALL SELECT name, 1 FROM {1}",
    ],
)
def test_all_that_is_read_is_read_at_its_snapshot(built: World, query: str) -> None:
    sql = query.format("sales VERSION AS OF 1000", "names VERSION AS OF 1001")
    text = sql_of(answered(built, sql))
    assert "__storage VERSION AS OF 2000" in text
    assert reads_at_snapshots(text, built.session)


def test_nothing_is_answered_where_a_table_or_storage_is_not_known(built: World) -> None:
    sql = "SELECT region, sum(n) FROM sales VERSION AS OF 1000 GROUP BY region"
    assert answered(built, sql, {**built.relations, SALES: None}) is None
    assert sql_of(answered(built, sql, {**built.relations, STORAGE: None})) == ""


def test_columns_of_that_time_must_be_those_that_were_refreshed_from(built: World) -> None:
    sales = built.relations[SALES]
    assert isinstance(sales, Table)
    other = replace(sales, columns=(sales.columns[0], Column("n", "bigint", True, 2)))
    sql = "SELECT region, sum(n) FROM sales VERSION AS OF 1000 GROUP BY region"
    changed = {**built.relations, SALES: other}
    assert sql_of(answered(built, sql, built.relations)) != ""
    storage = built.relations[STORAGE]
    assert isinstance(storage, Table)
    assert storage.refresh is not None
    sources = tuple(replace(source, columns=sales.columns) for source in storage.refresh.sources)
    changed[STORAGE] = replace(storage, refresh=replace(storage.refresh, sources=sources))
    assert sql_of(answered(built, sql, changed)) == ""


@pytest.mark.parametrize(
    ("clause", "kept"),
    [("VERSION AS OF 5", True), ("FOR VERSION AS OF '5'", True), ("VERSION AS OF 'eom'", False),
     ("TIMESTAMP AS OF '2024-01-31'", False), ("VERSION AS OF 5 TABLESAMPLE (5 PERCENT)", False)],
)  # fmt: skip
def test_a_snapshot_of_then_can_be_read_beside_a_view_of_now(built: World, clause: str, kept: bool) -> None:
    totals = "SELECT region, sum(n) AS s FROM sales {} GROUP BY region"
    query = f"SELECT a.s - b.s FROM ({totals.format('')}) AS a JOIN ({totals.format(clause)}) AS b USING (region)"
    assert travel(query, built.session) is None
    outcome = rewrite(parse(query, built.session), built.definitions, built.relations)
    sql = outcome.sql() if outcome.rewritten else ""
    assert ("by_region__storage VERSION AS OF 2000" in sql) == kept
    assert (f"FROM sales {clause} GROUP" in sql) == kept
