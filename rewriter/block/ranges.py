"""Sets of values for which a SQL predicate is true: ordered intervals, with or without NULL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

Value = Any  # int, Fraction or str; all values of one set have the same type


class Bound(NamedTuple):
    """The lower or upper end of an interval: a value that is included if `closed`; None means unbounded."""

    value: Value | None
    closed: bool


class Interval(NamedTuple):
    """The values between a lower and an upper bound."""

    low: Bound
    high: Bound

    @property
    def empty(self) -> bool:
        """Whether the bounds exclude every value; False for an interval that is unbounded on a side."""
        if self.low.value is None or self.high.value is None:
            return False
        if self.low.value == self.high.value:
            return not (self.low.closed and self.high.closed)
        return bool(self.low.value > self.high.value)

    def meet(self, other: Interval) -> Interval:
        """Return the intersection of two intervals, which may be empty."""
        return Interval(max(self.low, other.low, key=_low), min(self.high, other.high, key=_high))

    def within(self, other: Interval) -> bool:
        """Return whether the interval `other` contains this interval."""
        if self.empty:
            return True
        (low, closed), (least, included) = self.low, other.low
        if least is not None and (low is None or low < least or (low == least and closed and not included)):
            return False
        (high, closed), (most, included) = self.high, other.high
        return most is None or (high is not None and (high < most or (high == most and (included or not closed))))


class _Infinite:
    """Minus or plus infinity (by `sign`), which compares less or greater than every other value."""

    def __init__(self, sign: int) -> None:
        self.sign = sign

    def __lt__(self, other: object) -> bool:
        return self.sign < 0 and other is not self

    def __gt__(self, other: object) -> bool:
        return self.sign > 0 and other is not self

    def __le__(self, other: object) -> bool:
        return self.sign < 0 or other is self

    def __ge__(self, other: object) -> bool:
        return self.sign > 0 or other is self


_LEAST, _MOST = _Infinite(-1), _Infinite(1)


def _low(bound: Bound) -> tuple[Any, int]:
    return (_LEAST if bound.value is None else bound.value, 0 if bound.closed else 1)


def _high(bound: Bound) -> tuple[Any, int]:
    return (_MOST if bound.value is None else bound.value, 1 if bound.closed else 0)


_UNBOUND = Bound(None, False)
EVERYTHING = Interval(_UNBOUND, _UNBOUND)


@dataclass(frozen=True)
class RangeSet:
    """A set of values: ordered disjoint intervals, with NULL if `null` is true.

    >>> low, high = RangeSet.compare(">", 5), RangeSet.compare("<=", 9)
    >>> low.meet(high).within(low), low.within(low.meet(high))
    (True, False)
    """

    intervals: tuple[Interval, ...]
    null: bool = False

    @staticmethod
    def compare(operator: str, value: Value) -> RangeSet:
        """Return the set of the values v for which `v operator value` is true.

        `compare("<", 5)` gives the values below 5, without NULL.
        """
        point = Bound(value, operator in ("=", "<=", ">="))
        if operator == "=":
            return RangeSet((Interval(point, point),))
        below, above = Interval(_UNBOUND, point), Interval(point, _UNBOUND)
        return RangeSet((below, above) if operator == "<>" else (below,) if operator in ("<", "<=") else (above,))

    @staticmethod
    def of(values: Iterable[Value]) -> RangeSet:
        """Return the set of exactly the values `values`, without NULL."""
        points = [Bound(value, True) for value in sorted(set(values))]
        return RangeSet(tuple(Interval(point, point) for point in points))

    @staticmethod
    def but(values: Iterable[Value]) -> RangeSet:
        """Return the set of all values except `values`, without NULL."""
        edges = [Bound(value, False) for value in (None, *sorted(set(values)), None)]
        return RangeSet(tuple(Interval(low, high) for low, high in pairwise(edges)))

    def closed_over_integers(self) -> RangeSet:
        """Return the set of the same integers with closed bounds, so that `x < 10` and `x <= 9` give equal sets."""
        return _union(map(_close, self.intervals), self.null, discrete=True)

    @staticmethod
    def joined(sets: Iterable[RangeSet]) -> RangeSet:
        """Return the union of any number of sets."""
        all_of_them = tuple(sets)
        intervals = (interval for one in all_of_them for interval in one.intervals)
        return _union(intervals, any(one.null for one in all_of_them))

    @staticmethod
    def met(sets: Sequence[RangeSet]) -> RangeSet:
        """Return the intersection of one or more sets."""
        middle = len(sets) // 2  # halving keeps the number of interval comparisons at n log n
        return RangeSet.met(sets[:middle]).meet(RangeSet.met(sets[middle:])) if middle else sets[0]

    def meet(self, other: RangeSet) -> RangeSet:
        """Return the intersection of this set and another."""
        return _union(_common(self.intervals, other.intervals), self.null and other.null)

    def complement(self) -> RangeSet:
        """Return the set of all values outside this set; NULL is included if this set excludes NULL.

        >>> RangeSet.compare("<", 5).complement() == RangeSet.joined([RangeSet.compare(">=", 5), ONLY_NULL])
        True
        """
        gaps: list[Interval] = []
        begin: Bound | None = Bound(None, False)
        for low, high in self.intervals:
            if low.value is not None and begin is not None:
                gaps.append(Interval(begin, Bound(low.value, not low.closed)))
            begin = Bound(high.value, not high.closed) if high.value is not None else None
        if begin is not None:
            gaps.append(Interval(begin, Bound(None, False)))
        return _union(gaps, not self.null)

    @property
    def empty(self) -> bool:
        """Whether the set has neither a value nor NULL."""
        return not self.intervals and not self.null

    def within(self, other: RangeSet) -> bool:
        """Return whether the set `other` contains this set."""
        if self.null and not other.null:
            return False
        rest = iter(other.intervals)
        theirs = next(rest, None)
        for mine in self.intervals:
            while theirs is not None and not mine.within(theirs):
                theirs = next(rest, None)
            if theirs is None:
                return False
        return True


ALL = RangeSet((EVERYTHING,), null=True)
NOT_NULL = RangeSet((EVERYTHING,))
ONLY_NULL = RangeSet((), null=True)


def _common(left: Sequence[Interval], right: Sequence[Interval]) -> Iterator[Interval]:
    """Yield the intersections of the intervals in `left` with the intervals in `right`, in ascending order.

    Both sequences are in ascending order. Some of the intersections may be empty.
    """
    i = j = 0
    while i < len(left) and j < len(right):
        yield left[i].meet(right[j])
        if _high(left[i].high) <= _high(right[j].high):
            i += 1
        else:
            j += 1


def _close(interval: Interval) -> Interval:
    low, high = interval
    if low.value is not None:
        floor = low.value.numerator // low.value.denominator
        low = Bound(floor if low.value == floor and low.closed else floor + 1, True)
    if high.value is not None:
        ceiling = -(-high.value.numerator // high.value.denominator)
        high = Bound(ceiling if high.value == ceiling and high.closed else ceiling - 1, True)
    return Interval(low, high)


def _union(intervals: Iterable[Interval], null: bool, discrete: bool = False) -> RangeSet:
    """Return the set of these intervals, and of NULL if `null` is true, with overlapping and adjacent intervals merged.

    `a.within(b)` relies on the merging, because `within` tests whether each interval of a lies within a single interval
    of b. With `discrete`, the values are integers, and [1, 2] and [3, 4] are adjacent.
    """
    found = [interval for interval in intervals if not interval.empty]
    if len(found) < 2:
        return RangeSet(tuple(found), null)
    merged: list[Interval] = []
    for interval in sorted(found, key=lambda i: _low(i.low)):
        if merged and _touches(merged[-1], interval, discrete):
            last = merged.pop()
            interval = Interval(last.low, max(last.high, interval.high, key=_high))
        merged.append(interval)
    return RangeSet(tuple(merged), null)


def _touches(left: Interval, right: Interval, discrete: bool) -> bool:
    high, low = left.high, right.low
    if high.value is None or low.value is None:
        return True
    if high.value == low.value:
        return high.closed or low.closed
    return bool(high.value > low.value) or (discrete and low.value == high.value + 1)
