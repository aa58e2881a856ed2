"""Variances and standard deviations from exact sums of whole numbers and of their squares."""

from __future__ import annotations

from sqlglot import exp

from rewriter.match.trees import call_of, cast, number
from rewriter.schema.types import as_decimal

Tree = exp.Expr

# Of so many digits a square, its sums and what is subtracted from them fit into the 38 that there are.
_DIGITS = 10
_WHOLE = {"tinyint", "smallint", "int"}
_COUNT, _MEAN, _TOTAL, _LIFTED = "decimal(16,0)", "decimal(11,0)", "decimal(24,0)", "decimal(27,0)"


def scale_of(kind: str | None) -> int | None:
    """The digits behind the point of a type whose moments are exact; None for others, as all floating point."""
    decimal = as_decimal(kind)
    if decimal is not None and decimal.precision <= _DIGITS:
        return decimal.scale
    return 0 if kind in _WHOLE else None


def digits_of(argument: Tree, scale: int) -> Tree:
    """A value's digits as a whole number."""
    shifted = exp.Mul(this=argument.copy(), expression=number(10**scale)) if scale else argument
    return cast(shifted, "decimal(19,0)")


def squared(digits: Tree) -> Tree:
    """A whole number times itself."""
    return exp.Mul(this=digits.copy(), expression=digits.copy())


def deviation(name: str, total: Tree, squares: Tree, count: Tree, scale: int) -> Tree:
    """A variance or standard deviation; the sums are of digits.

    law: the sum of (x - m)² is that of (x - q)² less (m - q)² * n, for any q. With the mean's whole part as q, of
         whole numbers both are exact and small, where the squares alone would leave nothing of a small variance.
    """
    rows = cast(call_of("nullif", count, number(0)), _COUNT)
    rest = exp.Mod(this=total.copy(), expression=rows)
    mean = cast(exp.Div(this=exp.Sub(this=total.copy(), expression=rest), expression=rows.copy()), _MEAN)
    twice = exp.Mul(this=exp.Add(this=mean, expression=mean.copy()), expression=cast(total, _TOTAL))
    lifted = exp.Mul(this=cast(exp.Mul(this=rows.copy(), expression=mean.copy()), _LIFTED), expression=mean.copy())
    about = exp.Add(this=exp.Sub(this=squares.copy(), expression=twice), expression=lifted)
    beside = cast(rest, "double")
    excess = exp.Div(this=exp.Mul(this=beside, expression=beside.copy()), expression=cast(rows, "double"))
    moment = call_of("greatest", exp.Sub(this=cast(about, "double"), expression=excess), cast(number(0), "double"))
    sample = call_of("nullif", exp.Sub(this=rows.copy(), expression=number(1)), number(0))
    divisor = cast(sample if name.endswith("_samp") else rows, "double")
    variance = exp.Div(this=moment, expression=divisor)
    if scale:
        variance = exp.Div(this=variance, expression=cast(number(10 ** (2 * scale)), "double"))
    return call_of("sqrt", variance) if name.startswith("stddev") else variance
