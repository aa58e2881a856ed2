"""Divides the values of a subject (an expression compared with constants) at these constants into points and gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

from rewriter.functions.types import INTEGERS
from rewriter.timeseries.bucket import TEMPORAL


@dataclass
class Line:
    """The constants with which a subject (an expression) is compared.

    The constants divide the subject's values into points and gaps. `kind` is the subject's type; `nullable` is true if
    the subject may be NULL; `points` are the constants.
    """

    kind: str
    nullable: bool
    points: set[Any] = field(default_factory=set)

    def places(self) -> Sequence[Any]:
        """Return the points, a Gap between neighbouring points and at both ends, and None if the subject may be NULL.

        The points 3 and 7 of a BIGINT give 3, 7, and the gaps below 3, between 3 and 7, and above 7. A gap without
        values is omitted, as between the integers 3 and 4.
        """
        if self.kind == "boolean":
            return [0, 1, *([None] if self.nullable else [])]
        points = sorted(self.points)
        ends: list[Any] = [None, *points, None]
        gaps = [(low, high) for low, high in pairwise(ends) if self._inhabited(low, high)]
        held = [point for point in points if not self._discrete or Fraction(point).denominator == 1]
        return [*held, *map(Gap, gaps), *([None] if self.nullable else [])]

    @property
    def _discrete(self) -> bool:
        return self.kind in INTEGERS or self.kind in TEMPORAL

    def _inhabited(self, low: Any, high: Any) -> bool:
        return not self._discrete or low is None or high is None or _between(low, high)


def _between(low: Any, high: Any) -> bool:
    """Return whether there is an integer strictly between two numbers: True for 3 and 5, False for 3 and 4."""
    return Fraction(low).__floor__() + 1 < Fraction(high)


class Gap:
    """The values strictly between two neighbouring points, `ends`; the gap is unbounded where an end is None."""

    def __init__(self, ends: tuple[Any, Any]) -> None:
        self.low, self.high = ends

    def compare(self, operator: str, point: Any) -> bool:
        """Return whether a comparison with a point, such as `< 7`, is true for all values of the gap.

        A gap contains no point, so that `=` is always false.
        """
        below = self.high is not None and self.high <= point
        return {"=": False, "<>": True, "<": below, "<=": below, ">": not below, ">=": not below}[operator]

    def __str__(self) -> str:
        return f"between {self.low} and {self.high}"


def compare(place: Any, operator: str, point: Any) -> bool:
    """Return whether the comparison `place operator point` is true, such as `3 < 7`.

    `place` is a constant or a Gap. For a Gap, return whether the comparison is true for all of its values.
    """
    if isinstance(place, Gap):
        return place.compare(operator, point)
    return bool(
        {
            "=": place == point, "<>": place != point, "<": place < point,
            "<=": place <= point, ">": place > point, ">=": place >= point,
        }[operator]
    )  # fmt: skip
