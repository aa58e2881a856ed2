"""Views in a REST catalog of Iceberg's own tests, and over tables of two catalogs: created, refreshed, and read."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pytest
from pyhive import hive
from pyhive.exc import OperationalError
from pyiceberg.catalog import load_catalog
from TCLIService import ttypes

from proxy.catalog import Catalogs, open_catalog
from rewriter.model import Table, TableName, ViewState
from tests.integration import clients
from tests.integration.cut import Way
from tests.integration.daemon import eventually, free_ports
from tests.integration.decided import chosen, reasons, rows_both_ways
from tests.integration.gate import DEMO_ROWS, Gate, settings_beside
from tests.integration.moments import check_moments
from tests.integration.race import Race
from tests.integration.rest import rest_catalog

RACE_S = 4
ENDED = (ttypes.TOperationState.CANCELED_STATE, ttypes.TOperationState.ERROR_STATE)
PATIENCE_S = 2
OTHER = {"spark.sql.defaultCatalog": "lake"}
QUERY = "SELECT region, sum(amount) FROM rest.shop.sales GROUP BY region"
VIEW = "rest.shop.by_region"


class Rest(NamedTuple):
    """A Viewgate over the catalog, the catalog's properties, the database behind it, and Viewgate's way to it."""

    gate: Gate
    catalog: dict[str, str]
    database: str
    way: Way


@pytest.fixture(scope="module")
def rest(gate: Gate, data: Path, rest_port: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rest]:
    """A REST catalog, and a Viewgate over it and the catalog in SQLite before the run's Spark."""
    folder = tmp_path_factory.mktemp("rest")
    with rest_catalog("rest", folder, rest_port) as server, Way(rest_port) as way:
        file = settings_beside(gate, data, f"[timeouts]\ncatalog = {PATIENCE_S}\n", folder / "viewgate.toml")
        other = f'[[catalog]]\nname = "rest"\ntype = "rest"\nuri = "http://127.0.0.1:{way.port}"\n'
        file.write_text(file.read_text().replace("[catalog]", "[[catalog]]") + other)
        with Gate("--config", file) as over:
            yield Rest(over, {"type": "rest", "uri": server.uri}, server.database, way)
            assert over.stop() == 0


@pytest.fixture
def session(rest: Rest) -> Iterator[Any]:
    """A session with a table in the catalog and a view over it."""
    with clients.pyhive(rest.gate.port) as connection:
        for sql in (
            "CREATE NAMESPACE IF NOT EXISTS rest.shop",
            "DROP MATERIALIZED VIEW IF EXISTS rest.shop.by_region",
            "CREATE OR REPLACE TABLE rest.shop.sales AS SELECT id % 5 AS region, id AS amount FROM range(100000)",
            f"CREATE MATERIALIZED VIEW rest.shop.by_region WITH DEFERRED REFRESH AS {QUERY}",
            "REFRESH MATERIALIZED VIEW rest.shop.by_region",
        ):
            clients.rows(connection, sql)
        yield connection


def right(session: Any, query: str = QUERY) -> None:
    given, plain = rows_both_ways(session, query)
    assert given == plain


def test_a_view_answers_and_is_refreshed(session: Any, rest: Rest, direct: Any) -> None:
    assert chosen(session, QUERY) == [VIEW]
    right(session)
    catalog = load_catalog("rest", **rest.catalog)
    catalog.load_table("shop.sales").append(pa.table({"region": pa.array([1, 7]), "amount": pa.array([10, 20])}))
    assert "delta_union" in str(clients.rows(session, f"EXPLAIN REWRITE {QUERY}"))
    right(session)
    clients.rows(direct, "DELETE FROM rest.shop.sales WHERE amount < 50")
    hinted = QUERY.replace("SELECT", f"SELECT /*+ VIEWGATE(use = '{VIEW}') */", 1)
    assert "changelog_union" in str(clients.rows(session, f"EXPLAIN REWRITE {hinted}"))
    right(session, hinted)
    clients.rows(session, "REFRESH MATERIALIZED VIEW rest.shop.by_region")
    assert chosen(session, QUERY) == [VIEW]
    right(session)
    assert catalog.load_view("shop.by_region").metadata.properties["iceberg.materialized.view"] == "true"


