"""Types of sums: a rolled-up sum must have the type of the original.

Types are in Spark's DDL spelling; `void` is that of NULL, and None one that is not known for certain.
"""

from __future__ import annotations

from collections.abc import Iterable

from rewriter.functions.results import total
from rewriter.functions.types import MAX_PRECISION, VOID, Decimal, Uncertain, as_decimal, common, is_numeric

SUM_DIGITS = 10  # that the sum of a DECIMAL has more


def wider(kinds: Iterable[str | None]) -> str | None:
    """Return the common type of the branches of a CASE.

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
    """Return the type of sum() over a type.

    >>> sum_type("int"), sum_type("decimal(30,2)"), sum_type("float")
    ('bigint', 'decimal(38,2)', 'double')
    """
    return total((kind,)) if is_numeric(kind) else None


def summed_type(kind: str) -> str | None:
    """Return the argument type of a sum, from the sum's type; None for integers.

    A sum at the greatest precision tells the least that its argument can have: it is taken for the greatest,
    of which every sum has the same type.
    """
    decimal = as_decimal(kind)
    if decimal is None:
        return "double" if kind == "double" else None
    precision, scale = decimal
    return str(Decimal(precision if precision == MAX_PRECISION else precision - SUM_DIGITS, scale))
