"""Views over views, plain and materialized, on real Spark: answered from, refreshed and guarded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pyhive.exc import OperationalError

from proxy.commands.show import COLUMNS
from tests.integration import clients
from tests.integration.decided import chosen, reasons, rows_both_ways
from tests.integration.test_golden import ask

Run = Callable[[str], list[tuple[Any, ...]]]
WAIT = "PROPERTIES ('viewgate.refresh.wait' = 'always')"
GROUPED = "SELECT region, sum(amount) AS total, count(*) AS n FROM sales GROUP BY region"


@pytest.fixture
def session(pyhive: Any) -> Iterator[Any]:
    """A session in the namespace views, with a table, a plain view over it, and a view over that."""
    for sql in (
        "CREATE NAMESPACE IF NOT EXISTS lake.views",
        "USE lake.views",
        "CREATE TABLE sales (id BIGINT, region STRING, day DATE, amount INT)",
        "INSERT INTO sales VALUES (1, 'eu', DATE '2024-01-01', 10), (2, 'eu', NULL, NULL), (3, NULL, NULL, 7), "
        "(4, 'us', DATE '2024-01-02', 3)",
        "CREATE VIEW known (id, r COMMENT 'where', amount) AS SELECT id, region, amount FROM sales "
        "WHERE region IS NOT NULL -- the rest is noise",
        "CREATE VIEW eu AS SELECT * FROM known WHERE r = 'eu'",
    ):
        clients.rows(pyhive, sql)
    yield pyhive
    clients.rows(pyhive, "USE lake.views")
    for name in ("c", "b", "a"):
        clients.rows(pyhive, f"DROP MATERIALIZED VIEW IF EXISTS {name}")
    for name in ("narrow", "eu", "known"):
        clients.rows(pyhive, f"DROP VIEW IF EXISTS {name}")
    clients.rows(pyhive, "DROP TABLE sales")


@pytest.fixture
def run(session: Any) -> Run:
    """Run a statement in that session."""
    return lambda sql: clients.rows(session, sql)


def answered(session: Any, query: str, *views: str) -> None:
    """Check that these views answer a query, with the same rows, names and types as without them."""
    assert chosen(session, query) == [f"lake.views.{view}" for view in views], reasons(session, query)
    given = ask(session, query)
    clients.rows(session, "SET viewgate.rewrite = off")
    plain = ask(session, query)
    clients.rows(session, "SET viewgate.rewrite = on")
    assert not given.error
    assert not given.differs(plain, ordered=False)
    assert "fell back" not in given.log
    assert "failed" not in given.log


def shown(run: Run, name: str) -> dict[str, Any]:
    """A view's row of SHOW MATERIALIZED VIEWS."""
    (row,) = run(f"SHOW MATERIALIZED VIEWS IN views LIKE '{name}'")
    return dict(zip(COLUMNS, row, strict=True))


def test_a_table_is_filled_from_a_view_over_the_table_that_a_plain_view_reads(session: Any, run: Run) -> None:
    run(f"CREATE MATERIALIZED VIEW a {WAIT} AS {GROUPED}")
    query = "SELECT r, sum(amount) AS total FROM known GROUP BY r"
    try:
        for filling in (f"CREATE TABLE copied USING iceberg AS {query}", f"INSERT INTO copied {query}"):
            with session.cursor() as cursor:
                cursor.execute(filling)
                log = "\n".join(cursor.fetch_logs())
                assert "views.a (" in log, log
        assert sorted(run("SELECT * FROM copied")) == [("eu", 10), ("eu", 10), ("us", 3), ("us", 3)]
    finally:
        run("DROP TABLE IF EXISTS copied")


def test_a_query_over_plain_views_is_answered_from_a_view_over_the_table_and_the_other_way_round(
    session: Any, run: Run
) -> None:
    run(f"CREATE MATERIALIZED VIEW a {WAIT} AS {GROUPED}")
    answered(session, "SELECT r, sum(amount), count(*) FROM known GROUP BY r", "a")
    answered(session, "SELECT sum(e.amount) FROM eu AS e", "a")
    run(f"CREATE MATERIALIZED VIEW b {WAIT} AS SELECT r, max(id) AS last FROM known GROUP BY r")
    answered(session, "SELECT region, max(id) FROM sales WHERE region IS NOT NULL GROUP BY region", "b")
    answered(session, "SELECT max(id) + 1 FROM eu", "b")
    run("INSERT INTO sales VALUES (9, 'us', NULL, NULL)")
    answered(session, "SELECT r, max(id) FROM known WHERE r = 'us' GROUP BY r", "b")
    run("USE lake.demo")
    answered(session, "SELECT views.known.r, max(id) FROM views.known GROUP BY 1", "b")
    answered(session, "SELECT known.r, max(id) FROM views.known GROUP BY 1", "b")


