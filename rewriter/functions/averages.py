"""Computes avg(x) from the sum and the count of x, with the same result as Spark's Average to the last digit."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from rewriter.functions.record import Component, Components, Composition, Types
from rewriter.functions.trees import call_of, cast, number
from rewriter.functions.types import FRACTIONS, INTEGERS, UNKNOWN, as_decimal

Tree = exp.Expr

# Up to this precision, Spark sums the digits of DECIMALs as whole numbers and divides them as DOUBLEs.
AS_DOUBLES = 11
# The greatest precision for which the sum, which has ten digits more than its argument, fits 38 digits.
WIDEST = 28
# With at most this scale, no intermediate result loses a digit that counts: where Spark cuts a result to 38 digits, it
# keeps at least six digits after the point, and more digits before the point than the average has.
DEEPEST = 6
_COUNT = "decimal(16,0)"
# The type of a BIGINT's stored sum, because a BIGINT sum can overflow where the average does not.
_EXACT = "decimal(38,0)"


def _components(call: exp.Anonymous, kinds: Types) -> Components:
    """Return the sum and the count as the components of `call`, a call of avg().

    `kinds` has the type of the argument. Return an empty mapping if this type is unknown.
    """
    (argument,), (kind,) = call.expressions, kinds
    if kind == UNKNOWN:
        return {}
    summed = call_of("sum", cast(argument, _EXACT) if kind == "bigint" else argument)
    return {"sum": Component(summed, "sum", kind), "count": Component(call_of("count", argument), "count")}


def _finish(values: Mapping[str, Tree], kinds: Types) -> Tree | None:
    return average(values["sum"], values["count"], kinds[0])


AVERAGE = Composition(_components, _finish, lossless=False)


def average(total: Tree, count: Tree, kind: str | None) -> Tree | None:
    """Return `total / count` in the type of avg() over values of type `kind`.

    Return None for a type that is not numeric, and for a DECIMAL type if the last digit may differ from that of Spark's
    avg().

    law:   Spark's average of integers or DOUBLEs is the quotient of two DOUBLEs
    law:   Spark's average of DECIMAL(p,s) with p <= 11 is the quotient of the unscaled integers as DOUBLEs, scaled back
    law:   Spark's average of DECIMAL(p,s) with p > 11 is the quotient of two DECIMALs, rounded half up to s + 4 digits

    Spark cuts a quotient of wide DECIMALs to 38 digits, which may leave too few digits after the point. So in the last
    case, the whole part and the fraction of the quotient are computed separately and added. The fraction has enough
    digits for up to 10^12 rows.
    """
    divisor = call_of("nullif", count, number(0))
    decimal = as_decimal(kind)
    if decimal is None:
        return _quotient(total, divisor) if kind in (*INTEGERS, *FRACTIONS) else None
    precision, scale = decimal
    result = f"decimal({precision + 4},{scale + 4})"
    if precision <= AS_DOUBLES:
        digits = exp.Mul(this=total.copy(), expression=number(10**scale)) if scale else total
        return cast(unscaled(_quotient(digits, divisor), scale), result)
    if precision > WIDEST or scale > DEEPEST:
        return None
    rest = exp.Mod(this=total.copy(), expression=cast(divisor, _COUNT))
    whole = exp.Div(this=exp.Sub(this=total.copy(), expression=rest), expression=cast(divisor, _COUNT))
    part = exp.Div(this=cast(rest, f"decimal({16 + scale},{scale})"), expression=cast(divisor, _COUNT))
    both = exp.Add(
        this=cast(whole, f"decimal({precision - scale},0)"), expression=cast(part, f"decimal({scale + 6},{scale + 4})")
    )
    return cast(both, result)


def average_of_digits(total: Tree, count: Tree, kind: str) -> Tree:
    """Return the average of integers or DECIMALs as an expression: `total` / `count`, scaled back to the type of avg().

    `total` is the sum of the values' unscaled digits (125 for 1.25). `kind` is the type of the averaged values, an
    integer type or a DECIMAL with at most 11 digits; the result has the type of avg() over `kind`.
    """
    quotient, decimal = _quotient(total, call_of("nullif", count, number(0))), as_decimal(kind)
    if decimal is None:
        return quotient
    assert decimal.precision <= AS_DOUBLES
    return cast(unscaled(quotient, decimal.scale), f"decimal({decimal.precision + 4},{decimal.scale + 4})")


def unscaled(digits: Tree, scale: int) -> Tree:
    """Return the expression `digits` / 10^`scale`, the number with these unscaled digits: 125 of scale 2 gives 1.25.

    `digits` is a DOUBLE.
    """
    return exp.Div(this=digits, expression=cast(number(10**scale), "double")) if scale else digits


def _quotient(total: Tree, divisor: Tree) -> Tree:
    return exp.Div(this=cast(total, "double"), expression=cast(divisor, "double"))
