"""Every golden case: decided as expected, and executed both ways in DuckDB with the same rows."""

from __future__ import annotations

import math
import os
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlglot

from rewriter import Outcome, pin
from tests.golden.corpus import NAMESPACE, Case, GoldenFile, World, golden_files, read, world, write

UPDATE = os.environ.get("UPDATE_GOLDEN") == "1"


@pytest.mark.parametrize("path", golden_files(), ids=lambda path: path.stem)
def test_golden(path: Path) -> None:
    golden = read(path)
    built = world(golden)
    database = _database(golden, built)
    problems = []
    for case in golden.cases:
        outcome = built.rewrite(case.query)
        verdict, text = decision(outcome)
        if UPDATE:
            case.verdict, case.expected = verdict, text
        if not _agrees(case, verdict, text):
            problems.append(f"{case.title}\n  expected {case.verdict}\n  {case.expected}\n  got {verdict}\n  {text}")
        if outcome.rewritten:
            mine, theirs = _rows(database, outcome.sql()), _rows(database, outcome.original)
            if not same_rows(mine, theirs, ordered=False):
                problems.append(f"{case.title}: other rows\n  {outcome.sql()}\n  {mine}\n  {theirs}")
    if UPDATE:
        write(golden)
    assert not problems, "\n\n".join(problems)


def decision(outcome: Outcome) -> tuple[str, str]:
    """A decision as a golden file words it."""
    if outcome.rewritten:
        used = ", ".join(dict.fromkeys(r.view.name.table for r in outcome.replacements))
        return f"rewritten using {used}", outcome.sql()
    if not outcome.tried:
        return "kept: NO_VIEW", ""
    last = outcome.tried[-1]
    return f"kept: {last.reason} {last.detail}".strip(), ""


def _agrees(case: Case, verdict: str, text: str) -> bool:
    return case.verdict == verdict and case.expected == text


def _database(golden: GoldenFile, built: World) -> duckdb.DuckDBPyConnection:
    database = duckdb.connect()
    database.execute("SET TimeZone = 'UTC'")
    catalog, schema = NAMESPACE
    database.execute(f"ATTACH ':memory:' AS {catalog}; CREATE SCHEMA {catalog}.{schema}; USE {catalog}.{schema}")
    for sql in (golden.schema, golden.rows):
        for statement in sqlglot.transpile(sql, read="spark", write="duckdb"):
            database.execute(statement)
    for view in built.definitions.views:
        query = pin(view.storage_query, {}, built.session)
        database.execute(f"CREATE TABLE {view.storage} AS {_duck(query)}")
    return database


def _duck(sql: str) -> str:
    return sqlglot.transpile(sql, read="spark", write="duckdb")[0]


def _rows(database: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[Any, ...]]:
    return database.execute(_duck(sql)).fetchall()


def same_rows(mine: list[tuple[Any, ...]], theirs: list[tuple[Any, ...]], ordered: bool) -> bool:
    """Whether two results are the same, floating-point sums to their last bits."""
    if ordered:
        return [_rounded(row) for row in mine] == [_rounded(row) for row in theirs]
    return Counter(map(_rounded, mine)) == Counter(map(_rounded, theirs))


def _rounded(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(_significant(value) if isinstance(value, float) else value for value in row)


def _significant(value: float) -> float | str:
    if not math.isfinite(value) or value == 0:
        return str(value)
    return round(value, 12 - math.floor(math.log10(abs(value))))
