"""Writes by real clients refresh views; the write succeeds whatever happens to the refresh."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest

from proxy.commands.show import COLUMNS
from tests.integration import clients
from tests.integration.daemon import eventually
from tests.integration.decided import chosen, rows_both_ways

QUERY = "SELECT k, sum(v) AS s, count(*) AS n FROM t GROUP BY k"
VIEW = "lake.commits.mv"
WAIT = "PROPERTIES ('viewgate.refresh.wait' = 'always')"
Run = Callable[[str], list[tuple[Any, ...]]]


@pytest.fixture
def session(pyhive: Any) -> Iterator[Any]:
    """A session in the namespace commits, with a table `t` and a view `mv` over it whose refresh writers wait for."""
    for sql in (
        "CREATE NAMESPACE IF NOT EXISTS lake.commits",
        "USE lake.commits",
        "CREATE OR REPLACE TABLE t AS SELECT id % 3 AS k, id AS v FROM range(10)",
        f"CREATE MATERIALIZED VIEW mv {WAIT} AS {QUERY}",
    ):
        clients.rows(pyhive, sql)
    yield pyhive
    for row in clients.rows(pyhive, "SHOW MATERIALIZED VIEWS IN commits"):
        clients.rows(pyhive, f"DROP MATERIALIZED VIEW lake.commits.{row[1]}")


@pytest.fixture
def run(session: Any) -> Run:
    """Run a statement in that session."""
    return lambda sql: clients.rows(session, sql)


def shown(run: Run, name: str = "mv") -> dict[str, Any]:
    """A view's row of SHOW MATERIALIZED VIEWS."""
    (row,) = run(f"SHOW MATERIALIZED VIEWS IN commits LIKE '{name}'")
    return dict(zip(COLUMNS, row, strict=True))


def right(session: Any) -> None:
    """Check that the view answers, with the original's rows."""
    assert chosen(session, QUERY) == [VIEW]
    given, plain = rows_both_ways(session, QUERY)
    assert given == plain


# Those whose target is not plain to see; test_every_write has the others.
WRITES = {
    "INSERT": ["INSERT INTO t VALUES (7, 7)"],
    "FROM … INSERT": ["FROM t INSERT INTO t SELECT k, v WHERE k = 1 INSERT INTO t SELECT k + 1, v"],
    "CALL": [
        "ALTER TABLE t CREATE BRANCH other",
        "INSERT INTO lake.commits.t.branch_other VALUES (3, 3)",
        "CALL lake.system.fast_forward(table => 'commits.t', branch => 'main', to => 'other')",
    ],
    "EXECUTE IMMEDIATE": ["EXECUTE IMMEDIATE 'INSERT INTO t VALUES (8, 8)'"],
    "BEGIN … END": ["BEGIN INSERT INTO t VALUES (8, 8); DELETE FROM t WHERE k = 0; END"],
}


def test_the_view_is_fresh_when_a_write_returns(session: Any, run: Run, gate: Any) -> None:
    with clients.pyhive(gate.port, database="commits") as writer:
        for kind, statements in WRITES.items():
            before = run(f"SELECT * FROM {VIEW} ORDER BY ALL")
            for statement in statements:
                clients.rows(writer, statement)
            assert chosen(session, QUERY) == [VIEW], kind
            given, plain = rows_both_ways(session, QUERY)
            assert given == plain, kind
            assert run(f"SELECT * FROM {VIEW} ORDER BY ALL") != before, kind


def test_maintenance_of_the_table_is_followed_on_the_storage_and_leaves_it_fresh(session: Any, run: Run) -> None:
    def snapshots(such: str = "true") -> int:
        ((count,),) = run(f"SELECT count(*) FROM lake.commits.mv__storage.snapshots WHERE {such}")
        return int(count)

    def files() -> set[str]:
        return {path for (path,) in run("SELECT file_path FROM lake.commits.mv__storage.files")}

    run("INSERT INTO t VALUES (7, 7)")
    before = files()
    run("CALL lake.system.rewrite_data_files(table => 'commits.t', options => map('rewrite-all', 'true'))")
    right(session)
    after = files()
    assert after.isdisjoint(before)
    assert snapshots() > 1
    run("CALL lake.system.expire_snapshots(table => 'commits.t', retain_last => 1, older_than => current_timestamp())")
    right(session)
    assert snapshots() == 1
    assert files() == after
    own = "'viewgate.maintenance' = 'never', 'viewgate.snapshots.keep' = '1 second'"
    run(f"ALTER MATERIALIZED VIEW mv SET PROPERTIES ({own})")
    before = files()
    run("CALL lake.system.rewrite_data_files(table => 'commits.t', options => map('rewrite-all', 'true'))")
    assert files() == before
    eventually(lambda: not snapshots("committed_at > current_timestamp() - INTERVAL 1 SECOND"))
    run("INSERT INTO t VALUES (8, 8)")
    right(session)
    assert snapshots() == 1


