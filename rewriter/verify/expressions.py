"""Expressions in one form for all that is equal by the laws of types, times and aggregates.

| law                                                                                          |
|----------------------------------------------------------------------------------------------|
| CAST(x AS t) is x where x has the type t                                                     |
| bucket(bucket(t, fine), coarse) is bucket(t, coarse) where fine rolls up to coarse           |
| label(bucket(t, grain)) is label(t) where the label is constant over the grain               |
| count(x) is coalesce(sum(CASE WHEN x IS NULL THEN 0 ELSE 1 END), 0)                          |
| f(x) FILTER (WHERE p) is f(CASE WHEN p THEN x END) where f ignores NULL                      |
| avg, variances and regressions are what their parts finish as                                |
| sum(sum(x)) is sum(x), min(min(x)) is min(x) …: groups put together from finer groups        |
| CASE WHEN p(k) THEN f(x) ELSE f(y) END is f(CASE WHEN p(k) THEN x ELSE y END) within a group |
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from sqlglot import exp

from rewriter.block import Block, aggregate_of, has_aggregate
from rewriter.block.vocabulary import DEVIATIONS, IDEMPOTENT, INTEGERS, PAIRED, SETWISE, UNITED
from rewriter.block.words import words
from rewriter.match.averages import average
from rewriter.match.moments import deviation, digits_of, scale_of, squared
from rewriter.match.pairs import needed, of_pairs, pair_of
from rewriter.match.trees import call_of, cast, number
from rewriter.schema import UNKNOWN, expression_type, numeric_type
from rewriter.schema.types import as_decimal, is_numeric
from rewriter.sql import every, operands
from rewriter.timeseries import (
    as_bucket,
    bucket_call,
    day_source,
    is_fixed_offset,
    label_source,
    read_moment,
    rolls_up,
)
from rewriter.timeseries.bucket import DATE_TRUNC_UNITS
from rewriter.timeseries.granularity import DATE_GRANULARITIES

Tree = exp.Expr

# A floating-point key of a group: 0.0 where the rows may hold -0.0.
GROUPED_FLOAT = "grouped float"
_NULL_IGNORING = IDEMPOTENT | {"sum", "avg", "bit_xor"} | DEVIATIONS
_FOLDED = IDEMPOTENT | {"bit_xor"}
_ZERO, _ONE = number(0), number(1)
_NEGATED: dict[type[Tree], type[Tree]] = {
    exp.EQ: exp.NEQ, exp.NEQ: exp.EQ, exp.LT: exp.GTE, exp.GTE: exp.LT, exp.GT: exp.LTE, exp.LTE: exp.GT,
}  # fmt: skip
_COMPARING = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.In, exp.Is)


class Unfolded(Exception):
    """An aggregate of groups that is none of the rows of these groups; the message names it."""


class Expressions:
    """Brings expressions over a block's tables to one form; `nonempty` says that each group has rows.

    With `finer`, the block's aggregates are of groups, whose own aggregates `finer` brings to that form: each must be
    an aggregate of the rows, or Unfolded is raised.
    """

    def __init__(self, block: Block, zone: str, *, nonempty: bool, finer: Expressions | None = None) -> None:
        self._block, self._zone, self._nonempty, self._finer = block, zone, nonempty, finer
        self._known: dict[Tree, Tree] = {}

    def normal(self, tree: Tree) -> Tree:
        """The expression in normal form."""
        known = self._known.get(tree)
        if known is None:
            known = self._known[tree] = self._normal(tree)
        return known

    def kind(self, tree: Tree) -> str:
        """The type of an expression, `unknown` where it is not certain."""
        return expression_type(tree, self._block)

    def _normal(self, tree: Tree) -> Tree:
        if isinstance(tree, exp.Column | exp.Literal | exp.Null | exp.Boolean | exp.Star | exp.Interval | exp.DataType):
            return tree
        call = aggregate_of(tree)
        if call is not None:
            condition = tree.expression.this if isinstance(tree, exp.Filter) else None
            return self._aggregate(call, condition)
        if isinstance(tree, exp.Window):
            return self._over_operands(tree, keep=tree.this)
        rebuilt = self._over_operands(tree)
        law = _LAWS.get(type(rebuilt))
        return law(self, rebuilt) if law is not None else rebuilt

    def _over_operands(self, tree: Tree, keep: Tree | None = None) -> Tree:
        """The same operation over operands in normal form; of the call that is kept, its own operands."""
        changed = False
        arguments: dict[str, object] = {}
        for name, value in tree.args.items():
            if isinstance(value, list):
                new = [self._operand(item, keep) for item in value]
                changed |= any(a is not b for a, b in zip(new, value, strict=True))
                arguments[name] = new
            else:
                arguments[name] = self._operand(value, keep)
                changed |= arguments[name] is not value
        return type(tree)(**arguments) if changed else tree

    def _operand(self, value: object, keep: Tree | None) -> object:
        if not isinstance(value, Tree) or isinstance(value, exp.Identifier | exp.Var | exp.DataType):
            return value
        return self._over_operands(value) if value is keep else self.normal(value)

    # Types and times

    def _cast(self, tree: Tree) -> Tree:
        if tree.args.get("safe"):
            return tree
        inner: Tree = tree.this
        wanted = self.kind(tree)
        if wanted != UNKNOWN and wanted == self.kind(inner):
            return inner
        bucket = as_bucket(inner)
        if wanted == "date" and (day := _literal_day(inner)) is not None:
            return day
        if wanted == "date" and bucket is not None and bucket.grain in DATE_GRANULARITIES:
            day = self.normal(cast(bucket.source, "date"))
            return day if bucket.grain == "day" else self.normal(bucket_call(day, bucket.grain, "date"))
        if wanted == "date" and bucket is not None and self._proved(bucket.type):
            return self.normal(cast(bucket.source, "date"))
        if wanted in ("timestamp", "timestamp_ntz") and self.kind(inner) == "date":
            return self._midnight_of(inner, wanted) or tree
        return tree

    def _midnight_of(self, dates: Tree, kind: str) -> Tree | None:
        """The midnight of a bucket's first day as the bucket of the time that the dates are of."""
        bucket = as_bucket(dates)
        source = day_source(bucket.source if bucket is not None else dates)
        if source is None or self.kind(source) != kind:
            return None
        return bucket_call(source, bucket.grain if bucket is not None else "day", kind)

    def _proved(self, kind: str) -> bool:
        return kind != "timestamp" or is_fixed_offset(self._zone)

    def _call(self, tree: Tree) -> Tree:
        bucket, label = as_bucket(tree), label_source(tree)
        if bucket is not None:
            inner = as_bucket(bucket.source)
            if inner is not None and inner.type == bucket.type and self._nests(inner.grain, bucket.grain, inner.type):
                return bucket_call(inner.source, bucket.grain, bucket.type)
            return tree
        if label is not None:
            return self._label(tree, *label)
        if tree.name == "date_trunc" and len(tree.expressions) == 2:
            return self._truncated(tree)
        if tree.name == "if" and len(tree.expressions) == 3:
            condition, value, default = tree.expressions
            return self.normal(exp.Case(ifs=[exp.If(this=condition, true=value)], default=default))
        if tree.name == "nvl" and len(tree.expressions) == 2:
            tree = call_of("coalesce", *tree.expressions)
        return self._counted(tree) if tree.name == "coalesce" else tree

    def _nests(self, fine: str, coarse: str, kind: str) -> bool:
        return rolls_up(fine, coarse) and self._proved(kind)

    def _label(self, tree: Tree, source: Tree, grain: str) -> Tree:
        inner, day = as_bucket(source), day_source(source)
        if inner is not None and self._nests(inner.grain, grain, inner.type):
            return self.normal(_put(tree, source, inner.source))
        if day is not None and rolls_up("day", grain) and self.kind(day) in ("timestamp", "timestamp_ntz", "string"):
            return self.normal(_put(tree, source, day))
        return tree

    def _truncated(self, tree: Tree) -> Tree:
        """date_trunc() of a timestamp is a bucket; of a bucket of dates it is that of the dates."""
        unit, source = tree.expressions
        inner = as_bucket(source)
        grain = DATE_TRUNC_UNITS.get(unit.name.upper(), "") if isinstance(unit, exp.Literal) else ""
        if grain and self.kind(source) == "timestamp":
            return self._call(bucket_call(source, grain, "timestamp"))
        if inner is None or inner.type != "date" or not rolls_up(inner.grain, grain):
            return tree
        return call_of("date_trunc", unit, inner.source)

    def _counted(self, tree: Tree) -> Tree:
        """coalesce(coalesce(x, 0), 0) is coalesce(x, 0)."""
        first: Tree = tree.expressions[0]
        rest: list[Tree] = tree.expressions[1:]
        if isinstance(first, exp.Anonymous) and first.name == "coalesce" and first.expressions[1:] == rest:
            return first
        summed = isinstance(first, exp.Anonymous) and first.name == "sum" and len(rest) == 1 and _is_zero(rest[0])
        return self._total(first.expressions[0]) if summed else tree

    # Truth

    def _not(self, tree: Tree) -> Tree:
        inner = tree.this
        if isinstance(inner, exp.Not):
            plain: Tree = inner.this
            return plain
        opposite = _NEGATED.get(type(inner))
        return self.normal(opposite(this=inner.this, expression=inner.expression)) if opposite is not None else tree

    def _chain(self, tree: Tree) -> Tree:
        parts = sorted(dict.fromkeys(operands(tree, type(tree))), key=hash)
        return reduce(lambda left, right: type(tree)(this=left, expression=right), parts)

    def _symmetric(self, tree: Tree) -> Tree:
        left, right = self._bare(tree, tree.this), self._bare(tree, tree.expression)
        kept = isinstance(right, exp.Interval) or (hash(left) <= hash(right) and not isinstance(left, exp.Interval))
        return type(tree)(this=left, expression=right) if kept else type(tree)(this=right, expression=left)

    def _ordered(self, tree: Tree) -> Tree:
        left, right = self._bare(tree, tree.this), self._bare(tree, tree.expression)
        if isinstance(tree, exp.GT | exp.GTE):
            return (exp.LT if isinstance(tree, exp.GT) else exp.LTE)(this=right, expression=left)
        return type(tree)(this=left, expression=right)

    def _is(self, tree: Tree) -> Tree:
        return type(tree)(this=self._bare(tree, tree.this), expression=tree.expression)

    def _in(self, tree: Tree) -> Tree:
        values = sorted(dict.fromkeys(tree.expressions), key=hash)
        subject = self._bare(tree, tree.this)
        if len(values) == 1:
            return self.normal(exp.EQ(this=subject, expression=values[0]))
        return exp.In(this=subject, expressions=values)

    def _bare(self, parent: Tree, operand: Tree) -> Tree:
        """An operand of a comparison, to which -0.0 and 0.0 are one value."""
        grouped = isinstance(operand, exp.Anonymous) and operand.name == GROUPED_FLOAT
        return operand.expressions[0] if grouped and isinstance(parent, _COMPARING) else operand

    # Groups

    def _case(self, tree: Tree) -> Tree:
        if isinstance(tree.args.get("default"), exp.Null):
            tree = exp.Case(this=tree.this, ifs=tree.args["ifs"], default=None)
        tree = self._merged(tree)
        values, conditions = values_of(tree), conditions_of(tree)
        if not self._nonempty or any(map(has_aggregate, conditions)) or not any(map(has_aggregate, values)):
            return tree
        for name in ("sum", *sorted(_FOLDED)):
            part = self._part(name, tree)
            if part is not None:
                return self._whole(name, part)
        return tree

    def _aggregate(self, call: exp.Anonymous, condition: Tree | None) -> Tree:
        """An aggregate, its condition a part of what it is of."""
        if self._finer is not None:
            return self._of_groups(call, condition, self._finer)
        finished = self._finished(call, condition)
        if finished is not None:
            return self.normal(finished)
        if isinstance(call.expressions[0], exp.Distinct) or call.name not in _NULL_IGNORING | {"count"}:
            return self.united(self._over_operands(call), condition if condition is None else self.normal(condition))
        if call.name == "count":
            return self._count(call.expressions[0], condition)
        (argument,) = call.expressions
        return self._whole(call.name, self.normal(_under(condition, argument)), condition)

    def _of_groups(self, call: exp.Anonymous, condition: Tree | None, finer: Expressions) -> Tree:
        """An aggregate of groups as that of their rows; raises Unfolded.

        law: sums add up, extremes of extremes are extremes, and where values count once so do they in groups
        no:  a count of groups, or the sum of what is the same in all rows of a group without their number
        """
        arguments = [finer.normal(argument) for argument in call.expressions]
        if call.name in _FOLDED | {"sum"} and not _is_distinct(call):
            argument = arguments[0] if condition is None else finer.normal(_under(condition, arguments[0]))
            part = self._part(call.name, argument)
            if part is not None:
                return self._whole(call.name, part, condition)
        if call.name in SETWISE or _is_distinct(call):
            where = None if condition is None else finer.normal(condition)
            united = finer.united(call_of(call.name, *arguments), where)
            if not has_aggregate(condition or _ZERO) and (
                call.name in UNITED or not any(map(has_aggregate, arguments))
            ):
                return united
        counted = call.name == "sum" and isinstance(arguments[0], exp.Anonymous | exp.Case)
        if counted and any(inner.name == "bitmap_count" for inner in every(arguments[0], exp.Anonymous)):
            return finer.normal(_with_condition(call_of("sum", arguments[0]), condition))
        raise Unfolded(f"{words(call)} of groups")

    def united(self, call: Tree, condition: Tree | None) -> Tree:
        """A set, or a union of sets of finer groups, which is the set of all their values."""
        inner = aggregate_of(call.expressions[0])
        if inner is not None and UNITED.get(inner.name) == call.name and inner.expressions[1:] == call.expressions[1:]:
            call = inner
        return _with_condition(call, condition)

    def _count(self, argument: Tree, condition: Tree | None) -> Tree:
        there = self._indicator(self.normal(argument))
        if condition is not None:
            there = _case_of([(self.normal(condition), there)], _ZERO)
        return self._total(there)

    def _indicator(self, argument: Tree) -> Tree:
        """1 where an expression is not NULL, and 0 where it is."""
        if isinstance(argument, exp.Null):
            return _ZERO
        declared = self._block.type_of(argument)
        if isinstance(argument, exp.Literal | exp.Boolean | exp.Star) or (declared and not declared.nullable):
            return _ONE
        if isinstance(argument, exp.Case):
            values = [self._indicator(value) for value in values_of(argument)]
            if argument.args.get("default") is None:
                values.append(_ZERO)
            return self._merged(_of_shape(argument, conditions_of(argument), values))
        there = exp.Not(this=exp.Is(this=self._bare(exp.Is(), argument), expression=exp.Null()))
        return _case_of([(there, _ONE)], _ZERO)

    def _merged(self, tree: Tree) -> Tree:
        """CASE WHEN p THEN CASE WHEN q THEN x END END is CASE WHEN p AND q THEN x END, with ELSE 0 in both, too."""
        default = tree.args.get("default")
        if tree.this is not None or len(tree.args["ifs"]) != 1:
            return tree
        (branch,) = tree.args["ifs"]
        condition, value = branch.this, branch.args["true"]
        if isinstance(condition, exp.Is) and default is not None:
            return self._merged(_case_of([(exp.Not(this=condition), default)], value))
        plain = isinstance(value, exp.Case) and value.this is None and len(value.args["ifs"]) == 1
        if not plain or value.args.get("default") != default:
            return tree
        (inner,) = value.args["ifs"]
        both = self._chain(exp.And(this=condition, expression=inner.this))
        return _case_of([(both, inner.args["true"])], default)

    def _whole(self, name: str, argument: Tree, condition: Tree | None = None) -> Tree:
        """The aggregate of an argument in normal form, which may be of aggregates of finer groups."""
        call = call_of(name, argument)
        if name == "sum" and self._nonempty and condition is None:
            if _never_null(argument):
                return self._total(argument)
            zeroed = self._zeroed(argument)
            if zeroed is not None:
                return self._total(zeroed)
        return call

    def _zeroed(self, argument: Tree) -> Tree | None:
        """Of rows that are there sum(coalesce(x, 0)) is coalesce(sum(x), 0)."""
        zeroed = isinstance(argument, exp.Anonymous) and argument.name == "coalesce" and len(argument.expressions) == 2
        return argument.expressions[0] if zeroed and _is_zero(argument.expressions[1]) else None

    def _total(self, argument: Tree) -> Tree:
        """A sum that is 0 where there is nothing to add: there 0 and NULL are the same to it."""
        return call_of("coalesce", call_of("sum", self._zero_defaults(argument)), _ZERO)

    def _zero_defaults(self, argument: Tree) -> Tree:
        if not isinstance(argument, exp.Case):
            return argument
        values = [self._zero_defaults(value) for value in values_of(argument)]
        if argument.args.get("default") is None:
            values.append(_ZERO)
        return self._merged(_of_shape(argument, conditions_of(argument), values))

    def _part(self, name: str, tree: Tree) -> Tree | None:
        """What an aggregate of rows is of, of which an expression over their groups is a part; None if it is none."""
        call = aggregate_of(tree)
        if call is not None:
            return call.expressions[0] if call.name == name and tree is call and not _is_distinct(call) else None
        if isinstance(tree, exp.Case):
            parts = [self._part(name, value) for value in values_of(tree)]
            found = [part for part in parts if part is not None]
            constant = not any(map(has_aggregate, conditions_of(tree)))
            return _of_shape(tree, conditions_of(tree), found) if constant and len(found) == len(parts) else None
        if isinstance(tree, exp.Null):
            return tree
        if name == "sum":
            return self._part_of_sum(tree)
        return tree if name in IDEMPOTENT and not has_aggregate(tree) else None

    def _part_of_sum(self, tree: Tree) -> Tree | None:
        if _is_zero(tree):
            return tree
        if isinstance(tree, exp.Anonymous) and tree.name == "coalesce" and len(tree.expressions) == 2:
            inner = self._part("sum", tree.expressions[0])
            if inner is None or not _is_zero(tree.expressions[1]):
                return None
            return inner if _never_null(inner) else call_of("coalesce", inner, tree.expressions[1])
        if isinstance(tree, exp.Cast) and not tree.args.get("safe") and self._widens(tree.this, tree):
            return self._part("sum", tree.this)
        return self._weighed(tree) if isinstance(tree, exp.Mul) else None

    def _weighed(self, tree: Tree) -> Tree | None:
        """A constant of each group times its rows."""
        for value, rows in ((tree.this, tree.expression), (tree.expression, tree.this)):
            plain = rows.this if isinstance(rows, exp.Cast) and is_numeric(self.kind(rows)) else rows
            if plain == ROWS and not has_aggregate(value):
                return self._narrow(value)
        return None

    def _narrow(self, value: Tree) -> Tree:
        """A number without the casts that only widen its type."""
        while isinstance(value, exp.Cast) and not value.args.get("safe") and self._widens(value.this, value):
            value = value.this
        return value

    def _widens(self, inner: Tree, outer: Tree) -> bool:
        return widens(self.kind(inner), self.kind(outer))

    # Laws of aggregates that are made of others

    def _finished(self, call: exp.Anonymous, condition: Tree | None) -> Tree | None:
        """An aggregate as what its parts finish as; None for one that is a part itself."""
        if _is_distinct(call):
            return None

        def part(of: exp.Anonymous) -> Tree:
            return _with_condition(of, condition)

        argument = call.expressions[0]
        if call.name == "avg":
            return self._average(argument, part)
        if call.name in DEVIATIONS and (scale := scale_of(numeric_type(argument, self._block))) is not None:
            digits = digits_of(argument, scale)
            total, squares = part(call_of("sum", digits)), part(call_of("sum", squared(digits)))
            return deviation(call.name, total, squares, part(call_of("count", argument)), scale)
        if call.name in PAIRED:
            y, x = call.expressions
            pair = pair_of(y, x, (numeric_type(y, self._block), numeric_type(x, self._block)))
            if pair is not None:
                return of_pairs(call.name, {each: part(pair.summed(each)) for each in needed(call.name)}, pair)
        return None

    def _average(self, argument: Tree, part: Callable[[exp.Anonymous], Tree]) -> Tree | None:
        kind = self.kind(argument)
        summed = cast(argument, "decimal(38,0)") if kind == "bigint" else argument
        if kind == UNKNOWN:
            return None
        return average(part(call_of("sum", summed)), part(call_of("count", argument)), kind)


