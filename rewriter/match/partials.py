"""Computes partial aggregates: aggregates over the base rows that one storage row of a view aggregates.

In these laws, `rows` is the number of base rows that a storage row aggregates.

law: a storage row aggregates one or more base rows; if the query joins further tables to the view, all these base rows
     match the same rows of the further tables
law: an expression k over storage columns is the same for all base rows of the storage row: sum(k) is k * rows, count(k)
     is rows, or 0 if k is NULL, and min(k) is k
law: f(CASE WHEN p THEN x ELSE y END) is CASE WHEN p THEN f(x) ELSE f(y) END if p is an expression over storage columns
no:  a view without GROUP BY, because it has a storage row even if the base table is empty: min(1) is then NULL, not 1
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from rewriter.block import meaning
from rewriter.block.words import words
from rewriter.functions.registry import AGGREGATES
from rewriter.functions.trees import call_of, cast, is_zero, number
from rewriter.functions.types import DIGITS, INTEGERS, MAX_PRECISION, VOID, as_decimal, holds_all
from rewriter.match.branches import Branches, NullTest, branches_of, chosen, null_test
from rewriter.match.conditional import ConditionalAggregates
from rewriter.match.linear import LINEAR, linear_sum, sum_of_rows
from rewriter.match.monotone import monotone, with_operand
from rewriter.match.numbers import SUM_DIGITS, sum_type, summed_type, wider
from rewriter.match.overflow import may_have_overflowed, may_have_wrapped
from rewriter.match.reading import Reading, of_own_type
from rewriter.match.reasons import Miss, Reason
from rewriter.match.whole_sums import fits_bigint
from rewriter.model import Column
from rewriter.schema import numeric_type

Tree = exp.Expr
# Operations in a sum that is divided into sums, and in all such sums of a SELECT. Each is proved over its operand:
# 150 sums of 20 operations take 1.7 s, and nothing else in the process runs meanwhile.
MOST_OPERATIONS = 24
MOST_IN_ALL = 1000

ADDITIVE = frozenset({"sum", "count"})
# The type in which sums of BIGINTs are added if a partial sum may overflow.
_WIDE = f"decimal({MAX_PRECISION},0)"


@dataclass(frozen=True)
class PartialAggregate:
    """An expression over storage columns for an aggregate over the base rows that one storage row aggregates.

    `kind` is the numeric type of the aggregate's argument; None if unknown or not numeric. With `wide`, the aggregate
    is a sum of BIGINTs that `tree` computes as a DECIMAL(38,0), because a partial sum may overflow BIGINT even if the
    total does not.
    """

    tree: Tree
    kind: str | None = None
    wide: bool = False


class PartialAggregates:
    """A converter of a query's partial aggregates to expressions over the columns of a view's storage table.

    A partial aggregate is an aggregate over the base rows that one storage row aggregates. Arguments are canonical
    expressions, in which each column is replaced by one representative of its equal columns.
    """

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.conditional = ConditionalAggregates(reading)
        self._divided = 0

    def held(self, tree: Tree) -> Column | None:
        """Return the storage column of an aggregate; None if the storage table lacks the aggregate.

        If x cannot be NULL in a row of the view's tables, the column of count(*) is returned for count(x).
        """
        if isinstance(tree, exp.Anonymous) and tree.name == "count" and (rows := self.reading.counted) is not None:
            (argument,) = tree.expressions
            declared = self.reading.block.type_of(argument)
            found = self.reading.is_filled_key(argument) if self.reading.filled else declared and not declared.nullable
            if found:
                # One column for the counts of all such x: TPC-H 1, with three averages, takes 1.11 of the time of
                # hand-written SQL on Spark instead of 1.21.
                return rows
        return self.reading.aggregates.get(meaning(tree))

    def of(self, name: str, argument: Tree) -> PartialAggregate | Miss:
        """Return the partial aggregate of the function `name` over an argument: for sum and x, the stored sum(x).

        Return a Miss if the storage table does not determine the aggregate.
        """
        held = self.held(call_of(name, argument))
        # Spark adds BIGINTs some four times as fast as DECIMALs with 38 digits.
        if name == "sum" and isinstance(argument, exp.Cast) and (held is None or self._fits_bigint(argument)):
            summed = self._widened(argument)
            if summed is not None:
                return summed
        if held is not None:
            if name == "sum" and may_have_overflowed(held, argument, self.reading):
                return Miss(
                    Reason.AGGREGATE_DOES_NOT_ROLL_UP,
                    f"{words(call_of(name, argument))}: the view was created without ANSI mode, and therefore stores "
                    "NULL for a sum that overflows: drop the view, and create it again in a session with SET "
                    "spark.sql.ansi.enabled = true",
                )
            kind = numeric_type(argument, self.reading.block)
            return PartialAggregate(
                of_own_type(held.name, held.type), kind or (summed_type(held.type) if name == "sum" else None)
            )
        computed = self._in_double(name, argument) or (self._of_wider(argument) if name == "sum" else None)
        if computed is not None:
            return computed
        if AGGREGATES[name].of_key not in _OF_KEY:
            return missing(call_of(name, argument))
        branches = branches_of(argument)
        if branches is not None:
            return self._of_case(name, branches, argument)
        zeroed = self._of_zeroed(argument) if name == "sum" else None
        found = zeroed if zeroed is not None else self._of_key(name, argument)
        simpler = _SIMPLER.get(AGGREGATES[name].family or name) if isinstance(found, Miss) else None
        return (simpler(self, name, argument) if simpler is not None else None) or found

    def _of_key(self, name: str, argument: Tree) -> PartialAggregate | Miss:
        """Return the partial aggregate of an expression k of grouping keys: min(k) of the rows of one group is k.

        `name` is the aggregate function, whose record has the law (`of_key`). Return a Miss if the expression cannot be
        derived from keys.
        """
        return _OF_KEY[AGGREGATES[name].of_key](self, name, argument)

    def _of_case(self, name: str, branches: Branches, argument: Tree) -> PartialAggregate | Miss:
        """Return the partial aggregate of `argument`, a CASE, from its branches or from keys; a Miss if neither works.

        Deriving a whole CASE from keys gives the shorter SQL for min() and max(), but not for a sum.
        """
        if name not in ADDITIVE or self.reading.held(argument) is not None:
            whole = self._of_key(name, argument)
            return self._of_branches(name, branches, argument) if isinstance(whole, Miss) else whole
        divided = self._of_branches(name, branches, argument)
        whole = self._of_key(name, argument) if isinstance(divided, Miss) else divided
        return divided if isinstance(whole, Miss) else whole

    def _of_nulls(self, name: str, argument: Tree) -> PartialAggregate | None:
        """Return the partial count of an expression that is NULL where a simpler expression is: count(2 * x) gives
        count(x).

        `name` is the aggregate function. Return None if there is no simpler expression, or if the storage table lacks
        the simpler expression's count.
        """
        deciding = self.reading.same_nulls(argument)
        found = None if deciding is argument else self.of(name, deciding)
        return found if isinstance(found, PartialAggregate) else None

    def _of_extreme(self, name: str, argument: Tree) -> PartialAggregate | None:
        """Return the minimum or maximum of a monotone function, computed from the operand's minimum or maximum.

        `max(2 * x)` gives `2 * max(x)`, and `max(-x)` gives `-min(x)`. Return None for other expressions, and if the
        storage table lacks the minimum or maximum of the operand.
        """
        reading = self.reading
        function = monotone(argument, reading.block, reading.zone, reading.since, ansi=reading.ansi)
        found = None if function is None else self.of(function.extreme(name), function.operand)
        if function is None or not isinstance(found, PartialAggregate):
            return None
        tree = with_operand(argument, function.operand, found.tree)
        return PartialAggregate(tree, numeric_type(argument, reading.block))

    def _in_double(self, name: str, argument: Tree) -> PartialAggregate | None:
        """Return an aggregate of numbers cast to DOUBLE, computed from the aggregate of the numbers without the cast.

        `sum(CAST(n AS DOUBLE))` gives `CAST(sum(n) AS DOUBLE)`. Return None for other arguments, and if the two
        aggregates could differ.

        law:  a cast to DOUBLE keeps NULLs and the order of numbers; the sum of the DOUBLEs equals the sum cast to
              DOUBLE except for the last bits, and exactly if no sum is rounded (rewriter.match.whole_sums)
        no:   a sum of BIGINTs without ANSI mode, because it may wrap around where the sum of DOUBLEs does not
        """
        record = AGGREGATES[name]
        if not isinstance(argument, exp.Cast) or not (record.linear or record.family == "extreme"):
            return None
        kind, block = numeric_type(argument.this, self.reading.block), self.reading.block
        if numeric_type(argument, block) != "double" or not (kind in INTEGERS or as_decimal(kind)):
            return None
        if name == "sum" and may_have_wrapped(argument.this, "double", self.reading):
            return None
        partial = self.of(name, argument.this)
        if isinstance(partial, Miss):
            return None
        return partial if name == "count" else PartialAggregate(cast(partial.tree, "double"), "double")

    def _widened(self, argument: exp.Cast) -> PartialAggregate | None:
        """Return the partial sum of numbers cast to DECIMAL or a wider integer, from the stored sum of the numbers.

        `sum(CAST(n AS DECIMAL(38,0)))` of integers or DECIMALs n gives `CAST(sum(n) AS DECIMAL(38,0))`. Return None for
        other arguments, if the storage table lacks sum(n), and if the two sums could differ.

        law:  in ANSI mode, a stored sum of integers is exact, because Spark raises an error for a sum that overflows; a
              sum of DECIMALs has ten digits more than its argument
        no:   CAST(n AS DECIMAL(8,2)), because the cast raises an error for a large n
        no:   a sum of BIGINTs without ANSI mode, because it may wrap around where the sum of DECIMALs does not
        """
        kind, summed = (numeric_type(each, self.reading.block) for each in (argument, argument.this))
        decimal = as_decimal(kind)
        if kind in INTEGERS and summed in INTEGERS and holds_all(kind, summed):
            narrow = self.of("sum", argument.this)
            return None if isinstance(narrow, Miss) else replace(narrow, kind=kind)
        if kind is None or decimal is None:
            return None
        source = as_decimal(summed)
        if source is not None and decimal.scale < source.scale:
            return None
        whole = MAX_PRECISION if source is None else source.precision - source.scale
        digits, room = DIGITS.get(str(summed), whole), decimal.precision - decimal.scale
        if room < digits + max(0, decimal.precision + SUM_DIGITS - MAX_PRECISION):
            return None  # the digits of the numbers or of their sum may not fit
        partial = self.of("sum", argument.this) if not may_have_wrapped(argument.this, kind, self.reading) else None
        if partial is None or isinstance(partial, Miss):
            return None
        kept = self._fits_bigint(argument) and not partial.wide
        return PartialAggregate(partial.tree if kept else cast(partial.tree, str(sum_type(kind))), kind)

    def _of_wider(self, argument: Tree) -> PartialAggregate | None:
        """Return the partial sum of DECIMALs from the stored sum of these DECIMALs cast to more digits.

        `sum(x)` gives the stored `sum(CAST(x AS DECIMAL(20,2)))` for an x with 10 digits, as a view of groups of groups
        stores it. Return None for other arguments, and if the storage table has no such sum.
        """
        kind = numeric_type(argument, self.reading.block)
        if kind is None or as_decimal(kind) is None:
            return None
        for tree, held in self.reading.aggregates.items():
            summed = tree.expressions[0] if isinstance(tree, exp.Anonymous) and tree.name == "sum" else None
            if not isinstance(summed, exp.Cast) or summed.args.get("safe") or summed.this != argument:
                continue
            wide = numeric_type(summed, self.reading.block) or ""
            if holds_all(wide, kind) and not may_have_overflowed(held, summed, self.reading):
                return PartialAggregate(of_own_type(held.name, held.type), kind)
        return None

    def _fits_bigint(self, argument: Tree) -> bool:
        """Return whether no sum of the integer that `argument` casts overflows BIGINT; False if not certain."""
        return fits_bigint(argument.this, self.reading.block)

    def _of_branches(self, name: str, branches: Branches, argument: Tree) -> PartialAggregate | Miss:
        """Return the partial aggregate of a CASE, as a CASE over the partial aggregates of its branches.

        `sum(CASE WHEN k THEN x END)` gives `CASE WHEN k THEN s END`, with the stored column s of sum(x). Return a Miss
        if a condition or the partial aggregate of a branch cannot be derived.
        """
        conditions: list[Tree] = []
        for condition in branches.conditions:
            computed = (
                self.reading.condition(condition) if branches.operand is None else self.reading.compute(condition)
            )
            if isinstance(computed, Miss):
                found = self._of_null_test(name, branches) or self.conditional.of(name, branches, argument)
                kind = numeric_type(argument, self.reading.block)
                return missing(call_of(name, argument)) if found is None else PartialAggregate(found, kind)
            conditions.append(computed)
        partials: list[PartialAggregate] = []
        for value in branches.values:
            partial = self.of(name, value)
            if isinstance(partial, Miss):
                return partial
            partials.append(partial)
        if name != "sum":
            return PartialAggregate(chosen(branches, conditions, [partial.tree for partial in partials]))
        kind = wider(partial.kind for partial in partials)
        if kind in (None, VOID) or any(may_have_wrapped(value, str(kind), self.reading) for value in branches.values):
            return missing(call_of(name, argument))
        values = [_aligned(partial, str(kind)) for partial in partials]
        wide = kind == "bigint" and any(partial.wide for partial in partials)
        return PartialAggregate(chosen(branches, conditions, values), kind, wide)

    def _of_null_test(self, name: str, branches: Branches) -> Tree | None:
        """Return the partial sum or count of a CASE over 0, 1 and NULL whose only condition is whether x is NULL.

        `sum(CASE WHEN x IS NULL THEN 1 ELSE 0 END)` gives `count(*) - count(x)`. Return None for another aggregate or
        CASE, and if the storage table lacks one of the two counts.

        law:  x is NULL in count(*) - count(x) rows of a group; sum(CASE WHEN p THEN 1 END) is the number of rows in
              which p is true, or NULL if there are none
        view:   SELECT region, count(*) AS cnt, count(x) AS xs FROM sales GROUP BY region
        query:  SELECT count(*) FILTER (WHERE x IS NULL) FROM sales
        gives:  SELECT coalesce(sum(cnt - xs), 0) FROM view
        no:     a view without GROUP BY, because the sum over an empty table is NULL
        no:     count(y) FILTER (WHERE x IS NULL), because y may be NULL in some of these rows
        no:     a view that a LEFT join fills with NULLs, because a row without a match has a NULL x and no counts
        """
        rows, keys = self.reading.row_count, self.reading.path.block.keys
        tested = null_test(branches) if name in ADDITIVE and keys and not self.reading.filled else None
        counted = self.of("count", tested.operand) if tested is not None else None
        if tested is None or rows is None or not isinstance(counted, PartialAggregate):
            return None
        absent = exp.Sub(this=rows, expression=counted.tree)
        parts = ((absent, tested.absent), (counted.tree, tested.present))
        if name == "count":
            there = [part for part in parts if not isinstance(part[1], exp.Null)]
            return there[0][0] if len(there) == 1 and self._is_counted(there[0][1], tested) else None
        ones = [tree for tree, value in parts if value == number(1)]
        others = [value for _, value in parts if value != number(1)]
        if len(ones) != 1 or not (is_zero(others[0]) or isinstance(others[0], exp.Null)):
            return None
        return call_of("nullif", ones[0], number(0)) if isinstance(others[0], exp.Null) else ones[0]

    def _is_counted(self, value: Tree, tested: NullTest) -> bool:
        """Return whether `value`, one of the two values of a test for NULL, is not NULL in any row that has this value.

        `count(CASE WHEN x IS NOT NULL THEN 2 * x END)` counts each row in which x is not NULL.
        """
        deciding = self.reading.same_nulls(value)
        return self.reading.is_never_null(value) or (value is tested.present and deciding == tested.operand)

    def _of_zeroed(self, argument: Tree) -> PartialAggregate | None:
        """Return the partial sum of coalesce(x, 0) as coalesce(sum(x), 0); None for other arguments.

        Return None, too, if the storage table lacks sum(x), or if the stored BIGINT sum may have wrapped around. Also
        return None if the view has no keys, because sum(coalesce(x, 0)) over an empty table is NULL, not 0.
        """
        coalesced = isinstance(argument, exp.Anonymous) and argument.name in ("coalesce", "nvl")
        if not coalesced or len(argument.expressions) != 2 or not is_zero(argument.expressions[1]):
            return None
        if not self.reading.path.block.keys:
            return None
        partial = self.of("sum", argument.expressions[0])
        if isinstance(partial, Miss):
            return None
        kind = wider((partial.kind, numeric_type(argument.expressions[1], self.reading.block)))
        if kind is None or may_have_wrapped(argument.expressions[0], kind, self.reading):
            return None
        wide = kind == "bigint" and partial.wide
        return PartialAggregate(call_of("coalesce", partial.tree, argument.expressions[1]), kind, wide)

    def _linear(self, name: str, argument: Tree) -> PartialAggregate | None:
        """Return the partial sum of a linear expression, such as x * k + c; `name` is sum.

        Return None if the storage table lacks the partial sums of the operands, or if digits could be lost. To limit
        the time, return None if the expression has more than MOST_OPERATIONS operations, or all sums of the SELECT
        together more than MOST_IN_ALL. Return None also if the expression itself is a storage column, from which the
        sum is computed more simply.
        """
        if not isinstance(argument, LINEAR) or self.reading.held(argument) is not None:
            return None
        # Each operation of a chain comes here once, as the outermost of what is left of the chain.
        self._divided += 1
        if self._divided > MOST_IN_ALL or sum(1 for _ in argument.find_all(*LINEAR)) > MOST_OPERATIONS:
            return None
        kind = numeric_type(argument, self.reading.block)
        wide = kind == "bigint" and self.reading.ansi and not fits_bigint(argument, self.reading.block)

        def of(name: str, value: Tree) -> Tree | None:
            partial = self.of(name, value)
            wrapped = name == "sum" and kind is not None and may_have_wrapped(value, kind, self.reading)
            if isinstance(partial, Miss) or wrapped or (partial.wide and kind not in ("bigint", "double")):
                return None
            return cast(partial.tree, _WIDE) if wide else partial.tree

        tree = linear_sum(argument, kind, self.reading, of)
        return None if tree is None else PartialAggregate(tree, kind, wide)

    def _computed(self, name: str, argument: Tree) -> Tree | Miss:
        """Return the argument of an aggregate as an expression over storage columns.

        Return a Miss if the argument cannot be derived, or if the view has no keys. With keys, each storage row is a
        group, and the argument has one value for all base rows of the group. `name` is the aggregate function, which
        the Miss names.
        """
        computed = self.reading.compute(argument)
        grouped = bool(self.reading.path.block.keys)
        return computed if grouped and not isinstance(computed, Miss) else missing(call_of(name, argument))

    def _weighed(self, name: str, argument: Tree) -> PartialAggregate | Miss:
        """Return the partial sum of an expression k of grouping keys: `k * count(*)`.

        Return a Miss if the storage table has no count(*), if the expression cannot be derived, or if digits could be
        lost. `name` is the aggregate function, which the Miss names.
        """
        rows, kind = self.reading.row_count, numeric_type(argument, self.reading.block)
        computed = self._computed(name, argument)
        if isinstance(computed, Miss):
            return computed
        if kind is None:
            return missing(call_of(name, argument))
        if kind == VOID or is_zero(argument):
            return PartialAggregate(computed, kind)
        weighed = sum_of_rows(computed, rows, kind) if rows is not None else None
        return missing(call_of(name, argument)) if weighed is None else PartialAggregate(weighed, kind)

    def _counted(self, name: str, argument: Tree) -> PartialAggregate | Miss:
        """Return the partial count of an expression of grouping keys: count(*), or 0 if the expression is NULL.

        The count of an expression that is never NULL is count(*), whether or not the expression is computed from keys.
        Return a Miss, which names the function `name`, if the storage table has no count(*), or if the expression
        cannot be derived.
        """
        rows = self.reading.row_count
        if isinstance(argument, exp.Null):
            return PartialAggregate(number(0), VOID)
        if rows is None:
            return missing(call_of(name, argument))
        deciding = self.reading.same_nulls(argument)
        if isinstance(deciding, (exp.Star, exp.Literal, exp.Boolean)):
            return PartialAggregate(rows)
        computed = self._computed(name, deciding)
        if isinstance(computed, Miss) and deciding is not argument:
            computed = self._computed(name, argument)
        if isinstance(computed, Miss):
            return computed
        absent = exp.Is(this=computed, expression=exp.Null())
        return PartialAggregate(exp.Case(ifs=[exp.If(this=absent, true=number(0))], default=rows))

    def key(self, name: str, argument: Tree) -> PartialAggregate | Miss:
        """Return an expression k of the view's grouping keys as a partial aggregate: min(k) of one group is k.

        `name` is the aggregate function, such as min. Return a Miss, which names the function, if the expression cannot
        be derived from keys.
        """
        # Storage has 0.0 for a floating-point key where the rows may have -0.0.
        if self.reading.is_normalized(argument):
            return missing(call_of(name, argument))
        computed = self._computed(name, argument)
        return computed if isinstance(computed, Miss) else PartialAggregate(computed)


# Not bound methods of each object: it would refer to itself, and only the garbage collector would free it.
_OF_KEY: Mapping[str | None, Callable[[PartialAggregates, str, Tree], PartialAggregate | Miss]] = {
    "weigh": PartialAggregates._weighed,
    "count": PartialAggregates._counted,
    "same": PartialAggregates.key,
}
# By the family or the name of an aggregate function: computes the aggregate from aggregates of simpler expressions.
_SIMPLER: Mapping[str, Callable[[PartialAggregates, str, Tree], PartialAggregate | None]] = {
    "count": PartialAggregates._of_nulls,
    "sum": PartialAggregates._linear,
    "extreme": PartialAggregates._of_extreme,
}


def missing(tree: Tree) -> Miss:
    """Return a Miss: the view lacks the aggregate `tree`."""
    return Miss(Reason.AGGREGATE_NOT_IN_VIEW, words(tree))


def _aligned(partial: PartialAggregate, kind: str) -> Tree:
    """Return the partial sum of a CASE branch, cast to the type of the sum of the whole CASE.

    The cast is needed because Spark's common type of the branches' sums may have fewer digits than the sum of the CASE.
    """
    wanted = sum_type(kind)
    if partial.kind == kind or as_decimal(wanted) is None or isinstance(partial.tree, (exp.Literal, exp.Null)):
        return partial.tree
    return cast(partial.tree, str(wanted))
