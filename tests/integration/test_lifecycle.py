"""Viewgate starts, stops, starts again, refreshes by command, and survives a kill, also in the middle of a refresh."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from pyhive import exc

from tests.integration import clients
from tests.integration.daemon import ended, eventually
from tests.integration.decided import chosen, rows_both_ways
from tests.integration.gate import VIEWGATE, Gate
from tests.integration.test_done_when import AGG_SALES, HITS, fresh_start

# A table in one file keeps one of Spark's two cores busy, so that two of these queries run at once.
GROWN = "INSERT INTO {} SELECT /*+ COALESCE(1) */ id, id % 7 FROM range(300000)"
FOR_MINUTES = "SELECT a.k, sum(a.id * b.id) AS s FROM {0} a CROSS JOIN {0} b GROUP BY a.k"


def spark_process(gate: Gate) -> int:
    """Return the JVM that a Viewgate has started."""
    tasks = Path(f"/proc/{gate.process.pid}/task").iterdir()
    children = [child for task in tasks for child in (task / "children").read_text().split()]
    (java,) = {int(child) for child in children if b"java" in Path(f"/proc/{child}/cmdline").read_bytes()}
    return java


def command(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([VIEWGATE, *arguments], capture_output=True, text=True, check=False)


@pytest.mark.aside
def test_state_is_kept_over_an_orderly_end_and_over_crashes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one sequence, because each start of Spark takes as long as all that is asked of it."""
    data, elsewhere = tmp_path / "data", tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    with Gate("--data", data) as gate:
        java = spark_process(gate)
        assert os.getpgid(java) != os.getpgid(gate.process.pid)
        with clients.pyhive(gate.port) as connection:
            stale_views(connection)
        for words in (("serve", "--port", "0"), ("refresh", "--all")):
            second = command(*words, "--data", data)
            assert second.returncode == 1
            assert f"is in use by the Viewgate process {gate.process.pid}" in second.stderr
            assert "Traceback" not in second.stderr
        assert gate.stop(signal.SIGINT) == 0
    eventually(lambda: ended(java))
    stale_views_are_refreshed_and_failures_told_by_the_exit_code(data)

    with Gate("--data", data) as gate:
        java = spark_process(gate)
        with clients.pyhive(gate.port) as connection:
            assert clients.rows(connection, "SELECT k, s FROM demo.total ORDER BY k") == [(0, 18), (1, 12), (2, 15)]
            refresh_and_creation_in_the_middle(connection, gate)
            gate.kill()
            connection.close = connection._transport.close  # there is nobody to tell
        # At once, while the killed one's JVM still runs: its data is taken over when that is gone.
        with Gate("--data", data) as again:
            assert ended(java)
            with clients.pyhive(again.port) as connection:
                a_killed_refresh_leaves_the_old_content(connection)
                a_view_that_was_not_finished_answers_nothing(connection)
            os.kill(spark_process(again), signal.SIGKILL)
            assert again.ended() == 1
        assert "Spark's JVM has ended (SIGKILL)" in again.output
        assert "Traceback" not in again.output
    assert os.listdir(elsewhere) == []


def stale_views(connection: Any) -> None:
    for sql in (
        "USE demo",
        "CREATE TABLE t AS SELECT id % 3 AS k, id AS v FROM range(10)",
        "CREATE MATERIALIZED VIEW total WITH DEFERRED REFRESH AS SELECT k, sum(v) AS s FROM t GROUP BY k",
        "CREATE MATERIALIZED VIEW broken WITH DEFERRED REFRESH AS SELECT k, sum(1 / v) AS s FROM t GROUP BY k",
    ):
        clients.rows(connection, sql)