def test_a_write_refreshes_its_views(session: Any) -> None:
    clients.rows(session, f"CREATE OR REPLACE MATERIALIZED VIEW rest.shop.by_region AS {QUERY}")
    clients.rows(session, "INSERT INTO rest.shop.sales VALUES (9, 90)")
    assert clients.rows(session, f"{QUERY} HAVING region = 9") == [(9, 90)]
    # The statement waits for the refresh for at most ten seconds, which do not suffice on a busy machine.
    eventually(lambda: "same_grain" in str(clients.rows(session, f"EXPLAIN REWRITE {QUERY}")))
    right(session)


JOINED = (
    "SELECT r.country, sum(s.amount) AS total FROM rest.shop.sales s JOIN lake.two.regions r ON s.region = r.region "
    "GROUP BY r.country"
)
COUNTED = "SELECT country, count(*) AS n FROM lake.two.regions GROUP BY country"


def test_views_over_tables_of_two_catalogs(session: Any, rest: Rest) -> None:
    for sql in (
        "CREATE NAMESPACE lake.two",
        "CREATE TABLE lake.two.regions AS SELECT id AS region, concat('c', id % 2) AS country FROM range(8)",
        f"CREATE MATERIALIZED VIEW lake.two.counted AS {COUNTED}",
        "USE rest.shop",
        f"CREATE MATERIALIZED VIEW joined AS {JOINED.replace('rest.shop.sales', 'sales')}",
    ):
        clients.rows(session, sql)
    assert (chosen(session, JOINED), chosen(session, COUNTED)) == (["rest.shop.joined"], ["lake.two.counted"])
    assert chosen(session, JOINED.replace("rest.shop.sales", "sales")) == ["rest.shop.joined"]
    right(session, JOINED)
    load_catalog("rest", **rest.catalog).load_table("shop.sales").append(
        pa.table({"region": pa.array([1, 2]), "amount": pa.array([10, 20])})
    )
    assert "delta_union" in str(clients.rows(session, f"EXPLAIN REWRITE {JOINED}"))
    right(session, JOINED)
    clients.rows(session, "INSERT INTO lake.two.regions VALUES (9, 'c9')")  # refreshes the views of both catalogs
    # As above: the refreshes may end later than the statement.
    eventually(lambda: {("joined", "fresh", "rest"), ("counted", "fresh", "lake")} <= _listed(session))
    right(session, JOINED)
    with pytest.raises(OperationalError, match=r"needed by materialized views lake\.two\.counted, rest\.shop\.joined"):
        clients.rows(session, "DROP TABLE lake.two.regions")
    _hang(session, rest)
    for sql in ("DROP MATERIALIZED VIEW joined", "DROP MATERIALIZED VIEW lake.two.counted", "USE lake.default"):
        clients.rows(session, sql)
    assert (chosen(session, JOINED), chosen(session, COUNTED)) == ([], [])
    clients.rows(session, "DROP TABLE lake.two.regions PURGE")


def _listed(session: Any) -> set[tuple[str, str, str]]:
    """Return the name, the status and the catalog of each view."""
    return {(row[1], row[4], row[-1]) for row in clients.rows(session, "SHOW MATERIALIZED VIEWS")}


