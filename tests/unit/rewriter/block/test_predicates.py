"""What a WHERE clause implies."""

from __future__ import annotations

from typing import Any

import pytest

from rewriter.block import Found, Predicates, build_block
from rewriter.block.conjuncts import conjuncts_of
from rewriter.model import Column, TableName
from rewriter.sql import parse_select

COLUMNS = tuple(
    Column(name, kind, nullable)
    for name, kind, nullable in (
        ("n", "int", True),
        ("id", "int", False),
        ("m", "bigint", True),
        ("k", "int", True),
        ("s", "string", True),
        ("x", "double", True),
        ("y", "double", True),
        ("d", "date", True),
        ("ts", "timestamp", True),
        ("ntz", "timestamp_ntz", True),
        ("q", "float", True),
        ("b", "boolean", True),
        ("price", "decimal(10,2)", True),
        ("wide", "decimal(38,10)", True),
    )
)


def implies(query: str, view: str, zone: str = "UTC") -> bool:
    """Return whether one predicate implies every conjunct of another."""

    def block_of(predicate: str) -> Any:
        tree = parse_select(f"SELECT 1 FROM t WHERE {predicate}")
        return build_block(tree, lambda table: Found(TableName(("lake", "demo", "t")), COLUMNS))

    block = block_of(query)
    known = Predicates(block, block.where, zone)
    return all(known.implies(part) for whole in block_of(view).where for part in conjuncts_of(whole))


@pytest.mark.parametrize(
    ("query", "view"),
    [
        ("n > 5", "n > 4"),
        ("n > 5", "n >= 6"),
        ("n = 3", "n IN (1, 2, 3)"),
        ("n BETWEEN 2 AND 4", "NOT n < 2"),
        ("n = 3", "n IS NOT NULL"),
        ("s = 'b'", "s > 'a' AND s < 'c'"),
        ("NOT (s = 'a' OR s = 'b')", "s <> 'a'"),
        ("s NOT IN ('a', 'b')", "NOT (s = 'b')"),
        ("n IS NULL", "n < 0 OR n IS NULL"),
        ("n = k AND n = 5", "k < 6"),
        ("n = k", "k = n AND n IS NOT NULL"),
        ("price >= 1.50", "price > 1.49"),
        ("d = '2024-01-31'", "d >= DATE '2024-01-01' AND d < '2024-02-01'"),
        ("d <= '2024-01-31'", "d < '2024-02-01'"),
        ("ts >= TIMESTAMP '2024-01-02 00:00:00'", "ts > '2024-01-01 23:59:59.5'"),
        ("ts IN (TIMESTAMP '2024-01-02 00:00:00', DATE '2024-01-03')", "ts > '2024-01-01'"),
        ("d IN ('2024-01-02', '2024-01-03')", "d > '2024-01-01'"),
        ("wide >= 0.1234567891", "wide > 0.1234567890"),
        ("length(s) > 2", "length(s) > 2"),
        ("id IN (1)", "id IS NOT NULL"),
        ("n > 9 AND n < 3", "n = 77"),
        ("n = 10", "n = 10 OR n = 20 OR k < 160"),
        ("(n = 1 AND s = 'a') OR (n = 2 AND s = 'b')", "n < 3 AND (s = 'a' OR n = 2)"),
        ("(n = 1 OR k = 2) AND (n = 1 OR s = 'b')", "n = 1 OR (k = 2 AND s = 'b')"),
        ("NOT (n <> 1 AND k <> 2)", "n = 1 OR k = 2"),
        ("n = k OR k = m", "n = k OR m = k"),
        ("(n = k AND s = 'a') OR (n = k AND s = 'b')", "n = k AND s IN ('a', 'b')"),
        ("n = 1 AND (n = 2 OR k = 3)", "k = 3"),
        ("n < 5 OR n >= 5", "n IS NOT NULL"),
        ("n IS NOT NULL", "n <= 7 OR n > 7 OR k = 1"),
        ("x < 0.5", "x < 0.7"),
        ("x = 0.1", "x <= 0.1"),
        ("x IN (0.5, 1.5)", "x < 2"),
        ("q <= 0.5", "q < 0.75"),
        ("m < 1000", "m < 1000D"),
        ("n <= 1e3", "n < 1000.5"),
        ("s LIKE 'abc%'", "s LIKE 'ab%'"),
        ("s LIKE 'ab%c'", "s LIKE 'ab%' AND s IS NOT NULL"),
        ("startswith(s, 'ab')", "s >= 'ab'"),
        ("s >= 'ab' AND s < 'ac'", "startswith(s, 'ab')"),
        ("s = 'b'", "NOT s LIKE 'a%'"),
        ("b", "b = true AND b IS NOT NULL"),
        ("b <> false", "b IS TRUE"),
        ("NOT b", "b IS NOT TRUE"),
        ("b IS NULL", "b IS NOT TRUE"),
        ("(n > 5) IS NOT TRUE", "n <= 5 OR n IS NULL"),
        ("n <=> 5", "n > 4"),
        ("n <=> NULL", "n IS NULL"),
        ("n IS NULL", "NOT (n <=> 5)"),
        ("coalesce(n, 0) = 5", "n = 5"),
        ("n IS NULL", "coalesce(n, 7) > 6"),
        ("coalesce(s, '') <> ''", "s IS NOT NULL AND s <> ''"),
        ("CAST(n AS BIGINT) > 5", "n > 5"),
        ("CAST(price AS DECIMAL(20,4)) = 1.5", "price < 1.51"),
        ("CAST(ts AS DATE) = '2024-01-05'", "ts >= '2024-01-05 00:00:00' AND ts < '2024-01-06 00:00:00'"),
        ("ts >= '2024-01-05 00:00:00'", "CAST(ts AS DATE) >= '2024-01-05'"),
        ("ntz > TIMESTAMP_NTZ '2024-01-05 00:00:01'", "year(ntz) >= 2024"),
        ("year(d) = 2024", "d BETWEEN '2024-01-01' AND '2024-12-31'"),
        ("d = '2024-02-29'", "trunc(d, 'MONTH') = '2024-02-01'"),
        ("date_trunc('MONTH', ts) = '2024-02-01'", "ts < '2024-03-01'"),
        ("d <= DATE '2024-03-31' - INTERVAL 1 MONTH", "d <= '2024-02-29'"),
        ("d < add_months('2024-01-31', 1)", "d <= '2024-02-28'"),
        ("d >= last_day(DATE '2024-02-03') + 1", "d > '2024-02-29'"),
        ("price BETWEEN 0.06 - 0.01 AND 0.06 + 0.01", "price >= 0.05 AND price <= 0.07"),
        ("n < 2 * 3 + 1", "n <= 6"),
        ("n + 1 < k", "n IS NOT NULL AND k IS NOT NULL"),
        ("price < wide", "price IS NOT NULL"),
    ],
)
def test_implied(query: str, view: str) -> None:
    assert implies(query, view)


