"""What Spark says of a statement is said of the statement that the user wrote."""

from __future__ import annotations

import asyncio

import pytest

from proxy.answering import checked
from proxy.hs2 import ResultSet, SqlError


def told(sql: str, answer: str | SqlError = "") -> list[str]:
    """What Spark is asked about a statement."""
    asked: list[str] = []

    async def query(text: str) -> ResultSet:
        asked.append(text)
        if isinstance(answer, SqlError):
            raise answer
        return ResultSet.of("plan", "type", rows=[(answer, "")])

    asyncio.run(checked(sql, query))
    return asked


def test_a_query_is_described_without_what_spark_does_not_know() -> None:
    assert told("SELECT timeseries(ts, 'day') FROM t;") == ["DESCRIBE QUERY\nSELECT           (ts       ) FROM t"]


def test_places_are_those_in_the_users_statement() -> None:
    sql = "SELECT timeseries(ts, 'day')\nFROM nowhere"
    sent = "DESCRIBE QUERY\nSELECT           (ts       )\nFROM nowhere"
    error = SqlError(f"[TABLE_OR_VIEW_NOT_FOUND] nowhere; line 3 pos 5\n== SQL ==\n{sent}\n-----^^^", "42P01")
    with pytest.raises(SqlError) as refused:
        told(sql, error)
    assert refused.value.message == f"[TABLE_OR_VIEW_NOT_FOUND] nowhere; line 2 pos 5\n== SQL ==\n{sql}\n-----^^^"
    assert refused.value.sql_state == "42P01"


def test_only_what_begins_as_a_query_is_described() -> None:
    """DESCRIBE takes QUERY for a table's name where no query follows: `DESCRIBE QUERY SELEC` misses a table QUERY."""
    assert told("(select 1)") == ["DESCRIBE QUERY\n(select 1)"]
    assert told("SELEC 1") == ["EXPLAIN SELEC 1"]
    assert told("SELECTED") == ["EXPLAIN SELECTED"]


def test_a_statement_that_writes_is_explained_and_what_is_wrong_is_no_plan() -> None:
    assert told("INSERT INTO x SELECT 1", "== Physical Plan ==") == ["EXPLAIN INSERT INTO x SELECT 1"]
    with pytest.raises(SqlError, match=r"^\[TABLE_OR_VIEW_NOT_FOUND\] x"):
        told("INSERT INTO x SELECT 1", "Error occurred during query planning: \n[TABLE_OR_VIEW_NOT_FOUND] x")
