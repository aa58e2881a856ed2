"""Decisions about extreme statements take a bounded number of steps, counted as function calls."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from rewriter import parse, rewrite
from rewriter.script import Workspace, read_script

SCRIPT = """
CREATE TABLE sales (id INT, region STRING, price DECIMAL(10,2), qty INT);
CREATE MATERIALIZED VIEW by_region AS SELECT region, sum(price) AS p, sum(qty) AS q FROM sales GROUP BY region;
CREATE MATERIALIZED VIEW detail AS SELECT id, region, price, qty FROM sales;
"""


@pytest.fixture(scope="module")
def world() -> Workspace:
    return read_script(SCRIPT)


def calls_of(world: Workspace, sql: str) -> int:
    """Return the number of Python function calls that one decision takes."""
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    statement = parse(sql, world.session)
    before = sys.getprofile()
    sys.setprofile(count)
    try:
        rewrite(statement, world.definitions, world.relations)
    finally:
        sys.setprofile(before)
    return calls


# Sums of different lengths have no term in common, because what is found about an expression is cached.
def long_sum(terms: int) -> str:
    return f"SELECT region, {' + '.join(f'sum(qty) * {i}' for i in range(terms, 2 * terms))} FROM sales GROUP BY region"


def summed_rows(terms: int) -> str:
    return (
        f"SELECT region, sum({' + '.join(f'price * {i}' for i in range(terms, 2 * terms))}) FROM sales GROUP BY region"
    )


@pytest.mark.parametrize("query", [long_sum, summed_rows])
def test_a_sum_of_many_terms_takes_a_step_for_each(
    world: Workspace, query: Callable[[int], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The verifier puts sums together in pairs, and gives up where they are nested too deeply.
    monkeypatch.setattr(sys.modules["rewriter.engine.decide"], "_verified", lambda made, *_: made)
    calls_of(world, query(2))
    # Twice as many for twice the terms, where each prefix read anew would make four times of it.
    assert calls_of(world, query(160)) < 3 * calls_of(world, query(80))


def nested_sum(operations: int) -> str:
    argument = "qty"
    for i in range(operations):
        argument = f"({argument} + {i})"
    return f"SELECT region, sum({argument}) FROM sales GROUP BY region"


def test_a_sum_is_divided_up_to_a_number_of_operations(world: Workspace) -> None:
    assert calls_of(world, nested_sum(24)) < 400_000
    assert calls_of(world, nested_sum(200)) < 400_000


def many_sums(sums: int) -> str:
    chains = ("(" * 20 + "qty" + "".join(f" + {i * 100 + j})" for j in range(20)) for i in range(sums))
    return f"SELECT region, {', '.join(f'sum({chain})' for chain in chains)} FROM sales GROUP BY region"


def test_sums_are_divided_up_to_a_number_of_operations_in_all(world: Workspace) -> None:
    assert rewrite(parse(many_sums(40), world.session), world.definitions, world.relations).rewritten
    # A sum that is divided takes 26,000 calls, another one 6,000.
    assert calls_of(world, many_sums(150)) < 2_000_000


def chain(base: str, step: str, length: int) -> str:
    """Return a chain of CTEs, each over the previous one."""
    tables = [f"c0 AS ({base})", *(f"c{i + 1} AS ({step.replace('?', f'c{i}')})" for i in range(length))]
    return f"WITH {', '.join(tables)} SELECT * FROM c{length}"


@pytest.mark.parametrize(
    ("base", "step", "most"),
    [
        (  # of which nothing can be read
            "SELECT region, rand() AS s FROM sales",
            "SELECT a.region, a.s + b.s AS s FROM ? AS a JOIN ? AS b ON a.region = b.region",
            200_000,
        ),
        (  # with an expression that is twice as long at each step
            "SELECT region, price AS s FROM sales",
            "SELECT region, s + s AS s FROM ?",
            400_000,
        ),
        (  # with twice as many tables at each step
            "SELECT region, sum(price) AS s FROM sales GROUP BY region",
            "SELECT a.region, a.s + b.s AS s FROM ? AS a JOIN ? AS b ON a.region = b.region",
            1_500_000,
        ),
    ],
    ids=["unsupported", "expressions", "tables"],
)
def test_common_tables_over_each_other_do_not_multiply(world: Workspace, base: str, step: str, most: int) -> None:
    assert calls_of(world, chain(base, step, 14)) < most
