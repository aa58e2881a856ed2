"""Statements through the proxy that would break a view are refused, with errors that real clients show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration import clients
from tests.integration.decided import chosen

QUERY = "SELECT k, sum(v) AS s FROM t GROUP BY k"


@pytest.fixture
def session(jdbc: clients.Jdbc) -> Iterator[clients.Jdbc]:
    """A connection in the namespace guards, with a table `t` and a view `mv` that needs two of its columns."""
    for sql in (
        "CREATE NAMESPACE IF NOT EXISTS lake.guards",
        "USE lake.guards",
        "CREATE OR REPLACE TABLE t AS SELECT id % 3 AS k, id AS v, id AS spare FROM range(10)",
        f"CREATE MATERIALIZED VIEW mv PROPERTIES ('viewgate.refresh.wait' = 'always') AS {QUERY}",
    ):
        jdbc.rows(sql)
    yield jdbc
    jdbc.rows("DROP MATERIALIZED VIEW IF EXISTS mv")
    jdbc.rows("DROP TABLE t")


REFUSED = {
    "DROP TABLE t": "needed by materialized view lake.guards.mv",
    "ALTER TABLE guards.t RENAME TO guards.u": "needed by materialized view lake.guards.mv",
    "ALTER TABLE t DROP COLUMN v": "loses or changes columns (v)",
    "ALTER TABLE t RENAME COLUMN k TO kk": "loses or changes columns (k)",
    "DROP NAMESPACE lake.guards CASCADE": "tables or views that are needed by materialized view lake.guards.mv",
    "DROP TABLE mv__storage": "is the storage table of materialized view lake.guards.mv",
    "INSERT INTO mv__storage SELECT * FROM mv__storage": "only refreshes may write to a storage table",
    "DROP TABLE IDENTIFIER('guards.' || 't')": "needed by materialized view lake.guards.mv",
    "EXECUTE IMMEDIATE 'DROP TABLE t'": "needed by materialized view lake.guards.mv",
    "BEGIN IF 1 = 1 THEN DROP TABLE t; END IF; END": "needed by materialized view lake.guards.mv",
    "DROP TABLE ${hiveconf:doomed}": "needed by materialized view lake.guards.mv",
    "CREATE OR REPLACE TABLE t AS SELECT 1L AS k": "replaced without columns that views need",
    "DELETE FROM guards.mv__storage.branch_main": "only refreshes may write to a storage table",
    "DROP VIEW mv": "use DROP MATERIALIZED VIEW",
    "CREATE OR REPLACE VIEW mv AS SELECT 1 AS a": "CREATE OR REPLACE MATERIALIZED VIEW",
}


def test_what_would_break_a_view_is_refused_and_the_rest_is_done(session: clients.Jdbc, pyhive: Any) -> None:
    session.rows("SET doomed=t")
    for sql, said in REFUSED.items():
        with pytest.raises(clients.SqlException) as refused:
            session.rows(sql)
        assert refused.value.state == "2BP01", sql
        assert said in refused.value.message, sql
    with pytest.raises(clients.SqlException, match=r"write to its base tables \(lake\.guards\.t\)") as refused:
        session.rows("INSERT INTO mv VALUES (1, 1)")
    assert refused.value.state == "42809"
    clients.rows(pyhive, "USE lake.guards")
    assert chosen(pyhive, QUERY) == ["lake.guards.mv"]
    session.rows("ALTER TABLE t ADD COLUMN more INT")
    assert chosen(pyhive, QUERY) == ["lake.guards.mv"]
    for sql in ("ALTER TABLE t RENAME COLUMN spare TO s", "ALTER TABLE t DROP COLUMN s"):
        session.rows(sql)
        assert chosen(pyhive, QUERY) == ["lake.guards.mv"], sql
    session.rows("CREATE OR REPLACE TABLE t AS SELECT CAST(1 AS SMALLINT) AS more, id AS v, id % 3 AS k FROM range(10)")
    session.rows("INSERT INTO guards.t.branch_main SELECT 1, 0, 0")
    assert chosen(pyhive, QUERY) == ["lake.guards.mv"]
    assert sorted(session.rows("SELECT * FROM mv")) == [("0", "18"), ("1", "12"), ("2", "15")]
