"""Each rewriting of a random query over random views returns what the query itself returns."""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path

import duckdb

from tests.golden.corpus import GoldenFile, world
from tests.golden.execution import Rows, database, rows_of, same_rows
from tests.property.generator import SCHEMA, Case, generate

# VIEWGATE_SEEDS=FIRST:LAST tries other cases than CI's; `make fuzz` does so range by range.
FIRST, LAST = (int(n) for n in os.environ.get("VIEWGATE_SEEDS", "0:2000").split(":"))

# What a query is made of, by a text that gives it away.
SHAPES = {
    "branches": "CASE WHEN",
    "FILTER": "FILTER (",
    "DISTINCT": "SELECT DISTINCT",
    "ROLLUP": "ROLLUP (",
    "CUBE": "CUBE (",
    "GROUPING SETS": "GROUPING SETS (",
    "windows": " OVER (",
    "variances": "var_",
    "EXISTS": " EXISTS (",
    "IN": " IN (SELECT",
    "NOT IN": " NOT IN (SELECT",
    "subqueries": "(SELECT min(weight)",
    "correlated": "WHERE dim_id = id",
}


def test_rewritten_queries_return_the_same_rows() -> None:
    hits: Counter[str] = Counter()
    for seed in range(FIRST, LAST):
        hits.update(check(generate(seed)))
    sys.stdout.write(f"seeds {FIRST} to {LAST}: {dict(hits)}\n")
    assert LAST - FIRST - hits["miss"] >= (LAST - FIRST) / 3, "the generator must produce hits, or it proves nothing"
    assert {"read_rows", "same_grain", "roll_up", "union_with_tables", *SHAPES} <= hits.keys()


def check(case: Case) -> list[str]:
    """The rules and shapes that were answered, or a miss; fails if the rows differ."""
    built = world(GoldenFile(Path(), schema=SCHEMA, views=case.views))
    outcome = built.rewrite(case.query)
    assert not any("an error in the rewriter" in attempt.detail for attempt in outcome.tried), f"seed {case.seed}"
    if not outcome.rewritten:
        return ["miss"]
    connection = database(SCHEMA, case.rows, built)
    mine, theirs = (_answer(connection, sql) for sql in (outcome.sql(), outcome.original))
    told = f"seed {case.seed}\n{case.views}\n{case.query}\n{outcome.sql()}\n{mine}\n{theirs}"
    if mine is None or theirs is None:  # the query is none, and only a subquery of it was answered
        assert mine == theirs, told
        return ["miss"]
    assert same_rows(mine, theirs, ordered=False), told
    shapes = [shape for shape, text in SHAPES.items() if text in case.query]
    return [*dict.fromkeys(replacement.rule for replacement in outcome.replacements), *shapes]


def _answer(connection: duckdb.DuckDBPyConnection, sql: str) -> Rows | None:
    """The rows of a query; None for one that is not valid."""
    try:
        return rows_of(connection, sql)
    except duckdb.BinderException:
        return None
