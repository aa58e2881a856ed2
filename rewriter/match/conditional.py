"""Finds the aggregates of the rows in which a condition is true, from stored aggregates of these rows.

`count(CASE WHEN p THEN 1 END)` is `count(*) FILTER (WHERE p)`, and so is `sum(CASE WHEN p THEN 1 ELSE 0 END)`.

law: f(x) FILTER (WHERE p) is f(CASE WHEN p THEN x END) if f ignores NULLs
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from sqlglot import exp

from rewriter.block import aggregate_of, meaning
from rewriter.block.normal_forms import joined
from rewriter.block.points import number_value
from rewriter.functions.registry import AGGREGATES, FOLDED
from rewriter.functions.trees import call_of, is_zero, number
from rewriter.functions.types import FRACTIONS, VOID
from rewriter.match.branches import Branches, branches_of
from rewriter.match.linear import sum_of_rows
from rewriter.match.overflow import may_have_overflowed, may_have_wrapped
from rewriter.match.reading import Reading, of_own_type
from rewriter.match.reasons import Miss
from rewriter.schema import numeric_type
from rewriter.sql import operands

Tree = exp.Expr


class Conditional(NamedTuple):
    """An aggregate of the rows in which a condition is true: `name(value) FILTER (WHERE condition)`.

    The value of count(*) is a star.
    """

    name: str
    condition: Tree
    value: Tree


def conditionals(tree: Tree, held: Tree) -> Iterator[tuple[Conditional, Tree]]:
    """Yield the aggregates of the rows in which a condition is true that a stored aggregate gives, with their values.

    `tree` is the stored aggregate, and `held` its value. The groups have rows: `sum(CASE WHEN p THEN 1 ELSE 0 END)` is
    the number of rows in which p is true. Yield nothing for aggregates of other forms, and for aggregates that do not
    ignore NULLs.
    """
    call = aggregate_of(tree)
    if call is None or call.name not in FOLDED or isinstance(call.expressions[0], exp.Distinct):
        return
    (argument,) = call.expressions
    if isinstance(tree, exp.Filter):
        yield Conditional(call.name, tree.expression.this, argument), held
        return
    branches = branches_of(argument)
    if branches is None or len(branches.cases) != 1:
        return
    ((_, value),), (condition,) = branches.cases, branches.predicates
    zero, none = branches.default == number(0), isinstance(branches.default, exp.Null)
    if call.name == "sum" and value == number(1) and (zero or none):
        counted = held if zero else call_of("coalesce", held, number(0))
        yield Conditional("count", condition, exp.Star()), counted
    elif none:
        yield Conditional(call.name, condition, value), held


class ConditionalAggregates:
    """A converter of aggregates of the rows in which a condition is true to expressions over storage columns.

    The results are aggregates over the base rows that one storage row of a view with GROUP BY aggregates. Arguments are
    canonical expressions, in which each column is replaced by one representative of its equal columns.
    """

    def __init__(self, reading: Reading) -> None:
        self.reading = reading

    def of(self, name: str, branches: Branches, argument: Tree) -> Tree | None:
        """Return the aggregate `name` of a CASE with one condition, from a stored aggregate of the rows in which the
        condition is true.

        `count(CASE WHEN p THEN 1 END)` gives the column of `sum(CASE WHEN p THEN 1 ELSE 0 END)`. `argument` is the
        CASE, and `branches` are its conditions and values. Return None if the CASE has several conditions, if its
        values are not supported, and if the storage table lacks the aggregate.

        law:  the sum of a constant c over the rows in which p is true is c times their number, or NULL if there are
              none and the CASE has no ELSE
        view:   SELECT region, sum(CASE WHEN paid THEN 1 ELSE 0 END) AS n, sum(price) FILTER (WHERE paid) AS s …
        query:  SELECT count_if(paid), sum(CASE WHEN paid THEN price ELSE 0 END) FROM sales
        gives:  SELECT coalesce(sum(n), 0), sum(coalesce(s, 0)) FROM view
        no:     a view without GROUP BY, because the sum over an empty table is NULL
        no:     sum(CASE WHEN p THEN x ELSE 0 END) of an x that may be NULL, because the sum may be NULL
        """
        if not self.reading.path.block.keys or self.reading.filled or len(branches.cases) != 1:
            return None
        ((_, value),), (condition,), default = branches.cases, branches.predicates, branches.default
        if isinstance(default, exp.Null) and (name != "sum" or number_value(value) is None):
            found = self._of_rows(name, condition, value)
            if found is None and AGGREGATES[name].of_key == "same":
                found = self.key_of_rows(argument)
            return found
        return self._of_constants(condition, value, default, argument) if name == "sum" else None

    def key_of_rows(self, argument: Tree) -> Tree | None:
        """Return the value of a grouping key if a condition is true in some row of the storage row's group, else NULL.

        `argument` is a CASE with one condition, whose value is an expression of keys, and without a default. Return
        None for other expressions, and if the storage table does not count the rows in which the condition is true.

        law:  a key has one value in all rows of a group, so that f(CASE WHEN p THEN k END) depends only on whether p is
              true in some row, if f ignores NULLs and repeated values
        view:   SELECT region, user_id, sum(CASE WHEN paid THEN 1 ELSE 0 END) AS n FROM sales GROUP BY region, user_id
        query:  SELECT region, count(DISTINCT CASE WHEN paid THEN user_id END) FROM sales GROUP BY region
        gives:  SELECT region, count(DISTINCT CASE WHEN n > 0 THEN user_id END) FROM view GROUP BY region
        """
        branches, grouped = branches_of(argument), bool(self.reading.path.block.keys) and not self.reading.filled
        if branches is None or not grouped or branches.operand is not None or len(branches.cases) != 1:
            return None
        ((condition, value),) = branches.cases
        tests, rest = self._tested(condition)
        counted = Conditional("count", meaning(joined(exp.And, rest)), exp.Star()) if rest else None
        found = self._conditionals.get(counted) if counted is not None else None
        if found is None or not isinstance(branches.default, exp.Null) or self.reading.is_normalized(value):
            return None
        computed = self.reading.compute(value)
        if isinstance(computed, Miss):
            return None
        some = exp.GT(this=found.copy(), expression=number(0))
        return exp.Case(ifs=[exp.If(this=joined(exp.And, [*tests, some]), true=computed.copy())])

    def _of_constants(self, condition: Tree, value: Tree, default: Tree, argument: Tree) -> Tree | None:
        """Return the sum of `argument`, a CASE with one condition whose default, and mostly also whose value,
        is a constant.

        Return None if the storage table lacks the count of the rows in which `condition` is true, or the sum of `value`
        over these rows, and if digits could be lost.
        """
        kind, zero = numeric_type(argument, self.reading.block), is_zero(default)
        if kind is None or kind == VOID:
            return None
        if number_value(value) is None:
            summed = self._of_rows("sum", condition, value) if zero and self.reading.is_never_null(value) else None
            if summed is None or may_have_wrapped(value, kind, self.reading):
                return None
            return call_of("coalesce", summed, number(0))
        rows, counted = self.reading.row_count, self._of_rows("count", condition, exp.Star())
        if counted is None or kind in FRACTIONS:
            return None
        if isinstance(default, exp.Null):
            return sum_of_rows(value, call_of("nullif", counted, number(0)), kind)
        if zero:
            return sum_of_rows(value, counted, kind)
        if not is_zero(value) or number_value(default) is None or rows is None:
            return None
        return sum_of_rows(default, exp.Sub(this=rows, expression=counted), kind)

    def _of_rows(self, name: str, condition: Tree, value: Tree) -> Tree | None:
        """Return the aggregate of `value` over the rows in which `condition` is true; None if none is stored.

        A part of the condition may also be a condition on storage columns. `name` is the aggregate function; for
        count(*), `value` is a star.
        """
        if name == "count" and self.reading.is_never_null(value):
            value = exp.Star()
        tests, rest = self._tested(condition)
        found = (
            self._conditionals.get(Conditional(name, meaning(joined(exp.And, rest)), meaning(value))) if rest else None
        )
        if found is None or not tests:
            return found
        default = number(0) if name == "count" else None
        return exp.Case(ifs=[exp.If(this=joined(exp.And, tests), true=found.copy())], default=default)

    def _tested(self, condition: Tree) -> tuple[list[Tree], list[Tree]]:
        """Return the conjuncts of a condition that can be derived, over storage columns, and the other conjuncts."""
        parts = list(operands(condition, exp.And))
        computed = [self.reading.compute(part) for part in parts]
        rest = [part.copy() for part, found in zip(parts, computed, strict=True) if isinstance(found, Miss)]
        return [found.copy() for found in computed if not isinstance(found, Miss)], rest

    @cached_property
    def _conditionals(self) -> Mapping[Conditional, Tree]:
        """The stored aggregates of the rows in which a condition is true, as expressions over storage columns."""
        found: dict[Conditional, Tree] = {}
        for tree, column in self.reading.aggregates.items():
            held = of_own_type(column.name, column.type)
            for call, value in conditionals(tree, held):
                if call.name == "sum" and may_have_overflowed(column, call.value, self.reading):
                    continue
                if call.name == "count" and self.reading.is_never_null(call.value):
                    call = call._replace(value=exp.Star())
                found.setdefault(call, value)
        return found
