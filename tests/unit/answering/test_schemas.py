"""Spark's errors about a statement are reported for the statement that the user wrote."""

from __future__ import annotations

import asyncio

import pytest

from proxy.answering import checked
from proxy.hs2 import ResultSet, SqlError


def told(sql: str, answer: str | SqlError = "") -> list[str]:
    """Return what Spark is asked about a statement."""
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
    """Without a query after it, DESCRIBE takes QUERY for a table's name: `DESCRIBE QUERY SELEC` misses a
    table QUERY.
    """
    assert told("(select 1)") == ["DESCRIBE QUERY\n(select 1)"]
    assert told("SELEC 1") == ["EXPLAIN\nSELEC 1"]
    assert told("SELECTED") == ["EXPLAIN\nSELECTED"]


def test_a_statement_that_writes_is_explained_and_what_is_wrong_is_no_plan() -> None:
    assert told("INSERT INTO x SELECT 1", "== Physical Plan ==") == ["EXPLAIN\nINSERT INTO x SELECT 1"]
    with pytest.raises(SqlError, match=r"^\[TABLE_OR_VIEW_NOT_FOUND\] x"):
        told("INSERT INTO x SELECT 1", "Error occurred during query planning: \n[TABLE_OR_VIEW_NOT_FOUND] x")


@pytest.mark.parametrize(
    ("sql", "line", "mark"),
    [
        ("SELECT timeseries(ts, 'day')\nFROM FROM t\nWHERE a", 2, "-----^^^"),
        ("SELECT timeseries(\n  ts,\n  'day'\n)\nFROM FROM t;", 5, "-----^^^"),
        ("INSERT INTO x\nSELECT timeseries(ts, 'day') FROM FROM t", 2, "-" * 34 + "^^^"),
    ],
)
def test_a_syntax_error_shows_the_users_own_text(sql: str, line: int, mark: str) -> None:
    async def query(text: str) -> ResultSet:
        """Play Spark's parser, which finds no error but the second FROM."""
        lines = text.split("\n")
        at = next(number for number, one in enumerate(lines) if "FROM FROM" in one)
        column = lines[at].index("FROM FROM") + 5
        lines.insert(at + 1, "-" * column + "^^^")
        place = f"(line {at + 1}, pos {column})"
        raise SqlError("[PARSE_SYNTAX_ERROR] at 'FROM'. " + place + "\n\n== SQL ==\n" + "\n".join(lines), "42601")

    with pytest.raises(SqlError) as refused:
        asyncio.run(checked(sql, query))
    shown = sql.split("\n")
    shown.insert(line, mark)
    place = f"(line {line}, pos {mark.index('^')})"
    assert refused.value.message == f"[PARSE_SYNTAX_ERROR] at 'FROM'. {place}\n\n== SQL ==\n" + "\n".join(shown)