ROWS = call_of("coalesce", call_of("sum", _ONE), _ZERO)

_LAWS: dict[type[Tree], Callable[[Expressions, Tree], Tree]] = {
    exp.Cast: Expressions._cast,
    exp.TryCast: Expressions._cast,
    exp.Anonymous: Expressions._call,
    exp.Case: Expressions._case,
    exp.Not: Expressions._not,
    exp.And: Expressions._chain,
    exp.Or: Expressions._chain,
    exp.EQ: Expressions._symmetric,
    exp.NEQ: Expressions._symmetric,
    exp.NullSafeEQ: Expressions._symmetric,
    exp.Add: Expressions._symmetric,
    exp.Mul: Expressions._symmetric,
    exp.LT: Expressions._ordered,
    exp.LTE: Expressions._ordered,
    exp.GT: Expressions._ordered,
    exp.GTE: Expressions._ordered,
    exp.Is: Expressions._is,
    exp.In: Expressions._in,
}


def values_of(tree: Tree) -> list[Tree]:
    """The values that a CASE chooses among, without the NULL of a default that is not written."""
    default = tree.args.get("default")
    return [*(branch.args["true"] for branch in tree.args["ifs"]), *([default] if default is not None else [])]


def conditions_of(tree: Tree) -> list[Tree]:
    """All that decides which value a CASE gives."""
    return [*([tree.this] if tree.this is not None else []), *(branch.this for branch in tree.args["ifs"])]


