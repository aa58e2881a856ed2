"""The arithmetic of Spark's types under ANSI mode, the default.

A type is a string as in Spark's DDL, in lower case: `bigint`, `decimal(10,2)`, `array<string>`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from sqlglot import exp
from sqlglot.errors import SqlglotError

from rewriter.timeseries.bucket import TEMPORAL

# The integer types, the narrower ones first.
INTEGERS = ("tinyint", "smallint", "int", "bigint")
# The digits of the DECIMAL that each integer type is converted to beside a DECIMAL; the greatest number of digits.
DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 20}
MAX_PRECISION = 38
BIGINT_DIGITS = 18  # BIGINT holds all numbers of so many digits
FRACTIONS = ("float", "double")
MIN_ADJUSTED_SCALE = 6
STRING, VOID, UNKNOWN = "string", "void", "unknown"
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)\Z")


class Uncertain(ValueError):
    """Raised if Spark's type or output name for an expression is not known for certain.

    The message names the expression.
    """


class Decimal(NamedTuple):
    """The type DECIMAL(precision, scale)."""

    precision: int
    scale: int

    def __str__(self) -> str:
        return f"decimal({self.precision},{self.scale})"


@lru_cache(maxsize=256)  # a decision asks for the same few types ten times or more
def as_decimal(kind: str | None) -> Decimal | None:
    """Return a DECIMAL type's precision and scale; None for other types and for None.

    >>> as_decimal("decimal(10,2)")
    Decimal(precision=10, scale=2)
    """
    match = _DECIMAL.match(kind or "")
    return Decimal(int(match[1]), int(match[2])) if match else None


def is_numeric(kind: str) -> bool:
    """Return whether a type is an integer, floating-point or DECIMAL type."""
    return kind in INTEGERS or kind in FRACTIONS or as_decimal(kind) is not None


def wide_decimal(kind: str) -> Decimal:
    """Return the narrowest DECIMAL type that represents all values of `kind`, an integer or DECIMAL type.

    `int` gives DECIMAL(10,0).
    """
    found = as_decimal(kind)
    return found or Decimal(DIGITS[kind], 0)


def may_be_cut(kind: str | None) -> bool:
    """Return whether a result of the type `kind` may need more digits than the type has: True for DECIMAL(38, s).

    >>> may_be_cut("decimal(38,2)"), may_be_cut("decimal(12,2)"), may_be_cut("bigint")
    (True, False, False)
    """
    decimal = as_decimal(kind)
    return decimal is not None and decimal.precision == MAX_PRECISION


def holds_all(wide: str, narrow: str) -> bool:
    """Return whether the type `wide` represents each value of the type `narrow` exactly.

    Return False unless both are integer types, or `wide` is a DECIMAL type and `narrow` an integer or DECIMAL type.

    >>> holds_all("bigint", "int"), holds_all("decimal(12,2)", "int"), holds_all("decimal(11,2)", "int")
    (True, True, False)
    """
    if wide in INTEGERS and narrow in INTEGERS:
        return INTEGERS.index(wide) >= INTEGERS.index(narrow)
    decimal = as_decimal(wide)
    if decimal is None or not (narrow in INTEGERS or as_decimal(narrow)):
        return False
    held = wide_decimal(narrow)
    return decimal.scale >= held.scale and decimal.precision - decimal.scale >= held.precision - held.scale


def adjusted(precision: int, scale: int, *, lossless: bool = False) -> str:
    """Return the DECIMAL type of a result with this precision and scale, limited to 38 digits as Spark does.

    Beyond 38 digits, the scale is cut, but not below six; a scale below six is kept. With `lossless`, raise Uncertain
    if the result needs more than 38 digits.

    >>> adjusted(43, 8), adjusted(50, 4)
    ('decimal(38,6)', 'decimal(38,4)')
    """
    if precision <= MAX_PRECISION:
        return str(Decimal(precision, scale))
    if lossless:
        raise Uncertain(
            f"a DECIMAL result of {precision} digits is cut to 38 digits, to a scale that depends on settings: if "
            "the values fit, cast the operands to smaller DECIMAL types"
        )
    whole = precision - scale
    return str(Decimal(MAX_PRECISION, max(MAX_PRECISION - whole, min(scale, MIN_ADJUSTED_SCALE))))


def bounded(precision: int, scale: int) -> str:
    """Return the name of the DECIMAL type with this precision and scale, each reduced to 38 if it is greater."""
    return str(Decimal(min(precision, MAX_PRECISION), min(scale, MAX_PRECISION)))


def decimal_result(operation: str, left: Decimal, right: Decimal, *, lossless: bool = False) -> str:
    """Return the type of `left operation right` (+, -, *, / or %) for two DECIMALs.

    With `lossless`, raise Uncertain if the result needs more than 38 digits.

    >>> decimal_result("*", Decimal(15, 2), Decimal(16, 2)), decimal_result("/", Decimal(10, 2), Decimal(10, 0))
    ('decimal(32,4)', 'decimal(21,13)')
    """
    (p1, s1), (p2, s2) = left, right
    if operation in ("+", "-"):
        scale = max(s1, s2)
        return adjusted(max(p1 - s1, p2 - s2) + scale + 1, scale, lossless=lossless)
    if operation == "*":
        return adjusted(p1 + p2 + 1, s1 + s2, lossless=lossless)
    if operation == "/":
        scale = max(MIN_ADJUSTED_SCALE, s1 + p2 + 1)
        return adjusted(p1 - s1 + s2 + scale, scale, lossless=lossless)
    return adjusted(min(p1 - s1, p2 - s2) + max(s1, s2), max(s1, s2), lossless=lossless)  # %


def common_numeric(left: str, right: str) -> str:
    """Return the type to which Spark casts two numbers of these types, neither of which is a DECIMAL.

    Raise Uncertain for a FLOAT and an integer: the type is DOUBLE in ANSI mode, and FLOAT without ANSI mode.
    """
    if left == right:
        return left
    if left in INTEGERS and right in INTEGERS:
        return max(left, right, key=INTEGERS.index)
    if "double" not in (left, right):
        raise Uncertain(
            f"the common type of {left} and {right} is not known for certain: cast both values to the type that "
            "Spark's typeof() shows for the expression"
        )
    return "double"


def common(left: str, right: str) -> str:
    """Return the type to which Spark casts two values of these types, as in CASE and coalesce.

    Raise Uncertain if the type is not known for certain.

    >>> common("int", "bigint"), common("decimal(10,2)", "int"), common("void", "date")
    ('bigint', 'decimal(12,2)', 'date')
    """
    if left == right or VOID in (left, right):
        return right if left == VOID else left
    if is_numeric(left) and is_numeric(right):
        if as_decimal(left) is None and as_decimal(right) is None:
            return common_numeric(left, right)
        if left in FRACTIONS or right in FRACTIONS:
            return "double"
        (p1, s1), (p2, s2) = wide_decimal(left), wide_decimal(right)
        scale, whole = max(s1, s2), max(p1 - s1, p2 - s2)
        if scale + whole <= MAX_PRECISION:
            return str(Decimal(scale + whole, scale))
    if left in TEMPORAL and right in TEMPORAL:
        return max(left, right, key=TEMPORAL.index)
    raise Uncertain(
        f"the common type of {left} and {right} is not known for certain: cast both values to the type that Spark's "
        "typeof() shows for the expression"
    )


_SPELLINGS = {
    "tinyint": "tinyint",
    "byte": "tinyint",
    "smallint": "smallint",
    "short": "smallint",
    "int": "int",
    "integer": "int",
    "bigint": "bigint",
    "long": "bigint",
    "float": "float",
    "real": "float",
    "double": "double",
    "boolean": "boolean",
    "string": "string",
    "binary": "binary",
    "date": "date",
    "timestamp": "timestamp",
    "timestamp_ltz": "timestamp",
    "timestamp_ntz": "timestamp_ntz",
    "variant": "variant",
}
_LENGTH = re.compile(r"(?:varchar|char|character)\s*\(\s*\d+\s*\)\Z")
_NUMBER = re.compile(r"(?:decimal|dec|numeric)(?:\s*\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\))?\Z")


def column_type(text: str) -> str:
    """Return a type name of CREATE TABLE as the type of the Iceberg column; raise Uncertain if Spark has no such type.

    >>> column_type("Integer"), column_type("VARCHAR(25)"), column_type("numeric(15, 2)"), column_type("array<long>")
    ('int', 'string', 'decimal(15,2)', 'array<bigint>')
    """
    plain = " ".join(text.lower().split())
    if plain in _SPELLINGS:
        return _SPELLINGS[plain]
    if _LENGTH.match(plain):
        return STRING
    if number := _NUMBER.match(plain):
        return _decimal_of(text, int(number[1] or 10), int(number[2] or 0))
    if plain.startswith(("array", "map", "struct", "interval")):
        return _nested(text)
    raise Uncertain(f"{text} is not a type of Spark; write a type such as BIGINT, DECIMAL(10, 2) or STRING")


def _decimal_of(text: str, precision: int, scale: int) -> str:
    if not 1 <= precision <= MAX_PRECISION or scale > precision:
        raise Uncertain(
            f"{text} is not a type of Spark: a DECIMAL has at most 38 digits, and the scale is at most the precision; "
            "write a type such as DECIMAL(10, 2)"
        )
    return str(Decimal(precision, scale))


def _nested(text: str) -> str:
    try:
        kind = exp.DataType.build(text if text.count("<") == text.count(">") else "", dialect="spark")
    except SqlglotError as error:
        raise Uncertain(f"{text} is not a type of Spark; write a type such as ARRAY<BIGINT>") from error
    spelled = str(kind.sql("spark")).lower()
    return re.sub(r"\s*([<>,:])\s*", r"\1", re.sub(r"\blong\b", "bigint", spelled))