@pytest.mark.parametrize(
    ("query", "view"),
    [
        ("n >= 5", "n > 5"),
        ("n IS NULL", "n <> 3"),
        ("n <> 3", "n < 3"),
        ("s IS NOT NULL", "s = 'a'"),
        ("n = m", "m = n AND n > 0"),
        ("x = y AND x = 0.0", "y = 0.0"),
        ("x > 1", "x > 0"),
        ("length(s) > 3", "length(s) > 2"),
        ("n = '5'", "n > 4"),
        ("d = '2024-01-31 12:00:00'", "d < '2024-02-01'"),
        ("s > 5", "s > '4'"),
        ("price > 1.5", "price > 1.6"),
        ("n IN (1, NULL)", "n = 1"),
        ("TRUE", "n = n"),
        ("wide >= 0.12345678907", "wide > 0.12345678906"),  # both are 0.1234567891 to Spark
        ("n = 0.99999999999999999999999999999", "n < 1"),  # with 28 digits behind the point it is 1
        ("ts IN ('2024-01-02')", "ts = '2024-01-02'"),  # without ANSI mode, IN compares texts
        ("ts NOT IN ('2024-01-02')", "ts <> '2024-01-02'"),
        ("d IN (' 2024-01-02')", "d = '2024-01-02'"),
        ("n = 30 OR k = 5", "n = 10 OR n = 20 OR k < 4"),
        ("(n = 1 AND s = 'b') OR (n = 2 AND s = 'a')", "(n = 1 AND s = 'a') OR (n = 2 AND s = 'b')"),
        ("n IN (1, 2) AND s IN ('a', 'b')", "(n = 1 AND s = 'a') OR (n = 2 AND s = 'b')"),
        ("n = 1 OR k = 2", "n = 1"),
        ("n IS NULL", "n <= 7 OR n > 7 OR k = 1"),
        ("x > 5", "x > 4"),  # Iceberg's statistics know nothing of NaN
        ("x < 0.0", "x <= 0.0"),  # nor is -0.0 less than 0.0
        ("x <> 1", "x <> 1.0"),
        ("x <= 0.1", "x < 0.1"),
        ("q <= 16777217", "q <= 16777218"),  # which of both a FLOAT is, depends on a setting
        ("m <= 9007199254740993", "m <= 9007199254740992D"),
        ("price <= 0.1", "price <= 0.1D"),
        ("s LIKE 'a%'", "s LIKE 'ab%'"),
        ("s LIKE 'a_b%'", "s LIKE 'ab%'"),
        ("s LIKE 'ab'", "s LIKE 'abc%'"),
        ("s >= 'ab' AND s <= 'ac'", "s LIKE 'ab%'"),
        ("s LIKE 'a\\\\%b%'", "s LIKE 'a%'"),
        ("NOT s LIKE 'a%'", "s IS NULL"),
        ("s >= '\x7f' AND s < '\x80'", "s LIKE '\x7f%'"),  # texts that are no UTF-8 lie between
        ("b IS NOT TRUE", "NOT b"),
        ("b IS NOT NULL", "b"),
        ("n <=> k", "n IS NOT NULL"),
        ("coalesce(n, 5) = 5", "n = 5"),
        ("coalesce(n, 0.5) < 0.7", "n < 1"),
        ("coalesce(d, '2024-01-01') > '2023-01-01'", "d IS NULL OR d > '2023-01-01'"),  # it may be a text
        ("CAST(n AS STRING) = '5'", "n = 5"),
        ("CAST(m AS INT) = 5", "m = 5"),
        ("CAST(m AS DOUBLE) <= 9007199254740992D", "m <= 9007199254740992"),
        ("CAST(price AS DECIMAL(10,1)) = 1.5", "price >= 1.4 AND price <= 1.6"),
        ("CAST(x AS INT) = 1", "x < 2"),
        ("d < add_months('2024-01-31', 1)", "d <= '2024-02-27'"),
        ("d <= DATE '9999-12-31' + INTERVAL 1 DAY", "d <= '9999-12-31'"),
        ("n < 2147483647 + 1", "n < 2147483648"),
        ("n < 7 / 2", "n < 3.5"),
        ("coalesce(n, k) = 5", "n IS NOT NULL"),
    ],
)
def test_not_implied(query: str, view: str) -> None:
    assert not implies(query, view)


