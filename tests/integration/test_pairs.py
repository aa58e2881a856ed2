"""Covariances, correlations and regressions over many groups equal Spark's without views, also after a merge."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration import clients
from tests.integration.decided import chosen, rows_both_ways

FUNCTIONS = (
    "covar_pop", "covar_samp", "corr", "regr_count", "regr_avgx", "regr_avgy", "regr_sxx", "regr_syy", "regr_sxy",
    "regr_slope", "regr_intercept", "regr_r2",
)  # fmt: skip
QUERY = f"SELECT g, {', '.join(f'{name}(price, n)' for name in FUNCTIONS)}, stddev(price) FROM t GROUP BY g"
FINER = "regr_r2(price, n) AS r2, stddev(price) AS sd"
# Large numbers with little between them, some of them missing.
ROWS = (
    "SELECT CAST(id % 60 AS INT), CAST(id % 4 AS INT), IF(id % 7 = 0, NULL, CAST(1000000 + hash(id) % 90 AS INT)), "
    "IF(id % 11 = 0, NULL, CAST(CAST(99000 + hash(id, 1) % 900 AS DECIMAL(12,2)) / 100 AS DECIMAL(10,2)))"
)


def test_the_answers_are_spark_s_before_and_after_rows_are_merged_in(pyhive: Any) -> None:
    for sql in (
        "CREATE NAMESPACE lake.pairs",
        "USE lake.pairs",
        "CREATE TABLE t (g INT, h INT, n INT, price DECIMAL(10,2))",
        f"INSERT INTO t {ROWS} FROM range(4000)",
        f"CREATE MATERIALIZED VIEW v WITH DEFERRED REFRESH AS SELECT g, h, {FINER} FROM t GROUP BY g, h",
        "REFRESH MATERIALIZED VIEW v",
    ):
        clients.rows(pyhive, sql)
    _same(pyhive)
    clients.rows(pyhive, f"INSERT INTO t {ROWS} FROM range(5000, 7000)")
    ((way, *_),) = clients.rows(pyhive, "EXPLAIN REFRESH MATERIALIZED VIEW v")
    clients.rows(pyhive, "REFRESH MATERIALIZED VIEW v")
    assert way == "append-merge"
    _same(pyhive)


def _same(session: Any) -> None:
    assert chosen(session, QUERY) == ["lake.pairs.v"]
    given, plain = rows_both_ways(session, QUERY)
    assert len(plain) == 60
    for mine, theirs in zip(sorted(given), sorted(plain), strict=True):
        # Spark subtracts DOUBLEs of a million each, and loses some digits of what is left.
        assert [float(value) for value in mine] == pytest.approx([float(value) for value in theirs], rel=1e-8, abs=1e-8)
