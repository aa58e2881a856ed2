"""Time bounds that are known only at execution."""

from __future__ import annotations

import pytest

from rewriter.block import Found, build_block
from rewriter.block.traits import is_constant, tells_time
from rewriter.block.words import words
from rewriter.match.bounds import divides, next_begin
from rewriter.model import Column, TableName
from rewriter.sql import parse_select

COLUMNS = (Column("d", "date"), Column("ts", "timestamp"), Column("n", "timestamp_ntz"))
MONTHS, ALL_BUT_WEEKS = "day month", "day month quarter year"
KINDS = {"d": "date", "ts": "timestamp", "n": "timestamp_ntz"}
GRAINS = ("minute", "fifteen_minute", "hour", "day", "week", "month", "quarter", "year")


def comparison(text: str):  # type: ignore[no-untyped-def]
    block = build_block(
        parse_select(f"SELECT 1 FROM t WHERE {text}"), lambda table: Found(TableName(("l", "d", "t")), COLUMNS)
    )
    return block.where[0]


@pytest.mark.parametrize(
    ("text", "grains"),
    [
        ("ts >= current_date() - 30", "minute fifteen_minute hour day"),
        ("ts >= current_date", "minute fifteen_minute hour day"),
        ("current_date() > ts", "minute fifteen_minute hour day"),
        ("ts >= date_sub(now(), 7)", "minute fifteen_minute hour day"),
        ("ts >= current_date() + INTERVAL 2 HOURS", "minute fifteen_minute hour"),
        ("ts >= current_date() + INTERVAL 45 MINUTES", "minute fifteen_minute"),
        ("ts >= current_date() + INTERVAL 50 MINUTES", "minute"),
        ("ts >= current_date() + INTERVAL 1 SECOND", ""),
        ("ts >= date_trunc('week', now())", "minute fifteen_minute hour day week"),
        ("ts >= date_trunc('week', now()) - INTERVAL 14 DAYS", "minute fifteen_minute hour day week"),
        ("ts >= date_trunc('week', now()) - INTERVAL 3 DAYS", "minute fifteen_minute hour day"),
        ("ts >= date_trunc('week', now()) - INTERVAL 1 MONTH", "minute fifteen_minute hour day"),
        ("ts < date_trunc('month', current_date())", "minute fifteen_minute hour day month"),
        ("ts < date_trunc('year', now()) - INTERVAL 6 MONTHS", "minute fifteen_minute hour day month quarter"),
        ("ts < date_trunc('year', now()) - INTERVAL 2 YEARS", "minute fifteen_minute hour day month quarter year"),
        ("ts < CAST(date_trunc('month', now()) AS DATE)", "minute fifteen_minute hour day month"),
        ("ts < to_date(date_trunc('hour', now()))", "minute fifteen_minute hour day"),
        ("ts < add_months(trunc(current_date(), 'MM'), -1)", "minute fifteen_minute hour day month"),
        ("ts < add_months(date_trunc('hour', now()), -1)", "minute fifteen_minute hour day"),
        ("ts >= now() - INTERVAL 7 DAYS", ""),
        ("ts >= date_trunc('minute', now())", "minute"),
        ("ts >= date_trunc('hour', now()) - INTERVAL '1.5' SECOND", ""),
        ("ts <= current_date()", ""),
        ("ts = current_date()", ""),
        ("ts >= '2024-01-01' || ''", ""),
        ("n >= current_date()", "minute fifteen_minute hour day"),
        ("n >= date_trunc('month', localtimestamp())", "minute fifteen_minute hour day month"),
        ("d >= date_trunc('month', now())", "minute fifteen_minute hour day month"),
        ("d <= current_date()", "minute fifteen_minute hour day"),
        ("d <= last_day(current_date())", "minute fifteen_minute hour day month"),
        ("d > trunc(current_date(), 'YEAR') - 1", "minute fifteen_minute hour day month quarter year"),
        ("d > trunc(current_date(), 'YEAR') - INTERVAL 1 DAY", "minute fifteen_minute hour day month quarter year"),
        ("d > date_sub(trunc(current_date(), 'YEAR'), 2)", "minute fifteen_minute hour day"),
        ("d > date_sub(now(), 1)", "minute fifteen_minute hour day"),
        ("d <= date_trunc('month', now())", ""),
    ],
)
def test_only_what_is_certain_whatever_the_time_divides_no_bucket(text: str, grains: str) -> None:
    tree = comparison(text)
    kind = KINDS[tree.this.name]
    applicable = (exp for exp in GRAINS if type(tree).__name__ in ("GTE", "GT", "LT", "LTE"))
    assert " ".join(grain for grain in applicable if divides(tree, grain, kind, "UTC")) == grains


@pytest.mark.parametrize(
    ("text", "grain", "zone", "expected"),
    [
        ("ts >= current_date()", "hour", "Europe/Berlin", True),
        ("ts >= current_date()", "day", "Europe/Berlin", True),
        ("ts >= current_date()", "hour", "Asia/Kolkata", True),
        ("ts >= current_date()", "hour", "Australia/Lord_Howe", False),
        ("n >= now()", "hour", "Europe/Berlin", False),
        ("n >= current_date()", "hour", "Europe/Berlin", True),
        ("n >= CAST(current_date() AS TIMESTAMP)", "day", "Europe/Berlin", False),
    ],
)
def test_zones_that_move_their_clocks(text: str, grain: str, zone: str, *, expected: bool) -> None:
    tree = comparison(text)
    assert divides(tree, grain, KINDS[tree.this.name], zone) is expected


@pytest.mark.parametrize(
    ("text", "grain", "kind", "end"),
    [
        ("ts >= now()", "hour", "timestamp", "timeseries(current_timestamp(), 'hour') + INTERVAL '1' HOUR"),
        (
            "ts >= now()",
            "ten_minute",
            "timestamp",
            "timeseries(current_timestamp(), 'ten_minute') + INTERVAL '10' MINUTE",
        ),
        ("d >= current_date()", "quarter", "date", "timeseries(current_date(), 'quarter') + INTERVAL '3' MONTH"),
        ("d >= now()", "week", "date", "timeseries(CAST(current_timestamp() AS DATE), 'week') + INTERVAL '7' DAY"),
    ],
)
def test_the_next_bucket_begins_there_for_certain(text: str, grain: str, kind: str, end: str) -> None:
    tree = comparison(text)
    bound = next_begin(tree.expression, grain, kind)
    assert words(bound) == end
    assert divides(type(tree)(this=tree.this, expression=bound), grain, kind, "UTC")


def test_what_is_constant_and_what_tells_the_time() -> None:
    tree = comparison("ts >= current_date() - 30")
    assert (is_constant(tree.expression), tells_time(tree), is_constant(tree.this)) == (True, True, False)