def test_a_view_is_stale_when_a_plain_view_below_it_is_defined_anew(session: Any, run: Run, gate: Any) -> None:
    run("CREATE MATERIALIZED VIEW b WITH DEFERRED REFRESH AS SELECT r, max(id) AS last FROM eu GROUP BY r")
    run("REFRESH MATERIALIZED VIEW b")
    query = "SELECT r, max(id) FROM known WHERE r = 'eu' GROUP BY r"
    answered(session, query, "b")
    with clients.pyhive(gate.spark_port) as direct:
        clients.rows(direct, "USE lake.views")
        clients.rows(direct, "CREATE OR REPLACE VIEW eu AS SELECT * FROM known WHERE r = 'eu' AND id > 1")
    assert shown(run, "b")["status"] == "stale"
    answered(session, query)
    assert "the definition of the view lake.views.eu, which " in reasons(session, query)
    run("REFRESH MATERIALIZED VIEW b")
    answered(session, "SELECT region, max(id) FROM sales WHERE region = 'eu' AND id > 1 GROUP BY region", "b")
    properties = "('viewgate.refresh' = 'on-commit', 'viewgate.refresh.wait' = 'always')"
    run(f"ALTER MATERIALIZED VIEW b SET PROPERTIES {properties}")
    run("CREATE OR REPLACE VIEW eu AS SELECT * FROM known WHERE r = 'eu' AND id < 9")
    answered(session, "SELECT region, max(id) FROM sales WHERE region = 'eu' AND id < 9 GROUP BY region", "b")
    for sql in ("DROP VIEW eu", "DROP VIEW known", "ALTER VIEW eu RENAME TO lake.views.eu2", "DROP TABLE sales"):
        with pytest.raises(Exception, match=r"needed by materialized view lake.views.b"):
            run(sql)


def test_properties_that_are_set_are_described_and_can_be_unset(run: Run) -> None:
    run("CREATE MATERIALIZED VIEW b AS SELECT r, max(id) AS last FROM known GROUP BY r")

    def described() -> str:
        return next(str(value) for key, value, *_ in run("DESCRIBE MATERIALIZED VIEW b") if key == "Properties")

    before = described()
    run(
        "ALTER MATERIALIZED VIEW b SET PROPERTIES ('viewgate.refresh.every' = '1 hour', 'write.format.default' = 'orc')"
    )
    assert described() == "viewgate.refresh.every=1 hour, write.format.default=orc"
    run("ALTER MATERIALIZED VIEW b UNSET PROPERTIES ('viewgate.refresh.every', 'write.format.default')")
    assert described() == before
    rows = run("SHOW TBLPROPERTIES lake.views.b__storage")
    assert "orc" not in str(rows)


def test_storage_takes_no_values_of_other_types_than_it_was_made_for(session: Any, run: Run) -> None:
    query = "SELECT r, sum(amount) AS total FROM known GROUP BY r"
    run(f"CREATE MATERIALIZED VIEW a {WAIT} AS {query}")
    run("CREATE OR REPLACE VIEW known AS SELECT region AS r, amount + 0.5D AS amount FROM sales")
    given, plain = rows_both_ways(session, query)
    assert given == plain
    with pytest.raises(OperationalError, match="now returns total as double, but its storage table has bigint"):
        run("REFRESH MATERIALIZED VIEW a")
    run(f"CREATE OR REPLACE MATERIALIZED VIEW a {WAIT} AS {query}")
    answered(session, query, "a")


def test_every_type_that_can_be_stored_is(session: Any, run: Run) -> None:
    run(
        "CREATE OR REPLACE VIEW known AS SELECT id, CAST(1 AS TINYINT) AS t, CAST('a' AS CHAR(3)) AS c, "
        "CAST('b' AS VARCHAR(4)) AS v, CAST(2 AS SMALLINT) AS s, CAST(amount AS DECIMAL(9,2)) AS d, "
        "TIMESTAMP_NTZ '2024-01-01 00:00:00' AS tn, "
        "TIMESTAMP '2024-01-01 00:00:00' AS ts, X'01' AS b FROM sales"
    )
    run("CREATE MATERIALIZED VIEW a AS SELECT * FROM known")
    run("REFRESH MATERIALIZED VIEW a FULL")
    answered(session, "SELECT * FROM known", "a")


