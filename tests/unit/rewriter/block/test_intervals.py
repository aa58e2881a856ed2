"""Times plus and minus intervals of several units, and constants that are read by a pattern."""

from __future__ import annotations

import pytest

from rewriter.block import Occurrence, Scope, Unsupported
from rewriter.block.constants import folded
from rewriter.block.expressions import canonical
from rewriter.block.scope import Source
from rewriter.model import Column, TableName
from rewriter.sql import parse_select

TABLE = Occurrence("t", TableName(("t",)), "t", (Column("at", "timestamp"), Column("day", "date"), Column("n", "int")))
SCOPE = Scope((TABLE,), (Source("t", TABLE),))


def read(text: str) -> str:
    tree = parse_select(f"SELECT {text} AS x FROM t").expressions[0].this
    return str(folded(canonical(tree, SCOPE)).sql("spark"))


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("at + INTERVAL '-7' DAY", "at - INTERVAL '7' DAY"),
        ("at - INTERVAL -7 DAYS", "at + INTERVAL '7' DAYS"),
        ("at + (-INTERVAL 2 HOURS)", "at - INTERVAL '2' HOURS"),
        ("INTERVAL 1 DAY + at", "at + INTERVAL '1' DAY"),
        ("at - INTERVAL '1 day 2 hours'", "at - INTERVAL '1' DAY - INTERVAL '2' HOUR"),
        ("at - INTERVAL 1 DAY 2 HOURS", "at - INTERVAL '1' DAY - INTERVAL '2' HOUR"),
        ("at - INTERVAL '1 DAY -2 Hours'", "at - INTERVAL '22' HOUR"),
        ("at + INTERVAL '01:30:00' HOUR TO SECOND", "at + INTERVAL '90' MINUTE"),
        ("at + INTERVAL '-01:30' HOUR TO MINUTE", "at - INTERVAL '90' MINUTE"),
        ("at + INTERVAL '26:00' HOUR TO MINUTE", "at + INTERVAL '1' DAY + INTERVAL '2' HOUR"),
        ("at + INTERVAL '1 02' DAY TO HOUR", "at + INTERVAL '1' DAY + INTERVAL '2' HOUR"),
        ("at + INTERVAL '02:03' MINUTE TO SECOND", "at + INTERVAL '123' SECOND"),
        ("at + INTERVAL '1-2' YEAR TO MONTH", "at + INTERVAL '14' MONTH"),
        ("day + INTERVAL '1-2' YEAR TO MONTH", "day + INTERVAL '14' MONTH"),
        ("day + INTERVAL '1 day 2 hours'", "CAST(day AS TIMESTAMP) + INTERVAL '1' DAY + INTERVAL '2' HOUR"),
        ("day + INTERVAL '1 day 0 hours'", "CAST(day AS TIMESTAMP) + INTERVAL '1' DAY"),
        ("day + INTERVAL '1 week 1 day'", "day + INTERVAL '8' DAY"),
        ("day - INTERVAL 2 WEEKS 1 DAY", "day - INTERVAL '15' DAY"),
        ("at - make_interval(1, 2, 3, 4)", "at - INTERVAL '14' MONTH - INTERVAL '25' DAY"),
        ("at - make_interval(0, 0, 0, 0, 48)", "TIMESTAMPADD(HOUR, -48, at)"),
        ("day - make_interval(0, 0, 0, 7)", "day - INTERVAL '7' DAY"),
        ("day - make_dt_interval(7)", "CAST(day AS TIMESTAMP) - INTERVAL '7' DAY"),
        ("at + make_dt_interval(0, 48)", "at + INTERVAL '2' DAY"),
        ("day + make_ym_interval(0, -3)", "day - INTERVAL '3' MONTH"),
        ("at + INTERVAL 1 DAY", "at + INTERVAL '1' DAY"),
    ],
)
def test_an_interval_is_added_unit_by_unit(text: str, same: str) -> None:
    assert read(text).replace("t.", "") == same


@pytest.mark.parametrize(
    "text",
    [
        "at - INTERVAL '1 month 2 days'",
        "at - INTERVAL '1.5 days 2 hours'",
        "at - INTERVAL '1 day 2 days'",
        "at - INTERVAL '01:30:00.5' HOUR TO SECOND",
        "at - INTERVAL '01:30' HOUR TO SECOND",
        "at - INTERVAL '01:60' HOUR TO MINUTE",
        "at - INTERVAL '1-12' YEAR TO MONTH",
        "at - make_interval(0, 0, 0, n)",
        "at - make_interval(0, 0, 0, 0, 0, 0, 1.5)",
        "day - make_interval(0, 0, 0, 0, 6)",
        "n - make_ym_interval(0, 1)",
        "date_trunc('day', at) - make_interval(0, 0, 0, 0, 0, 0, 0, 1)",
    ],
)
def test_other_intervals_are_not_supported(text: str) -> None:
    with pytest.raises(
        Unsupported, match=r"an interval is supported only with|the function make_(ym_)?interval\(\) is not"
    ):
        read(text)


def test_a_sum_with_a_negative_part_is_left_as_it_is() -> None:
    assert "INTERVAL '-1' DAY + INTERVAL '2' HOURS" in read("at - INTERVAL -1 DAY 2 HOURS")


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("make_date(2024, 2, 29)", "CAST('2024-02-29' AS DATE)"),
        ("make_timestamp(2024, 2, 29, 23, 59, 58)", "CAST('2024-02-29 23:59:58' AS TIMESTAMP)"),
        ("to_date('31/12/2023', 'dd/MM/yyyy')", "CAST('2023-12-31' AS DATE)"),
        ("to_date('202402', 'yyyyMM')", "CAST('2024-02-01' AS DATE)"),
        (
            "to_timestamp('2024-02-01T10:20:30.500', \"yyyy-MM-dd'T'HH:mm:ss.SSS\")",
            "CAST('2024-02-01 10:20:30.500000' AS TIMESTAMP)",
        ),
    ],
)
def test_constants_are_read_where_the_result_is_certain(text: str, same: str) -> None:
    assert read(text) == same


@pytest.mark.parametrize(
    "text",
    [
        "to_timestamp('2024-02-01 10:20:30.5', 'yyyy-MM-dd HH:mm:ss.S')",
        "to_timestamp('1.2.2024', 'dd.MM.yyyy')",
        "to_timestamp('30.02.2024', 'dd.MM.yyyy')",
        "to_timestamp('10:20', 'HH:mm')",
        "make_date(2023, 2, 29)",
        "to_date('2011-12-30', 'yyyy-MM-dd')",  # Samoa had no such day, and Spark's answer is the next one
    ],
)
def test_other_constants_stay_calls(text: str) -> None:
    assert read(text).lower() == text.lower()
