"""`information_schema` in statements: its rows, and names that belong to the user instead."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest

from proxy.answering import Answers, information_schema
from proxy.hs2 import ResultSet, SqlError
from rewriter import splice
from rewriter.model import Session
from tests.unit.journal.stubs import session
from tests.unit.pipeline.house import House


def told(house: House, sql: str, current: str = "lake", spark: str = "") -> str | None:
    """Return the SQL for Spark of a statement in a session whose catalog is `current`; `spark` is a
    namespace in Spark.
    """
    answers, client = Answers(house.catalogs), session()
    asked: list[str] = []

    async def facts(_: object) -> Session:
        return Session(current, ("demo",), catalogs=frozenset({"lake", "spark_catalog"}))

    async def query(sql: str) -> ResultSet:
        asked.append(sql)
        return ResultSet.of("namespace", rows=[(spark,)] if spark else [])

    answers.facts = facts  # type: ignore[method-assign, assignment]
    client.upstream.query = query  # type: ignore[method-assign]
    edits = asyncio.run(answers._with_virtual_tables(client, sql))
    by_spark = current != "lake" and "lake.information_schema" not in sql
    assert asked == (["SHOW NAMESPACES LIKE 'information_schema'"] if by_spark else [])
    return splice(sql, edits) if edits else None


def rows(house: House, table: str) -> list[dict[str, Any]]:
    text = told(house, f"SELECT * FROM information_schema.{table}")
    assert text is not None
    found = re.search(r"from_json\(replace\('([^'\\]*)', '¬', chr\(92\)\), 'ARRAY", text)
    assert found is not None
    listed: list[dict[str, Any]] = json.loads(found[1].replace("¬", "\\"))
    names = list(information_schema.TABLES[table])
    return [{names[int(key)]: value for key, value in row.items()} for row in listed]


def test_what_there_is(house: House) -> None:
    assert rows(house, "schemata") == [{"catalog_name": "lake", "schema_name": "demo"}]
    assert [(row["table_name"], row["table_type"]) for row in rows(house, "tables")] == [
        ("agg", "MATERIALIZED VIEW"),
        ("sales", "BASE TABLE"),
    ]
    columns = [row for row in rows(house, "columns") if row["table_name"] == "sales"]
    assert [(row["column_name"], row["ordinal_position"], row["data_type"], row["is_nullable"]) for row in columns] == [
        ("region", 1, "STRING", "YES"),
        ("amount", 2, "BIGINT", "YES"),
    ]
    (view,) = rows(house, "materialized_views")
    assert (view["table_name"], view["storage_table"]) == ("agg", "lake.demo.agg__storage")
    assert view["view_definition"].startswith("SELECT region")
    assert rows(house, "views") == []


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("SELECT 1 FROM Information_Schema.TABLES t", "SELECT 1 FROM … t"),
        ("SELECT 1 FROM `lake`.information_schema.columns", "SELECT 1 FROM … AS columns"),
        ("SELECT tables.table_name, information_schema.tables.comment FROM information_schema.tables",
         "SELECT tables.table_name, tables.comment FROM … AS tables"),
    ],
)  # fmt: skip
def test_a_name_becomes_its_rows(house: House, sql: str, text: str) -> None:
    found = told(house, sql)
    assert found is not None
    assert re.sub(r"\(SELECT `.*?>>'\)\)\)\)", "…", found) == text


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM other.information_schema.tables",
        "SELECT * FROM information_schema.routines",
        "SELECT information_schema.tables FROM (SELECT named_struct('tables', 1) AS information_schema)",
        "SELECT 'information_schema.tables'",
        "SHOW TABLES IN information_schema",
        "DROP TABLE information_schema.tables",
    ],
)
def test_other_names_are_left_to_spark(house: House, sql: str) -> None:
    assert told(house, sql) is None


def test_a_namespace_of_the_user_goes_first(house: House) -> None:
    house.lake.iceberg.create_namespace("information_schema")
    assert told(house, "SELECT 1 FROM information_schema.tables") is None
    assert told(house, "SELECT 1 FROM lake.information_schema.tables") is None


def test_so_does_one_of_sparks_in_a_session_there(house: House) -> None:
    sql = "SELECT 1 FROM information_schema.tables"
    assert told(house, sql, "spark_catalog") is not None
    assert told(house, sql, "spark_catalog", "information_schema") is None
    assert (
        told(house, "SELECT 1 FROM lake.information_schema.tables", "spark_catalog", "information_schema") is not None
    )


def test_rows_that_do_not_fit_are_an_error_and_never_left_out() -> None:
    schema = information_schema.schema("lake")
    many = [{"table_name": "x" * 9000}] * 3000
    with pytest.raises(SqlError, match=r"the 3000 rows of information_schema\.tables") as refused:
        schema.text("tables", many)
    assert refused.value.sql_state == "54000"
