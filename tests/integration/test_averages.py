"""Averages of DECIMALs of every precision equal Spark's to the last digit."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration import clients
from tests.integration.decided import chosen, rows_both_ways

TYPES = {"a": (5, 2), "b": (11, 4), "c": (12, 2), "d": (15, 2), "e": (18, 6), "f": (24, 6), "k": (21, 2)}
QUERY = f"SELECT g, {', '.join(f'avg({name})' for name in TYPES)} FROM t GROUP BY g"


def value(precision: int, scale: int) -> str:
    """Return digits computed from a row's number: all digits in a third of the rows, few in the others."""
    digits = f"CAST(pmod(hash(id, {precision}), {10 ** min(precision, 9)}) AS DECIMAL(38,0))"
    wide = f"{digits} * CAST({10 ** max(precision - 9, 0)} AS DECIMAL(20,0)) + id"
    few = "CAST(pmod(hash(id), 5000) AS DECIMAL(38,0)) - CAST(2500 AS DECIMAL(38,0))"
    unscaled = f"CASE WHEN id % 3 = 0 AND id % 7 > 0 THEN pmod({wide}, {10**precision}BD) ELSE {few} END"
    power = f"CAST({10**scale} AS DECIMAL(8,0))"
    scaled = f"CAST({unscaled} AS DECIMAL(26,0)) / {power}"
    return f"CASE WHEN id % 11 > 0 THEN CAST({scaled} AS DECIMAL({precision},{scale})) END"


@pytest.fixture
def session(pyhive: Any) -> Any:
    """A session with a table of 6,000 rows in 700 groups, and a view with finer groups."""
    columns = ", ".join(f"{name} DECIMAL({p},{s})" for name, (p, s) in TYPES.items())
    values = ", ".join(value(p, s) for p, s in TYPES.values())
    finer = ", ".join(f"avg({name}) AS {name}" for name in TYPES)
    for sql in (
        "CREATE NAMESPACE lake.averages",
        "USE lake.averages",
        f"CREATE TABLE t (g INT, h INT, {columns})",
        f"INSERT INTO t SELECT CAST(id % 700 AS INT), CAST(id % 4 AS INT), {values} FROM range(6000)",
        f"CREATE MATERIALIZED VIEW v AS SELECT g, h, {finer} FROM t GROUP BY g, h",
    ):
        clients.rows(pyhive, sql)
    return pyhive


def test_the_last_digit_is_spark_s(session: Any) -> None:
    assert chosen(session, QUERY) == ["lake.averages.v"]
    given, plain = rows_both_ways(session, QUERY)
    assert len(plain) == 700
    assert sorted(given) == sorted(plain)
