"""Computes variances and standard deviations from exact sums of whole numbers and of their squares.

A DECIMAL is replaced by its unscaled digits (125 for 1.25); the final result is scaled back.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from rewriter.functions.averages import unscaled
from rewriter.functions.record import Component, Components, Composition, Types
from rewriter.functions.trees import call_of, cast, number
from rewriter.functions.types import as_decimal

Tree = exp.Expr

# The most digits for which squares, their sums and the terms subtracted from these fit 38 digits.
_DIGITS = 10
_WHOLE = {"tinyint", "smallint", "int"}
_COUNT, _MEAN, _TOTAL, _LIFTED = "decimal(16,0)", "decimal(11,0)", "decimal(24,0)", "decimal(27,0)"


def scale_of(kind: str | None) -> int | None:
    """Return the scale of a type whose values have at most 10 digits, so that sums of their squares fit 38 digits.

    These types are TINYINT, SMALLINT and INT, with the scale 0, and DECIMAL with at most 10 digits. Return None for
    other types and for None.
    """
    decimal = as_decimal(kind)
    if decimal is not None and decimal.precision <= _DIGITS:
        return decimal.scale
    return 0 if kind in _WHOLE else None


def digits_of(argument: Tree, scale: int) -> Tree:
    """Return the expression of the unscaled digits of `argument`, a number of this scale: 1.25 of scale 2 gives 125."""
    shifted = exp.Mul(this=argument.copy(), expression=number(10**scale)) if scale else argument
    return cast(shifted, "decimal(19,0)")


def squared(digits: Tree) -> Tree:
    """Return the square of a whole number, as an expression."""
    return exp.Mul(this=digits.copy(), expression=digits.copy())


def _components(call: exp.Anonymous, kinds: Types) -> Components:
    """Return the components of a variance: the count, the sum of the unscaled digits, and the sum of their squares.

    `call` is the call of the variance, and `kinds` has the type of the argument. Return an empty mapping if the sums
    would be inexact for this type. The unscaled digits of 1.25 are 125.
    """
    (argument,), scale = call.expressions, scale_of(kinds[0])
    if scale is None:
        return {}
    digits = digits_of(argument, scale)
    return {
        "total": Component(call_of("sum", digits), "sum"),
        "squares": Component(call_of("sum", squared(digits)), "squares"),
        "count": Component(call_of("count", argument), "count"),
    }


def spread(name: str) -> Composition:
    """Return the Composition (components and final formula) of the variance or standard deviation `name`."""

    def finish(values: Mapping[str, Tree], kinds: Types) -> Tree | None:
        scale = scale_of(kinds[0])
        assert scale is not None  # without a scale there are no components
        return deviation(name, values["total"], values["squares"], values["count"], scale)

    return Composition(_components, finish)


def deviation(name: str, total: Tree, squares: Tree, count: Tree, scale: int) -> Tree:
    """Return the variance or standard deviation `name`, computed from sums of unscaled digits.

    The unscaled digits of 1.25, with the `scale` 2, are 125. `total` is the sum of the digits, `squares` the sum of
    their squares, and `count` the number of values.
    """
    divided = divisor(rows_of(count), sample=name.endswith("_samp"))
    variance = unscaled(exp.Div(this=moment(squares, total, total, count), expression=divided), 2 * scale)
    return call_of("sqrt", variance) if name.startswith("stddev") else variance


def rows_of(count: Tree) -> Tree:
    """Return a row count as a DECIMAL expression that is NULL for zero rows, to be used as a divisor."""
    return cast(call_of("nullif", count, number(0)), _COUNT)


def divisor(rows: Tree, sample: bool) -> Tree:
    """Return the divisor of a variance of n values, as a DOUBLE expression: n, or n - 1 (NULL if n is 1) for a sample.

    `rows` is the expression of n; `sample` is true for the variance of a sample, such as var_samp().
    """
    return cast(call_of("nullif", exp.Sub(this=rows, expression=number(1)), number(0)) if sample else rows, "double")


def moment(products: Tree, first: Tree, second: Tree, count: Tree) -> Tree:
    """Return the sum of (x - mean of x) * (y - mean of y) over pairs of whole numbers, as a DOUBLE expression.

    `products` is the sum of x * y, `first` the sum of x, and `second` the sum of y; `count` is the number of pairs. The
    simpler formula, the sum of x * y minus n times the product of the means, would lose all digits if the numbers are
    large and close to each other.

    law: for any p and q, the result is the sum of (x - p) * (y - q), minus (mean of x - p) * (mean of y - q) * n; with
         the whole parts of the means as p and q, both terms are exact and small
    law: a sum of squares is never below zero: it is zero if all values are equal, and otherwise at least 0.5
    """
    rows = rows_of(count)
    (p, left), (q, right) = _whole_and_rest(first, rows), _whole_and_rest(second, rows)
    crossed = exp.Add(
        this=exp.Mul(this=p, expression=cast(second, _TOTAL)),
        expression=exp.Mul(this=q, expression=cast(first, _TOTAL)),
    )
    lifted = exp.Mul(this=cast(exp.Mul(this=rows, expression=p.copy()), _LIFTED), expression=q.copy())
    about = exp.Add(this=exp.Sub(this=products.copy(), expression=crossed), expression=lifted)
    excess = exp.Div(this=exp.Mul(this=left, expression=right), expression=cast(rows, "double"))
    return exp.Sub(this=cast(about, "double"), expression=excess)


def _whole_and_rest(total: Tree, rows: Tree) -> tuple[Tree, Tree]:
    """Return two expressions: the whole part of `total / rows`, and the remainder of this division as a DOUBLE."""
    rest = exp.Mod(this=total.copy(), expression=rows.copy())
    whole = exp.Div(this=exp.Sub(this=total.copy(), expression=rest), expression=rows.copy())
    return cast(whole, _MEAN), cast(rest, "double")