def widens(narrow: str, wide: str) -> bool:
    """Whether a cast from one type of number to another keeps each value as it is.

    >>> widens("int", "bigint"), widens("bigint", "double"), widens("decimal(10,2)", "decimal(22,2)")
    (True, False, True)
    """
    if narrow in INTEGERS and wide in INTEGERS:
        return INTEGERS.index(narrow) <= INTEGERS.index(wide)
    if narrow in INTEGERS and wide == "double":
        return narrow != "bigint"
    if narrow == "float" and wide == "double":
        return True
    if not is_numeric(narrow) or (target := as_decimal(wide)) is None:
        return False
    digits = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 19}
    source = as_decimal(narrow) or (digits[narrow], 0) if narrow in digits or as_decimal(narrow) else None
    if source is None:
        return False
    precision, scale = source
    return target.scale >= scale and target.precision - target.scale >= precision - scale


def _with_condition(call: Tree, condition: Tree | None) -> Tree:
    return call if condition is None else exp.Filter(this=call, expression=exp.Where(this=condition))


def _under(condition: Tree | None, argument: Tree) -> Tree:
    return argument if condition is None else _case_of([(condition, argument)], None)


def _case_of(branches: Sequence[tuple[Tree, Tree]], default: Tree | None) -> Tree:
    return exp.Case(ifs=[exp.If(this=when, true=then) for when, then in branches], default=default)


