"""The path of a first user: the example of CarbonData's guide in beeline, then what must not go wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog import load_catalog

from proxy.embedded import catalog_properties
from tests.integration import clients
from tests.integration.decided import chosen, reasons, rows_both_ways
from tests.integration.gate import Gate

SALES = (
    "CREATE TABLE sales (order_time timestamp, user_id string, sex string, country string, quantity int, price bigint)",
    """INSERT INTO sales VALUES
  (TIMESTAMP '2016-02-23 09:01:30', 'c001', 'male', 'xxx', 100, 2),
  (TIMESTAMP '2016-02-23 09:01:50', 'c002', 'male', 'yyy', 200, 5),
  (TIMESTAMP '2016-02-23 09:03:30', 'c003', 'female', 'xxx', 400, 1),
  (TIMESTAMP '2016-02-23 09:03:50', 'c004', 'male', 'yyy', 300, 5),
  (TIMESTAMP '2016-02-23 09:07:50', 'c005', 'female', 'xxx', 500, 5)""",
)
AGG_SALES = """CREATE MATERIALIZED VIEW agg_sales
PROPERTIES('TABLE_BLOCKSIZE'='256 MB','LOCAL_DICTIONARY_ENABLE'='false')
AS
  SELECT country, sex, sum(quantity), avg(price)
  FROM sales
  GROUP BY country, sex"""
HITS = (
    "SELECT country, sex, sum(quantity), avg(price) FROM sales GROUP BY country, sex",
    "SELECT sex, sum(quantity) FROM sales GROUP BY sex",
    "SELECT avg(price), country FROM sales GROUP BY country",
)
MISSES = (
    "SELECT user_id, country, sex, sum(quantity), avg(price) FROM sales GROUP BY user_id, country, sex",
    "SELECT country, max(price) FROM sales GROUP BY country",
)
# Of the view's own columns nobody could tell; of the count that its storage keeps to take rows back, we can.
BY_HIDDEN_COUNT = "SELECT sex, avg(quantity) FROM sales GROUP BY sex"
BY_MINUTE = "SELECT timeseries(order_time, 'minute'), avg(price) FROM sales GROUP BY timeseries(order_time, 'minute')"
BY_HOUR = "SELECT timeseries(order_time,'hour'), avg(price) FROM sales GROUP BY timeseries(order_time,'hour')"
QUERIES = (*HITS, BY_HIDDEN_COUNT, *MISSES, BY_MINUTE, BY_HOUR)
MARK = "-- next --"


def fresh_start(connection: Any, namespace: str) -> None:
    """The example's table alone, in a namespace of its own."""
    clients.rows(connection, f"CREATE NAMESPACE IF NOT EXISTS lake.{namespace}")
    clients.rows(connection, f"USE lake.{namespace}")
    for _, view, *_ in clients.rows(connection, f"SHOW MATERIALIZED VIEWS IN {namespace}"):
        clients.rows(connection, f"DROP MATERIALIZED VIEW {view}")
    for statement in ("DROP TABLE IF EXISTS sales", *SALES):
        clients.rows(connection, statement)


@pytest.fixture
def session(pyhive: Any) -> Any:
    """A PyHive session in a namespace with `sales` and `agg_sales`."""
    fresh_start(pyhive, "done")
    clients.rows(pyhive, AGG_SALES)
    return pyhive


def test_the_example_in_beeline(beeline: Callable[..., clients.Spoken]) -> None:
    statements = [
        *("CREATE NAMESPACE lake.guide", "USE lake.guide", *SALES, AGG_SALES),
        "CREATE MATERIALIZED VIEW by_minute AS " + BY_MINUTE,
        *(f"EXPLAIN {query}" for query in QUERIES),
        *QUERIES,
        "SET viewgate.rewrite = off",
        *QUERIES,
    ]
    told = one_by_one(beeline, statements)
    before = len(statements) - 3 * len(QUERIES) - 1
    plans, given, plain = (told[start : start + len(QUERIES)] for start in (before, before + 8, before + 17))
    for plan in plans[:4]:
        assert "answered from materialized view lake.guide.agg_sales" in plan
        assert "lake.guide.agg_sales__storage" in plan.split("== Physical Plan ==")[1]
    for plan in plans[4:6]:
        assert "answered from" not in plan
        assert "lake.guide.agg_sales not used: " in plan
        assert "__storage" not in plan
    assert "answered from materialized view lake.guide.by_minute (same_grain)" in plans[6]
    assert "answered from materialized view lake.guide.by_minute (roll_up)" in plans[7]
    assert [sorted(answer.splitlines()) for answer in given] == [sorted(answer.splitlines()) for answer in plain]
    assert set(given[6].splitlines()) == {
        "2016-02-23 09:01:00.0\t3.5",
        "2016-02-23 09:07:00.0\t5.0",
        "2016-02-23 09:03:00.0\t3.0",
    }
    assert given[7].splitlines() == ["2016-02-23 09:00:00.0\t3.6"]