def test_views_that_cannot_be_read_through_are_left_to_spark(session: Any, run: Run) -> None:
    run(f"CREATE MATERIALIZED VIEW a {WAIT} AS {GROUPED}")
    run("CREATE VIEW narrow AS SELECT CAST(amount AS SMALLINT) AS amount, region FROM sales")
    answered(session, "SELECT amount * 20000 FROM narrow WHERE amount = 3")
    query = "SELECT id FROM nowhere JOIN known USING (id)"
    given, plain = error_both_ways(session, query, run)
    assert given
    assert given == plain


def test_a_view_cannot_be_read_at_an_earlier_time(session: Any, run: Run) -> None:
    for clause in ("VERSION AS OF 1", "TIMESTAMP AS OF '2020-01-01'"):
        given, plain = error_both_ways(session, f"SELECT count(*) FROM known {clause}", run)
        assert given is not None
        assert given[0] == "0A000"
        assert plain is not None
        assert plain[0] == "42P01"


def error_both_ways(session: Any, query: str, run: Run) -> tuple[tuple[str, str] | None, tuple[str, str] | None]:
    """Return the errors of a query with rewriting and without."""
    given = ask(session, query)
    run("SET viewgate.rewrite = off")
    plain = ask(session, query)
    run("SET viewgate.rewrite = on")
    return given.error, plain.error


def test_views_over_materialized_views(session: Any, run: Run) -> None:
    run(f"CREATE MATERIALIZED VIEW a {WAIT} AS SELECT region, day, sum(amount) AS s, count(*) AS n "
        "FROM sales GROUP BY region, day")  # fmt: skip
    run(f"CREATE MATERIALIZED VIEW b {WAIT} AS SELECT region, sum(s) AS s, sum(n) AS n FROM a GROUP BY region")
    run(f"CREATE MATERIALIZED VIEW c {WAIT} AS SELECT sum(n) AS n, max(s) AS top FROM b WHERE region <> 'xx'")
    for query, view in {
        "SELECT region, sum(amount), count(*) FROM sales GROUP BY region": "b",
        "SELECT region, sum(s) FROM a GROUP BY region": "b",
        "SELECT day, sum(amount) FROM sales GROUP BY day": "a",
        "SELECT count(*) FROM sales WHERE region <> 'xx'": "c",
        "SELECT max(s) FROM b WHERE region <> 'xx'": "c",
        "SELECT * FROM b": "b",
    }.items():
        tried = {
            row[0].rsplit(".", 1)[1] for row in run(f"EXPLAIN REWRITE {query}") if row[1] in ("chosen", "not chosen")
        }
        assert view in tried, (query, reasons(session, query))
        given, plain = rows_both_ways(session, query)
        assert given == plain
    run("INSERT INTO sales VALUES (9, 'us', NULL, 5), (10, 'xx', NULL, 1)")
    for name in "abc":
        assert shown(run, name)["status"] == "fresh", shown(run, name)
        given, plain = rows_both_ways(session, f"SELECT * FROM {name}")
        assert given == plain
    with pytest.raises(Exception, match=r"is read by materialized views lake.views.b, lake.views.c"):
        run("DROP MATERIALIZED VIEW a")
    with pytest.raises(Exception, match=r"would refer to itself, because lake.views.b reads lake.views.a"):
        run("CREATE OR REPLACE MATERIALIZED VIEW a AS SELECT region, s FROM b")
    dependencies = run("SELECT DISTINCT source_table_name FROM mv_dependencies('views.c')")
    assert dependencies == [("sales",)]
    run("REFRESH MATERIALIZED VIEW c FULL")
    answered(session, "SELECT * FROM c", "c")


def test_a_view_reads_the_storage_of_one_below_it_where_that_is_fresh(session: Any, run: Run) -> None:
    run(
        "CREATE MATERIALIZED VIEW a WITH DEFERRED REFRESH AS SELECT region, sum(amount) AS s FROM sales GROUP BY region"
    )
    run("CREATE MATERIALIZED VIEW b WITH DEFERRED REFRESH AS SELECT max(s) AS top FROM a")
    log = ask(session, "REFRESH MATERIALIZED VIEW b").log
    assert "reading lake.views.sales, at snapshot" in log
    assert "from its storage table" not in log
    answered(session, "SELECT max(s) FROM a", "b")
    run("REFRESH MATERIALIZED VIEW a")
    assert "reading lake.views.a from its storage table" in ask(session, "REFRESH MATERIALIZED VIEW b FULL").log
    answered(session, "SELECT max(s) FROM a", "b")
    run("INSERT INTO sales VALUES (9, 'us', NULL, 5)")
    assert "live: the stale view is read together" in reasons(session, "SELECT max(s) FROM a")