def _of_shape(tree: Tree, conditions: Sequence[Tree], values: Sequence[Tree]) -> Tree:
    """The CASE of the same shape over other values; one more than it has conditions is its default."""
    rest = list(conditions)
    operand = rest.pop(0) if tree.this is not None else None
    ifs = [exp.If(this=when, true=then) for when, then in zip(rest, values, strict=False)]
    return exp.Case(this=operand, ifs=ifs, default=values[len(rest)] if len(values) > len(rest) else None)


def _put(tree: Tree, old: Tree, new: Tree) -> Tree:
    return type(tree)(**{name: _put_in(value, old, new) for name, value in tree.args.items()})


def _put_in(value: object, old: Tree, new: Tree) -> object:
    if isinstance(value, list):
        return [_put_in(item, old, new) for item in value]
    return new if isinstance(value, Tree) and value == old else value


def _never_null(tree: Tree) -> bool:
    """Whether an expression counts: of zeros and ones, and CASEs of them."""
    if isinstance(tree, exp.Case):
        return tree.args.get("default") is not None and all(map(_never_null, values_of(tree)))
    return tree in (_ZERO, _ONE)


def _is_zero(tree: Tree) -> bool:
    return isinstance(tree, exp.Literal) and not tree.is_string and not tree.name.strip("0.")


def _literal_day(tree: Tree) -> Tree | None:
    """The date of a time that is written down."""
    text = tree.this if isinstance(tree, exp.Cast) and not tree.args.get("safe") else None
    moment = read_moment(text.name, None) if isinstance(text, exp.Literal) and text.is_string else None
    return cast(exp.Literal.string(moment.wall.date().isoformat()), "date") if moment is not None else None


def _is_distinct(call: exp.Anonymous) -> bool:
    return bool(call.expressions) and isinstance(call.expressions[0], exp.Distinct)
