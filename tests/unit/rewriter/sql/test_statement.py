"""Statements divided into blocks."""

from __future__ import annotations

import time

import pytest

from rewriter import parse
from rewriter.model import Session
from rewriter.sql.statement import MOST_CTES, MOST_NESTED, MOST_SELECTS

SESSION = Session("lake", ("demo",), catalogs=frozenset({"lake", "other"}), temporary_views=frozenset({"tmp"}))


def tables(sql: str) -> list[str]:
    return [str(name) for name in parse(sql, SESSION).tables]


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("SELECT 1 FROM t", ["lake.demo.t"]),
        ("SELECT 1 FROM x.t, other.y.u, lake.z.v", ["lake.x.t", "other.y.u", "lake.z.v"]),
        ("SELECT 1 FROM `a b`.`c.d`", ["lake.a b.c.d"]),
        ("SELECT 1 FROM tmp", []),
        ("SELECT 1 FROM demo.tmp", ["lake.demo.tmp"]),
        ("WITH t AS (SELECT 1 FROM u), w(a, b) AS (SELECT 1, 2) SELECT * FROM t JOIN w", ["lake.demo.u"]),
        ("WITH c AS (SELECT 1) SELECT 1 FROM demo.c", ["lake.demo.c"]),
        (
            "SELECT (SELECT max(a) FROM t) FROM u WHERE x IN (SELECT y FROM v)",
            ["lake.demo.u", "lake.demo.t", "lake.demo.v"],
        ),
        ("INSERT INTO t SELECT * FROM u", ["lake.demo.u"]),
        ("SELECT 1 FROM range(10)", []),
    ],
)
def test_the_tables_that_a_statement_reads(sql: str, names: list[str]) -> None:
    assert sorted(tables(sql)) == sorted(names)


@pytest.mark.parametrize(
    ("sql", "blocks"),
    [
        ("(SELECT a FROM t)", ["SELECT a FROM t"]),
        ("SELECT a FROM t; ", ["SELECT a FROM t"]),
        ("SELECT a FROM t ORDER BY 1 LIMIT 3", ["SELECT a FROM t ORDER BY 1 LIMIT 3"]),
        ("SELECT a FROM t UNION SELECT b FROM u LIMIT 3", ["SELECT a FROM t", "SELECT b FROM u"]),
        ("SELECT a FROM t EXCEPT (SELECT b FROM u ORDER BY 1)", ["SELECT a FROM t", "SELECT b FROM u ORDER BY 1"]),
        ("SELECT a FROM t MINUS SELECT b FROM u", ["SELECT a FROM t", "SELECT b FROM u"]),
        ("SELECT ')' AS p, a /* ( */ FROM t", ["SELECT ')' AS p, a /* ( */ FROM t"]),
    ],
)
def test_the_blocks_of_a_statement(sql: str, blocks: list[str]) -> None:
    assert [block.text for block in parse(sql, SESSION).blocks] == blocks


@pytest.mark.parametrize(
    ("sql", "query"),
    [
        ("SELECT 1", True),
        ("WITH a AS (SELECT 1) SELECT * FROM a", True),
        ("WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a", False),
        ("FROM t INSERT INTO u SELECT *", False),
        ("CREATE TABLE t AS SELECT 1", False),
        ("/* SELECT */ DELETE FROM t", False),
        ("", False),
        ("SELECT 'unclosed", False),
    ],
)
def test_what_only_reads(sql: str, query: bool) -> None:
    assert parse(sql, SESSION).is_query is query


@pytest.mark.parametrize(
    ("sql", "fills"),
    [
        ("INSERT INTO t SELECT a FROM u", True),
        ("INSERT OVERWRITE TABLE lake.demo.`a b` PARTITION (d = 1) IF NOT EXISTS SELECT a FROM u", True),
        ("INSERT INTO t BY NAME WITH x AS (SELECT a FROM u) SELECT a FROM x", True),
        ("create or replace table t using iceberg partitioned by (days(d)) comment 'as' as select a from u", True),
        ("REPLACE TABLE t TBLPROPERTIES ('a' = 'b') AS SELECT a FROM u", True),
        ("CREATE TABLE IF NOT EXISTS t AS SELECT a FROM u UNION ALL SELECT b FROM v", True),
        ("INSERT INTO t REPLACE WHERE d IN (SELECT d FROM u) SELECT a FROM u", False),
        ("INSERT OVERWRITE DIRECTORY '/tmp/x' USING parquet SELECT a FROM u", False),
        ("INSERT INTO t VALUES ((SELECT max(a) FROM u))", False),
        ("WITH x AS (SELECT a FROM u), y (b) AS (SELECT 1) INSERT INTO TABLE t (a) SELECT a FROM x", True),
        ("/* a */ WITH x (SELECT a FROM u) INSERT OVERWRITE t PARTITION (d) SELECT a FROM x", True),
        ("WITH x AS (SELECT a FROM u) INSERT INTO t WITH y AS (SELECT 1) SELECT a FROM x", False),
        ("WITH x AS (SELECT a FROM u) FROM x INSERT INTO t SELECT a", False),
        ("WITH RECURSIVE x AS (SELECT a FROM u) INSERT INTO t SELECT a FROM x", False),
        ("WITH x AS (SELECT a FROM u) MERGE INTO t USING x ON t.a = x.a WHEN MATCHED THEN DELETE", False),
        ("WITH x AS (SELECT a FROM u) INSERT INTO t VALUES ((SELECT max(a) FROM x))", False),
        ("WITH x AS (SELECT a FROM u) CREATE TABLE t AS SELECT a FROM x", False),
        ("INSERT INTO t (SELECT a FROM u)", False),
        ("INSERT INTO t FROM u SELECT a", False),
        ("CREATE TABLE t (a INT)", False),
        ("CREATE VIEW v AS SELECT a FROM u", False),
        ("CREATE TEMPORARY TABLE t AS SELECT a FROM u", False),
        ("SELECT a FROM u", False),
    ],
)
def test_what_fills_a_table_with_what_a_query_gives(sql: str, fills: bool) -> None:
    statement = parse(sql, SESSION)
    assert statement.fills is fills
    assert not fills or (statement.complete and not statement.is_query)


