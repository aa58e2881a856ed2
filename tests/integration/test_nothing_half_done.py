"""Statements on materialized views that are refused, cancelled, concurrent or killed leave nothing half done."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration import clients
from tests.integration.daemon import eventually
from tests.integration.gate import Gate
from tests.integration.test_materialized_views import AGG, SALES, Run, branches, foreign, run, shown

__all__ = ["foreign", "run"]


@pytest.fixture(scope="module")
def refusing(gate: Gate, java: clients.JavaMachine) -> Iterator[clients.Jdbc]:
    """A JDBC connection in a namespace with only `sales`."""
    connection = java.connect(gate.url)
    connection.rows("CREATE NAMESPACE IF NOT EXISTS lake.refused")
    connection.rows("USE lake.refused")
    connection.rows(f"CREATE OR REPLACE TABLE sales AS {SALES}")
    yield connection
    connection.close()


@pytest.mark.parametrize(
    ("sql", "state", "said"),
    [
        ("CREATE MATERIALIZED VIEW x SELECT 1", "42601", "expected AS and a query"),
        ("CREATE MATERIALIZED VIEW x AS SELEKT 1", "42601", "PARSE_SYNTAX_ERROR"),
        ("CREATE MATERIALIZED VIEW x AS SELECT a FROM nowhere.t", "42P01", "TABLE_OR_VIEW_NOT_FOUND"),
        (
            "CREATE MATERIALIZED VIEW x AS SELECT timeseries(a, 'day') FROM nowhere.t",
            "42P01",
            "TABLE_OR_VIEW_NOT_FOUND",
        ),
        ("CREATE MATERIALIZED VIEW x AS SELECT nope FROM sales", "42703", "UNRESOLVED_COLUMN"),
        ("CREATE MATERIALIZED VIEW sales AS SELECT sex FROM sales", "42P07", "choose another name"),
        ("CREATE MATERIALIZED VIEW x AS SELECT rand() AS r FROM sales", "0A000", "rand()"),
        ("CREATE MATERIALIZED VIEW x AS SELECT sex, country AS SEX FROM sales", "42711", "two columns are named"),
        ("CREATE MATERIALIZED VIEW x AS SELECT order_time - order_time AS d FROM sales", "0A000", "cannot store"),
        ("CREATE MATERIALIZED VIEW x AS SELECT 1 / (quantity - 100) AS d FROM sales", "22012", "DIVIDE_BY_ZERO"),
        ("REFRESH MATERIALIZED VIEW nope", "42P01", "does not exist"),
        ("DROP MATERIALIZED VIEW sales", "42809", "is a table, not a materialized view"),
        ("DESCRIBE MATERIALIZED VIEW nope", "42P01", "does not exist"),
    ],
)
def test_errors_say_what_to_do_and_leave_nothing(refusing: clients.Jdbc, sql: str, state: str, said: str) -> None:
    with pytest.raises(clients.SqlException) as refused:
        refusing.rows(sql)
    assert refused.value.state == state
    assert said in refused.value.message
    assert [name for _, name, _ in refusing.rows("SHOW TABLES IN lake.refused")] == ["sales"]


def slow_view(run: Run) -> None:
    """A view whose refresh is quick now, and takes minutes once `big` has grown."""
    run("CREATE OR REPLACE TABLE big AS SELECT id FROM range(10)")
    run(
        "CREATE MATERIALIZED VIEW slow WITH DEFERRED REFRESH AS SELECT a.id % 3 AS k, sum(a.id * b.id) AS s "
        "FROM big a CROSS JOIN big b GROUP BY 1"
    )
    run("REFRESH MATERIALIZED VIEW slow")


def grow(run: Run) -> None:
    run("INSERT INTO big SELECT id FROM range(400000)")


def test_a_cancelled_refresh_ends_in_spark_too_and_leaves_nothing(run: Run, foreign: Run, pyhive: Any) -> None:
    slow_view(run)
    before = sorted(foreign("SELECT * FROM lake.mv.slow__storage"))
    grow(run)
    cursor = pyhive.cursor()
    cursor.execute("REFRESH MATERIALIZED VIEW slow", async_=True)
    eventually(lambda: branches(foreign, "lake.mv.slow__storage"))
    cursor.cancel()
    eventually(lambda: not branches(foreign, "lake.mv.slow__storage"))
    assert sorted(foreign("SELECT * FROM lake.mv.slow__storage")) == before
    assert shown(run, "slow")["status"] == "stale"


def test_two_refreshes_at_once(run: Run, gate: Gate, foreign: Run) -> None:
    run(f"CREATE MATERIALIZED VIEW agg_sales AS {AGG}")
    failures: list[Exception] = []

    def refresh() -> None:
        try:
            with clients.pyhive(gate.port) as connection:
                clients.rows(connection, "REFRESH MATERIALIZED VIEW lake.mv.agg_sales FULL")
        except Exception as failure:  # told to the test below
            failures.append(failure)

    threads = [threading.Thread(target=refresh) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert branches(foreign, "lake.mv.agg_sales__storage") == []