def one_by_one(beeline: Callable[..., clients.Spoken], statements: list[str]) -> list[str]:
    """Return what one beeline prints for each statement."""
    marked = [spoken for statement in statements for spoken in (statement, f"SELECT concat('-- ', '{MARK[3:]}')")]
    spoken = beeline(*marked)
    assert spoken.code == 0, spoken.errors
    text = "\n".join("\t".join(row) for row in spoken.rows)
    return [part.strip("\n") for part in text.split(MARK)[:-1]]


def by_spark(gate: Gate, data: Path) -> None:
    with clients.pyhive(gate.spark_port) as connection:
        clients.rows(connection, "INSERT INTO lake.done.sales VALUES (now(), 'c006', 'male', 'zzz', 1, 9)")


def by_pyiceberg(gate: Gate, data: Path) -> None:
    catalog = load_catalog("lake", **catalog_properties(data))
    table = catalog.load_table("done.sales")
    schema = table.schema().as_arrow()
    row = {"user_id": "c006", "sex": "male", "country": "zzz", "quantity": 1, "price": 9}
    table.append(pa.Table.from_pylist([row], schema=schema))
    catalog.close()


@pytest.mark.parametrize("write", [by_spark, by_pyiceberg])
def test_a_write_by_another_engine(session: Any, gate: Gate, data: Path, write: Callable[[Gate, Path], None]) -> None:
    """The view answers together with the appended rows."""
    write(gate, data)
    assert ("zzz", "male", 1, 9.0) in clients.rows(session, HITS[0])
    ((plan,),) = clients.rows(session, f"EXPLAIN {HITS[1]}")
    assert "answered from materialized view lake.done.agg_sales (delta_union)" in plan
    for query in QUERIES:
        given, plain = rows_both_ways(session, query)
        assert given == plain
    clients.rows(session, "REFRESH MATERIALIZED VIEW agg_sales")
    assert chosen(session, HITS[0]) == ["lake.done.agg_sales"]
    assert ("zzz", "male", 1, 9.0) in clients.rows(session, HITS[0])


def test_a_view_that_is_dropped_answers_nothing_more(session: Any, gate: Gate) -> None:
    with clients.pyhive(gate.port) as other:
        clients.rows(other, "USE lake.done")
        assert chosen(other, HITS[1]) == ["lake.done.agg_sales"]
        clients.rows(session, "DROP MATERIALIZED VIEW agg_sales")
        for connection in (session, other):
            assert "the statement has no SELECT over a table" in reasons(connection, HITS[1])
            assert sorted(clients.rows(connection, HITS[1])) == [("female", 900), ("male", 600)]


def test_storage_that_another_engine_drops(session: Any, direct: Any) -> None:
    clients.rows(direct, "DROP TABLE lake.done.agg_sales__storage PURGE")
    assert sorted(clients.rows(session, HITS[1])) == [("female", 900), ("male", 600)]
    assert "UNKNOWN_STATE" in reasons(session, HITS[1])


ERRORS = (
    ("SELEKT country FROM sales", "42601", "PARSE_SYNTAX_ERROR"),
    ("SELECT country, sum(quantity) FROM sales GROUP BY country HAVING", "42601", "PARSE_SYNTAX_ERROR"),
    ("SELECT nope, sum(quantity) FROM sales GROUP BY nope", "42703", "UNRESOLVED_COLUMN"),
    ("SELECT country FROM nowhere", "42P01", "TABLE_OR_VIEW_NOT_FOUND"),
    ("REFRESH MATERIALIZED VIEW nope", "42P01", "SHOW MATERIALIZED VIEWS lists all"),
    ("CREATE MATERIALIZED VIEW x AS SELECT a, count(*) FROM nowhere GROUP BY a", "42P01", "TABLE_OR_VIEW_NOT_FOUND"),
    ("CREATE MATERIALIZED VIEW agg_sales AS SELECT 1", "42P07", "use CREATE OR REPLACE MATERIALIZED VIEW"),
    ("CREATE MATERIALIZED VIEW AS SELECT 1", "42601", "CREATE MATERIALIZED VIEW demo."),
)


def test_errors_in_beeline(session: Any, beeline: Callable[..., clients.Spoken]) -> None:
    """One beeline tells all of them: it exits with the number of statements that failed."""
    spoken = beeline("USE lake.done", *(statement for statement, *_ in ERRORS))
    assert spoken.code == len(ERRORS), spoken.errors
    told = re.split(r"^Error: ", spoken.errors, flags=re.MULTILINE)[1:]
    for (statement, state, said), error in zip(ERRORS, told, strict=True):
        assert said in error, statement
        assert f"state={state}" in error or f"SQLSTATE: {state}" in error, statement
