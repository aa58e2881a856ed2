"""Tables, sessions and content that look the same and are not: the answer stays Spark's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyhive import exc

from tests.integration import clients
from tests.integration.decided import chosen, reasons, rows_both_ways

pytestmark = pytest.mark.aside

QUERY = "SELECT a, b, sum(n) FROM t GROUP BY a, b"
BY_DAY = "SELECT CAST(at AS DATE), count(*) FROM t GROUP BY CAST(at AS DATE)"
VIEW = "lake.traps.v"
Run = Callable[[str], list[tuple[Any, ...]]]


@pytest.fixture
def session(pyhive: Any) -> Any:
    """A session in the namespace traps, with a table `t` and a view `v` over it."""
    for sql in (
        "CREATE NAMESPACE IF NOT EXISTS lake.traps",
        "USE lake.traps",
        "DROP MATERIALIZED VIEW IF EXISTS v",
        "DROP TABLE IF EXISTS t",
        "CREATE TABLE t (a STRING, b STRING, n INT, at TIMESTAMP)",
        "INSERT INTO t VALUES ('x', 'y', 1, TIMESTAMP '2024-01-01 23:30:00Z'), "
        "('x', 'z', 2, NULL), (NULL, 'x', 4, NULL)",
        f"CREATE MATERIALIZED VIEW v AS {QUERY}",
    ):
        clients.rows(pyhive, sql)
    assert chosen(pyhive, QUERY) == [VIEW]
    return pyhive


@pytest.fixture
def run(session: Any) -> Run:
    """Run a statement in that session."""
    return lambda sql: clients.rows(session, sql)


@pytest.fixture
def foreign(direct: Any) -> Run:
    """Run a statement past the proxy, as another engine."""
    clients.rows(direct, "USE lake.traps")
    return lambda sql: clients.rows(direct, sql)


def right(session: Any, query: str = QUERY) -> None:
    """Check that the answer is the same as without views, and is not an error."""
    given, plain = rows_both_ways(session, query)
    assert given == plain


def head(run: Run, table: str) -> int:
    ((snapshot,),) = run(f"SELECT snapshot_id FROM lake.traps.{table}.refs WHERE name = 'main'")
    return int(snapshot)


def storage(run: Run) -> str:
    """Return the view's storage; CREATE OR REPLACE gives it a new name."""
    return next(str(row[7]) for row in run("SHOW MATERIALIZED VIEWS IN traps LIKE 'v'"))


CHANGES = {
    "an append": ["INSERT INTO t VALUES ('x', 'y', 8, NULL)"],
    "a deletion": ["DELETE FROM t WHERE b = 'y'"],
    "a deletion of everything": ["DELETE FROM t"],
    "an update": ["UPDATE t SET n = 100 WHERE a IS NULL"],
    "an overwrite": ["INSERT OVERWRITE t VALUES ('x', 'y', 8, NULL)"],
    "two columns swap their names": [
        "ALTER TABLE t RENAME COLUMN a TO c",
        "ALTER TABLE t RENAME COLUMN b TO a",
        "ALTER TABLE t RENAME COLUMN c TO b",
    ],
    "a column of the same name is another one": ["ALTER TABLE t DROP COLUMN b", "ALTER TABLE t ADD COLUMN b STRING"],
    "a column grows": ["ALTER TABLE t ALTER COLUMN n TYPE BIGINT"],
    "a table of the same name": ["DROP TABLE t", "CREATE TABLE t AS SELECT 'x' AS a, 'y' AS b, 7 AS n"],
    "a table that is replaced": ["CREATE OR REPLACE TABLE t AS SELECT 'x' AS a, 'y' AS b, 7 AS n"],
    "a table that takes over the name": [
        "DROP TABLE IF EXISTS t2",
        "ALTER TABLE t RENAME TO t2",
        "CREATE TABLE t AS SELECT 'x' AS a, 'y' AS b, 7 AS n",
    ],
    "a branch that becomes the table": [
        "ALTER TABLE t CREATE BRANCH other",
        "INSERT INTO lake.traps.t.branch_other VALUES ('x', 'y', 8, NULL)",
        "CALL lake.system.fast_forward('traps.t', 'main', 'other')",
    ],
    "rows in the storage": ["INSERT INTO v__storage SELECT * FROM v__storage"],
    "no rows in the storage": ["DELETE FROM v__storage"],
}