def stale_views_are_refreshed_and_failures_told_by_the_exit_code(data: Path) -> None:
    some = command("refresh", "--stale", "--data", data)
    assert some.returncode == 3, some.stderr
    assert "lake.demo.total refreshed: 3 rows" in some.stdout
    assert "lake.demo.broken could not be refreshed: [DIVIDE_BY_ZERO]" in some.stdout
    again = command("refresh", "demo.total", "--stale", "--data", data)
    assert (again.returncode, again.stdout) == (0, "lake.demo.total is fresh\n")


def refresh_and_creation_in_the_middle(connection: Any, gate: Gate) -> None:
    """Return when a view of ten rows is being refreshed from 300,000, and another one is being made of as many."""
    fresh_start(connection, "kept")
    clients.rows(connection, AGG_SALES)
    for sql in (
        "CREATE TABLE big AS SELECT id, id % 7 AS k FROM range(10)",
        "CREATE TABLE other AS SELECT * FROM big WHERE false",
        f"CREATE MATERIALIZED VIEW refreshed WITH DEFERRED REFRESH AS {FOR_MINUTES.format('big')}",
        "REFRESH MATERIALIZED VIEW refreshed",
        GROWN.format("big"),
        GROWN.format("other"),
    ):
        clients.rows(connection, sql)
    with clients.pyhive(gate.port, database="kept") as second, clients.pyhive(gate.spark_port) as direct:
        connection.cursor().execute("REFRESH MATERIALIZED VIEW refreshed", async_=True)
        second.cursor().execute(f"CREATE MATERIALIZED VIEW made AS {FOR_MINUTES.format('other')}", async_=True)
        for name in ("refreshed", "made"):
            eventually(lambda name=name: refreshing(direct, f"lake.kept.{name}__storage"))  # type: ignore[misc]
        second.close = second._transport.close


def refreshing(direct: Any, storage: str) -> bool:
    """Return whether a refresh of this storage is running, which its branch shows."""
    with contextlib.suppress(exc.OperationalError):  # while the storage is not there yet
        return bool(clients.rows(direct, f"SELECT name FROM {storage}.refs WHERE name <> 'main'"))
    return False


def a_killed_refresh_leaves_the_old_content(connection: Any) -> None:
    """And the next refresh cleans up."""
    clients.rows(connection, "USE lake.kept")
    before = [(k, sum(range(k, 10, 7)) * sum(range(10))) for k in range(7)]
    assert sorted(clients.rows(connection, "SELECT k, s FROM refreshed__storage")) == before
    (view,) = clients.rows(connection, "SHOW MATERIALIZED VIEWS IN kept LIKE 'refreshed'")
    assert "stale" in view
    for sql in ("TRUNCATE TABLE big", "INSERT INTO big VALUES (3, 0)", "REFRESH MATERIALIZED VIEW refreshed"):
        clients.rows(connection, sql)
    assert not refreshing(connection, "lake.kept.refreshed__storage")
    assert clients.rows(connection, "SELECT k, s FROM refreshed") == [(0, 9)]


def a_view_that_was_not_finished_answers_nothing(connection: Any) -> None:
    """Until it is made again; other views answer as before."""
    query = FOR_MINUTES.format("other")
    assert [chosen(connection, hit) for hit in HITS] == [["lake.kept.agg_sales"]] * 3
    assert chosen(connection, query) == []
    assert clients.rows(connection, "SELECT count(*) FROM made__storage") == [(0,)]
    clients.rows(connection, "INSERT OVERWRITE other SELECT id, id % 7 AS k FROM range(30)")
    given, plain = rows_both_ways(connection, query)
    assert given == plain
    clients.rows(connection, f"CREATE OR REPLACE MATERIALIZED VIEW made AS {query}")
    assert chosen(connection, query) == ["lake.kept.made"]
    assert sorted(clients.rows(connection, query), key=repr) == plain


def test_health(gate: Gate) -> None:
    well = command("health", "--port", str(gate.port))
    assert well.returncode == 0
    ill = command("health", "--port", "1")
    assert ill.returncode == 1
    assert "127.0.0.1:1 is unreachable" in ill.stderr
