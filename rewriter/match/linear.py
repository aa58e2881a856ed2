"""Computes sums of expressions that are linear in a column from the column's sum and count.

law:    if k is the same for all base rows that one storage row aggregates, sum(x * k) is k * sum(x), and sum(x + k) is
        sum(x) + k * count(x); rows in which x or k is NULL contribute to neither side
view:   SELECT region, tax, sum(price) AS total, count(price) AS n FROM sales GROUP BY region, tax
query:  SELECT region, sum(price * tax), sum(price + 1) FROM sales GROUP BY region
gives:  SELECT region, sum(total * tax), sum(total + 1 * n) FROM view GROUP BY region
law:    partial sums of BIGINTs in DECIMAL(38,0) do not overflow where the total does not; without ANSI mode, sums and
        products of BIGINTs wrap around, and the order of operations does not matter
law:    a quotient that has all its digits in the type of x / k is the product of x and the DECIMAL 1 / k
law:    in DOUBLE, integers and DECIMALs times k or divided by k, their sums included, are never infinite, and differ
        only in the last bits; a sum is never -0.0, and 0.0 is added to a product that may be -0.0
law:    sum(x + y) is sum(x) + sum(y) if neither x nor y is ever NULL; coalesce(y, 0) is never NULL
no:     DOUBLE columns, because a sum may overflow to infinity where the sum of the products does not, and the reverse
no:     sums x + k in DOUBLE, because sum(x) and k * count(x) may cancel each other
no:     TINYINT, SMALLINT and INT without ANSI mode, because 2 * x may wrap around
no:     sum(x + y) if x or y may be NULL
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from rewriter.block import has_aggregate
from rewriter.block.points import number_value
from rewriter.functions.trees import cast, number
from rewriter.functions.types import FRACTIONS, INTEGERS, MAX_PRECISION, as_decimal
from rewriter.match.numbers import SUM_DIGITS, is_modest, reciprocal
from rewriter.match.reading import Reading
from rewriter.match.reasons import Miss
from rewriter.schema import numeric_type
from rewriter.sql import columns_in

Tree = exp.Expr
# Maps a function name and an argument to the partial aggregate over one storage row; None if storage lacks it.
Of = Callable[[str, Tree], Tree | None]

# The operations whose sum may be computed from sums of their operands.
LINEAR = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg)
_SMALL = ("tinyint", "smallint", "int")
# The digits of the DECIMAL to which row counts are cast, and the most digits of a DECIMAL that is multiplied by a row
# count: DECIMALs of p and q digits have a product of p + q + 1 digits.
_ROWS_PRECISION = 18
_WEIGHED_PRECISION = MAX_PRECISION - _ROWS_PRECISION - 1


def linear_sum(argument: Tree, kind: str | None, reading: Reading, of: Of) -> Tree | None:
    """Return the sum of a linear expression over the base rows that one storage row aggregates.

    `argument` is a sum, difference, product, quotient or negation (see LINEAR), and `kind` its numeric type. For a
    grouping key k, `x * k` gives `sum(x) * k`, with the stored sum of x. `of` returns the partial aggregates of the
    operands. Return None if the storage table lacks one of these aggregates, or if digits could be lost. `reading` is
    the query, expressed over the view's storage table.
    """
    if kind == "double":
        return _in_double(argument, reading, of)
    if not _is_exact(kind, reading):
        return None
    product = _exact_product(argument, kind, reading) if isinstance(argument, exp.Div) else argument
    if product is None or (product is not argument and not _is_exact(numeric_type(product, reading.block), reading)):
        return None
    if isinstance(product, exp.Neg):
        summed = of("sum", product.this)
        return None if summed is None else exp.Neg(this=summed)
    for place, other in ((product.this, product.expression), (product.expression, product.this)):
        constant = _constant(other, reading)
        if constant is not None:
            return _with_constant(product, place, constant, reading, of)
    return _of_both(product, reading, of) if not isinstance(product, exp.Mul) else None


def _is_exact(kind: str | None, reading: Reading) -> bool:
    """Return whether a sum of values of this type is exact: True for integers and for DECIMALs of at most 28 digits.

    Return True for TINYINT, SMALLINT and INT only in ANSI mode, because otherwise an expression of such a type, such as
    `2 * x`, may wrap around. `reading` has the view's settings.
    """
    if kind in _SMALL:
        return reading.ansi
    decimal = as_decimal(kind)
    return kind == "bigint" or (decimal is not None and decimal.precision + SUM_DIGITS <= MAX_PRECISION)


def _exact_product(quotient: exp.Div, kind: str | None, reading: Reading) -> Tree | None:
    """Return a quotient by a constant as a product with the constant's reciprocal: `x / 100` gives `x * 0.01`.

    `kind` is the type of the quotient. Return None if the quotient may have more digits after the point than its type.
    `reading` is the query, expressed over the view's storage table.
    """
    decimal, divided = as_decimal(kind), numeric_type(quotient.this, reading.block)
    factor = reciprocal(number_value(quotient.expression))
    if decimal is None or divided is None or factor is None:
        return None
    scale = (as_decimal(divided) or (0, 0))[1] + len(factor.partition(".")[2])
    return exp.Mul(this=quotient.this, expression=exp.Literal.number(factor)) if scale <= decimal.scale else None


def _in_double(argument: Tree, reading: Reading, of: Of) -> Tree | None:
    """Return the sum of integers or DECIMALs in DOUBLE arithmetic: `x / 100` gives `CAST(sum(x) AS DOUBLE) / 100`.

    Return None for other expressions, and if the storage table lacks the sum of x. `of` returns the partial aggregates
    of the view. `reading` is the query, expressed over the view's storage table.
    """
    zero = cast(number(0), "double")
    if isinstance(argument, exp.Neg):
        summed = _double_sum(argument.this, reading, of)
        return None if summed is None else exp.Sub(this=zero, expression=summed)
    if not isinstance(argument, (exp.Mul, exp.Div)):
        return None
    varying, constant = argument.this, _factor(argument.expression, reading)
    if constant is None and isinstance(argument, exp.Mul):
        varying, constant = argument.expression, _factor(argument.this, reading)
    summed = _double_sum(varying, reading, of)
    if summed is None or constant is None:
        return None
    result, value = type(argument)(this=summed, expression=constant), number_value(constant)
    return result if value is not None and value > 0 else exp.Add(this=result, expression=zero)


def _double_sum(varying: Tree, reading: Reading, of: Of) -> Tree | None:
    """Return the sum of an expression as a DOUBLE: `x` gives `CAST(sum(x) AS DOUBLE)`.

    Return None if the storage table lacks the sum, or if a value of the expression may be infinite. `of` returns the
    partial aggregates of the view. `reading` is the query, expressed over the view's storage table.
    """
    summed = of("sum", varying) if columns_in(varying) and _is_finite(varying, reading) else None
    return summed if summed is None or numeric_type(varying, reading.block) == "double" else cast(summed, "double")


def _factor(tree: Tree, reading: Reading) -> Tree | None:
    """Return a factor or divisor of DOUBLE arithmetic over storage columns: a number, or an expression over grouping
    keys.

    `100` gives `100`, and a key k that the column c stores gives `v.c`. Return None for other expressions, and for
    numbers whose magnitude is not between 10^-30 and 10^30. `reading` is the query, expressed over the view's storage
    table.
    """
    value = number_value(tree)
    return _constant(tree, reading) if value is None else tree if is_modest(value) else None


def _is_finite(tree: Tree, reading: Reading) -> bool:
    """Return whether no value of an expression is NaN, infinite, or so large that sums or products of it may be
    infinite.

    Return False if this is not certain. `reading` is the query, expressed over the view's storage table.
    """
    kind = numeric_type(tree, reading.block)
    if kind in INTEGERS or as_decimal(kind) is not None:
        return True
    if kind != "double":
        return False
    if isinstance(tree, (exp.Cast, exp.Neg)):
        return _is_finite(tree.this, reading)
    if isinstance(tree, (exp.Mul, exp.Div)) and is_modest(number_value(tree.expression)):
        return _is_finite(tree.this, reading)
    return isinstance(tree, exp.Mul) and is_modest(number_value(tree.this)) and _is_finite(tree.expression, reading)


def _constant(tree: Tree, reading: Reading) -> Tree | None:
    """Return an integer or DECIMAL expression over storage columns, if the expression is constant within each stored
    group.

    `k + 1` gives `v.c + 1` for a grouping key k that the column c stores. Return None for other expressions. `reading`
    is the query, expressed over the view's storage table.
    """
    grouped = bool(reading.path.block.keys) and not has_aggregate(tree)
    kind = numeric_type(tree, reading.block) if grouped else None
    if kind not in INTEGERS and as_decimal(kind) is None:
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
    # Counting the whole operand first would look for a storage column at each step of a chain such as x + 1 + 2 + ….
    counted = of("count", reading.same_nulls(varying))
    kind = numeric_type(argument, reading.block)
    weighed = None if counted is None or kind is None else _times_rows(constant, counted, kind)
    if weighed is None:
        return None
    left, right = (summed, weighed) if argument.this == varying else (weighed, summed)
    return type(argument)(this=left, expression=right)


def _times_rows(value: Tree, rows: Tree, kind: str) -> Tree | None:
    """Return the sum of an expression that has the same value in each of a number of rows: `value * rows`.

    `rows` is the number of rows, and `kind` the type of the summed values, in which the product is computed. For a
    DECIMAL k and n rows, the sum is `k * CAST(n AS DECIMAL(18,0))`. Return None if the product could have more than 38
    digits.
    """
    decimal = as_decimal(kind)
    if decimal is None:
        return exp.Mul(this=cast(value, "double" if kind in FRACTIONS else "bigint"), expression=rows)
    fits = decimal.precision <= _WEIGHED_PRECISION
    return exp.Mul(this=value.copy(), expression=cast(rows, f"decimal({_ROWS_PRECISION},0)")) if fits else None


def sum_of_rows(value: Tree, rows: Tree, kind: str) -> Tree | None:
    """Return the sum of an expression that has the same value in each of a number of rows; the sum of ones is `rows`.

    `rows` is the number of rows, and `kind` the type of the summed values. Return None if digits could be lost.
    """
    return rows if value == number(1) and kind in INTEGERS else _times_rows(value, rows, kind)


def _of_both(argument: Tree, reading: Reading, of: Of) -> Tree | None:
    """Return the partial sum of x + y or x - y, as the sum or difference of the partial sums of x and y.

    Return None if x or y can be NULL, or if the storage table lacks the sum of x or of y. `reading` is the query,
    expressed over the view's storage table. `of` returns the partial aggregates of the operands.
    """
    sides = (argument.this, argument.expression)
    if not all(map(reading.is_never_null, sides)):
        return None
    left, right = (of("sum", side) for side in sides)
    return None if left is None or right is None else type(argument)(this=left, expression=right)
