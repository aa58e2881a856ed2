"""Which tables a statement writes to."""

from __future__ import annotations

import pytest

from proxy.statements import Written, classify

T, DT = ("t",), ("d", "t")


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("INSERT INTO t VALUES (1)", [T]),
        ("insert /* into x */ into table d.t select * from s", [DT]),
        ("INSERT OVERWRITE `d`.`t` SELECT 1", [DT]),
        ("INSERT INTO d.t (a, b) VALUES (1, 2)", [DT]),
        ("INSERT INTO t REPLACE WHERE a = 1 SELECT 1", [T]),
        ("INSERT WITH SCHEMA EVOLUTION INTO t SELECT 1", [T]),
        ("INSERT INTO lake.d.t.branch_x VALUES (1)", [("lake", "d", "t")]),
        ("DELETE FROM d.t.branch_main", [DT]),
        ("INSERT INTO d.branch_x VALUES (1)", [("d", "branch_x")]),
        ("FROM s INSERT INTO t SELECT a INSERT OVERWRITE TABLE d.t SELECT b", [T, DT]),
        ("WITH c AS (SELECT 1) INSERT INTO t SELECT * FROM c", [T]),
        ("UPDATE d.t SET a = 1", [DT]),
        ("DELETE FROM t WHERE a IN (SELECT b FROM s)", [T]),
        ("MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN DELETE", [T]),
        ("MERGE WITH SCHEMA EVOLUTION INTO d.t USING s ON true WHEN MATCHED THEN DELETE", [DT]),
        ("TRUNCATE TABLE t", [T]),
        ("LOAD DATA LOCAL INPATH '/into/table' OVERWRITE INTO TABLE d.t", [DT]),
        ("CREATE TABLE IF NOT EXISTS t AS SELECT 1 AS a", [T]),
        ("CREATE OR REPLACE TABLE d.t USING iceberg AS SELECT 1 AS a", [DT]),
        ("REPLACE TABLE t AS SELECT 1 AS a", [T]),
        ("INSERT INTO IDENTIFIER('d.' || \"`t`\") VALUES (1)", [DT]),
    ],
)
def test_a_write_with_its_target(sql: str, names: list[tuple[str, ...]]) -> None:
    assert classify(sql).writes == Written(tuple(names))


@pytest.mark.parametrize(
    "sql",
    [
        "CALL lake.system.rollback_to_snapshot('d.t', 7)",
        "CALL lake.system.rollback_to_snapshot(table => 'd.t', snapshot_id => 7)",
        "EXECUTE IMMEDIATE 'INSERT INTO `d`.t VALUES (1)'",
        "BEGIN INSERT INTO d.t VALUES (1); END",
        "ALTER TABLE s RENAME TO d.t",
        "INSERT INTO IDENTIFIER(coalesce('d.t', 's')) VALUES (1)",
    ],
)
def test_a_write_that_names_its_tables_somewhere(sql: str) -> None:
    found = classify(sql).writes
    assert found is not None
    assert not found.certain
    assert DT in found.names


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 'INSERT INTO t'",
        "WITH c AS (SELECT 1) SELECT * FROM c",
        "FROM t SELECT a",
        "INSERT OVERWRITE DIRECTORY '/x' SELECT 1",
        "INSERT OVERWRITE LOCAL DIRECTORY '/x' SELECT 1",
        "CREATE VIEW v AS TABLE t",
        "CREATE OR REPLACE TEMP VIEW v AS SELECT 1",
        "EXPLAIN INSERT INTO t VALUES (1)",
        "DROP TABLE t",
        "SHOW TABLES",
        "",
        "'",
    ],
)
def test_what_writes_to_no_table(sql: str) -> None:
    assert classify(sql).writes is None