def _hang(session: Any, rest: Rest) -> None:
    """Check that the view in SQLite answers while Viewgate, but not Spark, gets no replies from the REST catalog."""
    outages = rest.gate.output.count("catalog unavailable catalog=rest")
    rest.way.hold()
    begun = time.monotonic()
    assert "the catalog rest is unavailable since" in reasons(session, JOINED)
    assert chosen(session, COUNTED) == ["lake.two.counted"]
    right(session, COUNTED)
    right(session, JOINED)
    assert time.monotonic() - begun < PATIENCE_S + 15
    rest.way.resume()
    eventually(lambda: chosen(session, JOINED) == ["rest.shop.joined"])
    assert rest.gate.output.count("catalog unavailable catalog=rest") == outages + 1


def test_a_default_catalog_that_is_down_is_named_and_statements_over_others_run(
    gate: Gate, java: clients.JavaMachine
) -> None:
    lake = "SELECT country, count(*) AS n FROM lake.demo.sales GROUP BY country"
    (port,) = free_ports(1)
    settings = {
        "spark.sql.catalog.gone": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.gone.type": "rest",
        "spark.sql.catalog.gone.uri": f"http://127.0.0.1:{port}",
        "spark.sql.defaultCatalog": "gone",
    }
    with clients.pyhive(gate.port) as session:
        for key, value in settings.items():
            clients.rows(session, f"SET {key} = {value}")
        assert sum(n for _, n in clients.rows(session, lake)) == DEMO_ROWS
        current = "Spark cannot load the catalog gone, which is current in the session ("
        assert current in reasons(session, lake)
        for sql in ("USE default", "SELECT * FROM gone.shop.t", "EXPLAIN REWRITE SELECT * FROM gone.shop.t"):
            with pytest.raises(OperationalError) as raised:
                clients.rows(session, sql)
            error = raised.value.args[0].status
            assert error.sqlState == "08001", sql
            assert "Spark gets no answer from a catalog that the statement needs (" in error.errorMessage
            assert "check the catalog's server" in error.errorMessage
            assert "\n" not in error.errorMessage
        with pytest.raises(OperationalError) as raised:
            clients.rows(session, "REFRESH MATERIALIZED VIEW demo.agg_sales")
        assert current in str(raised.value)
        clients.rows(session, "SET spark.sql.defaultCatalog = lake")
        assert chosen(session, lake)
    with pytest.raises(clients.SqlException, match="no answer from a catalog") as refused:
        java.connect(f"{gate.url}?{';'.join(f'{key}={value}' for key, value in settings.items())}")
    assert "spark.sql.defaultCatalog=lake" in refused.value.message
    java.connect(f"{gate.url}?{';'.join(f'{key}={value}' for key, value in (settings | OTHER).items())}").close()
    other = java.connect(f"{gate.url}lake.demo?{';'.join(f'{key}={value}' for key, value in settings.items())}")
    try:
        assert other.rows("SELECT count(*) FROM sales") == [(str(DEMO_ROWS),)]
    finally:
        other.close()


def test_bounds_time_travel_rollbacks_and_deltas(session: Any, direct: Any) -> None:
    check_moments(session, direct, "rest")


def test_a_dropped_view_is_gone(session: Any, rest: Rest) -> None:
    clients.rows(session, "DROP MATERIALIZED VIEW rest.shop.by_region")
    assert chosen(session, QUERY) == []
    catalog = load_catalog("rest", **rest.catalog)
    left = {name for _, name in (*catalog.list_views("shop"), *catalog.list_tables("shop"))}
    assert "sales" in left
    assert not left & {"by_region", "by_region__storage"}