def test_a_local_time_in_a_gap_is_the_instant_that_java_makes_of_it() -> None:
    # In Berlin 02:30 did not exist on this day: it is 03:30, which is after 03:00.
    assert implies("ts = '2024-03-31 02:30:00'", "ts > '2024-03-31 03:00:00'", zone="Europe/Berlin")
    assert not implies("ts = '2024-03-31 02:30:00'", "ts > '2024-03-31 03:00:00'", zone="UTC")


def test_days_have_one_length_only_in_zones_of_a_fixed_offset() -> None:
    query, view = "ts >= '2024-01-05 00:00:00'", "CAST(ts AS DATE) >= '2024-01-05'"
    assert implies(query, view, zone="+05:30")
    assert not implies(query, view, zone="Europe/Berlin")


def test_zero_pins_no_floating_point_number() -> None:
    tree = parse_select("SELECT 1 FROM t WHERE x = 1.5 AND n = 2")
    block = build_block(tree, lambda table: Found(TableName(("lake", "demo", "t")), COLUMNS))
    known = Predicates(block, block.where, "UTC")
    x, n = (column for conjunct in block.where for column in [conjunct.this])
    assert (known.pins(x), known.pins(n)) == (False, True)


@pytest.mark.parametrize(
    ("conjunct", "rest"),
    [
        ("n <> 10 OR s = 'ab'", "s = 'ab'"),
        ("(n = 10 AND s = 'a') OR (k > 3 AND s = 'b')", "s = 'a' OR s = 'b'"),
        ("NOT (n = 10 AND s = 'x')", "NOT s = 'x'"),
        ("n IS NULL OR s IS NULL", "s IS NULL"),
        ("n > 5", None),
        ("k = 5 OR s = 'x'", "k = 5 OR s = 'x'"),
        ("n = 11", "n = 11"),
    ],
)
def test_what_is_left_of_a_conjunct(conjunct: str, rest: str | None) -> None:
    def read(predicate: str) -> Any:
        tree = parse_select(f"SELECT 1 FROM t WHERE {predicate}")
        return build_block(tree, lambda table: Found(TableName(("lake", "demo", "t")), COLUMNS))

    view = read("n = 10 AND k > 3")
    (asked,) = read(conjunct).where
    found = Predicates(view, view.where, "UTC").rest_of(asked)
    assert found == (read(rest).where[0] if rest is not None else None)
