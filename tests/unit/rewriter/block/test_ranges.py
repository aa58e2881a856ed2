"""Sets of values, compared with brute force over a short line of values."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from rewriter.block.ranges import ALL, NOT_NULL, ONLY_NULL, RangeSet

LINE = [Fraction(n, 2) for n in range(-2, 15)]
TESTS = {
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}

atoms = st.tuples(st.sampled_from(sorted(TESTS)), st.integers(0, 6))
sets = st.lists(atoms, min_size=1, max_size=8).map(lambda tests: [RangeSet.compare(*test) for test in tests])
trees = st.recursive(atoms, lambda inner: st.tuples(st.sampled_from(["and", "or"]), inner, inner), max_leaves=6)


def _set(tree: tuple[Any, ...]) -> RangeSet:
    if tree[0] == "and":
        return _set(tree[1]).meet(_set(tree[2]))
    if tree[0] == "or":
        return RangeSet.joined((_set(tree[1]), _set(tree[2])))
    return RangeSet.compare(tree[0], tree[1])


def _values(tree: tuple[Any, ...], line: list[Fraction]) -> set[Fraction]:
    if tree[0] == "and":
        return _values(tree[1], line) & _values(tree[2], line)
    if tree[0] == "or":
        return _values(tree[1], line) | _values(tree[2], line)
    return {v for v in line if TESTS[tree[0]](v, tree[1])}


@given(trees, trees)
def test_containment_is_that_of_the_values(mine: tuple[Any, ...], theirs: tuple[Any, ...]) -> None:
    assert _set(mine).within(_set(theirs)) == (_values(mine, LINE) <= _values(theirs, LINE))


@given(trees, trees)
def test_over_integers_open_bounds_are_closed_ones(mine: tuple[Any, ...], theirs: tuple[Any, ...]) -> None:
    whole = [v for v in LINE if v.denominator == 1]
    closed = _set(mine).closed_over_integers().within(_set(theirs).closed_over_integers())
    assert closed == (_values(mine, whole) <= _values(theirs, whole))


@given(st.lists(st.integers(0, 6)))
def test_a_list_of_values_is_as_one_by_one(values: list[int]) -> None:
    assert RangeSet.of(values) == RangeSet.joined(RangeSet.compare("=", value) for value in values)
    assert RangeSet.but(values) == reduce(RangeSet.meet, (RangeSet.compare("<>", v) for v in values), NOT_NULL)


@given(sets)
def test_many_sets_meet_as_one_by_one(many: list[RangeSet]) -> None:
    assert RangeSet.met(many) == reduce(RangeSet.meet, many)


def test_a_long_list_takes_a_few_steps_for_each_value() -> None:
    """A client's NOT IN with a long list is as many sets of two intervals as it has values."""
    steps = 0

    class Counted(int):
        def __lt__(self, other: object) -> bool:
            nonlocal steps
            steps += 1
            return int.__lt__(self, other) if isinstance(other, int) else NotImplemented

    values = [Counted(3 * n) for n in range(1000)]
    listed = RangeSet.met([RangeSet.compare("<>", value) for value in values])
    assert len(listed.intervals) == 1001
    assert listed.within(listed)
    assert steps < 200 * len(values)


def test_null_belongs_only_where_it_is_said() -> None:
    assert ONLY_NULL.within(ALL)
    assert not ALL.within(NOT_NULL)
    assert not ONLY_NULL.within(NOT_NULL)
    assert ALL.within(RangeSet.joined((ONLY_NULL, NOT_NULL)))
    assert RangeSet.joined((RangeSet.compare("<", 3), ONLY_NULL)).null
    assert not RangeSet.compare("<", 3).meet(ONLY_NULL).null
