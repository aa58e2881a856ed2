"""`viewgate refresh`, as cron runs it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.integration import clients
from tests.integration.gate import VIEWGATE, Gate


def refresh(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([VIEWGATE, "refresh", *arguments], capture_output=True, text=True, check=False)


@pytest.mark.aside
def test_stale_views_are_refreshed_and_failures_told_by_the_exit_code(tmp_path: Path) -> None:
    with Gate("--data", tmp_path) as gate, clients.pyhive(gate.port, database="demo") as connection:
        for sql in (
            "CREATE TABLE t AS SELECT id % 3 AS k, id AS v FROM range(10)",
            "CREATE MATERIALIZED VIEW total WITH DEFERRED REFRESH AS SELECT k, sum(v) AS s FROM t GROUP BY k",
            "CREATE MATERIALIZED VIEW broken WITH DEFERRED REFRESH AS SELECT k, sum(1 / v) AS s FROM t GROUP BY k",
        ):
            clients.rows(connection, sql)
        busy = refresh("--all", "--data", tmp_path)
        assert busy.returncode == 1
        assert "is in use by the viewgate with process id" in busy.stderr
    some = refresh("--stale", "--data", tmp_path)
    assert some.returncode == 3, some.stderr
    assert "lake.demo.total refreshed: 3 rows" in some.stdout
    assert "lake.demo.broken could not be refreshed: [DIVIDE_BY_ZERO]" in some.stdout
    again = refresh("demo.total", "--stale", "--data", tmp_path)
    assert (again.returncode, again.stdout) == (0, "lake.demo.total is fresh\n")