def test_what_has_not_changed_is_not_sent_again(session: Any, rest: Rest, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [TableName(("rest", "shop", name)) for name in ("sales", "by_region", "by_region__storage", "missing")]
    opened = Catalogs([open_catalog("rest", rest.catalog)])
    sent: list[int] = []

    def answered(reply: Any, *_: Any, **__: Any) -> None:
        sent.append(reply.status_code)

    async def story() -> None:
        opened["rest"]._store.iceberg._session.hooks["response"].append(answered)  # type: ignore[attr-defined]
        first = await opened.current(names)
        assert [type(first[name]) for name in names] == [Table, ViewState, Table, type(None)]
        sent.clear()
        assert await opened.current(names) == first
        assert sorted(sent) == [200, 304, 304, 404, 404, 404]  # a view has no tag, and is looked for as a table before
        clients.rows(session, "INSERT INTO rest.shop.sales VALUES (1, 1)")
        sent.clear()
        second = await opened.current(names)
        assert second[names[0]] != first[names[0]]
        assert second[names[2]] == first[names[2]]
        assert sorted(sent) == [200, 200, 304, 404, 404, 404]

    try:
        asyncio.run(story())
    finally:
        opened.close()


def test_answers_over_rest_are_those_of_one_state_of_each_table(rest: Rest, gate: Gate) -> None:
    race = Race(rest.gate.port, gate.spark_port, rest.catalog, name="rest", database=rest.database)
    wrong = race.run(RACE_S)
    assert not wrong, f"{len(wrong)} wrong, {race}\n" + "\n\n".join(wrong[:5])
    assert race.share() > 0, str(race)


@pytest.fixture
def workers(rest: Rest, gate: Gate, data: Path, tmp_path: Path) -> Iterator[Gate]:
    """A Viewgate of two workers, started while it, but not Spark, gets no replies from the REST catalog."""
    rest.way.hold()
    more = f"[timeouts]\ncatalog = {PATIENCE_S}\n[server]\nworkers = 2\n"
    file = settings_beside(gate, data, more, tmp_path / "viewgate.toml")
    other = f'[[catalog]]\nname = "rest"\ntype = "rest"\nuri = "http://127.0.0.1:{rest.way.port}"\n'
    file.write_text(file.read_text().replace("[catalog]", "[[catalog]]") + other)
    try:
        with Gate("--config", file) as over:
            yield over
            rest.way.resume()
            assert over.stop() == 0
    finally:
        rest.way.resume()


def test_workers_start_and_answer_while_a_catalog_hangs_and_use_it_once_it_answers(
    session: Any, rest: Rest, workers: Gate
) -> None:
    """Both workers answer from the other catalog's views; a bound in the URL holds for the views of both catalogs."""
    lake = QUERY.replace("rest.shop", "lake.old")
    for sql in (
        "CREATE NAMESPACE IF NOT EXISTS lake.old",
        "CREATE OR REPLACE TABLE lake.old.sales AS SELECT id % 5 AS region, id AS amount FROM range(100000)",
        f"CREATE MATERIALIZED VIEW lake.old.by_region WITH DEFERRED REFRESH AS {lake}",
        "REFRESH MATERIALIZED VIEW lake.old.by_region",
    ):
        clients.rows(session, sql)
    bound = {"viewgate.max_staleness": "10 minutes"}
    with ExitStack() as opened:
        both = [opened.enter_context(clients.pyhive(workers.port, configuration=bound)) for _ in range(4)]
        for each in both:
            assert chosen(each, lake) == ["lake.old.by_region"]
            right(each, lake)
            assert "the catalog rest is unavailable since" in reasons(each, QUERY)
            right(each)
        rest.way.resume()
        for table in ("lake.old.sales", "rest.shop.sales"):
            clients.rows(session, f"INSERT INTO {table} VALUES (9, 90)")
        for each in both:
            eventually(partial(_is_used, each))
            for query in (lake, QUERY):
                assert (9, 90) not in clients.rows(each, query)
                assert "data as of" in str(clients.rows(each, "SHOW VIEWGATE LAST"))
            clients.rows(each, "SET viewgate.max_staleness = never")
            for query in (lake, QUERY):
                assert (9, 90) in clients.rows(each, query)
    clients.rows(session, "DROP MATERIALIZED VIEW lake.old.by_region")
    clients.rows(session, "DROP TABLE lake.old.sales PURGE")


# The end of a URL, and whether its session then takes old answers. The driver refuses a space that is not escaped, and
# does not send a setting that stands after `;` without `?`.
URLS = {
    "": False,
    "?viewgate.max_staleness=10%20minutes": True,
    "lake.bounded?spark.sql.ansi.enabled=true;viewgate.max_staleness=1%20hour": True,
    "#viewgate.max_staleness=10%20minutes": True,
    ";viewgate.max_staleness=10%20minutes": False,
    "?viewgate.max_staleness=never": False,
}


def test_a_bound_in_a_jdbc_url_holds_for_the_views_of_all_catalogs(
    session: Any, rest: Rest, java: clients.JavaMachine
) -> None:
    lake = QUERY.replace("rest.shop", "lake.bounded")
    both = f"SELECT * FROM ({QUERY}) JOIN ({lake}) USING (region)"
    for sql in (
        "CREATE NAMESPACE IF NOT EXISTS lake.bounded",
        "CREATE OR REPLACE TABLE lake.bounded.sales AS SELECT id % 5 AS region, id AS amount FROM range(100000)",
        f"CREATE MATERIALIZED VIEW lake.bounded.by_region WITH DEFERRED REFRESH AS {lake}",
        "REFRESH MATERIALIZED VIEW lake.bounded.by_region",
        "INSERT INTO lake.bounded.sales VALUES (77, 90)",
        "INSERT INTO rest.shop.sales VALUES (77, 90)",
    ):
        clients.rows(session, sql)
    start = f"jdbc:hive2://127.0.0.1:{rest.gate.port}/"
    for url, old in URLS.items():
        connection = java.connect(f"{start}{url}")
        try:
            assert ("77" not in {region for region, *_ in connection.rows(both)}) == old, url
            last = str(connection.rows("SHOW VIEWGATE LAST"))
            assert (last.count("by_region (same_grain)") == 2 and "data as of" in last) == old, url
        finally:
            connection.close()
    told = clients.beeline(0, both, options=("-u", f"{start}?viewgate.max_staleness=10%20minutes"))
    assert {row[0].split()[-1] for row in told.rows} == {"0", "1", "2", "3", "4"}
    wrong = clients.beeline(0, both, options=("-u", f"{start}?viewgate.max_staleness=soon"))
    assert "max_staleness is 'soon': it must be a number of seconds" in wrong.errors
    clients.rows(session, "DROP MATERIALIZED VIEW lake.bounded.by_region")
    clients.rows(session, "DROP TABLE lake.bounded.sales PURGE")


def _is_used(session: Any) -> bool:
    return chosen(session, QUERY) == [VIEW]


def _is_ended(cursor: Any) -> bool:
    return cursor.poll().operationState in ENDED


def test_statements_are_ended_at_once_while_a_catalog_hangs(session: Any, rest: Rest) -> None:
    slow = "SELECT sum(s.amount * r.id) FROM rest.shop.sales AS s CROSS JOIN range(1000000000000) AS r"
    rest.way.hold()

    def shown() -> tuple[Any, ...]:
        with clients.pyhive(rest.gate.port) as operator:
            return next(row for row in clients.rows(operator, "SHOW VIEWGATE STATEMENTS") if slow in row)

    def kill(_: Any) -> None:
        with clients.pyhive(rest.gate.port) as operator:
            clients.rows(operator, f"KILL VIEWGATE STATEMENT '{shown()[0]}'")

    # First while the statement waits for the catalog, and then while Spark runs the statement.
    for waits, end in product((True, False), (kill, hive.Cursor.cancel)):
        cursor = session.cursor()
        cursor.execute(slow, async_=True)
        if not waits:
            eventually(lambda: "the catalog rest is unavailable since" in str(cursor.fetch_logs()))  # noqa: B023
        assert ("PENDING" if waits else "RUNNING") in shown()
        begun = time.monotonic()
        end(cursor)
        eventually(partial(_is_ended, cursor))
        assert time.monotonic() - begun < PATIENCE_S
    rest.way.resume()
    eventually(partial(_is_used, session))
