"""Which buckets determine an expression of a time."""

from __future__ import annotations

import pytest
from sqlglot import exp

from rewriter.block import Occurrence, Scope
from rewriter.block.expressions import canonical
from rewriter.block.scope import Source
from rewriter.model import Column, TableName
from rewriter.sql import parse_select
from rewriter.timeseries import factor_of, nests, told_by
from rewriter.verify.borders import nested

TABLE = Occurrence(
    "t", TableName(("t",)), "t",
    (Column("at", "timestamp"), Column("local", "timestamp_ntz"), Column("day", "date"), Column("n", "bigint")),
)  # fmt: skip
SCOPE = Scope((TABLE,), (Source("t", TABLE),))


def kind_of(tree: exp.Expr) -> str | None:
    declared = TABLE.column(tree.name) if isinstance(tree, exp.Column) else None
    return declared.type if declared is not None else None


def read(text: str) -> exp.Expr:
    tree = parse_select(f"SELECT {text} FROM t").expressions[0]
    return canonical(tree, SCOPE)


@pytest.mark.parametrize(
    ("text", "grain"),
    [
        ("year(at)", "year"), ("hour(local)", "hour"), ("last_day(at)", "month"), ("dayname(day)", "day"),
        ("date_format(at, 'yyyy')", "year"), ("date_format(at, 'QQQ')", "quarter"), ("date_format(at, 'E')", "day"),
        ("date_format(at, 'h a')", "hour"), ("date_format(at, 'mm')", "minute"), ("date_format(at, '2024')", "year"),
        ("date_format(at, 'ss')", "second"), ("extract(YEAROFWEEK FROM at)", "week"),
        ("unix_timestamp(at)", 1), ("to_unix_timestamp(at)", 1), ("CAST(at AS BIGINT)", 1), ("unix_seconds(at)", 1),
        ("floor(CAST(at AS BIGINT) / 900)", 900), ("floor(unix_seconds(at) / 900) * 900", 900),
        ("CAST(floor(unix_timestamp(at) / 60) * 60 AS TIMESTAMP)", 60),
        ("floor(floor(unix_timestamp(at) / 60) * 60 / 3600)", 3600),
        ("unix_timestamp(timestamp_seconds(floor(unix_timestamp(at) / 60) * 60))", 60),
        ("from_unixtime(unix_timestamp(at))", "second"), ("from_unixtime(unix_timestamp(at), 'MM')", "month"),
        ("from_unixtime(floor(unix_timestamp(at) / 3600) * 3600, 'HH:mm')", 3600),
        ("year(date_trunc('hour', at))", "year"), ("unix_timestamp(at) DIV 60", 60), ("n DIV 60", 60),
        ("unix_seconds(at) - unix_seconds(at) % 900", 900), ("CAST(unix_timestamp(at) / 60 AS BIGINT)", 60),
        ("round(unix_timestamp(at) / 60)", 30), ("date_trunc('day', at + INTERVAL 90 MINUTES)", "minute"),
        ("date_trunc('week', at - INTERVAL 1 DAY)", "day"), ("year(local + INTERVAL 6 MONTHS)", "month"),
        ("trunc(day + INTERVAL 1 MONTH, 'WEEK')", "day"),
        ("floor(n / 60)", 60), ("from_unixtime(n, 'yyyy')", "year"), ("year(timestamp_seconds(n))", "year"),
    ],
)  # fmt: skip
def test_a_function_of_a_bucket(text: str, grain: str | int) -> None:
    factor = factor_of(read(text), kind_of, "UTC", lambda time: 0)
    assert factor is not None
    assert factor.grain == grain
    assert isinstance(factor.source, exp.Column)


@pytest.mark.parametrize(
    "text",
    [
        "date_format(at, 'SSS')", "date_format(at, 'z')", "date_format(at, 'VV')",
        "date_format(at, \"yyyy'\")", "date_format(at, '[yyyy]')", "date_format(at, local)", "unix_timestamp(local)",
        "unix_timestamp(day)", "floor(unix_timestamp(at) / 3600.0)", "floor(unix_timestamp(at) / -60)",
        "ceil(unix_timestamp(at) / 60)", "round(unix_timestamp(at) / 45)",
        "unix_timestamp(at) % 60", "CAST(n AS STRING)", "unix_timestamp(at) - unix_seconds(at) % 60",
        "floor(floor(unix_timestamp(at) / 60) * 60 / 90)", "unix_seconds(at) - pmod(n, 60)",
        "CAST(at AS INT)", "CAST(at AS DOUBLE)", "pmod(unix_seconds(at), 60)",
    ],
)  # fmt: skip
def test_none(text: str) -> None:
    assert factor_of(read(text), kind_of, "UTC", lambda time: 0) is None


