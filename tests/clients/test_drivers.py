"""Drivers that do more than run one statement after the other: start several, cancel, show progress."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest

from tests.clients import jdbc
from tests.integration import clients
from tests.integration.gate import Gate

ENDLESS = "SELECT count(*) AS `How many` FROM range(0, 1000000000000, 1, 1) WHERE hash(id) = 3"
SOME_SECONDS = "SELECT count(*) FROM range(0, 600000000, 1, 100) WHERE hash(id) = 3"
ROLLED_UP = "SELECT country, sum(quantity) FROM demo.sales GROUP BY country ORDER BY country"


@pytest.fixture(scope="module", params=jdbc.DRIVERS)
def driver(request: pytest.FixtureRequest) -> Iterator[clients.JavaMachine]:
    """A JVM with each of the drivers."""
    with jdbc.machine(jdbc.DRIVERS[request.param]) as java:
        yield java


@pytest.fixture
def connection(gate: Gate, driver: clients.JavaMachine) -> Iterator[clients.Jdbc]:
    with closing(driver.connect(gate.url)) as connection:
        yield connection


def test_a_statement_is_started_and_its_columns_are_known_while_it_runs(connection: clients.Jdbc) -> None:
    """Directly on Spark, this client asks for the status forever, because Spark does not say whether there will be
    rows.
    """
    statement = connection.java.createStatement()
    assert statement.executeAsync(ENDLESS)
    assert statement.getResultSet().getMetaData().getColumnLabel(1) == "How many"
    statement.cancel()
    statement.close()


def test_a_statement_that_was_started_gives_its_rows(connection: clients.Jdbc) -> None:
    statement = connection.java.createStatement()
    assert statement.executeAsync(ROLLED_UP)
    assert connection.read(statement.getResultSet()) == connection.rows(ROLLED_UP)
    statement.close()


def test_a_cancel_reaches_a_statement_that_its_client_waits_for(connection: clients.Jdbc) -> None:
    statement = connection.java.createStatement()
    assert statement.executeAsync(ENDLESS)
    results = statement.getResultSet()

    def read() -> None:
        with clients.sql_exceptions():
            results.next()

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(read)
        statement.cancel()
        with pytest.raises(clients.SqlException, match="cancelled"):
            waiting.result(30)
    assert connection.rows("SELECT 1") == [("1",)]


def test_beeline_shows_what_was_rewritten_and_how_far_long_statements_are(beeline: Any) -> None:
    lacking = "SELECT min(user_id) FROM demo.sales"
    spoken = beeline(ROLLED_UP, lacking, SOME_SECONDS, options=["--silent=false"])
    assert spoken.code == 0
    rewritten, _, rest = spoken.errors.partition("18 rows selected")
    assert "Viewgate: answered from lake.demo.agg_sales" in rewritten
    unanswered, _, long = rest.partition("1 row selected")
    assert "none of the 3 views on lake.demo.sales holds what the statement needs" in unanswered
    # It draws no bar before it has shown a line of the log.
    assert long.index("Spark runs the statement as") < long.index("STAGES: ") < long.index("1 row selected")
