"""What a statement may change in its session."""

from __future__ import annotations

import pytest

from proxy.statements import Effect, classify


@pytest.mark.parametrize(
    ("sql", "effect", "name"),
    [
        ("SELECT 1", Effect.NONE, ""),
        ("  -- x\n (SELECT 1)", Effect.NONE, ""),
        ("INSERT INTO t VALUES (1)", Effect.NONE, ""),
        ("CREATE TABLE t (a INT)", Effect.NONE, ""),
        ("CREATE OR REPLACE VIEW v AS SELECT 'TEMP'", Effect.NONE, ""),
        ("CREATE TABLE t AS SELECT 1 AS TEMP", Effect.NONE, ""),
        ("EXPLAIN SELECT 1", Effect.NONE, ""),
        ("", Effect.NONE, ""),
        ("SET spark.sql.ansi.enabled=false", Effect.SETTINGS, ""),
        ("set time zone 'UTC'", Effect.SETTINGS, ""),
        ("RESET", Effect.SETTINGS, ""),
        ("USE demo", Effect.SETTINGS, ""),
        ("CREATE TEMP VIEW Sales AS SELECT 1", Effect.NAME, "sales"),
        ("CREATE OR REPLACE TEMPORARY VIEW `a b` AS SELECT 1", Effect.NAME, "a b"),
        ("CREATE TEMPORARY VIEW IF NOT EXISTS v USING csv", Effect.NAME, "v"),
        ("CREATE GLOBAL TEMP VIEW g AS SELECT 1", Effect.NAME, "g"),
        ("ALTER VIEW a RENAME TO Sales;", Effect.NAME, "sales"),
        ("ALTER VIEW a RENAME TO demo.sales", Effect.NONE, ""),
        ("ALTER TABLE a RENAME TO b", Effect.NAME, "b"),
        ("ALTER TABLE demo.a RENAME TO demo.b", Effect.NONE, ""),
        ("ALTER TABLE a RENAME COLUMN g TO h", Effect.NONE, ""),
        ("DROP VIEW IF EXISTS `a b`;", Effect.BARE, "a b"),
        ("DROP VIEW demo.v", Effect.NONE, ""),
        ("DROP TABLE v", Effect.NONE, ""),
        ("CACHE LAZY TABLE c AS SELECT 1", Effect.NAME, "c"),
        ("CACHE TABLE c", Effect.NONE, ""),
        ("CACHE LAZY TABLE demo.c OPTIONS ('storageLevel' 'DISK_ONLY');", Effect.NONE, ""),
        ("CACHE TABLE c OPTIONS ('storageLevel' = 'DISK_ONLY');", Effect.NONE, ""),
        ("CACHE TABLE c OPTIONS ('storageLevel' = 'DISK_ONLY') TABLE dim", Effect.NAME, "c"),
        ("CACHE TABLE c AS VALUES ('zz', 1) AS t(g, k)", Effect.NAME, "c"),
        ("CACHE TABLE c AS TABLE dim", Effect.NAME, "c"),
        ("CACHE TABLE c TABLE dim", Effect.NAME, "c"),
        ("CACHE TABLE c AS FROM dim |> WHERE k > 1", Effect.NAME, "c"),
        ("CACHE TABLE lazy SELECT 1", Effect.NAME, "lazy"),
        ("CACHE TABLE IDENTIFIER('c') AS SELECT 1", Effect.UNKNOWN, ""),
        ("CREATE TEMP VIEW IDENTIFIER('c') AS SELECT 1", Effect.UNKNOWN, ""),
        ("CREATE OR REPLACE TEMP VIEW identifier ('' || 'c') AS SELECT 1", Effect.UNKNOWN, ""),
        ("CREATE TEMP VIEW ${name} AS SELECT 1", Effect.UNKNOWN, ""),
        ("CREATE ${kind} VIEW c AS SELECT 1", Effect.UNKNOWN, ""),
        ("CREATE TEMP VIEW identifier AS SELECT 1", Effect.NAME, "identifier"),
        ("ALTER VIEW a RENAME TO IDENTIFIER('c')", Effect.UNKNOWN, ""),
        ("ALTER VIEW IDENTIFIER('a') RENAME TO c", Effect.UNKNOWN, ""),
        ("ALTER VIEW rename RENAME TO c;", Effect.NAME, "c"),
        ("ALTER VIEW to RENAME TO c", Effect.NAME, "c"),
        ("ALTER VIEW a RENAME TO `to`", Effect.NAME, "to"),
        ("CREATE TEMPORARY FUNCTION upper AS 'x'", Effect.UNKNOWN, ""),
        ("EXECUTE IMMEDIATE 'SET a=b'", Effect.UNKNOWN, ""),
        ("BEGIN SELECT 1; END", Effect.UNKNOWN, ""),
        ("CALL lake.system.create_changelog_view(table => 't')", Effect.UNKNOWN, ""),
        ("CALL lake.system.rewrite_data_files('t')", Effect.NONE, ""),
        ("SOMETHING NEW", Effect.UNKNOWN, ""),
        ("SELECT 'unclosed", Effect.NONE, ""),
        ("ALTER VIEW 'unclosed", Effect.UNKNOWN, ""),
    ],
)
def test_the_effect_of_a_statement(sql: str, effect: Effect, name: str) -> None:
    assert classify(sql).effect[:2] == (effect, name)
