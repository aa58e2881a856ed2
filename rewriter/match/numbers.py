"""Computes the types of sums: a rolled-up sum must have the type of the query's sum.

Types are named as in Spark's DDL; `void` is the type of NULL, and None stands for an unknown type.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from rewriter.functions.results import total
from rewriter.functions.types import MAX_PRECISION, VOID, Decimal, Uncertain, as_decimal, common, is_numeric

SUM_DIGITS = 10  # the type of a sum of DECIMALs has this many digits more than the argument


def wider(kinds: Iterable[str | None]) -> str | None:
    """Return the common numeric type of several types, such as those of the branches of a CASE.

    Return None if one of the types is unknown, or if the common type could not represent all digits.

    >>> wider(["decimal(10,2)", "int", "void"]), wider(["int", "bigint"]), wider(["decimal(38,4)", "decimal(5,5)"])
    ('decimal(12,2)', 'bigint', None)
    """
    result = VOID
    for kind in kinds:
        if kind is None or (kind != VOID and not is_numeric(kind)):
            return None
        try:
            result = common(result, kind)
        except Uncertain:
            return None
    return result


def sum_type(kind: str) -> str | None:
    """Return the result type of sum() for an argument type; None if the argument type is not numeric.

    >>> sum_type("int"), sum_type("decimal(30,2)"), sum_type("float")
    ('bigint', 'decimal(38,2)', 'double')
    """
    return total((kind,)) if is_numeric(kind) else None


def is_modest(value: Fraction | int | None) -> bool:
    """Return whether a number's magnitude is between 10^-30 and 10^30; False for None.

    Products of such a number with a sum of integers or DECIMALs (some fifty digits at most), and quotients by such a
    number, are far from the greatest and the least DOUBLE.
    """
    return value is not None and Fraction(1, 10**30) <= max(value, -value) <= 10**30


def reciprocal(value: Fraction | int | None) -> str | None:
    """Return 1 / value as a decimal literal; None if 1 / value has infinitely many digits, or if the value is not
    positive.

    >>> reciprocal(8), reciprocal(Fraction("0.5")), reciprocal(3)
    ('0.125', '2', None)
    """
    if value is None or value <= 0:
        return None
    inverse = 1 / Fraction(value)
    scale = next((n for n in range(MAX_PRECISION) if 10**n % inverse.denominator == 0), None)
    if scale is None:
        return None
    digits = str(inverse.numerator * (10**scale // inverse.denominator)).rjust(scale + 1, "0")
    return f"{digits[:-scale]}.{digits[-scale:]}" if scale else digits


def summed_type(kind: str) -> str | None:
    """Return the type of the summed values from the type of their sum; None if the sum is neither DECIMAL nor DOUBLE.

    `decimal(20,2)` gives `decimal(10,2)`. Values of 28 to 38 digits all have a sum of 38 digits; for such a sum, the
    result is the type with 38 digits.
    """
    decimal = as_decimal(kind)
    if decimal is None:
        return "double" if kind == "double" else None
    precision, scale = decimal
    return str(Decimal(precision if precision == MAX_PRECISION else precision - SUM_DIGITS, scale))
