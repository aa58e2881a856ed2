"""Live answers on real Spark: deltas as in the golden cases, and stale views that answer through the proxy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.golden.corpus import GoldenFile, golden_files, read
from tests.golden.execution import same_rows
from tests.integration import clients
from tests.integration.test_golden import ask, build, in_order, statements

pytestmark = pytest.mark.aside

GROWN = [path for path in golden_files() if read(path).appended]
_SNAPSHOT = re.compile(r"(?<=lake\.demo\.)(\w+)( VERSION AS OF )(\d+)")
_DELTA = re.compile(
    r"(?<=lake\.demo\.)(\w+)((?:\.changes)? WITH \('start-snapshot-id' = ')(\d+)(', 'end-snapshot-id' = ')(\d+)"
)
PRICES = "SELECT id, id % 7 AS region, id % 100 AS amount, CAST(id / 8 AS DECIMAL(12,2)) AS price FROM range({})"


@pytest.mark.parametrize("path", GROWN, ids=lambda path: path.stem)
def test_deltas_are_read_as_in_golden_cases(direct: Any, pyhive: Any, path: Path) -> None:
    golden = read(path)
    build(lambda sql: clients.rows(pyhive, sql), golden)
    clients.rows(direct, f"USE lake.golden_{path.stem}")
    ids = dict(_snapshots(direct, golden, before=True))
    for statement in statements(golden.appended):
        clients.rows(direct, statement)
    ids |= dict(_snapshots(direct, golden, before=False))
    executed = 0
    for case in golden.cases:
        if case.views:
            mine = clients.rows(direct, _with(ids, case.expected).replace("lake.demo.", f"lake.golden_{path.stem}."))
            assert same_rows(mine, clients.rows(direct, case.query), in_order(case.query)), case.title
            executed += 1
    assert executed, "a file without an answered case proves nothing"


def _snapshots(connection: Any, golden: GoldenFile, before: bool) -> Iterator[tuple[tuple[str, bool], int]]:
    """Yield the current snapshot of each table and storage table."""
    space, tables = f"lake.golden_{golden.path.stem}", re.findall(r"CREATE TABLE (\w+)", golden.schema)
    for name in (*tables, *(f"{view}__storage" for view in golden.views)):
        found = clients.rows(
            connection, f"SELECT snapshot_id FROM {space}.{name}.history ORDER BY made_current_at DESC LIMIT 1"
        )
        yield (name, before), found[0][0]


def _with(ids: dict[tuple[str, bool], int], text: str) -> str:
    """Return the text with the snapshots of these tables; numbers below a thousand mean those before the append."""

    def snapshot(name: str, number: str) -> str:
        return str(ids[name, int(number) < 1000])

    text = _SNAPSHOT.sub(lambda m: m[1] + m[2] + snapshot(m[1], m[3]), text)
    return _DELTA.sub(lambda m: m[1] + m[2] + snapshot(m[1], m[3]) + m[4] + snapshot(m[1], m[5]), text)


@pytest.fixture
def run(pyhive: Any) -> Iterator[Any]:
    """Run a statement in a namespace with a large table, a small one, and views over each and over both."""

    def statement(sql: str) -> list[tuple[Any, ...]]:
        return clients.rows(pyhive, sql)

    statement("CREATE NAMESPACE IF NOT EXISTS lake.live")
    statement("USE lake.live")
    statement(f"CREATE OR REPLACE TABLE sales AS {PRICES.format(50_000)}")
    statement("CREATE OR REPLACE TABLE regions AS SELECT id, concat('region ', id) AS name FROM range(5)")
    grouped = "SELECT region, sum(amount) AS total, avg(price) AS mean, count(*) AS cnt FROM sales GROUP BY region"
    named = (
        "SELECT r.name, max(s.price) AS top FROM sales AS s LEFT JOIN regions AS r ON r.id = s.region GROUP BY r.name"
    )
    for name, query in (("by_region", grouped), ("by_name", named)):
        statement(f"CREATE MATERIALIZED VIEW {name} WITH DEFERRED REFRESH AS {query}")
        statement(f"REFRESH MATERIALIZED VIEW {name}")
    yield statement
    for name in ("by_region", "by_name"):
        statement(f"DROP MATERIALIZED VIEW {name}")


# Each changes rows by rewriting data files, or none at all; the last two leave no row of a group, and only other rows.
REWRITES = (
    "DELETE FROM lake.live.sales WHERE id < 10",
    "UPDATE lake.live.sales SET price = NULL, region = 3 WHERE id % 1000 = 1",
    "MERGE INTO lake.live.sales AS t USING (SELECT id FROM range(49990, 50010)) AS s ON t.id = s.id "
    "WHEN MATCHED AND s.id % 2 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET amount = -7 "
    "WHEN NOT MATCHED THEN INSERT (id, region, amount, price) VALUES (s.id, NULL, 1, NULL)",
    "CALL lake.system.rewrite_data_files(table => 'live.sales', options => map('rewrite-all', 'true'))",
    "ALTER TABLE lake.live.sales ADD PARTITION FIELD region",
    "DELETE FROM lake.live.sales WHERE region = 6",
    f"INSERT OVERWRITE lake.live.sales {PRICES.format(50)}",
)
# The data files that were rewritten hold more rows than the table, so that the base tables cost less.
GROUPED = (
    "SELECT /*+ VIEWGATE(use = 'live.by_region') */ region, sum(amount), avg(price), sum(price), count(*) FROM sales "
    "GROUP BY region"
)
QUERIES = {
    "by_region": "SELECT sum(amount), avg(price), count(*) FROM sales WHERE region < 5",
    "by_name": "SELECT r.name, max(s.price) FROM sales AS s LEFT JOIN regions AS r ON r.id = s.region GROUP BY r.name",
}


def answered(connection: Any, view: str, sql: str = "") -> str:
    """Return the rule by which the view answers a query, its own if none is given (empty if it does not answer), after
    checking that the rows are the original's.
    """
    sql = sql or QUERIES[view]
    clients.rows(connection, "SET viewgate.rewrite = off")
    plain = ask(connection, sql)
    clients.rows(connection, "SET viewgate.rewrite = on")
    given = ask(connection, sql)
    assert not given.differs(plain, ordered=False)
    assert "failed" not in given.log
    found = re.search(rf"answered from lake\.live\.{view} \((\w+)\)", given.log)
    return found[1] if found else ""


def test_appended_rows_are_answered_live(run: Any, direct: Any, pyhive: Any) -> None:
    assert answered(pyhive, "by_region") == "roll_up"
    for _ in range(2):
        clients.rows(direct, f"INSERT INTO lake.live.sales {PRICES.format(50)}")
        assert answered(pyhive, "by_region") == "delta_union"
        assert answered(pyhive, "by_name") == "delta_union"
    (chosen,) = (row for row in run(f"EXPLAIN REWRITE {QUERIES['by_region']}") if row[1] == "chosen")
    assert "live: the stale view is read together with the rows appended to lake.live.sales since snapshot" in chosen[4]
    shown = {row[1]: row for row in run("SHOW MATERIALIZED VIEWS IN live")}
    assert shown["by_region"][4] == "stale"
    assert "queries read the view together with the appended rows" in shown["by_region"][5]
    run("REFRESH MATERIALIZED VIEW by_region")
    assert answered(pyhive, "by_region") == "roll_up"


@pytest.mark.parametrize("write", ["INSERT", "DELETE"])
def test_views_of_different_refreshes_answer_one_statement(run: Any, direct: Any, pyhive: Any, write: str) -> None:
    # Spark would read the rows that have changed since one of the refreshes for both views.
    by_region = "SELECT CAST(region AS STRING) AS k, sum(amount) AS n FROM sales GROUP BY region"
    by_name = "SELECT r.name, count(*) FROM sales AS s LEFT JOIN regions AS r ON r.id = s.region GROUP BY r.name"
    run(f"CREATE OR REPLACE MATERIALIZED VIEW counted WITH DEFERRED REFRESH AS {by_name}")
    run("REFRESH MATERIALIZED VIEW counted")
    for view, digit in (("counted", 7), ("by_region", 9)):
        insertion, deletion = (
            f"INTO lake.live.sales {PRICES.format(50)}",
            f"FROM lake.live.sales WHERE id % 10 = {digit}",
        )
        clients.rows(direct, f"{write} {insertion if write == 'INSERT' else deletion}")
        for both in (f"{by_name} UNION ALL {by_region}", f"{by_region} UNION ALL {by_name}"):
            answered(pyhive, "by_region", both)
        pairs = f"SELECT * FROM ({by_name}) AS c JOIN ({by_region}) AS g ON length(c.name) > g.k"
        answered(pyhive, "by_region", pairs)
        run(f"REFRESH MATERIALIZED VIEW {view}")
    run("DROP MATERIALIZED VIEW counted")


def test_a_function_written_in_sql_is_not_read_beside_a_live_answer(run: Any, direct: Any, pyhive: Any) -> None:
    # Spark would read only the appended rows for the function, too.
    total = "spark_catalog.default.live_total"
    clients.rows(direct, f"CREATE FUNCTION {total}() RETURNS BIGINT RETURN (SELECT sum(amount) FROM lake.live.sales)")
    clients.rows(direct, f"INSERT INTO lake.live.sales {PRICES.format(50)}")
    query = "SELECT region, sum(amount) AS n FROM sales GROUP BY region"
    assert answered(pyhive, "by_region", query) == "delta_union"
    assert not answered(pyhive, "by_region", f"{query} UNION ALL SELECT -1, {total}()")
    assert not answered(pyhive, "by_region", f"SELECT g.*, {total}() FROM ({query}) AS g")
    clients.rows(direct, f"DROP FUNCTION {total}")


def test_a_live_answer_is_written_to_its_own_table(run: Any, direct: Any, pyhive: Any) -> None:
    clients.rows(direct, f"INSERT INTO lake.live.sales {PRICES.format(50)}")
    query = "SELECT -1, region, sum(amount), NULL FROM sales GROUP BY region"
    assert answered(pyhive, "by_region", query) == "delta_union"
    expected = clients.rows(pyhive, query)
    run(f"INSERT INTO sales {query}")
    assert same_rows(clients.rows(direct, "SELECT * FROM lake.live.sales WHERE id = -1"), expected, ordered=False)


def test_views_over_views_are_answered_live(run: Any, direct: Any, pyhive: Any) -> None:
    upon = "SELECT region % 2 AS odd, sum(total) AS total, sum(cnt) AS cnt, max(region) AS last FROM by_region"
    run(f"CREATE MATERIALIZED VIEW by_odd WITH DEFERRED REFRESH AS {upon} GROUP BY region % 2")
    run("REFRESH MATERIALIZED VIEW by_odd")
    hint = "/*+ VIEWGATE(use = 'live.by_odd') */"
    queries = {
        f"SELECT {hint} region % 2, sum(amount), count(*) FROM sales GROUP BY region % 2": "over the base table",
        f"SELECT {hint} odd, total, last FROM by_odd": "by the name of the view",
        f"SELECT {hint} region % 2, sum(total), sum(cnt) FROM by_region GROUP BY region % 2": "by the name below",
    }
    try:
        clients.rows(direct, f"INSERT INTO lake.live.sales {PRICES.format(50)}")
        for sql, how in queries.items():
            assert answered(pyhive, "by_odd", sql) == "delta_union", how
        run("REFRESH MATERIALIZED VIEW by_region")  # now only the upper view is stale
        for sql, how in queries.items():
            assert answered(pyhive, "by_odd", sql) == "delta_union", how
        clients.rows(direct, f"INSERT INTO lake.live.sales {PRICES.format(70)}")
        run("REFRESH MATERIALIZED VIEW by_odd")  # and now only the lower one
        for sql, how in queries.items():
            assert answered(pyhive, "by_odd", sql) not in ("", "delta_union"), how
        clients.rows(direct, "DELETE FROM lake.live.sales WHERE region = 6 OR id < 3")
        counted = f"SELECT {hint} region % 2, count(*) FROM sales GROUP BY region % 2"
        assert answered(pyhive, "by_odd", counted) == "changelog_union"
        assert answered(pyhive, "by_odd", f"SELECT {hint} odd, last FROM by_odd") == ""  # a maximum may have gone
    finally:
        run("DROP MATERIALIZED VIEW by_odd")


def test_deleted_and_replaced_rows_are_answered_live(run: Any, direct: Any, pyhive: Any) -> None:
    assert answered(pyhive, "by_region", GROUPED) == "same_grain"
    for rewrite in REWRITES:
        clients.rows(direct, rewrite)
        if not rewrite.startswith(("CALL", "ALTER")):  # they change no rows
            assert answered(pyhive, "by_region", GROUPED) == "changelog_union", rewrite
    assert answered(pyhive, "by_region") == "changelog_union"
    assert answered(pyhive, "by_name") == ""  # a maximum may have gone
    shown = {row[1]: row for row in run("SHOW MATERIALIZED VIEWS IN live")}
    assert "queries read the view together with the inserted and deleted rows" in shown["by_region"][5]
    run("REFRESH MATERIALIZED VIEW by_region")
    assert answered(pyhive, "by_region", GROUPED) == "same_grain"
    clients.rows(direct, "ALTER TABLE lake.live.sales SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')")
    clients.rows(direct, "DELETE FROM lake.live.sales WHERE id = 7")
    assert answered(pyhive, "by_region", GROUPED) == ""
    (missed,) = (row for row in run(f"EXPLAIN REWRITE {GROUPED}") if row[:2] == ("lake.live.by_region", "missed"))
    assert "the changed rows cannot be added: lake.live.sales has delete files" in missed[4]


def test_an_answer_may_be_as_old_as_allowed(run: Any, direct: Any, pyhive: Any) -> None:
    sql = QUERIES["by_region"]
    before = run(sql)
    clients.rows(direct, "UPDATE lake.live.sales SET amount = 1 WHERE id = 7")
    assert run(sql) != before
    hinted = sql.replace("SELECT", "SELECT /*+ VIEWGATE(max_staleness = '10 minutes') */", 1)
    told = ask(pyhive, hinted)
    assert told.rows == before
    assert re.search(r"answered from lake\.live\.by_region \(roll_up\), data as of \d{4}-.* UTC", told.log)
    (chosen,) = (row for row in run(f"EXPLAIN REWRITE {hinted}") if row[1] == "chosen")
    assert "data as of" in chosen[4]
    assert run(hinted.replace("10 minutes", "never")) != before
    run("SET viewgate.max_staleness = '1 hour'")
    assert run(sql) == before
    beside = f"SELECT * FROM ({sql}) CROSS JOIN (SELECT sum(amount + id) AS s FROM sales)"
    assert run(beside) == [(*before[0], 2_475_000 + 49_999 * 25_000)]  # of the same moment
    run("SET viewgate.max_staleness = never")
    assert run(sql) != before
    run("RESET viewgate.max_staleness")
    run("ALTER MATERIALIZED VIEW by_region SET PROPERTIES ('viewgate.max_staleness' = '1 hour')")
    assert run(sql) == before
    wrong = ask(pyhive, hinted.replace("10 minutes", "soon"))
    assert wrong.error is not None
    assert wrong.error[0] == "22023"


def test_a_hint_names_the_view_to_use_or_none(run: Any, direct: Any, pyhive: Any) -> None:
    run("REFRESH MATERIALIZED VIEW by_region")
    sql = QUERIES["by_region"]
    rows = run(sql)
    for options, said in [
        ("use = 'live.by_region'", "answered from lake.live.by_region"),
        ("use = by_region", "answered from lake.live.by_region"),
        ("off", "no view used: the statement has the hint VIEWGATE(off)"),
        ("use = 'live.missing'", "lake.live.missing not used: no materialized view is named lake.live.missing: "),
        ("use = 'live.by_name'", "lake.live.by_name not used: "),
    ]:
        told = ask(pyhive, sql.replace("SELECT", f"SELECT /*+ VIEWGATE({options}) */", 1))
        assert told.rows == rows
        assert said in told.log


def test_a_rollback_is_never_within_a_bound(run: Any, direct: Any, pyhive: Any) -> None:
    found = "SELECT snapshot_id FROM lake.live.sales.history ORDER BY made_current_at DESC LIMIT 1"
    (at,) = clients.rows(direct, found)[0]
    clients.rows(direct, "UPDATE lake.live.sales SET amount = 1000 WHERE id = 7")
    run("REFRESH MATERIALIZED VIEW by_region")
    newer = run(QUERIES["by_region"])
    clients.rows(direct, f"CALL lake.system.rollback_to_snapshot('live.sales', {at})")
    run("SET viewgate.max_staleness = '30 days'")
    assert run(QUERIES["by_region"]) != newer
    run("RESET viewgate.max_staleness")


def test_compaction_among_appends_does_no_harm(run: Any, direct: Any, pyhive: Any) -> None:
    clients.rows(direct, f"INSERT INTO lake.live.sales {PRICES.format(50)}")
    clients.rows(
        direct, "CALL lake.system.rewrite_data_files(table => 'live.sales', options => map('min-input-files', '2'))"
    )
    clients.rows(direct, f"INSERT INTO lake.live.sales {PRICES.format(30)}")
    assert answered(pyhive, "by_region") == "delta_union"


def test_columns_that_a_view_does_not_read_may_come_and_go(run: Any, direct: Any, pyhive: Any) -> None:
    clients.rows(direct, f"INSERT INTO lake.live.sales {PRICES.format(50)}")
    clients.rows(direct, "ALTER TABLE lake.live.sales ADD COLUMN extra INT FIRST")
    assert answered(pyhive, "by_region") == ""
    (missed,) = (
        row for row in run(f"EXPLAIN REWRITE {QUERIES['by_region']}") if row[:2] == ("lake.live.by_region", "missed")
    )
    assert "columns of lake.live.sales have changed since its last snapshot: write rows to lake.live.sales" in missed[4]
    clients.rows(direct, f"INSERT INTO lake.live.sales SELECT 1, * FROM ({PRICES.format(3)})")
    for change in ("RENAME COLUMN extra TO more", "DROP COLUMN more", "ADD COLUMN extra STRING FIRST"):
        assert answered(pyhive, "by_region") == "delta_union"
        assert answered(pyhive, "by_name") == "delta_union"
        clients.rows(direct, f"ALTER TABLE lake.live.sales {change}")
        value = "" if "DROP" in change else "NULL, "
        clients.rows(direct, f"INSERT INTO lake.live.sales SELECT {value}* FROM ({PRICES.format(30)})")
    assert answered(pyhive, "by_region") == "delta_union"
    # CREATE OR REPLACE TABLE keeps the properties that other tests have set.
    clients.rows(direct, "ALTER TABLE lake.live.sales SET TBLPROPERTIES ('write.delete.mode' = 'copy-on-write')")
    clients.rows(direct, "DELETE FROM lake.live.sales WHERE id = 7")
    assert answered(pyhive, "by_region", GROUPED) == "changelog_union"
    run("REFRESH MATERIALIZED VIEW by_region")
    assert answered(pyhive, "by_region", GROUPED) == "same_grain"


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE lake.live.sales DROP COLUMN price",
        f"CREATE OR REPLACE TABLE lake.live.sales AS {PRICES.format(50)}",
    ],
    ids=lambda change: change.split(" lake")[0],
)
def test_anything_else_leaves_the_original(run: Any, direct: Any, pyhive: Any, change: str) -> None:
    clients.rows(direct, f"INSERT INTO lake.live.sales {PRICES.format(50)}")
    clients.rows(direct, change)
    assert answered(pyhive, "by_region") == ""


def test_after_a_rollback_storage_is_read_as_it_was_before(run: Any, direct: Any, pyhive: Any) -> None:
    (at,) = clients.rows(
        direct, "SELECT snapshot_id FROM lake.live.sales.history ORDER BY made_current_at DESC LIMIT 1"
    )[0]
    clients.rows(direct, f"INSERT INTO lake.live.sales {PRICES.format(50)}")
    run("REFRESH MATERIALIZED VIEW by_region")
    clients.rows(direct, f"CALL lake.system.rollback_to_snapshot('live.sales', {at})")
    assert answered(pyhive, "by_region") == "roll_up"
    clients.rows(direct, f"INSERT INTO lake.live.sales {PRICES.format(20)}")
    assert answered(pyhive, "by_region") == "delta_union"
    (chosen,) = (row for row in run(f"EXPLAIN REWRITE {QUERIES['by_region']}") if row[1] == "chosen")
    assert chosen[4].endswith("; refreshed only by REFRESH MATERIALIZED VIEW lake.live.by_region")
    run("REFRESH MATERIALIZED VIEW by_region")
    assert answered(pyhive, "by_region") == "roll_up"


def test_a_table_on_the_outer_side_leaves_the_original(run: Any, direct: Any, pyhive: Any) -> None:
    clients.rows(direct, "INSERT INTO lake.live.regions VALUES (5, 'region 5')")
    assert answered(pyhive, "by_name") == ""


def test_what_came_since_must_still_be_there(run: Any, direct: Any, pyhive: Any) -> None:
    clients.rows(direct, f"INSERT INTO lake.live.sales {PRICES.format(50)}")
    (now,) = clients.rows(direct, "SELECT current_timestamp()")[0]
    clients.rows(direct, f"CALL lake.system.expire_snapshots('live.sales', TIMESTAMP '{now}')")
    assert answered(pyhive, "by_region") == ""
