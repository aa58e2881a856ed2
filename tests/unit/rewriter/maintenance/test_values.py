"""What partitions imply for columns, and for buckets and labels of them."""

from __future__ import annotations

from datetime import date, datetime

import pytest
from sqlglot import exp

from rewriter.maintenance.values import DAY, Span, computed, name_of, span, transformed
from rewriter.timeseries import bucket_call

COLUMN = exp.column("c", "t0")


def days(text: str) -> int:
    return (date.fromisoformat(text) - date(1970, 1, 1)).days


def micros(text: str) -> int:
    return int((datetime.fromisoformat(text) - datetime(1970, 1, 1)).total_seconds()) * 1_000_000


def label(name: str) -> exp.Expr:
    return exp.Anonymous(this=name, expressions=[COLUMN.copy()])


@pytest.mark.parametrize(
    ("value", "transform", "kind", "condition"),
    [
        (5, "identity", "int", "c = 5"),
        ("it's", "identity", "string", r"c = 'it\'s'"),
        (None, "identity", "string", "c IS NULL"),
        (None, "day", "timestamp", "c IS NULL"),
        (True, "identity", "boolean", "c = true"),
        (54, "year", "date", "(c >= DATE '2024-01-01' AND c < DATE '2025-01-01')"),
        (-1, "month", "date", "(c >= DATE '1969-12-01' AND c < DATE '1970-01-01')"),
        (1, "hour", "timestamp_ntz", "(c >= TIMESTAMP_NTZ '1970-01-01 01:00:00.000000' "
                                     "AND c < TIMESTAMP_NTZ '1970-01-01 02:00:00.000000')"),
    ],
)  # fmt: skip
def test_a_partition_is_a_condition(value: int | str | None, transform: str, kind: str, condition: str) -> None:
    known = span(value, transform, kind)
    assert known is not None
    assert known.condition("c") == condition


@pytest.mark.parametrize(("transform", "kind"), [("bucket[3]", "int"), ("identity", "double"), ("day", "string")])
def test_what_says_nothing(transform: str, kind: str) -> None:
    assert span(1, transform, kind) is None


def test_labels_and_buckets_follow_where_both_ends_agree() -> None:
    day = Span("date", days("2022-02-03"))
    assert computed(label("year"), COLUMN, day, "UTC", "int") == Span("int", 2022)
    assert computed(label("month"), COLUMN, day, "UTC", "int") == Span("int", 2)
    month = span(52 * 12 + 1, "month", "date")
    assert month is not None
    assert computed(label("month"), COLUMN, month, "UTC", "int") == Span("int", 2)
    assert computed(label("day"), COLUMN, month, "UTC", "int") is None
    year = span(52, "year", "date")
    assert year is not None
    assert computed(label("month"), COLUMN, year, "UTC", "int") is None
    quarter = computed(bucket_call(COLUMN, "quarter", "date"), COLUMN, month, "UTC", "date")
    assert quarter == Span("date", days("2022-01-01"))
    assert computed(bucket_call(COLUMN, "day", "date"), COLUMN, month, "UTC", "date") == Span(
        "date", days("2022-02-01") * DAY, days("2022-02-28") * DAY
    )


def test_a_time_is_put_into_the_buckets_of_the_views_zone() -> None:
    day = span(days("2022-02-03"), "day", "timestamp")
    assert day is not None
    by_day = bucket_call(COLUMN, "day", "timestamp")
    assert computed(by_day, COLUMN, day, "UTC", "timestamp") == Span("timestamp", micros("2022-02-03 00:00:00"))
    east = computed(by_day, COLUMN, day, "+01:00", "timestamp")
    assert east == Span("timestamp", micros("2022-02-02 23:00:00"), micros("2022-02-03 23:00:00"))
    assert computed(by_day, COLUMN, day, "Europe/Berlin", "timestamp") is None
    as_date = exp.TryCast(this=COLUMN.copy(), to=exp.DataType.build("date"))
    assert computed(as_date, COLUMN, day, "UTC", "date") == Span("date", days("2022-02-03"))
    assert computed(as_date, COLUMN, day, "+01:00", "date") is None


def test_null_stays_null_under_labels_and_is_not_known_under_other_functions() -> None:
    null = Span("date", None)
    assert computed(label("year"), COLUMN, null, "UTC", "int") == Span("int", None)
    assert computed(exp.Anonymous(this="coalesce", expressions=[COLUMN]), COLUMN, null, "UTC", "int") is None


def test_a_storage_partition_is_known_where_both_ends_lie_in_it() -> None:
    hour = span(24 * days("2022-02-03") + 5, "hour", "timestamp")
    assert hour is not None
    assert transformed(hour, "day") == span(days("2022-02-03"), "day", "timestamp")
    assert transformed(hour, "identity") is None
    month = span(52 * 12 + 1, "month", "timestamp")
    assert month is not None
    assert transformed(month, "day") is None
    assert transformed(Span("int", 5), "identity") == Span("int", 5)
    assert transformed(Span("int", 5), "bucket[4]") is None


def test_years_have_four_digits() -> None:
    day = Span("date", days("0999-12-31"))
    assert day.condition("d") == "d = DATE '0999-12-31'"
    moments = {kind: Span(kind, days("0999-12-31") * DAY + 1) for kind in ("timestamp", "timestamp_ntz")}
    assert moments["timestamp"].condition("t") == "t = TIMESTAMP_LTZ '0999-12-31 00:00:00.000001Z'"
    assert moments["timestamp_ntz"].condition("t") == "t = TIMESTAMP_NTZ '0999-12-31 00:00:00.000001'"
    names = ["0999-12-31", "0999", "0999-12", "0999-12-31", "0999-12-31-00"]
    assert [name_of(day, transform) for transform in ("identity", "year", "month", "day", "hour")] == names
