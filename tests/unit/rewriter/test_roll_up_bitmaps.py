"""Distinct integers counted from bitmaps of finer groups; tests/golden/bitmaps.sql has the resulting SQL."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewriter import Reason
from tests.golden.corpus import GoldenFile, World, world

SCHEMA = "CREATE TABLE t (a STRING, b STRING, n INT, m INT, x DOUBLE)"
BITS = "bitmap_bucket_number({0}) AS u{0}, bitmap_construct_agg(bitmap_bit_position({0})) AS s{0}"
VIEWS = {
    "one": f"SELECT a, b, {BITS.format('n')} FROM t GROUP BY a, b, bitmap_bucket_number(n)",
    "two": f"SELECT a, {BITS.format('n')}, {BITS.format('m')} FROM t "
    "GROUP BY a, bitmap_bucket_number(n), bitmap_bucket_number(m)",
}


@pytest.fixture(scope="module")
def built() -> World:
    return world(GoldenFile(Path(), schema=SCHEMA, views=VIEWS))


def test_they_are_united_by_bucket_before_they_are_counted(built: World) -> None:
    (replacement,) = built.rewrite("SELECT b, count(DISTINCT n) FROM t GROUP BY b").replacements
    assert replacement.rule == "roll_up_bitmaps"
    assert replacement.text(None, {}).endswith("GROUP BY v.`b`, v.`un`) AS v GROUP BY v.`c0`")


def test_one_step_is_enough_where_no_bucket_is_repeated(built: World) -> None:
    (replacement,) = built.rewrite("SELECT b, a, count(DISTINCT n) FROM t GROUP BY a, b").replacements
    assert replacement.rule == "roll_up"


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SELECT count(DISTINCT n), count(DISTINCT m) FROM t", Reason.AGGREGATE_DOES_NOT_ROLL_UP),
        ("SELECT b, count(DISTINCT n) FROM t GROUP BY CUBE (b)", Reason.AGGREGATE_DOES_NOT_ROLL_UP),
        ("SELECT sum(DISTINCT n) FROM t", Reason.AGGREGATE_NOT_IN_VIEW),
        ("SELECT count(DISTINCT n, m) FROM t", Reason.AGGREGATE_NOT_IN_VIEW),
        ("SELECT count(DISTINCT n), max(x) FROM t", Reason.AGGREGATE_NOT_IN_VIEW),
    ],
)
def test_what_bitmaps_do_not_tell(built: World, query: str, reason: Reason) -> None:
    outcome = built.rewrite(query)
    assert not outcome.rewritten
    assert reason in {attempt.reason for attempt in outcome.tried}
