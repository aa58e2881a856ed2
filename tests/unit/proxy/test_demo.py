from __future__ import annotations

import asyncio
import logging
import re
from pathlib import Path

import pytest

from proxy import demo
from proxy.hs2 import ResultSet


def made(*there: str) -> list[str]:
    """Return the statements that create the demo if these tables and views exist already."""
    return [statement.split(" AS ")[0] for statement in sent(*there) if statement.startswith("CREATE")]


def sent(*there: str) -> list[str]:
    """Return all statements, one per line."""
    statements: list[str] = []

    async def query(sql: str) -> ResultSet:
        statements.append(" ".join(sql.split()))
        tables = "TABLES" in sql
        return ResultSet.of("namespace", "name", rows=[("demo", name) for name in there if (name == "sales") == tables])

    asyncio.run(demo.make(1000, query))
    return statements


def test_table_first_then_views() -> None:
    statements = made()
    assert all(" IF NOT EXISTS lake.demo" in statement for statement in statements)
    assert [statement.split(" IF ")[0] for statement in statements] == [
        "CREATE TABLE",
        *["CREATE MATERIALIZED VIEW"] * len(demo.VIEWS),
    ]


def test_only_what_is_missing_is_made_and_spoken_of(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    first, *others = demo.STATEMENTS
    assert made(first, *others) == []
    assert not caplog.text
    assert len(made(first, *others[1:])) == 1
    assert f"making the demo data, 1 of 1: {others[0]}" in caplog.text


def test_a_step_that_takes_long_shows_signs_of_life(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(demo, "_SIGN_OF_LIFE_S", 0.01)

    async def query(sql: str) -> ResultSet:
        if "CREATE TABLE" in sql:
            while "so far" not in caplog.text:
                await asyncio.sleep(0.01)
        return ResultSet.of("namespace", "name")

    asyncio.run(demo.make(1000, query))
    assert "making the demo data, 1 of 4: sales, 1,000 rows" in caplog.messages
    assert "making the demo data, 1 of 4: sales, 0 s so far" in caplog.messages


def test_a_demo_that_is_there_is_found_without_spark() -> None:
    assert sent(*demo.STATEMENTS) == ["SHOW MATERIALIZED VIEWS IN lake.demo"]


def test_the_first_query_of_the_readme_is_rehearsed() -> None:
    rehearsed: list[str] = []

    async def query(sql: str) -> ResultSet:
        rehearsed.append(sql.replace("lake.demo.", ""))
        return ResultSet.of("country", "sum(quantity)", rows=[])

    asyncio.run(demo.rehearse(query))
    readme = (Path(__file__).parents[3] / "README.md").read_text()
    assert re.findall(r"demo> (SELECT .*);", readme)[0] == rehearsed[0]


def test_the_sales_have_as_many_rows_as_are_asked_for() -> None:
    (sales,) = (statement for statement in sent() if "CREATE TABLE" in statement)
    assert "FROM range(1000)" in sales
    assert "{rows}" not in sales


def test_agg_sales_is_the_one_of_the_example() -> None:
    sql = " ".join(demo.VIEWS[0].split("AS\n", 1)[1].split())
    assert sql == "SELECT country, sex, sum(quantity), avg(price) FROM lake.demo.sales GROUP BY country, sex"
