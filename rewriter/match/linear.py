"""Computes sums of expressions that are linear in a column from the column's sum and count.

law:    if k is the same for all base rows that one storage row aggregates, sum(x * k) is k * sum(x), and sum(x + k) is
        sum(x) + k * count(x); rows in which x or k is NULL contribute to neither side
view:   SELECT region, tax, sum(price) AS total, count(price) AS n FROM sales GROUP BY region, tax
query:  SELECT region, sum(price * tax), sum(price + 1) FROM sales GROUP BY region
gives:  SELECT region, sum(total * tax), sum(total + 1 * n) FROM view GROUP BY region
no:     floating-point numbers, because their sums are rounded
no:     BIGINT, because a partial sum may overflow although the total does not
no:     integers without ANSI mode, because 2 * x may wrap around
no:     sum(x + y) if x or y may be NULL
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from rewriter.block import has_aggregate
from rewriter.functions.trees import cast
from rewriter.functions.types import MAX_PRECISION, as_decimal
from rewriter.match.candidate import Miss
from rewriter.match.numbers import SUM_DIGITS
from rewriter.match.reading import Reading
from rewriter.model.settings import is_ansi
from rewriter.schema import numeric_type
from rewriter.sql import columns_in

Tree = exp.Expr
# Maps a function name and an argument to the partial aggregate over one storage row; None if storage lacks it.
Of = Callable[[str, Tree], Tree | None]

_SMALL = ("tinyint", "smallint", "int")
# The digits of the DECIMAL to which row counts are cast.
ROWS_PRECISION = 18


def linear_sum(argument: Tree, reading: Reading, of: Of) -> Tree | None:
    """Return the sum of a product, sum, difference or negation over the base rows that one storage row aggregates.

    For a grouping key k, `x * k` gives `sum(x) * k`, with the stored sum of x. `of` returns the partial aggregates of
    the operands. Return None for other arguments, if the storage table lacks one of these aggregates, or if digits
    could be lost. `reading` is the query, expressed over the view's storage table.
    """
    if not isinstance(argument, (exp.Add, exp.Sub, exp.Mul, exp.Neg)) or not _is_exact(argument, reading):
        return None
    if isinstance(argument, exp.Neg):
        summed = of("sum", argument.this)
        return None if summed is None else exp.Neg(this=summed)
    for place, other in ((argument.this, argument.expression), (argument.expression, argument.this)):
        constant = _constant(other, reading)
        if constant is not None:
            return _with_constant(argument, place, constant, reading, of)
    return _of_both(argument, reading, of) if not isinstance(argument, exp.Mul) else None


def _is_exact(argument: Tree, reading: Reading) -> bool:
    """Return whether a sum of this argument loses no digits: small integers in ANSI mode, and short DECIMALs.

    `reading` is the query, expressed over the view's storage table.
    """
    kind = numeric_type(argument, reading.block)
    if kind in _SMALL:
        return is_ansi(reading.candidate.view.settings)
    decimal = as_decimal(kind)
    return decimal is not None and decimal.precision + SUM_DIGITS <= MAX_PRECISION


def _constant(tree: Tree, reading: Reading) -> Tree | None:
    """Return a numeric expression over storage columns, if it has one value within each storage row's group.

    Return None for other expressions. `reading` is the query, expressed over the view's storage table.
    """
    grouped = bool(reading.candidate.block.keys) and not has_aggregate(tree)
    kind = numeric_type(tree, reading.block) if grouped else None
    if kind not in _SMALL and as_decimal(kind) is None:
        return None
    computed = reading.compute(tree)
    return None if isinstance(computed, Miss) else computed


def _with_constant(argument: Tree, varying: Tree, constant: Tree, reading: Reading, of: Of) -> Tree | None:
    """Return the partial sum of x * k, x + k, x - k or k - x, for a constant k.

    `argument` is the whole expression, `varying` is x, and `of` returns partial aggregates. Return None if the storage
    table lacks the sum or count of x. `reading` is the query, expressed over the view's storage table.
    """
    summed = of("sum", varying) if columns_in(varying) else None
    if summed is None:
        return None
    if isinstance(argument, exp.Mul):
        return exp.Mul(this=summed, expression=constant)
    counted = of("count", _deciding(varying))
    weighed = None if counted is None else _times_rows(constant, counted, argument, reading)
    if weighed is None:
        return None
    left, right = (summed, weighed) if argument.this == varying else (weighed, summed)
    return type(argument)(this=left, expression=right)


def _times_rows(constant: Tree, counted: Tree, argument: Tree, reading: Reading) -> Tree | None:
    """Return a constant times the row count `counted`, as a summand of the sum of `argument`.

    Return None if the product could have more digits than the type of the sum. `reading` is the query, expressed over
    the view's storage table.
    """
    decimal = as_decimal(numeric_type(argument, reading.block))
    if decimal is None:
        return exp.Mul(this=cast(constant, "bigint"), expression=counted)
    fits = decimal.precision <= MAX_PRECISION - ROWS_PRECISION - 1
    return exp.Mul(this=constant, expression=cast(counted, f"decimal({ROWS_PRECISION},0)")) if fits else None


def _of_both(argument: Tree, reading: Reading, of: Of) -> Tree | None:
    """Return the partial sum of x + y or x - y, as the sum or difference of the partial sums of x and y.

    Return None if x or y can be NULL, or if the storage table lacks the sum of x or of y. `reading` is the query,
    expressed over the view's storage table. `of` returns the partial aggregates of the operands.
    """
    sides = (argument.this, argument.expression)
    if not all(_is_never_null(side, reading) for side in sides):
        return None
    left, right = (of("sum", side) for side in sides)
    return None if left is None or right is None else type(argument)(this=left, expression=right)


def _is_never_null(tree: Tree, reading: Reading) -> bool:
    declared = reading.block.type_of(_deciding(tree))
    return declared is not None and not declared.nullable


def _deciding(tree: Tree) -> Tree:
    """Return the only operand that is not a literal, such as x for `2 * x + 1`, which is NULL only where x is.

    Return the expression itself if it is not arithmetic or has more than one operand that is not a literal.
    """
    if isinstance(tree, exp.Neg):
        return _deciding(tree.this)
    if isinstance(tree, (exp.Add, exp.Sub, exp.Mul)):
        for side, other in ((tree.this, tree.expression), (tree.expression, tree.this)):
            if isinstance(other, exp.Literal):
                return _deciding(side)
    return tree
