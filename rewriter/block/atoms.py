"""Converts a predicate over one subject to the set of the subject's values for which the predicate is true.

A subject is a column, or an expression of a column whose values can be ordered, such as a time bucket.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sqlglot import exp

from rewriter.block.form import Block
from rewriter.block.lines import Line, line_of
from rewriter.block.points import listed_alone
from rewriter.block.ranges import NOT_NULL, ONLY_NULL, Bound, Interval, RangeSet
from rewriter.functions.types import FRACTIONS, INTEGERS
from rewriter.sql import operands
from rewriter.sql.operators import COMPARING
from rewriter.timeseries import as_bucket

Tree = exp.Expr
# The subject of a predicate, and the set of the subject's values for which the predicate is true.
Ranged = tuple[Tree, RangeSet]

_NEGATED = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
# The comparisons of floating-point numbers that are read as sets. Others are left out, because Spark orders NaN above
# every number and treats 0.0 and -0.0 as equal.
_OF_FLOATS = ("=", "<", "<=")
_WILDCARDS = frozenset("%_\\")
_BOOLEANS = RangeSet((Interval(Bound(0, True), Bound(1, True)),))


def range_of(conjunct: Tree, block: Block, zone: str, *, through: bool = False) -> Ranged | None:
    """Return the subject of a predicate, and the set of the subject's values for which the predicate is true.

    `n > 3` gives the subject n and the values above 3. A subject is a column, or an expression of one column such as a
    time bucket. Return None if the predicate has more than one subject or an unsupported form. `block` is the block of
    the predicate, and `zone` the session's time zone. With `through`, the subject of a predicate over
    `CAST(ts AS DATE)`, `date_trunc('month', ts)` or `year(ts)` is ts, if the zone has a fixed offset:
    `CAST(ts AS DATE) = DATE '2024-01-01'` gives ts and the times of that day. Without `through`, the subject is a
    bucket such as `date_trunc('month', ts)` itself, and predicates over dates and years of times are unsupported.
    """
    return _Reader(block, zone, through).read(conjunct)


class _Reader:
    """A converter of the predicates of one block to sets of values."""

    def __init__(self, block: Block, zone: str, through: bool) -> None:
        self.block, self.zone, self.through = block, zone, through

    def read(self, tree: Tree) -> Ranged | None:
        if isinstance(tree, (exp.And, exp.Or)):
            parts = map(self.read, operands(tree, type(tree)))
            return self._folded(parts, meet=isinstance(tree, exp.And))
        if isinstance(tree, exp.Not):
            return self._negated(tree.this)
        if isinstance(tree, exp.Is):
            return self._is(tree)
        if isinstance(tree, exp.In):
            return self._listed(tree, RangeSet.of)
        if isinstance(tree, exp.NullSafeEQ):
            return self._same(tree)
        if (prefix := prefix_of(tree)) is not None and prefix[2]:
            return self._begun(prefix[0], prefix[1])
        operator = COMPARING.get(type(tree))
        return self._compared(tree.this, operator, tree.expression) if operator else self._flag(tree, RangeSet.of([1]))

    def _negated(self, inner: Tree) -> Ranged | None:
        """Return the subject of a predicate `inner`, and the set of values for which NOT `inner` is true.

        NOT is pushed down to the comparisons, so that values for which `inner` is unknown (NULL) are not in the set.
        Return None if the form of `inner` is unsupported.
        """
        if isinstance(inner, exp.Not):
            return self.read(inner.this)
        if isinstance(inner, (exp.And, exp.Or)):
            parts = map(self._negated, operands(inner, type(inner)))
            return self._folded(parts, meet=isinstance(inner, exp.Or))
        if isinstance(inner, (exp.Is, exp.NullSafeEQ)):
            return self._complement(inner)
        if isinstance(inner, exp.In):
            return self._listed(inner, RangeSet.but)
        if (prefix := prefix_of(inner)) is not None:
            return self._begun(prefix[0], prefix[1], otherwise=True) if prefix[2] else None
        operator = COMPARING.get(type(inner))
        if operator is not None:
            return self._compared(inner.this, _NEGATED[operator], inner.expression)
        return self._flag(inner, RangeSet.of([0]))

    def _complement(self, inner: Tree) -> Ranged | None:
        """Return the subject of `inner`, an IS or `<=>` predicate, and the set of values for which `inner` is false.

        IS and `<=>` are never unknown, so that the result is the complement of the set for which `inner` is true.
        Return None if the form of `inner` is unsupported.
        """
        found = self.read(inner)
        line = self._line(found[0]) if found is not None else None
        if found is None or line is None or line.kind in FRACTIONS:
            return None
        return found[0], _within_type(found[1].complement(), line.kind)

    def _is(self, tree: exp.Is) -> Ranged | None:
        if isinstance(tree.expression, exp.Boolean):
            return self.read(tree.this) if tree.expression.this else self._negated(tree.this)
        return self._through(self._line(tree.this), ONLY_NULL) if isinstance(tree.expression, exp.Null) else None

    def _same(self, tree: exp.NullSafeEQ) -> Ranged | None:
        if isinstance(tree.expression, exp.Null):
            return self._through(self._line(tree.this), ONLY_NULL)
        return self._compared(tree.this, "=", tree.expression)

    def _flag(self, tree: Tree, values: RangeSet) -> Ranged | None:
        """Return the subject of a BOOLEAN column or coalesce(), `tree`, and the subject's values that give `values`.

        For a column b, `values` is {1} (TRUE) for the predicate `b`, and {0} (FALSE) for `NOT b`; `NOT coalesce(b,
        FALSE)` gives the subject b and {0, NULL}. Return None if `tree` is neither.
        """
        line = self._line(tree)
        return self._through(line, values) if line is not None and line.kind == "boolean" else None

    def _begun(self, subject: Tree, prefix: str, *, otherwise: bool = False) -> Ranged | None:
        """Return the subject of a LIKE and the interval of the strings that start with `prefix`: ['ab', 'ac') for ab.

        With `otherwise`, return instead the set of the strings that do not start with `prefix`, without NULL. Return
        None if the subject is not a STRING, or if the interval has no known upper bound. Strings are ordered by their
        UTF-8 bytes.
        """
        line, behind = self._line(subject), _behind(prefix)
        if line is None or line.kind != "string" or behind is None:
            return None
        begun = RangeSet((Interval(Bound(prefix, True), Bound(behind, False)),))
        return self._through(line, RangeSet(begun.complement().intervals) if otherwise else begun)

    def _compared(self, subject: Tree, operator: str, literal: Tree) -> Ranged | None:
        line = self._line(subject)
        if subject == literal and line is not None and line.kind not in FRACTIONS:
            return self._through(line, NOT_NULL) if operator in ("=", "<=", ">=") else None
        value = line.value(literal, self.zone) if line is not None else None
        if line is None or value is None or (line.kind in FRACTIONS and not (value and operator in _OF_FLOATS)):
            return None
        return self._through(line, RangeSet.compare(operator, value))

    def _listed(self, node: exp.In, set_of: Callable[[Sequence[Any]], RangeSet]) -> Ranged | None:
        """Return the subject and the set of values for which an IN or NOT IN list is true; None if unsupported.

        `set_of` makes the set from the listed values: RangeSet.of for IN, RangeSet.but for NOT IN. A timestamp that is
        compared with string literals is unsupported, because without ANSI mode Spark may compare both as strings. A
        list of numbers is unsupported if Spark compares the subject with the numbers in a type that cannot represent
        all of the numbers exactly.
        """
        line = self._line(node.this)
        if line is None or not node.expressions:
            return None
        if line.kind in ("timestamp", "timestamp_ntz") and any(v.is_string for v in node.expressions):
            return None
        if not listed_alone(node.expressions, line.wide or line.kind):
            return None
        listed = [line.value(value, self.zone) for value in node.expressions]
        if None in listed or (line.kind in FRACTIONS and not (all(listed) and set_of == RangeSet.of)):
            return None
        return self._through(line, set_of(listed))

    def _line(self, tree: Tree) -> Line | None:
        return line_of(tree, self.block, self.zone, through=self.through)

    def _through(self, line: Line | None, values: RangeSet) -> Ranged | None:
        """Return the subject of a monotone expression and the subject's values for which the expression is in `values`.

        `line` is the expression as a Line, which maps the expression's values back to the subject's values. For
        `CAST(ts AS DATE)` and a set of dates, the result is the subject ts and the set of the times of these dates.
        Return None if `line` is None, or if the set of the subject's values cannot be computed.
        """
        back = line.back(_within_type(values, line.kind)) if line is not None else None
        if line is None or back is None:
            return None
        column = self.block.type_of(line.subject)
        return line.subject, _within_type(back, column.type if column is not None else line.kind)

    def _folded(self, parts: Iterable[Ranged | None], meet: bool) -> Ranged | None:
        """Return the subject of several predicates, and the intersection or the union of their sets of values.

        The sets are intersected if `meet` is true, else united. `parts` has the subject and the set of each predicate,
        None for an unsupported predicate. Return None if a predicate is unsupported, or if the subjects differ.
        """
        subject: Tree | None = None
        sets: list[RangeSet] = []
        for part in parts:
            if part is None or (subject is not None and part[0] != subject):
                return None
            subject = part[0]
            sets.append(part[1])
        if subject is None:
            return None
        return subject, RangeSet.met(sets) if meet else united(subject, sets, self.block)


def united(subject: Tree, sets: Iterable[RangeSet], block: Block) -> RangeSet:
    """Return the union of several sets of values of one column or expression, `subject`.

    Adjacent integers or dates form one interval; `block` gives the type of the subject.
    """
    column, bucket = block.type_of(subject), as_bucket(subject)
    kind = column.type if column is not None else bucket.type if bucket is not None else ""
    return _within_type(RangeSet.joined(sets), kind)


def prefix_of(tree: Tree) -> tuple[Tree, str, bool] | None:
    """Return the subject of a LIKE or startswith(), its prefix, and whether every string with the prefix matches.

    `x LIKE 'ab%'` gives (x, 'ab', True), and `x LIKE 'ab%c'` gives (x, 'ab', False). Return None for other predicates,
    and for a pattern without a prefix or with an escape.
    """
    if isinstance(tree, exp.Anonymous) and tree.name == "startswith" and len(tree.expressions) == 2:
        subject, literal = tree.expressions
        return (subject, literal.name, True) if _is_text(literal) and literal.name else None
    if not isinstance(tree, exp.Like) or not _is_text(tree.expression):
        return None
    pattern = tree.expression.name
    prefix = pattern[: next((i for i, c in enumerate(pattern) if c in _WILDCARDS), len(pattern))]
    return (tree.this, prefix, pattern == prefix + "%") if prefix and "\\" not in pattern else None


def consequence(tree: Tree, block: Block, zone: str) -> Ranged | None:
    """Return the subject of a LIKE, and a set that contains each value for which the LIKE is true.

    `x LIKE 'ab%c'` gives the subject x and the strings that start with ab. Return None for other predicates, and for a
    pattern such as 'ab%', which `range_of` converts exactly. `block` is the block of the predicate, and `zone` the
    session's time zone.
    """
    prefix = prefix_of(tree)
    return _Reader(block, zone, False)._begun(prefix[0], prefix[1]) if prefix is not None and not prefix[2] else None


def _is_text(tree: Tree) -> bool:
    return isinstance(tree, exp.Literal) and bool(tree.is_string)


def _behind(prefix: str) -> str | None:
    """Return the least string that is greater than all strings with this prefix, in byte order: `ac` for `ab`.

    The last byte of the prefix in UTF-8 is increased by 1; return None if the result is not a valid string.
    """
    here = prefix.encode("utf-8", "surrogatepass")
    behind = prefix[:-1] + chr(ord(prefix[-1]) + 1) if ord(prefix[-1]) < 0x10FFFF else ""
    return behind if behind.encode("utf-8", "surrogatepass") == here[:-1] + bytes([min(here[-1] + 1, 255)]) else None


def _within_type(values: RangeSet, kind: str) -> RangeSet:
    if kind == "boolean":
        inside = values.meet(RangeSet(_BOOLEANS.intervals, null=True)).closed_over_integers()
        return RangeSet(NOT_NULL.intervals, inside.null) if inside.intervals == _BOOLEANS.intervals else inside
    return values.closed_over_integers() if kind in INTEGERS or kind == "date" else values
