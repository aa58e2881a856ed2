"""Converts filters to tests of cells, functions that return whether the filter is true for the rows in a cell.

A subject is an expression that is compared with constants. A cell assigns each subject a value, a range of values or
NULL, and each predicate that is not such a comparison a free truth value (true, false or unknown). A test returns True,
False, or None for SQL's UNKNOWN. For the filter `x > 9 AND name LIKE '%a'`, one of the cells has `x = 9` and a true
LIKE; the test returns False for this cell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlglot import exp

from rewriter.block import Block
from rewriter.block.points import listed_alone, literal_value, same_in_double
from rewriter.block.strict import not_null_in
from rewriter.block.traits import is_constant
from rewriter.functions.dates import COUNTED
from rewriter.functions.types import FRACTIONS, INTEGERS, as_decimal
from rewriter.match.bounds import divides, is_unknown
from rewriter.schema import UNKNOWN, expression_type
from rewriter.sql import columns_in, operands
from rewriter.sql.operators import COMPARING
from rewriter.timeseries import (
    as_bucket,
    border_behind,
    bucket_call,
    day_source,
    divides_at,
    floor,
    is_fixed_offset,
    next_border,
    read_moment,
)
from rewriter.timeseries.bucket import TEMPORAL
from rewriter.verify.forms import values_of, widens
from rewriter.verify.lines import Line, compare
from rewriter.verify.nesting import instant

Tree = exp.Expr
Truth = bool | None
# A cell: for each subject a point, a gap or None for NULL; for each other predicate a free truth value.
Cell = Mapping[Tree, Any]
Test = Callable[[Cell], Truth]

_MIRRORED = {"=": "=", "<>": "<>", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_MICROS = 1_000_000
_DAY = 86_400 * _MICROS


class Conjunct(NamedTuple):
    """A conjunct as a test of cells.

    `test` takes a cell and returns whether the conjunct is True, False, or None (SQL's UNKNOWN). `reads` are the
    subjects and the free predicates whose values in a cell decide the result. A subject is an expression that is
    compared with constants. A cell assigns each subject a value, a range of values or NULL, and each other predicate a
    free truth value.
    """

    test: Test
    reads: frozenset[Tree]


class Filter:
    """A converter of the conjuncts of a filter to tests of cells, which also collects the constants of each subject.

    A subject is an expression that is compared with constants; `lines` has the constants of each subject. A cell
    assigns each subject a value, a range of values or NULL. A test takes a cell and returns whether the conjunct is
    True, False, or None (SQL's UNKNOWN). A predicate that is not analysed gets a free truth value: each cell assigns it
    True, False or None.
    """

    def __init__(self, block: Block, zone: str) -> None:
        self.block, self.zone = block, zone
        self.lines: dict[Tree, Line] = {}
        self._read: set[Tree] = set()

    def conjunct(self, tree: Tree) -> Conjunct:
        """Return a conjunct as a test of cells, with the subjects and free predicates whose values in the cell decide
        the test.

        A cell assigns each subject (an expression compared with constants) a value, a range of values or NULL, and each
        other predicate a free truth value.
        """
        self._read = set()
        test = self.read(tree)
        return Conjunct(test, frozenset(self._read))

    def read(self, tree: Tree) -> Test:
        """Return a predicate as a test of cells: `x > 9` gives a function that is True for a cell where x is above 9.

        A cell assigns each subject (an expression compared with constants) a value, a range of values or NULL. The test
        returns True, False, or None for SQL's UNKNOWN. A predicate that cannot be analysed gets a free truth value: it
        may be true, false or unknown in each cell.
        """
        if isinstance(tree, (exp.And, exp.Or)):
            parts = [self.read(part) for part in operands(tree, type(tree))]
            return all_of(parts) if isinstance(tree, exp.And) else any_of(parts)
        if isinstance(tree, exp.Not):
            inner = self.read(tree.this)
            return lambda cell: None if (truth := inner(cell)) is None else not truth
        if isinstance(tree, exp.Boolean):
            value = bool(tree.this)
            return lambda cell: value
        if isinstance(tree, (exp.Is, exp.NullSafeEQ)) and isinstance(tree.expression, exp.Null):
            return self._is_null(tree.this)
        if isinstance(tree, _OF_TRUTHS) and isinstance(tree.expression, exp.Boolean):
            return self._compared_truth(tree, tree.this, tree.expression)
        if isinstance(tree, _OF_TRUTHS) and isinstance(tree.this, exp.Boolean):
            return self._compared_truth(tree, tree.expression, tree.this)
        if isinstance(tree, exp.NullSafeEQ) and (is_constant(tree.this) or is_constant(tree.expression)):
            return _decided(self.read(exp.EQ(this=tree.this, expression=tree.expression)))
        if isinstance(tree, exp.Column) and self._kind(tree) == "boolean":
            return self._at(tree, "boolean", "=", 1)
        if isinstance(tree, (exp.Like, exp.Anonymous)):
            return self._call(tree) or self._truth(tree)
        if isinstance(tree, exp.In) and tree.expressions:
            if not listed_alone(tree.expressions, self._kind(tree.this)):
                return self._truth(tree)
            return any_of([self.read(exp.EQ(this=tree.this, expression=value)) for value in tree.expressions])
        operator = COMPARING.get(type(tree))
        return (self._comparison(tree, operator) if operator is not None else None) or self._truth(tree)

    def _is_null(self, subject: Tree) -> Test:
        bucket, day = as_bucket(subject), day_source(subject)
        if bucket is not None or (day is not None and self._kind(day) in TEMPORAL):
            return self._is_null(bucket.source if bucket is not None else day)  # type: ignore[arg-type]
        if (stepped := instant(subject)) is not None:
            return self._is_null(stepped[0])
        if isinstance(subject, exp.Case) and subject.this is None and not _has_other_values(subject):
            return self._is_outside(subject)
        self._line(subject, self._kind(subject))
        return lambda cell: cell[subject] is None

    def _is_outside(self, tree: exp.Case) -> Test:
        """Return a test of cells for IS NULL of a CASE of literals: no condition is true, and the CASE has no ELSE."""
        if tree.args.get("default") is not None:
            return lambda cell: False
        tests = [self.read(branch.this) for branch in tree.args["ifs"]]
        return lambda cell: not any(test(cell) for test in tests)

    def _compared_truth(self, tree: Tree, compared: Tree, constant: exp.Boolean) -> Test:
        """Return a test of cells for `tree`, a comparison of the predicate `compared` with TRUE or FALSE.

        The operator is IS, =, <> or <=>; with IS and <=>, the test never returns None.
        """
        wanted, test = bool(constant.this), self.read(compared)
        if isinstance(tree, exp.NEQ):
            wanted = not wanted
        same: Test = lambda cell: None if (truth := test(cell)) is None else truth is wanted  # noqa: E731
        return _decided(same) if isinstance(tree, (exp.Is, exp.NullSafeEQ)) else same

    def _call(self, call: Tree) -> Test | None:
        """Return a test of cells for LIKE, startswith(), coalesce(p, TRUE) or coalesce(p, FALSE); None for other calls.

        The test of coalesce() returns the truth value of p, or the constant if p is unknown.
        """
        if isinstance(call, exp.Like) or call.name == "startswith":
            return self._begun(call)
        whole = call.name in ("coalesce", "nvl") and len(call.expressions) == 2
        if not whole or not isinstance(call.expressions[1], exp.Boolean):
            return None
        test, otherwise = self.read(call.expressions[0]), bool(call.expressions[1].this)
        return lambda cell: otherwise if (truth := test(cell)) is None else truth

    def _begun(self, tree: Tree) -> Test | None:
        """Return a test of cells for LIKE or startswith(): `name LIKE 'ab%'` is tested as `name >= 'ab' AND name <
        'ac'`.

        For a pattern that is not a prefix followed by one `%`, such as 'ab%c', the rest of the pattern is tested as a
        predicate with a free truth value. Return None instead of a test if the pattern has no usable prefix.

        law: in byte order, a text begins with p if and only if it is at least p, and less than p with the last byte
             incremented
        """
        subject, literal = tree.expressions if isinstance(tree, exp.Anonymous) else (tree.this, tree.expression)
        if not isinstance(literal, exp.Literal) or not literal.is_string or self._kind(subject) != "string":
            return None
        text, like = literal.name, isinstance(tree, exp.Like)
        begin = min((text.index(sign) for sign in "%_\\" if sign in text), default=len(text)) if like else len(text)
        prefix = text[:begin]
        # The last byte must be ASCII, so that incrementing it gives a valid character.
        if not prefix or "\\" in text or not (prefix[-1].isascii() and prefix[-1] < "\x7f"):
            return None
        behind = prefix[:-1] + chr(ord(prefix[-1]) + 1)
        within = [self._at(subject, "string", ">=", prefix), self._at(subject, "string", "<", behind)]
        return all_of(within if not like or text == prefix + "%" else [*within, self._truth(tree)])

    def _kind(self, tree: Tree) -> str:
        return expression_type(tree, self.block)

    def _line(self, subject: Tree, kind: str) -> Line:
        self._read.add(subject)
        # A computed subject may be NULL only where its columns are; record its columns, to compare it with filters on
        # these.
        for column in () if isinstance(subject, exp.Column) else columns_in(subject):
            self._line(column, self._kind(column))
        if subject not in self.lines:
            declared = self.block.type_of(subject)
            self.lines[subject] = Line(kind, declared is None or declared.nullable)
        return self.lines[subject]

    def _comparison(self, tree: Tree, operator: str) -> Test | None:
        subject, literal = tree.this, tree.expression
        if is_constant(subject) and not is_constant(literal):
            subject, literal, operator = literal, subject, _MIRRORED[operator]
        if is_constant(subject):
            return self._settled(subject, operator, literal)
        bucket, day = as_bucket(subject), day_source(subject)
        if is_unknown(literal, self.zone):
            return self._unknown(subject, operator, literal)
        if isinstance(subject, exp.Anonymous) and subject.name in ("coalesce", "nvl"):
            return self._coalesced(subject, operator, literal)
        if isinstance(subject, exp.Anonymous) and subject.name == "year":
            return self._in_year(subject, operator, literal)
        if isinstance(subject, exp.Case):
            return self._banded(subject, operator, literal)
        subject = self._narrow(subject, literal)
        dated = day_source(bucket.source) if bucket is not None and bucket.type == "date" else None
        if bucket is not None and dated is not None and (kind := self._kind(dated)) in ("timestamp", "timestamp_ntz"):
            return self._bucketed(dated, bucket.grain, kind, operator, literal, dates=True)
        if bucket is not None:
            return self._bucketed(bucket.source, bucket.grain, bucket.type, operator, literal)
        if day is not None and (kind := self._kind(day)) in ("timestamp", "timestamp_ntz"):
            return self._bucketed(day, "day", kind, operator, literal, dates=True)
        if (stepped := instant(subject)) is not None:
            return self._stepped(*stepped, operator, literal)
        kind = self._kind(subject)
        value = self._value(literal, kind)
        if value is None or kind == UNKNOWN:
            return None
        return self._at(subject, kind, operator, value)

    def _settled(self, one: Tree, operator: str, other: Tree) -> Test | None:
        """Return a test of cells for `one operator other`, a comparison of two constants: the same result for all
        cells.

        Return None instead of a test if Viewgate cannot evaluate the comparison.
        """
        kinds = [self._kind(each) for each in (one, other)]
        left, right = (self._value(each, kinds[0]) for each in (one, other))
        if left is None or right is None or any(kind in FRACTIONS for kind in kinds):
            return None
        truth = compare(left, operator, right)
        return lambda cell: truth

    def _value(self, literal: Tree, kind: str) -> Any | None:
        plain = kind in (*INTEGERS, *TEMPORAL, *FRACTIONS, "string") or kind.startswith("decimal(")
        return literal_value(literal, kind, self.zone) if plain else None

    def _narrow(self, tree: Tree, literal: Tree) -> Tree:
        """Return a number without its widening cast, if its comparison with `literal` gives the same result without the
        cast.

        `CAST(i AS BIGINT)` gives `i`. Otherwise return the number unchanged, for example because a cast to DOUBLE
        changes large numbers.
        """
        if not isinstance(tree, exp.Cast) or (day_source(tree) is not None):
            return tree
        here, wide = self._kind(tree.this), self._kind(tree)
        if as_decimal(wide) is not None and self._value(literal, wide) is None:  # Spark may round one of the two
            return tree
        if wide == "double":
            value = self._value(literal, here) if here in INTEGERS else None
            return tree.this if value is not None and same_in_double(value) else tree
        return tree.this if widens(here, wide) else tree

    def _coalesced(self, call: exp.Anonymous, operator: str, literal: Tree) -> Test | None:
        """Return a test of cells for the comparison of coalesce(x, c) with a literal by `operator`, such as <.

        In a cell where x is NULL, c is compared. Return None instead of a test if the value of c or of the literal is
        not known. Return None, too, if x is an integer and c a DOUBLE, because Spark then compares in DOUBLE.
        """
        if len(call.expressions) != 2:
            return None
        subject, other = call.expressions
        kind = self._kind(subject)
        value, default = self._value(literal, kind), self._value(other, kind)
        if value is None or default is None or (kind in TEMPORAL and not isinstance(other, exp.Cast)):
            return None
        wide = self._kind(call)
        # Spark compares x in the type of the call, and may round x or the literal.
        if (kind in INTEGERS or as_decimal(kind)) and (wide == "double" or self._value(literal, wide) is None):
            return None
        for_null, test = compare(default, operator, value), self._at(subject, kind, operator, value)
        return lambda cell: for_null if cell[subject] is None else test(cell)

    def _banded(self, tree: exp.Case, operator: str, literal: Tree) -> Test | None:
        """Return a test of cells for the comparison of a CASE of literals with a literal by `operator`, such as =.

        The test compares the literal of the first condition that is true in the cell. Return None instead of a test if
        a value of the CASE is not a literal.
        """
        kind, default = self._kind(tree), tree.args.get("default")
        points = [self._value(value, kind) for value in (*values_of(tree), literal)]
        if kind in FRACTIONS or tree.this is not None or _has_other_values(tree) or None in points:
            return None
        *known, compared = points
        tests = [self.read(branch.this) for branch in tree.args["ifs"]]
        otherwise = compare(known[-1], operator, compared) if default is not None else None

        def test(cell: Cell) -> Truth:
            first = next((place for place, condition in enumerate(tests) if condition(cell)), None)
            return otherwise if first is None else compare(known[first], operator, compared)

        return test

    def _in_year(self, call: exp.Anonymous, operator: str, literal: Tree) -> Test | None:
        """Return a test of cells for the comparison of year(t) with a literal by `operator`, such as <.

        `year(t) < 2024` is tested as `t < '2024-01-01'`. Return None instead of a test if the year is not a literal, or
        if an offset change of the zone affects the midnight at which a year starts.
        """
        (source,) = call.expressions
        kind, year = self._kind(source), self._value(literal, "int")
        zoned = kind == "timestamp" and not is_fixed_offset(self.zone)
        if kind not in TEMPORAL or year is None or year.denominator != 1 or not 1 < year < 9999:
            return None
        if zoned and not divides_at(datetime(int(year), 1, 1), "year", self.zone):
            return None
        january, next_january = (
            self._value(exp.Literal.string(f"{int(year) + more:04d}-01-01"), kind) for more in (0, 1)
        )
        below, upto = self._at(source, kind, "<", january), self._at(source, kind, "<", next_january)
        equal = all_of([negation(below), upto])
        tests = {"<": below, ">=": negation(below), "<=": upto, ">": negation(upto), "=": equal, "<>": negation(equal)}
        return tests[operator]

    def _at(self, subject: Tree, kind: str, operator: str, point: Any) -> Test:
        if kind == "timestamp" and (counted := _count_of(subject)) is not None and operator in _ROUNDED:
            # timestamp_millis(ms) >= t is ms >= the milliseconds of t, rounded up; <= and > round down.
            subject, kind, unit = counted[0], self._kind(counted[0]), _MICROS // counted[1]
            point = -(-point // unit) if _ROUNDED[operator] else point // unit
        self._line(subject, kind).points.add(point)
        return lambda cell: None if cell[subject] is None else compare(cell[subject], operator, point)

    def _bucketed(
        self, source: Tree, grain: str, kind: str, operator: str, literal: Tree, *, dates: bool = False
    ) -> Test | None:
        """Return a test of cells for the comparison of a time bucket with a literal by `operator`, such as <.

        The bucket is `source` rounded down to `grain`; `kind` is the type of `source`. The test compares `source`
        itself with a border (the start of a bucket). With `dates`, the date of the bucket's start is compared with the
        literal. Return None instead of a test if the literal's value or the border is not known.

        law: bucket(t) < b is equivalent to t < (the first border at or after b), and bucket(t) <= b to t < (the first
             border after b)
        """
        text = literal.this if isinstance(literal, exp.Cast) else literal
        value = self._value(literal, "date" if dates else kind)
        written = text.name if isinstance(text, exp.Literal) and text.is_string else ""
        moment = read_moment(written, None) or read_moment(written, self.zone if kind == "timestamp" else None)
        if value is None or moment is None:
            return None
        try:
            at, behind = border_behind(moment.wall, grain), next_border(floor(moment.wall, grain), grain)
        except (ValueError, OverflowError):  # beyond the year 9999
            return None
        zoned = kind == "timestamp" and not is_fixed_offset(self.zone)
        if zoned and not all(divides_at(border, grain, self.zone) for border in (at, behind)):
            return None
        if dates and kind == "timestamp":
            whole = self._value(exp.Literal.string(f"{moment.wall.date().isoformat()} 00:00:00"), kind)
            value = whole if whole is not None else value
        elif dates:
            value = value * _DAY
        unit = _DAY if kind == "date" else 1
        low, high = (value + ((border - moment.wall) // _MICROSECOND) // unit for border in (at, behind))
        if zoned:  # a day may have 23 hours
            low, high = (self._value(exp.Literal.string(border.isoformat(" ")), kind) for border in (at, behind))
        aligned = at == moment.wall
        below, upto = self._at(source, kind, "<", low), self._at(source, kind, "<", high)
        equal = all_of([self._at(source, kind, ">=", low), upto]) if aligned else all_of([below, negation(below)])
        return {"<": below, ">=": negation(below), "<=": upto, ">": negation(upto)}.get(operator) or (
            equal if operator == "=" else negation(equal)
        )

    def _stepped(self, source: Tree, step: int, operator: str, literal: Tree) -> Test | None:
        """Return a test of cells for the comparison of a rounded TIMESTAMP with a literal by `operator`, such as <.

        The TIMESTAMP `source` is rounded down to a multiple of `step` seconds; the test compares `source` itself with
        multiples of `step`. Return None instead of a test if the literal's value is not known.
        """
        value, unit = self._value(literal, "timestamp"), step * _MICROS
        if value is None:
            return None
        low, high = -(-value // unit) * unit, (value // unit + 1) * unit
        below, upto = self._at(source, "timestamp", "<", low), self._at(source, "timestamp", "<", high)
        equal = all_of([negation(below), upto])  # true for no instant if the literal is not a multiple of the step
        return {"<": below, ">=": negation(below), "<=": upto, ">": negation(upto), "=": equal}.get(
            operator, negation(equal)
        )

    def _unknown(self, subject: Tree, operator: str, bound: Tree) -> Test | None:
        """Return a test of cells for the comparison of a time with a bound whose value is known only at execution.

        The comparison has a free truth value: the value of `time < bound` or `time <= bound`, negated for >= and >. For
        `date_trunc('day', t) >= current_date()`, this is the negation of `t < current_date()`. Return None instead of a
        test for operators other than these four, for subjects that are not times, and if the bound may lie within a
        bucket.

        law: if a bucket starts at b, then bucket(t) >= b is t >= b, and bucket(t) < b is t < b; a date is the bucket of
             a day
        """
        bucket, day = as_bucket(subject), day_source(subject)
        source, grain, kind = subject, "", self._kind(subject)
        if bucket is not None:
            source, grain, kind = bucket
        elif day is not None and self._kind(day) in ("timestamp", "timestamp_ntz"):
            source, grain, kind = day, "day", self._kind(day)
            bound = self._midnight(bound, kind) or day_source(bound) or bound
        kinds = {"<": exp.LT, "<=": exp.LTE, ">": exp.GT, ">=": exp.GTE}
        if operator not in kinds or kind not in TEMPORAL:
            return None
        if grain and not divides(kinds[operator](this=source, expression=bound), grain, kind, self.zone):
            return None
        base = exp.LT if operator in ("<", ">=") else exp.LTE
        atom = base(this=source, expression=bound)
        self._read.add(atom)
        test: Test = lambda cell: cell[atom]  # noqa: E731
        return test if operator in ("<", "<=") else negation(test)

    def _midnight(self, bound: Tree, kind: str) -> Tree | None:
        """Return the midnight, in type `kind`, at which a date or a date bucket of a time starts.

        `CAST(t AS DATE)` gives the start of the day of t. Return None if `bound` is neither a date nor a date bucket of
        a time of type `kind`.
        """
        bucket = as_bucket(bound)
        time = day_source(bucket.source if bucket is not None else bound)
        if time is None or self._kind(time) != kind:
            return None
        begun = bucket_call(time, bucket.grain if bucket is not None else "day", kind)
        candidates = (time, begun) if bucket is None else (begun,)
        begins = (each for each in candidates if divides(exp.GTE(this=time, expression=each), "day", kind, self.zone))
        return next(begins, None)

    def _truth(self, tree: Tree) -> Test:
        """Return a test of cells for a predicate that is not a comparison with a constant.

        The predicate has a free truth value. If a NULL of some column always makes the predicate unknown, the test
        returns None for each cell in which this column is NULL.
        """
        if isinstance(tree, exp.NEQ):
            return negation(self._truth(exp.EQ(this=tree.this, expression=tree.expression)))
        self._read.add(tree)
        columns = tuple(dict.fromkeys(not_null_in(tree)))
        for column in columns:
            self._line(column, self._kind(column))
        return lambda cell: None if any(cell[column] is None for column in columns) else cell[tree]


_OF_TRUTHS = (exp.Is, exp.EQ, exp.NEQ, exp.NullSafeEQ)
_MICROSECOND = timedelta(microseconds=1)


# By operator: whether the bound of a whole number is rounded up, rather than down.
_ROUNDED = {"<": True, ">=": True, "<=": False, ">": False}


def _count_of(time: Tree) -> tuple[Tree, int] | None:
    """Return the integer column from which a time is computed, and the number of the column's units in a second.

    `timestamp_millis(n)` gives n and 1000. Return None for other times.
    """
    if not isinstance(time, exp.Anonymous) or time.name not in COUNTED or len(time.expressions) != 1:
        return None
    (number,) = time.expressions
    return (number, COUNTED[time.name]) if isinstance(number, exp.Column) else None


def _decided(test: Test) -> Test:
    """Return a test of cells that is True where `test` is True, and False where `test` is False or None (SQL's
    UNKNOWN).
    """
    return lambda cell: test(cell) is True


def negation(test: Test) -> Test:
    """Return the NOT of a test of cells: True becomes False, False becomes True, and None (SQL's UNKNOWN) stays."""
    return lambda cell: None if (truth := test(cell)) is None else not truth


def _has_other_values(tree: exp.Case) -> bool:
    """Return whether a value of a CASE is not a literal."""
    return not all(isinstance(value, exp.Literal) for value in values_of(tree))


def all_of(tests: Sequence[Test]) -> Test:
    """Return the AND of tests, functions of a cell that return True, False, or None for SQL's UNKNOWN.

    The result is False if one test returns False, else None if one returns None, else True.
    """

    def test(cell: Cell) -> Truth:
        truths = [each(cell) for each in tests]
        return False if False in truths else None if None in truths else True

    return test


def any_of(tests: Sequence[Test]) -> Test:
    """Return the OR of tests, functions of a cell that return True, False, or None for SQL's UNKNOWN.

    The result is True if one test returns True, else None if one returns None, else False.
    """

    def test(cell: Cell) -> Truth:
        truths = [each(cell) for each in tests]
        return True if True in truths else None if None in truths else False

    return test
