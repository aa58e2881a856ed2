"""Decides about a random query, and runs it with and without views."""

from __future__ import annotations

from collections import Counter
from functools import cache, lru_cache
from pathlib import Path

import duckdb
import sqlglot
from sqlglot import exp

from rewriter import Reason, rules
from rewriter.verify import UNVERIFIED
from tests.golden.corpus import GoldenFile, World, world
from tests.golden.execution import Rows, append, connect, fill, of_snapshots, read_otherwise, rows_of, same_rows
from tests.property.generator import SCHEMA, Case

Named = tuple[tuple[str, str], ...]

RULES = frozenset(rule.__name__ for rule in rules.RULES) - {"text_match"}
# What a query is made of, by a text that gives it away.
SHAPES = {
    "branches": "CASE WHEN",
    "FILTER": "FILTER (",
    "DISTINCT": "SELECT DISTINCT",
    "ROLLUP": "ROLLUP (",
    "CUBE": "CUBE (",
    "GROUPING SETS": "GROUPING SETS (",
    "windows": " OVER (",
    "variances": "stddev",
    "pairs": "regr_",
    "EXISTS": " EXISTS (",
    "IN": " IN (SELECT",
    "NOT IN": " NOT IN (SELECT",
    "PIVOT": " PIVOT (",
    "anti joins": "LEFT ANTI JOIN",
    "subqueries": "(SELECT min(weight)",
    "correlated": "WHERE dim_id = id",
    "plain views": "FROM facts",
    "views over views": "FROM mv0",
}


def answers_enough(hits: Counter[str], cases: int) -> bool:
    """Return whether at least a fifth of the queries are answered; with fewer, equal rows prove little."""
    return cases - hits["miss"] >= cases / 5


def lacking(hits: Counter[str], cases: int) -> str:
    """Return what the answered queries lack to prove something: rules, shapes or number; empty if they lack nothing.

    >>> lacking(Counter({**dict.fromkeys([*RULES, *SHAPES], 1), "miss": 60}), 90)
    ''
    >>> lacking(Counter({**dict.fromkeys([*RULES, *SHAPES], 1), "read_rows": 0, "miss": 61}), 90)
    'no query is answered with read_rows; only 29 of 90 queries are answered: extend tests/property/generator.py'
    """
    answered, without = cases - hits["miss"], sorted(name for name in (*RULES, *SHAPES) if not hits[name])
    problems = [f"no query is answered with {', '.join(without)}"] * bool(without)
    problems += [f"only {answered} of {cases} queries are answered"] * (answered < cases / 3)
    return f"{'; '.join(problems)}: extend tests/property/generator.py" if problems else ""


def check(case: Case) -> list[str]:
    """Return the rules and shapes that were answered, or a miss; fail if the rows differ."""
    built = world_of(case.views, case.plain, case.appended, case.later, case.refreshed)
    outcome = built.rewrite(case.query)
    assert not any("the rewriter failed with an internal error" in attempt.detail for attempt in outcome.tried), (
        f"seed {case.seed}"
    )
    assert UNVERIFIED not in [replacement.verdict for replacement in outcome.replacements], f"seed {case.seed}"
    refuted = [attempt for attempt in outcome.tried if attempt.reason is Reason.PLAN_REFUTED]
    assert not refuted, f"seed {case.seed}\n{case.views}\n{case.query}\n{refuted}"
    if not outcome.rewritten:
        return ["miss"]
    connection = _filled(case.rows, case.views, case.plain, case.appended, case.later, case.refreshed)
    mine, theirs = (_answer(connection, sql) for sql in (outcome.sql(), outcome.original))
    world_told = f"{case.plain}\n{case.views}\n{case.appended}\n{case.later}\n{case.refreshed}"
    told = f"seed {case.seed}\n{world_told}\n{case.query}\n{outcome.sql()}\n{mine}\n{theirs}"
    assert not (name := read_otherwise(outcome.sql())), f"{name} is read in several ways\n{told}"
    if mine is None or theirs is None:  # the query is none, and only a subquery of it was answered
        assert mine == theirs, told
        return ["miss"]
    same = same_rows(mine, theirs, ordered=False, query=outcome.original)
    assert same or _rounded_at_a_tie(connection, outcome.sql(), outcome.original), told
    shapes = [shape for shape, text in SHAPES.items() if text in case.query]
    return [*dict.fromkeys(replacement.rule for replacement in outcome.replacements), *shapes]


def _rounded_at_a_tie(connection: duckdb.DuckDBPyConnection, mine: str, theirs: str) -> bool:
    """Return whether two queries give the same rows without round() around their outputs.

    A sum of doubles in another order may lie on the other side of a tie: 58621.125 and 58621.12499999999.
    """
    one, other = (_answer(connection, _unrounded(sql)) for sql in (mine, theirs))
    return one is not None and other is not None and same_rows(one, other, ordered=False)


def _unrounded(sql: str) -> str:
    """Return a query without round() around its outputs.

    >>> _unrounded("SELECT a, round(avg(b), 2) AS c FROM t WHERE round(a) = 1")
    'SELECT a, AVG(b) AS c FROM t WHERE ROUND(a) = 1'
    """
    tree = sqlglot.parse_one(of_snapshots(sql), "spark")
    select = tree.find(exp.Select)
    for output in select.expressions if select is not None else ():
        if isinstance(value := output.unalias(), exp.Round):
            value.replace(value.this)
    return tree.sql("spark")


def filled_world(case: Case) -> tuple[World, duckdb.DuckDBPyConnection]:
    """Return the tables and views of a random case, and a database filled with them until the next case."""
    changes = case.appended, case.later, case.refreshed
    return world_of(case.views, case.plain, *changes), _filled(case.rows, case.views, case.plain, *changes)


@lru_cache(maxsize=1)
def world_of(
    views: Named, plain: Named, appended: str = "", later: str = "", refreshed: tuple[tuple[str, int], ...] = ()
) -> World:
    return world(
        GoldenFile(
            Path(), schema=SCHEMA, plain=dict(plain), views=dict(views), appended=appended, later=later,
            refreshed=dict(refreshed),
        )
    )  # fmt: skip


@lru_cache(maxsize=1)
def _filled(
    rows: str, views: Named, plain: Named, appended: str, later: str, refreshed: tuple[tuple[str, int], ...]
) -> duckdb.DuckDBPyConnection:
    built = world_of(views, plain, appended, later, refreshed)
    fill(_connection(), SCHEMA, rows, built)
    append(_connection(), built, appended, later, dict(refreshed))
    return _connection()


@cache
def _connection() -> duckdb.DuckDBPyConnection:
    return connect()


def _answer(connection: duckdb.DuckDBPyConnection, sql: str) -> Rows | None:
    """Return the rows of a query; None for a query that is not valid."""
    try:
        return rows_of(connection, sql)
    except duckdb.BinderException:
        return None