@pytest.mark.parametrize(
    "text",
    [
        "unix_timestamp(at)", "floor(to_unix_timestamp(at) / 60)", "from_unixtime(unix_timestamp(at))",
        "unix_seconds(at) DIV 60", "unix_seconds(at) - unix_seconds(at) % 900", "CAST(unix_seconds(at) / 60 AS BIGINT)",
    ],
)  # fmt: skip
def test_what_rounds_towards_1970_is_none_before(text: str) -> None:
    assert factor_of(read(text), kind_of, "UTC") is None
    assert factor_of(read(text), kind_of, "UTC", lambda time: -1) is None


def test_a_bigint_without_bounds_is_no_number_of_buckets() -> None:
    assert factor_of(read("floor(n / 60)"), kind_of, "UTC") is None
    assert factor_of(read("floor(n / 60)"), lambda tree: "int", "UTC") is not None
    assert factor_of(read("n DIV 60"), lambda tree: "int", "UTC") is None


def test_texts_of_times_without_a_zone_go_through_the_session_s() -> None:
    local, day = read("date_format(local, 'HH')"), read("date_format(day, 'yyyy')")
    assert factor_of(local, kind_of, "+01:00") is not None
    assert factor_of(local, kind_of, "Europe/Berlin") is None
    assert factor_of(day, kind_of, "Europe/Berlin") is not None
    assert factor_of(day, kind_of, "Pacific/Apia") is None


@pytest.mark.parametrize(
    ("text", "grain", "kind"),
    [
        ("to_date(at)", "day", "date"), ("trunc(at, 'MM')", "month", "date"), ("trunc(day, 'MM')", "month", "date"),
        ("make_date(year(at), 1, 1)", "year", "date"), ("make_date(year(at), month(at), 1)", "month", "date"),
        ("make_date(year(at), month(at), day(at))", "day", "date"),
        ("3600 * floor(unix_seconds(at) / 3600)", 3600, "bigint"),
        ("unix_seconds(at) - pmod(unix_seconds(at), 60)", 60, "bigint"),
        ("timestamp_seconds(floor(unix_seconds(at) / 60) * 60)", 60, "timestamp"),
    ],
)  # fmt: skip
def test_what_tells_a_bucket(text: str, grain: str | int, kind: str) -> None:
    told = told_by(read(text), kind_of)
    assert told is not None
    assert (told.grain, told.type) == (grain, kind)
    assert isinstance(told.source, exp.Column)


@pytest.mark.parametrize(
    "text",
    [
        "year(at)",
        "date_format(at, 'yyyy-MM-dd')",
        "make_date(year(at), month(day), 1)",
        "make_date(year(at), 1, day(at))",
    ],
)
def test_labels_tell_none(text: str) -> None:
    assert told_by(read(text), kind_of) is None


@pytest.mark.parametrize(
    ("fine", "coarse", "zone", "expected"),
    [
        (60, "minute", "+05:30", True), (900, "hour", "+05:45", True), (1800, "hour", "+05:45", False),
        (3600, "hour", "+05:30", False), (1800, "day", "+05:30", True), (7200, "day", "UTC", True),
        (86400, "day", "UTC", True), (86400, "week", "UTC", True), (604800, "week", "UTC", False),
        (86400, "hour", "UTC", False), ("hour", 7200, "UTC", True), ("hour", 7200, "+01:00", True),
        ("day", 7200, "UTC", False), ("hour", 1800, "UTC", False), ("day", 86400, "+01:00", False),
        ("week", 604800, "UTC", False), ("month", 86400, "UTC", False), ("second", 1, "+00:00", True),
        ("minute", 90, "UTC", False), ("week", 86400, "UTC", False), ("hour", 3600, "Europe/Berlin", False),
    ],
)  # fmt: skip
def test_instants_and_the_clock(fine: str | int, coarse: str | int, zone: str, *, expected: bool) -> None:
    assert nests(fine, coarse, "timestamp", zone) is expected
    assert nested(fine, coarse, "timestamp", zone) is expected


@pytest.mark.parametrize(
    ("zone", "grain"), [("America/New_York", 3600), ("Asia/Kolkata", 1800), ("Europe/Nowhere", "day")]
)
def test_the_clock_of_another_zone(zone: str, grain: int | str) -> None:
    factor = factor_of(read(f"to_date(from_utc_timestamp(at, '{zone}'))"), kind_of, "UTC", lambda time: 1_700_000_000)
    assert factor is not None
    assert (factor.grain, isinstance(factor.source, exp.Column)) == (grain, grain != "day")
