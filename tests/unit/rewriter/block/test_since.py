"""Lower bounds of times, from filters and from column bounds."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from sqlglot import exp

from rewriter.block.since import since_of
from rewriter.sql import parse_select

TIME = exp.column("t", "e")


def bound(where: str, zone: str, source: exp.Expr = TIME, kind: str | None = None) -> int | None:
    conjuncts = parse_select(f"SELECT 1 FROM e WHERE {where}").args["where"].this
    return since_of(
        source, list(conjuncts.flatten()) if isinstance(conjuncts, exp.And) else [conjuncts], (), zone, kind
    )


def seconds(day: str) -> int:
    return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp())


@pytest.mark.parametrize(
    ("where", "zone", "day"),
    [
        ("e.t >= '1970-01-01'", "UTC", "1970-01-01"),
        ("e.t >= '1970-01-01'", "-05:00", "1970-01-01"),  # also if t is a TIMESTAMP_NTZ
        ("e.t >= '1970-01-01'", "+01:00", "1969-12-01"),
        ("e.t >= '1970-01-01'", "America/New_York", "1969-12-01"),
        ("e.t >= '1894-01-01'", "Europe/Berlin", "1893-12-01"),
        ("e.t >= '2024-02-10'", "UTC", "2024-02-01"),
        ("e.t > '2024-02-01' AND e.t >= '2024-03-01'", "UTC", "2024-03-01"),
    ],
)
def test_a_filter_gives_a_bound_by_its_month(where: str, zone: str, day: str) -> None:
    assert bound(where, zone) == seconds(day)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("1970-01-01 00:00:00Z", "1970-01-01"),
        ("1970-01-01 00:30:00+01:00", "1969-12-01"),
        ("1970-01-01 23:00:00-05:00", "1970-01-01"),  # a DATE is compared with the day that is written
    ],
)
def test_a_literal_with_an_offset_gives_its_instant_in_every_zone(text: str, day: str) -> None:
    assert bound(f"e.t >= '{text}'", "Europe/Berlin") == seconds(day)


def test_a_date_is_compared_without_the_time_of_day() -> None:
    assert bound("e.t >= '1970-01-01 10:00:00'", "UTC") == 0


def test_a_time_after_1970_began_stays_after_it() -> None:
    assert bound("e.t >= '1970-01-02'", "UTC") == 1


@pytest.mark.parametrize(
    ("where", "kind", "least"),
    [
        ("e.t >= 0 AND e.t < 100", "bigint", 0),
        ("e.t > 0 AND e.t < 100", "bigint", 1),
        ("e.t >= 0", "bigint", None),
        ("e.t >= 0", "int", 0),
        ("-1 < e.t AND e.t < 100", "bigint", 0),
    ],
)
def test_a_number_needs_an_upper_bound_unless_its_type_has_one(where: str, kind: str, least: int | None) -> None:
    assert bound(where, "UTC", kind=kind) == least
