"""Aggregates of a query from aggregates of a view: at the same grain as they are, at a coarser one rolled up.

| the query asks      | the storage holds                    | rolled up                                   |
|---------------------|--------------------------------------|---------------------------------------------|
| count(*), count(x)  | the same count                       | coalesce(sum(c), 0): no rows count as none  |
| sum(x)              | sum(x); or x as a key, and count(*)  | sum, cast to the type it has in the storage |
| min, max, bool, bit | the same; min and max also from keys | itself                                      |
| avg(x)              | sum(x) and count(x)                  | as Spark's Average ends                     |
| f(DISTINCT k)       | k as a key                           | f(DISTINCT k)                               |
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from sqlglot import exp

from rewriter.block import aggregate_of
from rewriter.block.predicates import INTEGERS
from rewriter.match.candidate import Miss, Reason
from rewriter.match.reading import Reading, stored
from rewriter.match.words import words
from rewriter.model import Column

Tree = exp.Expr

IDEMPOTENT = frozenset({"min", "max", "bool_and", "bool_or", "bit_and", "bit_or", "bit_xor"})
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)\Z")
ROWS = exp.Anonymous(this="count", expressions=[exp.Star()])

# Beyond this precision the division's own rounding could show in the average's last digit.
EXACT_AVERAGE_PRECISION = 12


class Aggregates:
    """The aggregates of one reading. Arguments and results are canonical trees, normalized."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading

    def direct(self, tree: Tree) -> Tree | Miss:
        """The aggregate as the storage has it for each of its groups."""
        held = self._held(tree)
        if held is not None:
            return stored(held.name)
        call = aggregate_of(tree)
        assert call is not None
        if call.name == "avg" and isinstance(tree, exp.Anonymous):
            average = self._average(call, None, fold=lambda column, _: stored(column.name))
            return average or _missing(tree)
        return _missing(tree)

    def rolled(self, tree: Tree) -> Tree | Miss:
        """The aggregate over many groups of the storage."""
        call = aggregate_of(tree)
        assert call is not None
        condition: Tree | None = None
        if isinstance(tree, exp.Filter):
            held = self._held(tree)
            if held is not None:
                return self._fold(call.name, held, None)
            computed = self.reading.compute(tree.expression.this)
            if isinstance(computed, Miss):
                return computed
            condition = computed
        return self._rolled(call, condition)

    def _rolled(self, call: exp.Anonymous, condition: Tree | None) -> Tree | Miss:
        held = self._held(call)
        if held is not None and (call.name != "avg" and not _is_distinct(call)):
            return self._fold(call.name, held, condition)
        if _is_distinct(call) or call.name in ("min", "max", "bool_and", "bool_or"):
            return self._from_keys(call, condition)
        if call.name == "count":
            return self._count_of_key(call, condition)
        if call.name == "sum":
            return self._sum_of_key(call, condition)
        if call.name == "avg":
            average = self._average(call, condition, fold=lambda column, name: self._fold(name, column, condition))
            if average is not None:
                return average
            if self._held(call) is not None:
                return Miss(Reason.AGGREGATE_DOES_NOT_ROLL_UP, f"{words(call)} without its sum and count")
        return _missing(call)

    def _held(self, tree: Tree) -> Column | None:
        """The storage's column of an aggregate, if it has one; count(x) is count(*) where x cannot be NULL."""
        held = self.reading.aggregates.get(tree)
        if held is None and isinstance(tree, exp.Anonymous) and tree.name == "count" and not _is_distinct(tree):
            declared = self.reading.block.type_of(tree.expressions[0])
            if declared is not None and not declared.nullable:
                return self.reading.aggregates.get(ROWS)
        return held

    def _fold(self, name: str, column: Column, condition: Tree | None) -> Tree:
        """The aggregate that combines a column of partial results."""
        if name == "count":
            return exp.Anonymous(
                this="coalesce", expressions=[_filtered("sum", stored(column.name), condition), _number(0)]
            )
        if name == "sum":
            total = _filtered("sum", stored(column.name), condition)
            # A sum of DECIMAL sums has ten digits more than the original's type.
            return _cast(total, column.type) if column.type.startswith("decimal") else total
        assert name in IDEMPOTENT, name
        return _filtered(name, stored(column.name), condition)

    def _from_keys(self, call: exp.Anonymous, condition: Tree | None) -> Tree | Miss:
        """An aggregate to which repeated values make no difference, over keys."""
        argument = call.expressions[0]
        inner = argument.expressions[0] if isinstance(argument, exp.Distinct) else argument
        computed = self.reading.compute(inner)
        if call.name in ("min", "max") and self.reading.is_normalized(inner):
            return _missing(call)
        if isinstance(computed, Miss):
            held = self.reading.aggregates.get(call)
            if held is not None:
                return Miss(Reason.AGGREGATE_DOES_NOT_ROLL_UP, words(call))
            return _missing(call)
        again = exp.Distinct(expressions=[computed]) if isinstance(argument, exp.Distinct) else computed
        return _filtered(call.name, again, condition)

    def _count_of_key(self, call: exp.Anonymous, condition: Tree | None) -> Tree | Miss:
        """count(k): the rows of the groups in which k is not NULL."""
        rows = self.reading.aggregates.get(ROWS)
        if isinstance(call.expressions[0], exp.Star) or rows is None:
            return _missing(call)
        computed = self.reading.compute(call.expressions[0])
        if isinstance(computed, Miss):
            return _missing(call)
        present = exp.Not(this=exp.Is(this=computed, expression=exp.Null()))
        both = present if condition is None else exp.And(this=present, expression=condition)
        return self._fold("count", rows, both)

    def _sum_of_key(self, call: exp.Anonymous, condition: Tree | None) -> Tree | Miss:
        """sum(k) of an integer key (of the view, or of a table joined to it): each group counts its rows times."""
        rows = self.reading.aggregates.get(ROWS)
        declared = self.reading.block.type_of(call.expressions[0])
        if rows is None or declared is None or declared.type not in INTEGERS:
            return _missing(call)
        computed = self.reading.compute(call.expressions[0])
        if isinstance(computed, Miss):
            return _missing(call)
        weighted = exp.Mul(this=_cast(computed, "bigint"), expression=stored(rows.name))
        return _filtered("sum", weighted, condition)

    def _average(self, call: exp.Anonymous, condition: Tree | None, fold: Callable[[Column, str], Tree]) -> Tree | None:
        """avg(x) from the sum and the count of x, ended as Spark's Average ends for the type of x."""
        argument = call.expressions[0]
        exact = _cast(argument, "decimal(38,0)")
        total = self._held(_call("sum", exact)) or self._held(_call("sum", argument))
        count = self._held(_call("count", argument))
        if total is None or count is None:
            return None
        summed, counted = fold(total, "sum"), fold(count, "count")
        divisor = exp.Anonymous(this="nullif", expressions=[counted, _number(0)])
        decimal = _DECIMAL.match(total.type)
        if decimal is None or self._held(_call("sum", exact)) is not None:
            return exp.Div(this=_cast(summed, "double"), expression=_cast(divisor, "double"))
        # The buffer of avg over DECIMAL(p,s) is DECIMAL(p+10,s), its result DECIMAL(p+4,s+4).
        precision, scale = int(decimal[1]) - 10, int(decimal[2])
        if precision > EXACT_AVERAGE_PRECISION:
            return None
        quotient = exp.Div(this=_cast(summed, total.type), expression=_cast(divisor, "decimal(20,0)"))
        return _cast(quotient, f"decimal({precision + 4},{scale + 4})")


def _is_distinct(call: exp.Anonymous) -> bool:
    return isinstance(call.expressions[0], exp.Distinct)


def _missing(tree: Tree) -> Miss:
    return Miss(Reason.AGGREGATE_NOT_IN_VIEW, words(tree))


def _call(name: str, argument: Tree) -> exp.Anonymous:
    return exp.Anonymous(this=name, expressions=[argument.copy()])


def _filtered(name: str, argument: Tree, condition: Tree | None) -> Tree:
    call = _call(name, argument)
    return call if condition is None else exp.Filter(this=call, expression=exp.Where(this=condition.copy()))


def _cast(tree: Tree, kind: str) -> Tree:
    return exp.TryCast(this=tree.copy(), to=_type(kind).copy())


@cache
def _type(kind: str) -> exp.DataType:
    return exp.DataType.build(kind, dialect="spark")


def _number(value: int) -> Tree:
    return exp.Literal.number(value)
