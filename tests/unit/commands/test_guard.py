"""Which statements are refused because they would break a view, and which are not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from proxy.commands import Planner, find
from proxy.hs2 import SqlError
from tests.unit.catalog.lake import ROWS, Lake
from tests.unit.commands.house import House

CREATE = "CREATE MATERIALIZED VIEW agg AS SELECT region, sum(amount) FROM sales GROUP BY region"


def plan(house: House, sql: str) -> Any:
    session: Any = SimpleNamespace(upstream=house.upstream, for_operators=False)
    return asyncio.run(Planner(house.context, find).plan(session, sql))


@pytest.fixture(scope="module")
def viewed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A view of two of the table's three columns; the tests only plan statements, and change nothing."""
    lake = Lake(tmp_path_factory.mktemp("guard"))
    house = House(lake)
    lake.iceberg.drop_table("demo.sales")
    table = lake.iceberg.create_table("demo.sales", ROWS.append_column("spare", ROWS["amount"]).schema)
    table.append(ROWS.append_column("spare", ROWS["amount"]))
    asyncio.run(house.run(CREATE))
    said = {"doomed": "${which}", "which": "sales", "statement": "DROP TABLE sales"}
    house.session = replace(house.session, settings={**house.session.settings, **said})
    yield house
    lake.close()


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        (
            "DROP TABLE sales",
            "the table or view lake.demo.sales is dropped or renamed by this statement, but is needed by",
        ),
        ("DROP TABLE IF EXISTS lake.demo.sales PURGE", "needed by materialized view lake.demo.agg"),
        ("ALTER TABLE demo.sales RENAME TO demo.other", "needed by materialized view lake.demo.agg"),
        ("ALTER TABLE sales DROP COLUMN Region", r"loses or changes columns \(region\)"),
        ("ALTER TABLE sales DROP COLUMNS (spare, amount)", r"\(spare, amount\)"),
        ("ALTER TABLE sales RENAME COLUMN amount TO a", r"\(amount\)"),
        ("ALTER TABLE sales ALTER COLUMN amount TYPE DECIMAL(20, 0)", "needed by"),
        ("ALTER TABLE sales REPLACE COLUMNS (region STRING)", "needed by"),
        ("ALTER TABLE sales ADD COLUMN amount.more INT", r"loses or changes columns \(amount\)"),
        (
            "DROP NAMESPACE demo CASCADE",
            "the namespace lake.demo contains tables or views that are needed by materialized view lake.demo.agg",
        ),
        ("DROP DATABASE IF EXISTS lake.demo CASCADE", "contains tables or views that are needed by"),
        ("DROP TABLE agg__storage", "is the storage table of materialized view lake.demo.agg"),
        (
            "INSERT INTO demo.agg__storage SELECT * FROM demo.agg__storage",
            "only refreshes may write to a storage table",
        ),
        ("DELETE FROM agg__storage", "only refreshes may write to a storage table"),
        ("DELETE FROM demo.agg__storage.branch_main", "only refreshes may write to a storage table"),
        ("ALTER TABLE agg__storage CREATE OR REPLACE BRANCH main", "only refreshes may write to a storage table"),
        ("TRUNCATE TABLE agg__storage", "only refreshes may write to a storage table"),
        ("CREATE OR REPLACE TABLE agg__storage AS SELECT 1 AS a", "only refreshes may write to a storage table"),
        ("ALTER TABLE agg__storage ADD COLUMN a INT", "only refreshes may write to a storage table"),
        ("CREATE OR REPLACE TABLE sales AS SELECT 1 AS region", "replaced without columns that views need"),
        ("REPLACE TABLE IDENTIFIER('sales') USING iceberg AS SELECT 1 AS region", "needed by materialized view"),
        ("CREATE OR REPLACE TABLE sales USING iceberg", "needed by materialized view lake.demo.agg"),
        ("DROP VIEW agg", "which this statement cannot change: use DROP MATERIALIZED VIEW"),
        ("DROP TABLE IDENTIFIER('lake.demo.sales')", "needed by materialized view lake.demo.agg"),
        ("DROP TABLE IF EXISTS IDENTIFIER('sal' || 'es')", "needed by materialized view lake.demo.agg"),
        ("ALTER TABLE IDENTIFIER('`sales`') DROP COLUMN amount", r"loses or changes columns \(amount\)"),
        ("DROP TABLE IDENTIFIER(concat('demo.', 'sales'))", "needed by materialized view lake.demo.agg"),
        ("DROP DATABASE IDENTIFIER('demo') CASCADE", "contains tables or views that are needed by"),
        ("DELETE FROM IDENTIFIER('agg__storage')", "only refreshes may write to a storage table"),
        ("EXECUTE IMMEDIATE 'DROP TABLE lake.demo.sales'", "needed by materialized view lake.demo.agg"),
        ("EXECUTE IMMEDIATE 'DROP TABLE ' || 'sales'", "needed by materialized view lake.demo.agg"),
        ("EXECUTE IMMEDIATE 'DROP TABLE IDENTIFIER(:n)' USING 'sales' AS n", "needed by materialized view"),
        ("BEGIN SELECT 1; DROP TABLE sales; END", "needed by materialized view lake.demo.agg"),
        ("BEGIN IF 1 = 1 THEN ALTER TABLE sales DROP COLUMN amount; END IF; END", r"\(amount\)"),
        ("BEGIN DECLARE s STRING = 'DROP TABLE sales'; EXECUTE IMMEDIATE s; END", "needed by materialized view"),
        ("BEGIN INSERT INTO agg__storage VALUES ('x', 1); END", "only refreshes may write to a storage table"),
        ("DROP TABLE ${hiveconf:doomed}", "needed by materialized view lake.demo.agg"),
        ("${statement}", "needed by materialized view lake.demo.agg"),
        ("CREATE OR REPLACE VIEW agg AS SELECT 1 AS a", "use DROP MATERIALIZED VIEW"),
    ],
)
def test_refused(viewed: House, sql: str, said: str) -> None:
    with pytest.raises(SqlError, match=said) as refused:
        plan(viewed, sql)
    assert refused.value.sql_state == "2BP01"


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO agg VALUES ('eu', 1)",
        "INSERT OVERWRITE TABLE demo.agg SELECT region, amount FROM sales",
        "INSERT INTO lake.demo.agg BY NAME SELECT 'eu' AS region",
        "WITH s AS (SELECT 1) INSERT INTO agg SELECT * FROM s",
        "FROM sales INSERT INTO agg SELECT region, amount",
        "UPDATE agg SET region = 'us'",
        "DELETE FROM `demo`.agg WHERE region = 'eu'",
        "MERGE INTO agg AS t USING sales AS s ON t.region = s.region WHEN MATCHED THEN DELETE",
        "TRUNCATE TABLE agg",
        "DELETE FROM IDENTIFIER('agg')",
        "EXECUTE IMMEDIATE 'DELETE FROM agg'",
        "BEGIN SELECT 1; DELETE FROM agg; END",
    ],
)
def test_a_write_to_a_materialized_view_is_told_where_to_write(viewed: House, sql: str) -> None:
    said = (
        r"^lake\.demo\.agg is a materialized view: only refreshes may write to a view; "
        r"write to its base tables \(lake\.demo\.sales\) instead$"
    )
    with pytest.raises(SqlError, match=said) as refused:
        plan(viewed, sql)
    assert refused.value.sql_state == "42809"


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE other",
        "INSERT INTO other.agg VALUES ('eu', 1)",
        "INSERT INTO sales SELECT * FROM agg",
        "DELETE FROM sales WHERE region IN (SELECT region FROM agg)",
        "CREATE TABLE IF NOT EXISTS agg AS SELECT 1 AS a",
        "DROP TABLE other.sales",
        "ALTER TABLE sales ADD COLUMN more INT",
        "ALTER TABLE sales DROP COLUMN spare",
        "ALTER TABLE sales ADD COLUMN spare.more INT",
        "ALTER TABLE sales RENAME COLUMN spare TO s",
        "ALTER TABLE sales ALTER COLUMN amount COMMENT 'x'",
        "ALTER TABLE agg__storage SET TBLPROPERTIES ('a' = 'b')",
        "DROP NAMESPACE demo",
        "DROP NAMESPACE other CASCADE",
        "SELECT * FROM agg__storage",
        "CALL lake.system.rewrite_data_files('demo.agg__storage')",
        "DROP TABLE IDENTIFIER('other')",
        "ALTER TABLE IDENTIFIER('sales') DROP COLUMN spare",
        "CREATE TABLE sales AS SELECT 1 AS region",
        "CREATE OR REPLACE TABLE other AS SELECT 1 AS region",
        "CREATE TABLE IDENTIFIER('copy') AS SELECT * FROM agg__storage",
        "EXECUTE IMMEDIATE 'DROP TABLE other'",
        "BEGIN INSERT INTO sales VALUES ('DROP TABLE sales', 1); DROP TABLE other; END",
        "DROP TABLE ${unknown}",
    ],
)
def test_allowed(viewed: House, sql: str) -> None:
    assert plan(viewed, sql) is not None


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE Demo.Sales",
        "ALTER TABLE SALES DROP COLUMN amount",
        "DROP TABLE lake.demo.Agg__Storage",
        "INSERT INTO Agg__storage VALUES ('x', 1)",
        "DELETE FROM DEMO.agg__storage",
        "INSERT INTO Agg VALUES ('eu', 1)",
        "DROP VIEW demo.AGG",
        "DROP NAMESPACE lake.Demo CASCADE",
        "DROP NAMESPACE DEMO CASCADE",
    ],
)
def test_the_case_of_a_name_matters_as_in_its_catalog(viewed: House, sql: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert plan(viewed, sql) is not None
    hive = replace(viewed.session, namespace=("Demo",), lower_names=frozenset({"lake"}))
    monkeypatch.setattr(viewed, "session", hive)
    with pytest.raises(SqlError, match="agg"):
        plan(viewed, sql)


@pytest.mark.parametrize("sql", ["CREATE OR REPLACE TABLE sales AS TABLE s", "REPLACE TABLE sales (a INT)"])
def test_a_table_may_be_made_anew_with_the_columns_that_views_need(
    viewed: House, sql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(viewed.upstream, "described", [("x", "int"), ("REGION", "string"), ("amount", "bigint")])
    assert plan(viewed, sql) is not None
    monkeypatch.setattr(viewed.upstream, "described", [("region", "string"), ("amount", "int")])
    with pytest.raises(SqlError, match="replaced without columns that views need"):
        plan(viewed, sql)


def test_where_nobody_can_tell_the_columns_spark_says_why_or_the_view_stays_whole(
    viewed: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(viewed.upstream, "broken", {"DESCRIBE QUERY": SqlError("there is no s", "42P01")})
    with pytest.raises(SqlError, match="there is no s"):
        plan(viewed, "CREATE OR REPLACE TABLE sales AS SELECT * FROM s")
    with pytest.raises(SqlError, match="needed by"):  # the script may make s
        plan(viewed, "BEGIN CREATE TABLE s (a INT); CREATE OR REPLACE TABLE sales AS SELECT * FROM s; END")


def test_nothing_is_refused_once_the_view_is_gone(house: House) -> None:
    for sql in (CREATE, "DROP MATERIALIZED VIEW agg"):
        asyncio.run(house.run(sql))
    assert plan(house, "DROP TABLE sales") is not None
