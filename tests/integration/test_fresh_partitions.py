"""Live answers after deletes and updates, on real Spark: fresh partitions from storage, stale ones from the table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.integration import clients
from tests.integration.daemon import eventually
from tests.integration.decided import chosen
from tests.integration.test_golden import FELL_BACK, ask

pytestmark = pytest.mark.aside

Run = Callable[[str], list[tuple[Any, ...]]]
ROWS = (
    "SELECT CAST(id % 40 AS INT) AS day, concat('k', id % 7) AS k, CAST(id % 100 AS INT) AS x, xxhash64(id) AS n "
    "FROM range({})"
)
VIEW = "SELECT day, k, sum(x) AS s, count(*) AS c, max(n) AS top, min(x) AS low FROM t GROUP BY day, k"
QUERIES = (
    "SELECT k, sum(x) AS s, count(*) AS c, max(n) AS top FROM lake.fresh.t GROUP BY k",
    "SELECT day, k, sum(x) AS s FROM lake.fresh.t GROUP BY day, k HAVING sum(x) > 10",
    "SELECT count(*) AS c, min(x) AS low FROM lake.fresh.t WHERE day BETWEEN 1 AND 20 OR day IS NULL",
)


@pytest.fixture(params=["copy-on-write", "merge-on-read"])
def run(pyhive: Any, request: pytest.FixtureRequest) -> Iterator[Run]:
    """Run a statement through the proxy; there is a partitioned table, and a view that only REFRESH refreshes."""

    def statement(sql: str) -> list[tuple[Any, ...]]:
        return clients.rows(pyhive, sql)

    modes = ", ".join(f"'write.{kind}.mode' = '{request.param}'" for kind in ("delete", "update", "merge"))
    for sql in (
        "CREATE NAMESPACE IF NOT EXISTS lake.fresh",
        "USE lake.fresh",
        f"CREATE TABLE t PARTITIONED BY (day) TBLPROPERTIES ({modes}) AS {ROWS.format(60_000)}",
        "INSERT INTO t VALUES (NULL, 'k1', 5, 1), (NULL, NULL, NULL, NULL)",
        f"CREATE MATERIALIZED VIEW by_day WITH DEFERRED REFRESH PARTITIONED BY (day) AS {VIEW}",
        "REFRESH MATERIALIZED VIEW by_day",
    ):
        statement(sql)
    yield statement
    statement("DROP MATERIALIZED VIEW by_day")
    statement("DROP TABLE t PURGE")


def answered(connection: Any) -> list[str]:
    """Return the rules by which the view answers each query, after checking that the rows are the originals'."""
    rules = []
    for sql in QUERIES:
        clients.rows(connection, "SET viewgate.rewrite = off")
        plain = ask(connection, sql)
        clients.rows(connection, "SET viewgate.rewrite = on")
        given = ask(connection, sql)
        assert not given.differs(plain, ordered=False), sql
        assert FELL_BACK not in given.log
        found = re.search(r"answered from lake\.fresh\.by_day \((\w+)\)", given.log)
        rules.append(found[1] if found else "")
    return rules


CHANGES = (
    "DELETE FROM t WHERE day = 7 AND x = 7",
    "UPDATE t SET x = x + 1000 WHERE day = 30 AND k = 'k2'",
    "DELETE FROM t WHERE day IS NULL AND k = 'k1'",
    "DELETE FROM t WHERE day < 2",  # whole partitions, as a policy of retention lets go
    "UPDATE t SET day = 9 WHERE day = 8 AND x = 48",
    "MERGE INTO t USING (SELECT 12 AS day, 'k9' AS k, 1 AS x, -1L AS n) AS s ON t.day = s.day AND t.n = s.n "
    "WHEN NOT MATCHED THEN INSERT *",
    f"INSERT INTO t {ROWS.format(80)}",
)


def test_fresh_partitions_answer_after_any_change(run: Run, pyhive: Any, direct: Any) -> None:
    clients.rows(direct, "USE lake.fresh")
    for change in CHANGES[:-1]:
        clients.rows(direct, change)
        # What the change has touched is read beside the statements, which do not wait for long.
        eventually(lambda: chosen(pyhive, QUERIES[0]))
        assert answered(pyhive) == ["union_remainder"] * len(QUERIES), change
    tried = run(f"EXPLAIN REWRITE {QUERIES[0]}")
    (used,) = (row for row in tried if row[1] == "chosen")
    assert "live: only the partitions that are still fresh are read, since lake.fresh.t has changed" in used[4]
    assert "proved" in used[4]
    only_stale = run("EXPLAIN REWRITE SELECT sum(x) FROM lake.fresh.t WHERE day = 30")
    assert [row[1:4:2] for row in only_stale] == [("missed", "STALE"), ("suggested", "")]
    clients.rows(direct, CHANGES[-1])
    assert answered(pyhive) == [""] * len(QUERIES)  # every partition is stale, and rows came and went
    run("REFRESH MATERIALIZED VIEW by_day")
    assert "" not in answered(pyhive)


def test_a_change_of_columns_or_partitions_leaves_the_original(run: Run, pyhive: Any, direct: Any) -> None:
    clients.rows(direct, "USE lake.fresh")
    clients.rows(direct, "DELETE FROM t WHERE day = 7 AND x = 7")
    clients.rows(direct, "ALTER TABLE t ADD PARTITION FIELD k")
    clients.rows(direct, "DELETE FROM t WHERE day = 11 AND x = 11")
    assert answered(pyhive) == [""] * len(QUERIES)


def test_rows_that_a_policy_of_retention_drops_from_the_table_leave_the_view(
    run: Run, pyhive: Any, direct: Any
) -> None:
    for change in (
        "DELETE FROM lake.fresh.t WHERE day < 9",
        "CALL lake.system.expire_snapshots(table => 'fresh.t', older_than => now(), retain_last => 1)",
    ):
        clients.rows(direct, change)
    assert answered(pyhive) == [""] * len(QUERIES)  # what was dropped can no longer be read
    ((status, reason),) = [(row[4], row[5]) for row in run("SHOW MATERIALIZED VIEWS IN lake.fresh")]
    assert status == "stale"
    assert "which the last refresh read, is no longer in the table's history: refresh the view" in reason
    assert run("SELECT min(day) FROM by_day") == [(9,)]  # the view's name never reads what the table has dropped
    run("REFRESH MATERIALIZED VIEW by_day")
    assert "" not in answered(pyhive)
    assert clients.rows(direct, "SELECT min(day) FROM lake.fresh.by_day__storage") == [(9,)]
