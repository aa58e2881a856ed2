"""Checks bounds, time travel, rollbacks and deltas on one catalog: each answer is that of the tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.integration import clients
from tests.integration.decided import chosen, rows_both_ways

Run = Callable[[str], list[tuple[Any, ...]]]

# The views by name. `coarse` reads another view, and `small` has a table in a subquery.
VIEWS = {
    "by_k": "SELECT k, sum(n) AS s, count(*) AS c FROM t GROUP BY k",
    "by_day": "SELECT day, max(n) AS top, count(*) AS c FROM t GROUP BY day",
    "coarse": "SELECT k % 2 AS odd, sum(s) AS s, sum(c) AS c FROM by_k GROUP BY k % 2",
    "small": "SELECT k, max(n) AS top FROM t WHERE k IN (SELECT k FROM few) GROUP BY k",
}
LAYOUT = {"by_day": "PARTITIONED BY (day) "}
BOUNDED = "/*+ VIEWGATE(max_staleness = '30 days') */ "


def check_moments(session: Any, direct: Any, catalog: str) -> None:
    """Check the traps in the namespace `moments` of a catalog, which is dropped at the end.

    `session` is a connection to Viewgate, `direct` one to the Spark behind it.
    """

    def run(sql: str) -> list[tuple[Any, ...]]:
        return clients.rows(session, sql)

    def foreign(sql: str) -> None:
        clients.rows(direct, sql)

    run(f"CREATE NAMESPACE {catalog}.moments")
    run(f"USE {catalog}.moments")
    foreign(f"USE {catalog}.moments")
    run("CREATE TABLE t PARTITIONED BY (day) AS SELECT id % 7 AS k, id % 4 AS day, id AS n FROM range(100000)")
    run("CREATE TABLE few AS SELECT id AS k FROM range(3)")
    for name, query in VIEWS.items():
        run(f"CREATE MATERIALIZED VIEW {name} WITH DEFERRED REFRESH {LAYOUT.get(name, '')}AS {query}")
        run(f"REFRESH MATERIALIZED VIEW {name}")
    for name, query in VIEWS.items():
        assert right(session, query) == [f"{catalog}.moments.{name}"]
    _rows_that_came(session, run, foreign, catalog)
    _rollback(session, run, foreign, catalog)
    _subquery(session, run, foreign, catalog)
    for name in reversed(VIEWS):
        run(f"DROP MATERIALIZED VIEW {name}")
    for table in ("t", "few"):
        run(f"DROP TABLE {table}")
    run(f"DROP NAMESPACE {catalog}.moments")


def _rows_that_came(session: Any, run: Run, foreign: Callable[[str], None], catalog: str) -> None:
    """A bound gives the rows of one moment, no bound gives those of now, and the past is the past."""
    first = _head(run, catalog)
    before = sorted(run(VIEWS["by_k"]))
    foreign("INSERT INTO t VALUES (1, 1, 150000), (9, 2, 160000)")
    view = f"{catalog}.moments.by_k"
    hinted = VIEWS["by_k"].replace("SELECT ", f"SELECT /*+ VIEWGATE(use = '{view}') */ ", 1)
    explained = str(run(f"EXPLAIN REWRITE {hinted}"))
    assert "delta_union" in explained, explained
    assert right(session, hinted) == [view]
    assert sorted(run(VIEWS["by_k"].replace("SELECT ", f"SELECT {BOUNDED}", 1))) == before
    beside = f"SELECT (SELECT count(*) FROM t), sum(c) FROM ({VIEWS['by_k']}) AS v"
    assert run(beside.replace("SELECT ", f"SELECT {BOUNDED}", 1)) == [(100_000, 100_000)]
    assert run(beside) == [(100_002, 100_002)]
    past = VIEWS["by_k"].replace("FROM t", f"FROM t VERSION AS OF {first}")
    assert right(session, past) == [f"{catalog}.moments.by_k"]
    assert sorted(run(past)) == before
    run("REFRESH MATERIALIZED VIEW by_k")
    assert right(session, past) == [f"{catalog}.moments.by_k"]
    assert sorted(run(past)) == before
    # One partition of `by_day` is behind, and its rows are neither hidden by the others nor counted twice.
    run("REFRESH MATERIALIZED VIEW by_day")
    foreign("DELETE FROM t WHERE day = 2 AND n > 99000")
    for query in (VIEWS["by_day"], VIEWS["by_day"].replace("GROUP BY", "WHERE day < 3 GROUP BY"), VIEWS["by_k"]):
        right(session, query)


def _rollback(session: Any, run: Run, foreign: Callable[[str], None], catalog: str) -> None:
    """A view that was refreshed from a snapshot that is rolled back is neither fresh nor within a bound."""
    first = _head(run, catalog)
    foreign("INSERT INTO t VALUES (1, 1, 170000)")
    for name in ("by_k", "by_day"):
        run(f"REFRESH MATERIALIZED VIEW {name}")
    gone = [sorted(run(VIEWS[name])) for name in ("by_k", "by_day")]
    foreign(f"CALL {catalog}.system.rollback_to_snapshot('moments.t', {first})")
    for name in ("by_k", "by_day"):
        right(session, VIEWS[name])
    bounded = [VIEWS[name].replace("SELECT ", f"SELECT {BOUNDED}", 1) for name in ("by_k", "by_day")]
    assert [sorted(run(query)) != rows for query, rows in zip(bounded, gone, strict=True)] == [True, True]
    foreign("INSERT INTO t VALUES (2, 2, 180000)")
    for name in ("by_k", "by_day"):
        right(session, VIEWS[name])


def _subquery(session: Any, run: Run, foreign: Callable[[str], None], catalog: str) -> None:
    """A view is stale once the table of a subquery in its definition has changed."""
    run("REFRESH MATERIALIZED VIEW small")
    assert right(session, VIEWS["small"]) == [f"{catalog}.moments.small"]
    foreign("INSERT INTO few VALUES (5)")
    assert right(session, VIEWS["small"]) == []
    run("REFRESH MATERIALIZED VIEW small")
    assert right(session, VIEWS["small"]) == [f"{catalog}.moments.small"]


def right(session: Any, query: str) -> list[str]:
    """Return the views that answer the query, after checking that the rows are the original's."""
    given, plain = rows_both_ways(session, query)
    assert given == plain, query
    return chosen(session, query)


def _head(run: Run, catalog: str) -> int:
    history = f"{catalog}.moments.t.history"
    ((snapshot,),) = run(f"SELECT snapshot_id FROM {history} ORDER BY made_current_at DESC LIMIT 1")
    return int(snapshot)
