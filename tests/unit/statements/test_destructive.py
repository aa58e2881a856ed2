"""Which tables, namespaces and columns a statement removes."""

from __future__ import annotations

import pytest

from proxy.statements import Destruction, Loss, classify

T, DT = ("t",), ("d", "t")
R, C, N, D, S, A = Loss.RELATION, Loss.COLUMNS, Loss.NAMESPACE, Loss.DEFINITION, Loss.SHAPE, Loss.REPLACED


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("DROP TABLE t", Destruction(R, T)),
        ("drop table if exists `d`.t PURGE", Destruction(R, DT)),
        ("DROP VIEW IF EXISTS d.t", Destruction(R, DT)),
        ("ALTER TABLE d.t RENAME TO d.u", Destruction(R, DT)),
        ("ALTER VIEW d.t RENAME TO d.u", Destruction(R, DT)),
        ("DROP NAMESPACE d CASCADE", Destruction(N, ("d",))),
        ("DROP SCHEMA IF EXISTS lake.d CASCADE", Destruction(N, ("lake", "d"))),
        ("ALTER TABLE t RENAME COLUMN A TO b", Destruction(C, T, ("a",))),
        ("ALTER TABLE t DROP COLUMN IF EXISTS a", Destruction(C, T, ("a",))),
        ("ALTER TABLE t DROP COLUMNS (a, `b c`, s.f)", Destruction(C, T, ("a", "b c", "s"))),
        ("ALTER TABLE t ALTER COLUMN s.f TYPE BIGINT", Destruction(C, T, ("s", "type", "bigint"))),
        ("ALTER TABLE t ALTER a TYPE BIGINT, b TYPE BIGINT", Destruction(C, T, ("a", "type", "bigint", "b"))),
        ("ALTER TABLE t CHANGE COLUMN a b BIGINT", Destruction(C, T, ("a",))),
        ("ALTER TABLE t REPLACE COLUMNS (a INT)", Destruction(C, T)),
        ("ALTER TABLE t ADD COLUMNS (a INT)", Destruction(S, T)),
        ("ALTER TABLE t ADD COLUMN S.f INT AFTER g", Destruction(C, T, ("s",))),
        ("ALTER TABLE t ADD COLUMNS (a STRUCT<b: INT>, ar.element.f INT COMMENT 'x.y')", Destruction(C, T, ("ar",))),
        ("ALTER TABLE t CREATE OR REPLACE BRANCH main AS OF VERSION 1", Destruction(S, T)),
        ("ALTER TABLE t REPLACE BRANCH `main` AS OF VERSION 1", Destruction(S, T)),
        ("CREATE OR REPLACE VIEW d.t AS SELECT 1", Destruction(D, DT)),
        ("ALTER VIEW t AS SELECT 1", Destruction(D, T)),
        ("CREATE OR REPLACE TABLE d.t AS SELECT 1 AS a", Destruction(A, DT)),
        ("REPLACE TABLE t (a INT)", Destruction(A, T)),
        ("DROP TABLE IF EXISTS IDENTIFIER('d.t')", Destruction(R, DT)),
        ("ALTER TABLE IDENTIFIER(concat('d', '.t')) DROP COLUMN a", Destruction(C, (), ("a",))),
    ],
)
def test_a_loss(sql: str, expected: Destruction) -> None:
    found = classify(sql).destroys
    assert found is not None
    assert (found.loss, found.name) == (expected.loss, expected.name)
    assert set(found.columns) == set(expected.columns)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 'DROP TABLE t'",
        "DROP NAMESPACE d",
        "DROP FUNCTION f",
        "CREATE VIEW v AS SELECT 1",
        "CREATE TABLE t AS SELECT 1 AS a",
        "ALTER TABLE t ALTER COLUMN a COMMENT 'x'",
        "ALTER TABLE t ALTER COLUMN a FIRST",
        "ALTER TABLE t ALTER COLUMN a DROP NOT NULL",
        "ALTER TABLE t SET TBLPROPERTIES ('a' = 'b')",
        "ALTER TABLE t CREATE BRANCH b",
        "ALTER TABLE t DROP PARTITION FIELD bucket(4, a)",
        "ALTER VIEW t SET TBLPROPERTIES ('a' = 'b')",
        "",
    ],
)
def test_what_takes_nothing(sql: str) -> None:
    assert classify(sql).destroys is None
