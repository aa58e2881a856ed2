"""Bucket borders and the graph of grains, compared with arithmetic on real times."""

from __future__ import annotations

from datetime import datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from rewriter.timeseries import GRANULARITIES, is_border, rolls_up

times = st.datetimes(min_value=datetime(1900, 1, 1), max_value=datetime(2200, 1, 1))
grains = st.sampled_from(GRANULARITIES)
MINUTES = {"minute": 1, "five_minute": 5, "ten_minute": 10, "fifteen_minute": 15, "thirty_minute": 30}


def bucket(time: datetime, grain: str) -> datetime:
    """Return the begin of the bucket, computed in another way than the product does."""
    if grain == "second":
        return time.replace(microsecond=0)
    if grain in MINUTES:
        return time.replace(minute=time.minute // MINUTES[grain] * MINUTES[grain], second=0, microsecond=0)
    if grain == "hour":
        return time.replace(minute=0, second=0, microsecond=0)
    day = time.replace(hour=0, minute=0, second=0, microsecond=0)
    return {
        "day": day,
        "week": day - timedelta(days=day.weekday()),
        "month": day.replace(day=1),
        "quarter": day.replace(day=1, month=(day.month - 1) // 3 * 3 + 1),
        "year": day.replace(day=1, month=1),
    }[grain]


@given(times, grains)
def test_a_bucket_begins_at_a_border_and_nothing_else_is_one(time: datetime, grain: str) -> None:
    start = bucket(time, grain)
    assert is_border(start, grain)
    assert is_border(time, grain) == (time == start)


@given(times, times, grains, grains)
def test_what_rolls_up_never_splits_a_bucket(one: datetime, other: datetime, fine: str, coarse: str) -> None:
    if rolls_up(fine, coarse) and bucket(one, fine) == bucket(other, fine):
        assert bucket(one, coarse) == bucket(other, coarse)


def test_what_does_not_roll_up_has_a_counterexample() -> None:
    start = datetime(2024, 1, 1)
    for fine in GRANULARITIES:
        for coarse in GRANULARITIES:
            if rolls_up(fine, coarse):
                continue
            assert any(
                bucket(a, fine) == bucket(b, fine) and bucket(a, coarse) != bucket(b, coarse)
                for step, count in ((timedelta(seconds=1), 100), (timedelta(minutes=1), 100), (timedelta(days=1), 800))
                for a, b in ((start + step * n, start + step * (n + 1)) for n in range(count))
            ), (fine, coarse)
