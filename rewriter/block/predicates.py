"""A block's WHERE taken apart: column equalities, one set of values per subject, and the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from sqlglot import exp

from rewriter.block.equivalence import Equivalence
from rewriter.block.form import Block, remembered
from rewriter.block.meaning import meaning
from rewriter.block.ranges import ALL, NOT_NULL, ONLY_NULL, RangeSet
from rewriter.block.vocabulary import CAST_TYPES
from rewriter.functions.types import DIGITS, INTEGERS, MAX_PRECISION
from rewriter.model import Column
from rewriter.sql import operands
from rewriter.sql.operators import COMPARING
from rewriter.timeseries.bucket import TEMPORAL, as_bucket
from rewriter.timeseries.literals import read_moment

Tree = exp.Expr

_NEGATED = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_SECONDS_A_DAY = 86_400


class Predicates:
    """The conjuncts of a block, sorted by what can be said about them.

    `pairs` are equalities of two columns that make one stand for the other: of the same type, which is
    neither floating point (0.0 = -0.0) nor of unknown collation. `ranges` gives each subject
    (a column's class, or a bucket of one) the set of values that all conjuncts leave it.
    """

    def __init__(self, block: Block, conjuncts: Iterable[Tree], zone: str) -> None:
        self.block, self.zone = block, zone
        self.conjuncts = tuple(conjuncts)
        equalities = [(conjunct, equated(conjunct, block)) for conjunct in self.conjuncts]
        self.pairs = tuple(pair for _, pair in equalities if pair is not None)
        self.equivalence = Equivalence(self.pairs)
        self.ranges: dict[Tree, RangeSet] = {}
        self.residuals: set[Tree] = set()
        self._sort([self.equivalence.normalize(conjunct) for conjunct, pair in equalities if pair is None])

    def _sort(self, conjuncts: Iterable[Tree]) -> None:
        """Into ranges, all of one subject at once, and the rest."""
        sets: dict[Tree, list[RangeSet]] = {}
        for conjunct in conjuncts:
            ranged = _range(self.block, conjunct, self.zone)
            if ranged is None:
                self.residuals.add(meaning(conjunct))
            else:
                sets.setdefault(ranged[0], []).append(ranged[1])
        for subject, values in sets.items():
            self.ranges[subject] = RangeSet.met([self.values(subject), *values])

    def values(self, subject: Tree) -> RangeSet:
        """The values that the subject can have where all conjuncts are true."""
        known = self.ranges.get(subject)
        if known is not None:
            return known
        if isinstance(subject, exp.Column):
            declared = self.block.type_of(subject)
            joined = len(self.equivalence.members(subject)) > 1
            if joined or (declared is not None and not declared.nullable):
                return NOT_NULL
        return ALL

    def pins(self, subject: Tree) -> bool:
        """Whether the subject has one value where all conjuncts are true."""
        values = self.values(subject)
        if values == ONLY_NULL:
            return True
        if values.null or len(values.intervals) != 1:
            return False
        ((low, high),) = values.intervals
        return low.value is not None and low == high

    def implies(self, conjunct: Tree) -> bool:
        """Whether a conjunct is true wherever all of these are."""
        pair = equated(conjunct, self.block)
        if pair is not None:
            return self.equivalence.same(*pair)
        conjunct = self.equivalence.normalize(conjunct)
        if self.residuals and meaning(conjunct) in self.residuals:
            return True
        ranged = _range(self.block, conjunct, self.zone)
        return ranged is not None and self.values(ranged[0]).within(ranged[1])


@remembered
def predicates_of(block: Block, zone: str) -> Predicates:
    """The predicates of a block's own WHERE."""
    return Predicates(block, block.where, zone)


def equated(conjunct: Tree, block: Block) -> tuple[Tree, Tree] | None:
    """The two columns that an equality makes interchangeable."""
    if not isinstance(conjunct, exp.EQ):
        return None
    left, right = block.type_of(conjunct.this), block.type_of(conjunct.expression)
    if left is None or right is None or left.type != right.type or not _interchangeable(left.type):
        return None
    return (conjunct.this, conjunct.expression) if conjunct.this != conjunct.expression else None


def _interchangeable(kind: str) -> bool:
    return kind in INTEGERS or kind in TEMPORAL or kind in ("string", "boolean") or kind.startswith("decimal(")


def range_of(conjunct: Tree, block: Block, zone: str) -> tuple[Tree, RangeSet] | None:
    """A predicate as a set of values of one subject; None if it is not of that form."""
    if isinstance(conjunct, exp.And | exp.Or):
        parts = (range_of(operand, block, zone) for operand in operands(conjunct, type(conjunct)))
        return _folded(parts, meet=isinstance(conjunct, exp.And))
    if isinstance(conjunct, exp.Not):
        return _negated(conjunct.this, block, zone)
    if isinstance(conjunct, exp.Is) and isinstance(conjunct.expression, exp.Null):
        return (conjunct.this, ONLY_NULL) if _domain(conjunct.this, block) else None
    if isinstance(conjunct, exp.In):
        return _listed(conjunct, RangeSet.of, block, zone)
    operator = COMPARING.get(type(conjunct))
    return _compared(conjunct.this, operator, conjunct.expression, block, zone) if operator else None


@remembered
def _range(block: Block, conjunct: Tree, zone: str) -> tuple[Tree, RangeSet] | None:
    return range_of(conjunct, block, zone)


def _negated(inner: Tree, block: Block, zone: str) -> tuple[Tree, RangeSet] | None:
    """NOT pushed down to the comparison: where that is unknown, so is its negation."""
    if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
        return (inner.this, NOT_NULL) if _domain(inner.this, block) else None
    if isinstance(inner, exp.Not):
        return range_of(inner.this, block, zone)
    if isinstance(inner, exp.And | exp.Or):
        negated = (_negated(operand, block, zone) for operand in operands(inner, type(inner)))
        return _folded(negated, meet=isinstance(inner, exp.Or))
    if isinstance(inner, exp.In):
        return _listed(inner, RangeSet.but, block, zone)
    operator = COMPARING.get(type(inner))
    return _compared(inner.this, _NEGATED[operator], inner.expression, block, zone) if operator else None


def _listed(
    node: Tree, set_of: Callable[[list[Any]], RangeSet], block: Block, zone: str
) -> tuple[Tree, RangeSet] | None:
    """IN, by its values; but among texts it looks for a time's text where ANSI mode is off."""
    kind = _domain(node.this, block)
    if kind is None or not node.expressions:
        return None
    if kind in ("timestamp", "timestamp_ntz") and any(v.is_string for v in node.expressions):
        return None
    listed = [literal_value(value, kind, zone) for value in node.expressions]
    return (node.this, _within_type(set_of(listed), kind)) if None not in listed else None


def _folded(parts: Iterable[tuple[Tree, RangeSet] | None], meet: bool) -> tuple[Tree, RangeSet] | None:
    """One set of values of one subject."""
    subject: Tree | None = None
    sets: list[RangeSet] = []
    for part in parts:
        if part is None or (subject is not None and part[0] != subject):
            return None
        subject = part[0]
        sets.append(part[1])
    if subject is None:
        return None
    return subject, RangeSet.met(sets) if meet else RangeSet.joined(sets)


def _compared(
    subject: Tree, operator: str | None, literal: Tree, block: Block, zone: str
) -> tuple[Tree, RangeSet] | None:
    kind = _domain(subject, block)
    if kind is None or operator is None:
        return None
    value = literal_value(literal, kind, zone)
    if value is None:
        return None
    return subject, _within_type(RangeSet.compare(operator, value), kind)


def _within_type(values: RangeSet, kind: str) -> RangeSet:
    return values.closed_over_integers() if kind in INTEGERS or kind == "date" else values


def _domain(subject: Tree, block: Block) -> str | None:
    """The type that a subject's values are compared in: that of a column, or of a bucket of one."""
    column: Column | None = block.type_of(subject)
    if column is not None:
        return column.type if _interchangeable(column.type) and column.type != "boolean" else None
    bucket = as_bucket(subject)
    return bucket.type if bucket else None


def literal_value(literal: Tree, kind: str, zone: str) -> Any | None:
    """A constant as a point on the line of a type; None if Spark would not compare it in just that type."""
    sign = 1
    if isinstance(literal, exp.Neg):
        literal, sign = literal.this, -1
    typed = None
    if isinstance(literal, exp.Cast) and not literal.args.get("safe"):
        typed, literal = CAST_TYPES.get(literal.to.this), literal.this
    if not isinstance(literal, exp.Literal):
        return None
    if kind in INTEGERS or kind.startswith("decimal("):
        plain = not literal.is_string and typed is None and literal.name.replace(".", "", 1).isdigit()
        return Fraction(literal.name) * sign if plain and _is_exact(literal.name, kind) else None
    if sign < 0 or not literal.is_string:
        return None
    if kind == "string":
        return literal.name if typed is None else None
    return _moment_value(literal.name, typed, kind, zone)


def _is_exact(number: str, kind: str) -> bool:
    """Whether a number has a place in the DECIMAL that it is compared in: else Spark rounds it to one that has."""
    precision, scale = map(int, kind[8:-1].split(",")) if kind not in DIGITS else (DIGITS[kind], 0)
    whole, _, fraction = number.partition(".")
    return max(precision - scale, len(whole.lstrip("0"))) + max(scale, len(fraction)) <= MAX_PRECISION


def _moment_value(text: str, typed: str | None, kind: str, zone: str) -> int | None:
    """A date as days, a time as microseconds; in the types in which no coercion of the column happens."""
    moment = read_moment(text, zone if kind == "timestamp" else None)
    if moment is None or typed not in (None, kind, "date"):
        return None
    whole_day = moment.wall.time().isoformat() == "00:00:00"
    if kind == "date":
        # A text with a time of day is not read as a date everywhere, and a DATE is compared as one.
        return moment.micros // (_SECONDS_A_DAY * 1_000_000) if whole_day and len(text) == 10 else None
    if typed == "date" and not (whole_day and len(text.strip()) == 10):
        return None
    return moment.micros
