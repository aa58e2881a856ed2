"""Decides whether a stored sum may have overflowed while the view was computed without ANSI mode.

law: in ANSI mode, Spark raises an error for a sum that overflows; without ANSI mode, a DECIMAL sum becomes NULL, and a
     BIGINT sum wraps around
"""

from __future__ import annotations

from sqlglot import exp

from rewriter.functions.types import DIGITS, MAX_PRECISION, as_decimal
from rewriter.match.numbers import SUM_DIGITS
from rewriter.match.reading import Reading
from rewriter.model import Column
from rewriter.schema import expression_type, numeric_type

Tree = exp.Expr


def may_have_overflowed(held: Column, argument: Tree, reading: Reading) -> bool:
    """Return whether a stored NULL may be an overflowed DECIMAL sum.

    `held` is the storage column of the sum, and `argument` the summed expression. `reading` is the query, expressed
    over the view's storage table.
    """
    if reading.ansi:
        return False
    summed, of = as_decimal(held.type), as_decimal(expression_type(argument, reading.block))
    if of is not None and isinstance(argument, exp.Cast):
        # Integers summed in a type with enough digits for any sum of them.
        digits = DIGITS.get(expression_type(argument.this, reading.block), MAX_PRECISION)
        if of.precision - of.scale >= digits + SUM_DIGITS:
            return False
    return summed is not None and (of is None or of.precision > MAX_PRECISION - SUM_DIGITS)


def may_have_wrapped(summed: Tree, kind: str, reading: Reading) -> bool:
    """Return whether the stored sum of the BIGINTs `summed` may have overflowed although the query's sum does not
    overflow.

    `kind` is the type in which the query sums the values, such as DECIMAL(38,0). Return False if the query sums
    BIGINTs, too, or if `summed` has another type. `reading` is the query, expressed over the view's storage table.
    """
    if kind == "bigint" or reading.ansi:
        return False
    return numeric_type(summed, reading.block) == "bigint"
