"""Whether two filters keep the same rows, by cells.

The constants that a column is compared with cut its values into points, gaps and NULL: within one of these cells no
comparison changes. A filter is evaluated in each cell of the product of its columns, unknown counted as such. What is
no comparison with a constant is a truth value of its own, true, false or unknown: then equal filters are proved, and a
difference proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from fractions import Fraction
from itertools import pairwise, product
from typing import Any, NamedTuple

from sqlglot import exp

from rewriter.block import Block
from rewriter.block.predicates import literal_value
from rewriter.block.traits import is_constant
from rewriter.block.words import words
from rewriter.functions.types import INTEGERS
from rewriter.match.bounds import divides, is_unknown, next_begin
from rewriter.schema import UNKNOWN, expression_type
from rewriter.sql import operands
from rewriter.sql.operators import COMPARING
from rewriter.timeseries import as_bucket, border_behind, day_source, floor, is_fixed_offset, next_border, read_moment
from rewriter.timeseries.bucket import TEMPORAL

Tree = exp.Expr
Truth = bool | None
# What is known in one cell: the place of each subject on its line (None for NULL), and the other truths.
Cell = Mapping[Tree, Any]
Test = Callable[[Cell], Truth]

MOST_CELLS = 4096
_MIRRORED = {"=": "=", "<>": "<>", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_MICROS = 1_000_000
_DAY = 86_400 * _MICROS


@dataclass
class Line:
    """The points that cut the values of one subject; `discrete` where no value lies between neighbours."""

    kind: str
    nullable: bool
    points: set[Any] = field(default_factory=set)

    def places(self) -> Sequence[Any]:
        """The cells: a point as itself, a gap as a pair of its ends, NULL as None."""
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
    """Whether a whole number lies between two numbers."""
    return Fraction(low).__floor__() + 1 < Fraction(high)


class Gap:
    """The values between two neighbouring points; an end of None is infinity."""

    def __init__(self, ends: tuple[Any, Any]) -> None:
        self.low, self.high = ends

    def compare(self, operator: str, point: Any) -> bool:
        """Whether a comparison with a point is true of all these values."""
        below = self.high is not None and self.high <= point
        return {"=": False, "<>": True, "<": below, "<=": below, ">": not below, ">=": not below}[operator]

    def __str__(self) -> str:
        return f"between {self.low} and {self.high}"


def _compare(place: Any, operator: str, point: Any) -> bool:
    if isinstance(place, Gap):
        return place.compare(operator, point)
    return bool(
        {
            "=": place == point, "<>": place != point, "<": place < point,
            "<=": place <= point, ">": place > point, ">=": place >= point,
        }[operator]
    )  # fmt: skip


class Conjunct(NamedTuple):
    """A test of cells, and what of them it reads."""

    test: Test
    reads: frozenset[Tree]


class Filter:
    """The conjuncts of a filter as tests of cells."""

    def __init__(self, block: Block, zone: str) -> None:
        self.block, self.zone = block, zone
        self.lines: dict[Tree, Line] = {}
        self._read: set[Tree] = set()

    def conjunct(self, tree: Tree) -> Conjunct:
        """A predicate with the subjects and truths that it reads."""
        self._read = set()
        test = self.read(tree)
        return Conjunct(test, frozenset(self._read))

    def read(self, tree: Tree) -> Test:
        """A predicate as a test."""
        if isinstance(tree, exp.And | exp.Or):
            parts = [self.read(part) for part in operands(tree, type(tree))]
            return _all(parts) if isinstance(tree, exp.And) else _any(parts)
        if isinstance(tree, exp.Not):
            inner = self.read(tree.this)
            return lambda cell: None if (truth := inner(cell)) is None else not truth
        if isinstance(tree, exp.Boolean):
            value = bool(tree.this)
            return lambda cell: value
        if isinstance(tree, exp.Is) and isinstance(tree.expression, exp.Null):
            return self._is_null(tree.this)
        if isinstance(tree, exp.In) and tree.expressions:
            return _any([self.read(exp.EQ(this=tree.this, expression=value)) for value in tree.expressions])
        operator = COMPARING.get(type(tree))
        return (self._comparison(tree, operator) if operator is not None else None) or self._truth(tree)

    def _is_null(self, subject: Tree) -> Test:
        bucket, day = as_bucket(subject), day_source(subject)
        if bucket is not None or (day is not None and self._kind(day) in TEMPORAL):
            return self._is_null(bucket.source if bucket is not None else day)  # type: ignore[arg-type]
        self._line(subject, self._kind(subject))
        return lambda cell: cell[subject] is None

    def _kind(self, tree: Tree) -> str:
        return expression_type(tree, self.block)

    def _line(self, subject: Tree, kind: str) -> Line:
        self._read.add(subject)
        if subject not in self.lines:
            declared = self.block.type_of(subject)
            self.lines[subject] = Line(kind, declared is None or declared.nullable)
        return self.lines[subject]

    def _comparison(self, tree: Tree, operator: str) -> Test | None:
        subject, literal = tree.this, tree.expression
        if is_constant(subject) and not is_constant(literal):
            subject, literal, operator = literal, subject, _MIRRORED[operator]
        bucket, day = as_bucket(subject), day_source(subject)
        if is_unknown(literal):
            return self._unknown(subject, operator, literal)
        if bucket is not None:
            return self._bucketed(bucket.source, bucket.grain, bucket.type, operator, literal)
        if day is not None and (kind := self._kind(day)) in ("timestamp", "timestamp_ntz"):
            return self._bucketed(day, "day", kind, operator, literal, dates=True)
        kind = self._kind(subject)
        value = self._value(literal, kind)
        if value is None or kind == UNKNOWN:
            return None
        return self._at(subject, kind, operator, value)

    def _value(self, literal: Tree, kind: str) -> Any | None:
        plain = kind in INTEGERS or kind in TEMPORAL or kind == "string" or kind.startswith("decimal(")
        return literal_value(literal, kind, self.zone) if plain else None

    def _at(self, subject: Tree, kind: str, operator: str, point: Any) -> Test:
        self._line(subject, kind).points.add(point)
        return lambda cell: None if cell[subject] is None else _compare(cell[subject], operator, point)

    def _bucketed(
        self, source: Tree, grain: str, kind: str, operator: str, literal: Tree, *, dates: bool = False
    ) -> Test | None:
        """A comparison of a bucket as one of the time.

        law: bucket(t) < b is t < the first border from b on; bucket(t) <= b is t < the first border behind b
        """
        text = literal.this if isinstance(literal, exp.Cast) else literal
        value = self._value(literal, "date" if dates else kind)
        moment = read_moment(text.name, None) if isinstance(text, exp.Literal) and text.is_string else None
        if value is None or moment is None or (kind == "timestamp" and not is_fixed_offset(self.zone)):
            return None
        try:
            at, behind = border_behind(moment.wall, grain), next_border(floor(moment.wall, grain), grain)
        except (ValueError, OverflowError):  # behind the year 9999
            return None
        if dates and kind == "timestamp":
            whole = self._value(exp.Literal.string(f"{moment.wall.date().isoformat()} 00:00:00"), kind)
            value = whole if whole is not None else value
        elif dates:
            value = value * _DAY
        unit = _DAY if kind == "date" else 1
        low, high = (value + ((border - moment.wall) // _MICROSECOND) // unit for border in (at, behind))
        aligned = at == moment.wall
        below, upto = self._at(source, kind, "<", low), self._at(source, kind, "<", high)
        equal = _all([self._at(source, kind, ">=", low), upto]) if aligned else _all([below, _negation(below)])
        return {"<": below, ">=": _negation(below), "<=": upto, ">": _negation(upto)}.get(operator) or (
            equal if operator == "=" else _negation(equal)
        )

    def _unknown(self, subject: Tree, operator: str, bound: Tree) -> Test | None:
        """A comparison of a time with a bound that is known only when the statement runs.

        law: bucket(t) >= b is t >= b, and bucket(t) < b is t < b, where a bucket begins at b; a date is a day's bucket
        """
        bucket, day = as_bucket(subject), day_source(subject)
        source, grain, kind = subject, "", self._kind(subject)
        if bucket is not None:
            source, grain, kind = bucket
        elif day is not None and self._kind(day) in ("timestamp", "timestamp_ntz"):
            source, grain, kind = day, "day", self._kind(day)
            bound = day_source(bound) or bound
        kinds = {"<": exp.LT, "<=": exp.LTE, ">": exp.GT, ">=": exp.GTE}
        if operator not in kinds or kind not in TEMPORAL:
            return None
        if grain and not divides(kinds[operator](this=source, expression=bound), grain, kind, self.zone):
            return None
        base = exp.LT if operator in ("<", ">=") else exp.LTE
        atom = base(this=source, expression=bound)
        self._read.add(atom)
        test: Test = lambda cell: cell[atom]  # noqa: E731
        return test if operator in ("<", "<=") else _negation(test)

    def _truth(self, tree: Tree) -> Test:
        """A predicate that is no comparison with a constant: whatever it gives."""
        if isinstance(tree, exp.NEQ):
            return _negation(self._truth(exp.EQ(this=tree.this, expression=tree.expression)))
        self._read.add(tree)
        return lambda cell: cell[tree]


_MICROSECOND = timedelta(microseconds=1)


def _negation(test: Test) -> Test:
    return lambda cell: None if (truth := test(cell)) is None else not truth


def _all(tests: Sequence[Test]) -> Test:
    def test(cell: Cell) -> Truth:
        truths = [each(cell) for each in tests]
        return False if False in truths else None if None in truths else True

    return test


def _any(tests: Sequence[Test]) -> Test:
    def test(cell: Cell) -> Truth:
        truths = [each(cell) for each in tests]
        return True if True in truths else None if None in truths else False

    return test


@dataclass(frozen=True)
class Difference:
    """Why two filters are not proved equal: `certain` where a row in the cell would be kept by the one alone."""

    cell: str
    certain: bool


def difference(
    left: Sequence[Tree], right: Sequence[Tree], block: Block, zone: str, never_null: Iterable[Tree] = ()
) -> Difference | None:
    """How two conjunctions differ; None where they are true of the same rows.

    >>> from rewriter.model import Column, TableName
    >>> from rewriter.block import Occurrence
    >>> block = Block((Occurrence("t", TableName(("t",)), "t", (Column("x", "int"),)),), (), (), ())
    >>> x = exp.column("x", "t")
    >>> difference([x > 9], [x >= 10], block, "UTC")
    >>> str(difference([x > 9], [x > 10], block, "UTC").cell)
    't.x = 10'
    """
    mine, theirs = set(left), set(right)
    if mine == theirs:
        return None
    filters = Filter(block, zone)
    conjuncts = {tree: filters.conjunct(tree) for tree in dict.fromkeys((*left, *right))}
    for subject in never_null:
        if subject in filters.lines:
            filters.lines[subject].nullable = False
    concerned = _connected(conjuncts, mine ^ theirs)
    reads = dict.fromkeys(each for tree in concerned for each in conjuncts[tree].reads)
    lines = {subject: filters.lines[subject] for subject in reads if subject in filters.lines}
    truths = [each for each in reads if each not in filters.lines]
    kept = (_all([conjuncts[tree].test for tree in concerned if tree in side]) for side in (mine, theirs))
    return _search(lines, truths, *kept)


def _search(subjects: Mapping[Tree, Line], truths: Sequence[Tree], mine: Test, theirs: Test) -> Difference | None:
    axes: list[Sequence[Any]] = [line.places() for line in subjects.values()]
    axes += [(True, False, None)] * len(truths)
    size = 1
    for axis in axes:
        size *= len(axis)
    if size > MOST_CELLS:
        return Difference(f"{size} cells are too many to compare", certain=False)
    names = [*subjects, *truths]
    follow = [(one, other) for one in truths for other in truths if one != other and _follows(one, other)]
    for places in product(*axes):
        cell = dict(zip(names, places, strict=True))
        if any(
            (cell[one] is None) != (cell[other] is None) or (cell[one] and not cell[other]) for one, other in follow
        ):
            continue  # no time is before a bound and not before a later one
        if (mine(cell) is True) != (theirs(cell) is True):
            certain = not truths and all(isinstance(subject, exp.Column) for subject in subjects)
            return Difference(" and ".join(_told(subject, place) for subject, place in cell.items()), certain)
    return None


def _follows(one: Tree, other: Tree) -> bool:
    """Whether a time before one bound is before another: of a bound, and the begin or the end of its bucket."""
    if type(one) not in (exp.LT, exp.LTE) or type(other) not in (exp.LT, exp.LTE) or one.this != other.this:
        return False
    early, late = one.expression, other.expression
    if early == late:
        return isinstance(one, exp.LT)
    begun, ended = as_bucket(early), as_bucket(late.this) if isinstance(late, exp.Add) else None
    if begun is not None and _same_time(begun.source, late):
        return isinstance(one, exp.LT) or isinstance(other, exp.LTE)
    if ended is None or not _same_time(ended.source, early):
        return False
    ends = (next_begin(begin, ended.grain, ended.type) for begin in (early, ended.source))
    return any(late == end for end in ends)


def _same_time(one: Tree, other: Tree) -> bool:
    return one == other or (isinstance(one, exp.Cast) and one.this == other)


def _told(subject: Tree, place: Any) -> str:
    sign = "" if isinstance(place, Gap) else "= "
    return f"{words(subject) if not isinstance(subject, exp.Column) else subject.sql()} {sign}{place}"


def _connected(conjuncts: Mapping[Tree, Conjunct], different: set[Tree]) -> list[Tree]:
    """The conjuncts that differ, and all that are connected with them by what they read."""
    found, reached = set(different), set[Tree]().union(*(conjuncts[tree].reads for tree in different))
    while True:
        more = {t for t, each in conjuncts.items() if t not in found and not reached.isdisjoint(each.reads)}
        if not more:
            return [tree for tree in conjuncts if tree in found]
        found |= more
        reached = reached.union(*(conjuncts[tree].reads for tree in more))


def disjoint(left: Sequence[Tree], right: Sequence[Tree], block: Block, zone: str) -> Difference | None:
    """A cell in which both of two conjunctions are true; None where there is none."""
    return difference([*left, *right], [exp.false()], block, zone)


def disjunction(sides: Sequence[Sequence[Tree]]) -> Iterator[Tree]:
    """The conjuncts of what is true where one of several conjunctions is."""
    common = [tree for tree in sides[0] if all(tree in side for side in sides[1:])]
    yield from common
    rests = [[tree for tree in side if tree not in common] for side in sides]
    if all(rests):
        yield _joined(exp.Or, [_joined(exp.And, rest) for rest in rests])


def _joined(kind: type[Tree], parts: Sequence[Tree]) -> Tree:
    tree = parts[0]
    for part in parts[1:]:
        tree = kind(this=tree, expression=part)
    return tree