# The rows that were added and deleted can be listed: the view answers together with them.
LIVE = {
    "an append",
    "a deletion",
    "a deletion of everything",
    "an update",
    "an overwrite",
    "a branch that becomes the table",
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_behind_the_proxys_back(session: Any, foreign: Run, change: str) -> None:
    for statement in CHANGES[change]:
        foreign(statement)
    assert chosen(session, QUERY) == ([VIEW] if change in LIVE else [])
    right(session)
    clients.rows(session, "REFRESH MATERIALIZED VIEW v")
    assert chosen(session, QUERY) == [VIEW]
    right(session)


def test_columns_of_the_storage_that_swap_their_names(session: Any, run: Run, foreign: Run) -> None:
    for old, new in (("a", "c"), ("b", "a"), ("c", "b")):
        foreign(f"ALTER TABLE v__storage RENAME COLUMN {old} TO {new}")
    assert "STALE the column a of the storage table" in reasons(session, QUERY)
    right(session)
    with pytest.raises(exc.OperationalError, match="recreate the view with CREATE OR REPLACE"):
        run("REFRESH MATERIALIZED VIEW v FULL")
    run(f"CREATE OR REPLACE MATERIALIZED VIEW v AS {QUERY}")
    assert chosen(session, QUERY) == [VIEW]
    right(session)


def test_a_column_of_the_storage_that_is_made_again_is_filled_again(session: Any, run: Run, foreign: Run) -> None:
    run("CREATE OR REPLACE MATERIALIZED VIEW v AS SELECT a, count(*) AS c, max(n) AS s FROM t GROUP BY a")
    query = "SELECT a, max(n) FROM t GROUP BY a"
    assert chosen(session, query) == [VIEW]
    foreign(f"ALTER TABLE {storage(run)} DROP COLUMN s")
    foreign(f"ALTER TABLE {storage(run)} ADD COLUMN s INT")
    assert chosen(session, query) == []
    right(session, query)
    run("REFRESH MATERIALIZED VIEW v")
    assert chosen(session, query) == [VIEW]
    right(session, query)


def test_a_column_that_the_view_does_not_read_may_go(session: Any, foreign: Run) -> None:
    foreign("ALTER TABLE t DROP COLUMN at")
    assert chosen(session, QUERY) == [VIEW]
    right(session)


def test_names_that_need_quotes(session: Any, run: Run) -> None:
    run("DROP MATERIALIZED VIEW IF EXISTS odd_v")
    run("CREATE OR REPLACE TABLE odd (`select` INT, `not` STRING, `union` STRING, s STRUCT<x: INT, `y z`: STRING>)")
    run("INSERT INTO odd VALUES (1, 'a', 'b', struct(1, 'q')), (2, 'a', 'c', struct(2, 'r'))")
    for view, query in (
        ("SELECT `select`, `not`, `union`, s FROM odd", "SELECT s, `not` FROM odd WHERE `select` > 1"),
        ("SELECT * FROM odd", "SELECT `union`, sum(`select`) FROM odd GROUP BY `union`"),
        (
            "SELECT `not`, `union`, sum(`select`) FROM odd GROUP BY 1, 2",
            "SELECT `not`, sum(`select`) FROM odd GROUP BY 1",
        ),
    ):
        run(f"CREATE OR REPLACE MATERIALIZED VIEW odd_v AS {view}")
        assert chosen(session, query) == ["lake.traps.odd_v"], view
        right(session, query)
    run("DROP MATERIALIZED VIEW odd_v")


def test_days_that_pass_define_no_view(run: Run) -> None:
    for query in ("SELECT TIMESTAMP 'now' AS x, a FROM t", "SELECT a FROM t WHERE at < 'tomorrow'"):
        with pytest.raises(exc.OperationalError, match="another day at each refresh"):
            run(f"CREATE MATERIALIZED VIEW days AS {query}")


def test_compaction_changes_nothing(session: Any, foreign: Run) -> None:
    foreign("CALL lake.system.rewrite_data_files(table => 'traps.t', options => map('rewrite-all', 'true'))")
    assert chosen(session, QUERY) == [VIEW]
    right(session)


def test_a_partition_that_is_behind(session: Any, run: Run, foreign: Run) -> None:
    """Its rows are neither counted twice beside newer rows, nor hidden by another partition that was
    refreshed later.
    """
    run("CREATE TABLE lake.traps.parts (day STRING, n INT) PARTITIONED BY (day)")
    run("INSERT INTO parts VALUES ('mon', 1), ('tue', 2), ('wed', 4)")
    run("CREATE MATERIALIZED VIEW daily PARTITIONED BY (day) AS SELECT day, sum(n) AS s FROM parts GROUP BY day")
    run("CREATE MATERIALIZED VIEW early AS SELECT day, sum(n) AS s FROM parts WHERE day < 'tue' GROUP BY day")
    queries = [
        f"SELECT day, sum(n) FROM parts WHERE day {such} GROUP BY day" for such in ("< 'x'", "= 'mon'", "> 'mon'")
    ]
    for change in ("INSERT INTO parts VALUES ('mon', 8)", "DELETE FROM parts WHERE day = 'wed'"):
        foreign(change)
        for query in [*queries, "SELECT sum(n) FROM parts"]:
            right(session, query)
        run("REFRESH MATERIALIZED VIEW early")
        for query in [*queries, "SELECT sum(n) FROM parts"]:
            right(session, query)
        run("REFRESH MATERIALIZED VIEW daily")
        assert [chosen(session, query) for query in queries[::2]] == [["lake.traps.daily"]] * 2


def test_a_rollback(session: Any, run: Run, foreign: Run) -> None:
    first = head(foreign, "t")
    foreign("INSERT INTO t VALUES ('x', 'y', 8, NULL)")
    run("REFRESH MATERIALIZED VIEW v")
    second = head(foreign, "t")
    assert chosen(session, QUERY) == [VIEW]
    foreign(f"CALL lake.system.rollback_to_snapshot('traps.t', {first})")
    assert chosen(session, QUERY) == [VIEW]  # as it was refreshed before
    right(session)
    foreign("INSERT INTO t VALUES ('z', 'y', 9, NULL)")
    assert chosen(session, QUERY) == [VIEW]
    right(session)
    foreign(f"CALL lake.system.set_current_snapshot('traps.t', {second})")
    right(session)


def test_a_rollback_of_the_storage(session: Any, run: Run, foreign: Run) -> None:
    first = head(foreign, "v__storage")
    foreign("INSERT INTO t VALUES ('x', 'y', 8, NULL)")
    run("REFRESH MATERIALIZED VIEW v")
    foreign(f"CALL lake.system.rollback_to_snapshot('traps.v__storage', {first})")
    assert chosen(session, QUERY) == [VIEW]  # as it was then, with the rows appended since
    right(session)


def test_a_table_in_a_subquery_of_the_definition(session: Any, run: Run, foreign: Run) -> None:
    """A view is stale once the table of a subquery in its definition has changed."""
    run("CREATE OR REPLACE TABLE chosen AS SELECT 'y' AS b")
    query = "SELECT a, b, sum(n) FROM t WHERE b IN (SELECT b FROM chosen) GROUP BY a, b"
    run(f"CREATE OR REPLACE MATERIALIZED VIEW v AS {query}")
    assert chosen(session, query) == [VIEW]
    for change in ("INSERT INTO chosen VALUES ('z')", "DELETE FROM chosen WHERE b = 'y'"):
        foreign(change)
        assert chosen(session, query) == []
        right(session, query)
        run("REFRESH MATERIALIZED VIEW v")
        assert chosen(session, query) == [VIEW]
        right(session, query)


def test_a_table_that_is_read_with_options_is_another_relation(session: Any, run: Run, foreign: Run) -> None:
    first = head(foreign, "t")
    run("INSERT INTO t VALUES ('x', 'y', 8, NULL)")
    options = f"'start-snapshot-id' = '{first}', 'end-snapshot-id' = '{head(foreign, 't')}'"
    query = QUERY.replace("FROM t", f"FROM t WITH ({options})")
    assert run(query) == [("x", "y", 8)]
    # Spark ignores options of a view silently; here, too, its name means all of its rows.
    assert sorted(run(f"SELECT * FROM v WITH ({options})"), key=repr) == sorted(run("SELECT * FROM v"), key=repr)


def test_expired_snapshots(session: Any, foreign: Run) -> None:
    foreign("INSERT INTO t VALUES ('x', 'y', 8, NULL)")
    foreign("CALL lake.system.expire_snapshots(table => 'traps.t', older_than => now(), retain_last => 1)")
    assert chosen(session, QUERY) == []
    right(session)


def test_a_view_of_the_same_name_leaves_nothing_of_the_first(session: Any, run: Run, foreign: Run) -> None:
    run("DROP MATERIALIZED VIEW v")
    assert "the statement has no SELECT over a table of a materialized view" in reasons(session, QUERY)
    foreign("INSERT INTO t VALUES ('x', 'y', 8, NULL)")
    right(session)
    run("CREATE MATERIALIZED VIEW v WITH DEFERRED REFRESH AS SELECT a, b, sum(n), count(n) FROM t GROUP BY a, b")
    assert "NEVER_REFRESHED" in reasons(session, QUERY)
    right(session)
    run("REFRESH MATERIALIZED VIEW v")
    assert chosen(session, QUERY) == [VIEW]
    right(session)


def test_another_query_put_in_its_place_past_the_proxy(session: Any, run: Run, foreign: Run) -> None:
    other = "SELECT a, b, max(n) FROM t GROUP BY a, b"
    foreign(f"CREATE OR REPLACE VIEW v AS {other}")
    for query in (QUERY, other):
        assert VIEW not in chosen(session, query)
        right(session, query)
    with pytest.raises(exc.OperationalError, match=r"was replaced by an engine that does not.*DROP MATERIALIZED VIEW"):
        run("REFRESH MATERIALIZED VIEW v")
    assert run("DROP MATERIALIZED VIEW v") == [
        ("materialized view lake.traps.v dropped; its storage table lake.traps.v__storage too",)
    ]


TEMPORARY = [
    "CREATE TEMPORARY VIEW t AS SELECT 'mine' AS a, 'own' AS b, 1 AS n",
    "CREATE OR REPLACE /* it is */ TEMP VIEW `T` (a, b, n) AS SELECT 'mine', 'own', 1",
    "CACHE TABLE t AS SELECT 'mine' AS a, 'own' AS b, 1 AS n",
    "BEGIN CREATE TEMP VIEW t AS SELECT 'mine' AS a, 'own' AS b, 1 AS n; END",
    'EXECUTE IMMEDIATE \'CREATE TEMP VIEW t AS SELECT "mine" AS a, "own" AS b, 1 AS n\'',
    "CACHE TABLE t AS VALUES ('mine', 'own', 1) AS rows(a, b, n)",
    "CREATE TEMP VIEW mine AS SELECT 'mine' AS a, 'own' AS b, 1 AS n;CACHE TABLE t TABLE mine",
    "CREATE TEMP VIEW mine AS SELECT 'mine' AS a, 'own' AS b, 1 AS n;CACHE LAZY TABLE t FROM mine |> WHERE n = 1",
    "CREATE TEMP VIEW mine AS SELECT 'mine' AS a, 'own' AS b, 1 AS n;ALTER VIEW mine RENAME TO t",
    "CREATE TEMP VIEW mine AS SELECT 'mine' AS a, 'own' AS b, 1 AS n;ALTER TABLE mine RENAME TO t",
    "CREATE TEMP VIEW IDENTIFIER('' || 't') AS SELECT 'mine' AS a, 'own' AS b, 1 AS n",
    "CACHE TABLE IDENTIFIER('t') AS SELECT 'mine' AS a, 'own' AS b, 1 AS n",
]


def test_a_temporary_view_stands_before_the_table(session: Any, gate: Any) -> None:
    for statement in TEMPORARY:
        with clients.pyhive(gate.port) as connection:
            clients.rows(connection, "USE lake.traps")
            assert chosen(connection, QUERY) == [VIEW]
            for part in [statement] if statement.startswith("BEGIN") else statement.split(";"):
                clients.rows(connection, part)
            assert clients.rows(connection, QUERY) == [("mine", "own", 1)], statement
            right(connection, QUERY.replace("FROM t", "FROM lake.traps.t"))
    assert chosen(session, QUERY) == [VIEW]


def test_a_doubt_about_the_session_is_the_only_reason_that_is_told(session: Any, run: Run) -> None:
    run("EXECUTE IMMEDIATE 'SELECT 1'")
    assert chosen(session, QUERY) == [VIEW]
    run("BEGIN SELECT 1; END")
    told = reasons(session, QUERY)
    assert "'BEGIN SELECT 1; END' may have changed" in told
    assert "viewgate.rewrite" not in told


def test_a_slip_of_the_pen_costs_the_session_nothing(session: Any, run: Run) -> None:
    for statement in ("SELEKT 1", "SELECT 'it", "REFRESH MATERIALIZED VIEW", "SELECT nope FROM t"):
        with pytest.raises(exc.OperationalError):
            run(statement)
    assert chosen(session, QUERY) == [VIEW]


def test_a_table_of_the_same_name_in_another_namespace(session: Any, run: Run) -> None:
    run("CREATE NAMESPACE IF NOT EXISTS lake.traps_other")
    run("CREATE OR REPLACE TABLE lake.traps_other.t AS SELECT 'other' AS a, 'b' AS b, 1 AS n")
    run("USE lake.traps_other")
    assert run(QUERY) == [("other", "b", 1)]
    assert chosen(session, QUERY.replace("FROM t", "FROM traps.t")) == [VIEW]
    run("USE traps")
    assert chosen(session, QUERY) == [VIEW]
    right(session)


def test_settings_of_the_session(session: Any, run: Run) -> None:
    run(f"CREATE MATERIALIZED VIEW by_day AS {BY_DAY}")
    try:
        assert chosen(session, BY_DAY) == ["lake.traps.by_day"]
        run("SET spark.sql.session.timeZone = Asia/Tokyo")
        assert chosen(session, BY_DAY) == []
        assert chosen(session, QUERY) == [VIEW]
        right(session, BY_DAY)
        run("SET TIME ZONE 'UTC'")
        assert chosen(session, BY_DAY) == ["lake.traps.by_day"]
    finally:
        run("DROP MATERIALIZED VIEW by_day")
    for default in ("spark.sql.ansi.enabled = true", "spark.sql.caseSensitive = false"):
        run(f"SET {default}")
        assert chosen(session, QUERY) == [VIEW]
    for setting in ("spark.sql.ansi.enabled = false", "spark.sql.caseSensitive = true", "spark.wap.branch = audit"):
        run(f"SET {setting}")
        assert "SETTINGS_DIFFER" in reasons(session, QUERY)
        right(session)
        run(f"RESET {setting.split(' = ')[0]}")
        assert chosen(session, QUERY) == [VIEW]


def test_a_constant_statement_has_the_columns_that_the_settings_give_it_now(pyhive: Any, direct: Any) -> None:
    """Spark is asked each time; only the columns of SELECT 1 are always the same."""
    setting = "spark.sql.legacy.exponentLiteralAsDecimal.enabled"

    def kinds(connection: Any) -> list[str]:
        told = []
        for between in (None, f"SET {setting}=true", None, f"SET {setting}=false", "SELECT count(*) FROM range(3)"):
            for sql in filter(None, (between, "SELECT 1E2", "SELECT 1E2")):
                cursor = connection.cursor()
                cursor.execute(sql)
                told += [kind for _, kind, *_ in cursor.description or ()]
                told += [str(row) for row in cursor.fetchall()]
                cursor.close()
        return told

    told = kinds(pyhive)
    assert {"DOUBLE_TYPE", "DECIMAL_TYPE"} <= set(told)
    assert told == kinds(direct)
