"""Converts constants to Python values that compare as Spark compares them.

Numbers become int or Fraction, dates days since 1970, timestamps microseconds since 1970, booleans 0 or 1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor, isfinite
from typing import Any

from sqlglot import exp

from rewriter.block.vocabulary import CAST_TYPES
from rewriter.functions.types import DIGITS, FRACTIONS, INTEGERS, MAX_PRECISION
from rewriter.timeseries.literals import read_moment

Tree = exp.Expr

_SECONDS_A_DAY = 86_400
# The limits up to which every whole number has an exact DOUBLE and an exact FLOAT.
EXACT_IN_DOUBLE, EXACT_IN_FLOAT = 2**53, 2**24
_NUMBER = re.compile(r"(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\Z", re.IGNORECASE)


def literal_value(literal: Tree, kind: str, zone: str) -> Any | None:
    """Return a constant as a Python value that is comparable with values of the SQL type `kind`.

    For the kind date, `DATE '1970-01-02'` gives 1. `zone` is the time zone of TIMESTAMP literals. Return None if the
    expression is not a constant, or if Spark would compare the constant in another type than `kind`.
    """
    sign = 1
    if isinstance(literal, exp.Neg):
        literal, sign = literal.this, -1
    typed = None
    if isinstance(literal, exp.Cast) and not literal.args.get("safe"):
        typed, literal = CAST_TYPES.get(literal.to.this), literal.this
    if isinstance(literal, exp.Boolean):
        return int(literal.this) if kind == "boolean" and typed is None and sign > 0 else None
    if not isinstance(literal, exp.Literal):
        return None
    if kind in INTEGERS or kind in FRACTIONS or kind.startswith("decimal("):
        number = _number(literal, typed, kind)
        return None if number is None else number * sign
    if sign < 0 or not literal.is_string:
        return None
    if kind == "string":
        return literal.name if typed is None else None
    return _moment_value(literal.name, typed, kind, zone)


def _number(literal: exp.Literal, typed: str | None, kind: str) -> Fraction | int | None:
    """Return a number as Spark compares it with values of type `kind`: in DOUBLE, DECIMAL or as an integer.

    `typed` is the type to which the literal is cast; None without a cast. Return None if the type of the comparison is
    not certain.
    """
    text = literal.name
    if literal.is_string or not _NUMBER.match(text) or typed not in (None, "double"):
        return None
    if kind in FRACTIONS:
        return _rounded(text, kind)
    if typed is None and "e" not in text.lower():
        return number_of(text) if _is_exact(text, kind) else None
    # law: rounding an integer to DOUBLE keeps the order, and an integer within 2^53 is not rounded at all
    value = _rounded(text, "double") if kind in INTEGERS else None
    return value if value is not None and abs(value) < EXACT_IN_DOUBLE else None


def is_double(literal: Tree) -> bool:
    """Return whether a constant is a number of type DOUBLE, such as 1e0 or CAST(1 AS DOUBLE)."""
    literal = _unsigned(literal)
    if isinstance(literal, exp.Cast):
        return CAST_TYPES.get(literal.to.this) == "double"
    return isinstance(literal, exp.Literal) and not literal.is_string and "e" in literal.name.lower()


def _unsigned(literal: Tree) -> Tree:
    return literal.this if isinstance(literal, exp.Neg) else literal


def number_value(tree: Tree) -> Fraction | int | None:
    """Return the value of a numeric constant, which may have a minus sign or be cast to DOUBLE.

    Return None for other expressions, and for a DOUBLE that is not finite.

    >>> number_value(exp.Neg(this=exp.Literal.number("2.50")))
    Fraction(-5, 2)
    """
    if isinstance(tree, exp.Neg):
        value = number_value(tree.this)
        return None if value is None else -value
    if isinstance(tree, exp.Cast) and CAST_TYPES.get(tree.to.this) == "double" and not isinstance(tree.this, exp.Cast):
        tree = tree.this
        return _rounded(tree.name, "double") if _is_number(tree) else None
    if not _is_number(tree):
        return None
    return _rounded(tree.name, "double") if "e" in tree.name.lower() else number_of(tree.name)


def _is_number(tree: Tree) -> bool:
    return isinstance(tree, exp.Literal) and not tree.is_string and _NUMBER.match(tree.name) is not None


def type_of_number(literal: Tree) -> str:
    """Return the type of an integer or decimal literal without an exponent: int, bigint or DECIMAL.

    >>> type_of_number(exp.Literal.number("5000000000")), type_of_number(exp.Literal.number("0.995"))
    ('bigint', 'decimal(3,3)')
    """
    text = _unsigned(literal).name
    whole, fraction = _digits(text)
    if "." in text:
        return f"decimal({max(whole + fraction, 1)},{fraction})"
    if whole > DIGITS["bigint"] or int(text) >= 2**63:
        return f"decimal({whole},0)"
    return "int" if int(text) < 2**31 else "bigint"


def same_in_double(value: Fraction | int) -> bool:
    """Return whether comparing any integer with `value` has the same result if both are first rounded to DOUBLE.

    The result may differ from 2^53 on, where DOUBLE does not distinguish all integers, and for a number such as
    0.99999999999999999999, which is rounded to 1.0.
    """
    near = float(value)
    return abs(near) < EXACT_IN_DOUBLE and (ceil(value), floor(value)) == (ceil(near), floor(near))


def listed_alone(literals: Sequence[Tree], kind: str) -> bool:
    """Return whether `x IN (a, b)` is equivalent to `x = a OR x = b`, for an x of type `kind` and the given literals.

    For IN, Spark converts x and all literals to one type: to DOUBLE if a literal is a DOUBLE, else to a DECIMAL, whose
    38 digits may be too few to represent all of the numbers exactly.
    """
    if len(literals) < 2 or not (kind in INTEGERS or kind.startswith("decimal(")):
        return True
    if any(map(is_double, literals)):
        return False
    precision, scale = _precision_of(kind)
    digits = [(precision - scale, scale)]
    digits += (_digits(_unsigned(each).name) for each in literals)
    return max(whole for whole, _ in digits) + max(fraction for _, fraction in digits) <= MAX_PRECISION


def number_of(text: str) -> Fraction | int:
    """Return the value of a decimal literal; a whole number as int, which compares five times as fast as Fraction."""
    return int(text) if text.isdigit() else Fraction(text)


def _rounded(text: str, kind: str) -> Fraction | None:
    """Return the value of a number's text rounded to DOUBLE; None if the value is not finite.

    `kind` is the type of the values that are compared with the number. For FLOAT, return None for a large integer, too,
    because the type in which Spark compares a FLOAT with a large integer is not certain.
    """
    value = float(text)
    if not isfinite(value) or (kind == "float" and text.isdigit() and value > EXACT_IN_FLOAT):
        return None
    return Fraction(value)


def _is_exact(number: str, kind: str) -> bool:
    """Return whether Spark compares a number with values of type `kind` in a DECIMAL that represents both exactly."""
    precision, scale = _precision_of(kind)
    whole, fraction = _digits(number)
    return max(precision - scale, whole) + max(scale, fraction) <= MAX_PRECISION


def _precision_of(kind: str) -> tuple[int, int]:
    """Return precision and scale of an integer or DECIMAL type."""
    precision, scale = map(int, kind[8:-1].split(",")) if kind not in DIGITS else (DIGITS[kind], 0)
    return precision, scale


def _digits(number: str) -> tuple[int, int]:
    """Return the number of digits before (without leading zeros) and after the decimal point: (0, 3) for 0.995."""
    whole, _, fraction = number.partition(".")
    return len(whole.lstrip("0")), len(fraction)


def _moment_value(text: str, typed: str | None, kind: str, zone: str) -> int | None:
    """Return the value of a time literal: a date in days since 1970, a timestamp in microseconds since 1970.

    `text` is the literal's text, `typed` the type to which it is cast (None without a cast), `kind` the type of the
    expression that is compared with the literal, and `zone` the time zone of TIMESTAMP literals. Return None if the
    text is not a time, or if Spark would cast the expression instead of the literal.
    """
    moment = read_moment(text, zone if kind == "timestamp" else None)
    if moment is None or typed not in (None, kind, "date"):
        return None
    whole_day = moment.wall.time().isoformat() == "00:00:00"
    if kind == "date":
        # Spark does not always read a text with a time of day as a date, and a DATE column is compared as DATE.
        return moment.micros // (_SECONDS_A_DAY * 1_000_000) if whole_day and len(text) == 10 else None
    if typed == "date" and not (whole_day and len(text.strip()) == 10):
        return None
    return moment.micros