def test_what_is_written_is_no_table_that_is_read() -> None:
    statement = parse("INSERT INTO TABLE t SELECT a FROM u", SESSION)
    assert [name.table for name in statement.tables] == ["u"]
    assert [block.text for block in statement.blocks] == ["SELECT a FROM u"]


@pytest.mark.parametrize("sql", ["SELECT 1; SELECT 2", "SELECT '${x}'", "SELECT a FROM t |> WHERE b"])
def test_what_cannot_be_trusted_to_mean_what_it_says(sql: str) -> None:
    assert parse(sql, SESSION).problem


@pytest.mark.parametrize(
    ("sql", "complete"),
    [
        ("SELECT a FROM t", True),
        ("FROM t SELECT a", False),
        ("SELECT a FROM t UNION ALL FROM u SELECT a", False),
        ("SELECT a FROM (TABLE t)", False),
        ("SELECT extract(year FROM d) FROM t", True),
        ("SELECT a FROM t WHERE a IS NOT DISTINCT FROM b", True),
        ("WITH c AS (SELECT 1 FROM t) FROM u SELECT *", False),
        ("WITH c (a) AS (SELECT 1 FROM t), d AS (SELECT 2 FROM t) TABLE d", False),
        ("SELECT 1 FROM t MINUS ALL TABLE u", False),
        ("TABLE t", False),
        ("WITH c AS (SELECT 1 FROM t) SELECT extract(year FROM a) FROM c WHERE a IS DISTINCT FROM b", True),
    ],
)
def test_relations_outside_blocks_are_noticed(sql: str, complete: bool) -> None:
    assert parse(sql, SESSION).complete is complete


def test_nesting_without_end_is_no_crash() -> None:
    deep = "SELECT " + "(" * 3000 + "1" + ")" * 3000 + " FROM t"
    assert parse(deep, SESSION).blocks[0].tree is None


def chained(count: int) -> str:
    ctes = [f"c{i} AS (SELECT a FROM {f'c{i - 1}' if i else 't'})" for i in range(count)]
    return f"WITH {', '.join(ctes)} SELECT a FROM c{count - 1}"


def nested(count: int) -> str:
    return "SELECT a FROM t WHERE EXISTS (" * (count - 1) + "SELECT a FROM t" + ")" * (count - 1)


@pytest.mark.parametrize(
    ("most", "more", "problem"),
    [
        (chained(MOST_CTES), chained(MOST_CTES + 1), "the statement has more than 50 common table expressions"),
        (
            " UNION ALL ".join(["SELECT 1"] * MOST_SELECTS),
            " UNION ALL ".join(["SELECT 1"] * (MOST_SELECTS + 1)),
            "the statement has more than 300 SELECTs",
        ),
        (
            nested(MOST_NESTED),
            nested(MOST_NESTED + 1),
            "more than 40 SELECTs of the statement are nested in each other: use CTEs",
        ),
    ],
)
def test_statements_of_many_parts_are_left_to_spark(most: str, more: str, problem: str) -> None:
    assert (parse(most, SESSION).problem, parse(more, SESSION).problem) == ("", problem)


def test_two_thousand_common_table_expressions_are_refused_quickly() -> None:
    began = time.process_time()
    parse(chained(2_000), SESSION)
    assert time.process_time() - began < 0.5


def test_tables_behind_chained_common_table_expressions() -> None:
    statement = parse(chained(MOST_CTES), SESSION)
    assert [str(name) for name in statement.tables_within(statement.blocks[-1])] == ["lake.demo.t"]
    assert statement.tables_within(statement.blocks[0]) == statement.tables_within(statement.blocks[-1])