def test_a_writer_that_does_not_wait_finds_it_fresh_soon(session: Any, run: Run) -> None:
    run("ALTER MATERIALIZED VIEW mv SET PROPERTIES ('viewgate.refresh.wait' = 'never')")
    run("INSERT INTO t VALUES (7, 7)")
    eventually(lambda: shown(run)["status"] == "fresh")
    right(session)


def test_a_deferred_view_waits_for_its_statement(session: Any, run: Run) -> None:
    run(f"CREATE OR REPLACE MATERIALIZED VIEW mv WITH DEFERRED REFRESH {WAIT} AS {QUERY}")
    run("REFRESH MATERIALIZED VIEW mv")
    run("INSERT INTO t VALUES (7, 7)")
    assert shown(run)["status"] == "stale"
    run("REFRESH MATERIALIZED VIEW mv")
    right(session)


def test_what_a_user_has_turned_off_stays_off(run: Run, session: Any) -> None:
    run("ALTER MATERIALIZED VIEW mv DISABLE REWRITE")
    run("INSERT INTO t VALUES (7, 7)")
    assert (shown(run)["rewrite"], shown(run)["status"]) == ("off", "fresh")
    assert chosen(session, QUERY) == []


def test_one_views_failure_is_its_own_until_its_next_success(session: Any, run: Run, beeline: Any) -> None:
    run(f"CREATE MATERIALIZED VIEW a_quotient {WAIT} AS SELECT k, sum(1 / (v - 100)) AS q FROM t GROUP BY k")
    said = beeline("INSERT INTO commits.t VALUES (1, 100)", options=["--silent=false"])
    assert said.code == 0
    assert "lake.commits.a_quotient could not be refreshed" in said.errors
    assert "DIVIDE_BY_ZERO" in said.errors
    right(session)
    failed = shown(run, "a_quotient")
    assert failed["status"] == "stale"
    assert "DIVIDE_BY_ZERO" in failed["last_error"]
    run("DELETE FROM t WHERE v = 100")
    mended = shown(run, "a_quotient")
    assert (mended["status"], mended["last_error"]) == ("fresh", None)


@pytest.mark.parametrize("how", ["cancel", "close"])
def test_a_cancel_ends_the_refresh_and_a_client_that_leaves_does_not(session: Any, run: Run, how: str) -> None:
    run("CREATE OR REPLACE TABLE big AS SELECT id FROM range(10)")
    run(
        f"CREATE MATERIALIZED VIEW slow {WAIT} AS "
        "SELECT a.id % 3 AS k, sum(a.id * b.id) AS s FROM big a CROSS JOIN big b GROUP BY 1"
    )
    # What is cancelled takes longer than a question for the status is held; what goes on, longer than to see it.
    size = 400_000 if how == "cancel" else 6_000
    cursor = session.cursor()
    cursor.execute(f"INSERT INTO big SELECT id FROM range({size})", async_=True)

    def staged() -> bool:
        assert how == "close" or cursor.poll().operationState == 1
        return any(name != "main" for (name,) in run("SELECT name FROM lake.commits.slow__storage.refs"))

    eventually(staged)
    (cursor.cancel if how == "cancel" else cursor.close)()
    assert run("SELECT count(*) FROM big") == [(size + 10,)]
    if how == "cancel":
        assert cursor.poll().operationState == 2
        assert any("was cancelled" in line for line in cursor.fetch_logs())
        assert run("SELECT name FROM lake.commits.slow__storage.refs") == [("main",)]
        assert shown(run, "slow")["status"] == "stale"
    else:
        eventually(lambda: shown(run, "slow")["status"] == "fresh", patience=240)


def test_a_period_catches_what_another_engine_writes(session: Any, run: Run, direct: Any) -> None:
    run("ALTER MATERIALIZED VIEW mv SET PROPERTIES ('viewgate.refresh.every' = '1 second')")
    assert shown(run)["refresh"] == "on-commit, every 1 second"
    clients.rows(direct, "INSERT INTO lake.commits.t VALUES (8, 8)")
    eventually(lambda: shown(run)["status"] == "fresh")
    right(session)


def test_many_rows_that_two_views_take_in_are_read_once(session: Any, run: Run) -> None:
    other = "SELECT k % 2 AS half, max(v) AS top, avg(v) AS mean FROM t WHERE v > 5 GROUP BY k % 2"
    run(f"CREATE MATERIALIZED VIEW other {WAIT} AS {other}")
    with closing(session.cursor()) as cursor:
        cursor.execute("INSERT INTO t SELECT id % 3, id FROM range(2000000)")
        log = "\n".join(cursor.fetch_logs())
    assert log.count("; read once for 2 views") == 2
    assert "failed" not in log
    for query, view in ((QUERY, VIEW), (other, "lake.commits.other")):
        assert chosen(session, query) == [view]
        given, plain = rows_both_ways(session, query)
        assert given == plain
    assert not [row for row in run("SHOW TABLES IN lake.commits") if "_delta_" in row[1]]
