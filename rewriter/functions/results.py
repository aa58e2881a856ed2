"""Rules for the result type of a function, given its argument types.

A rule returns a type name as in Spark's DDL, and raises Uncertain for argument types whose result type is not known.
"""

from __future__ import annotations

from functools import reduce

from rewriter.functions.record import Rule, Types
from rewriter.functions.types import (
    FRACTIONS,
    INTEGERS,
    STRING,
    Uncertain,
    adjusted,
    as_decimal,
    bounded,
    common,
    is_numeric,
)
from rewriter.timeseries.bucket import TEMPORAL


def always(kind: str) -> Rule:
    """Return a rule that returns `kind` for any argument types."""
    return lambda types: kind


def first(types: Types) -> str:
    """Return the type of the first argument as the result type."""
    return types[0]


def together(types: Types) -> str:
    """Return the common type to which Spark casts all arguments; raise Uncertain if that type is not known."""
    return reduce(common, types[1:], types[0])


def of_text(types: Types) -> str:
    """Return STRING if the first argument is a string, number, boolean, date or timestamp; else raise Uncertain."""
    if not is_numeric(types[0]) and types[0] not in (STRING, "boolean", *TEMPORAL):
        raise Uncertain(
            f"the argument has the type {types[0]}, and the result type of a string function is known for certain only "
            "for strings, numbers, booleans, dates and timestamps: cast the result to the type that Spark's typeof() "
            "shows for it"
        )
    return STRING


def texts(types: Types) -> str:
    """Return STRING if all arguments are strings, numbers, booleans, dates or timestamps; else raise Uncertain."""
    for kind in types:
        of_text([kind])
    return STRING


def number(types: Types) -> str:
    """Return the first argument's type if it is numeric; raise Uncertain otherwise."""
    if not is_numeric(types[0]):
        raise Uncertain(
            f"the argument has the type {types[0]}, and the result type of a numeric function is known for certain "
            "only for numbers: cast the result to the type that Spark's typeof() shows for it"
        )
    return types[0]


def total(types: Types) -> str:
    """Return the type of sum() over values of the argument's type; raise Uncertain if the argument is not numeric."""
    kind = number(types)
    if decimal := as_decimal(kind):
        return bounded(decimal.precision + 10, decimal.scale)
    return "bigint" if kind in INTEGERS else "double"


def average(types: Types) -> str:
    """Return the type of avg() over values of the argument's type; raise Uncertain if the argument is not numeric."""
    if decimal := as_decimal(number(types)):
        return bounded(decimal.precision + 4, decimal.scale + 4)
    return "double"


def whole(types: Types) -> str:
    """Return the type of ceil() and floor() of a number: BIGINT, or a DECIMAL without fraction for a DECIMAL.

    Raise Uncertain if the argument is not numeric, or if there is a second argument (a scale).
    """
    kind = number(types)
    if len(types) != 1:
        raise Uncertain(
            "the result type of ceil() and floor() is known for certain only for calls with one argument: cast the "
            "result to the type that Spark's typeof() shows for it"
        )
    if decimal := as_decimal(kind):
        return kind if decimal.scale == 0 else bounded(decimal.precision - decimal.scale + 1, 0)
    return "bigint"


def either(types: Types) -> str:
    """Return the type of if(x, a, b) and nvl2(x, a, b): the common type of a and b.

    Raise Uncertain if the common type is not known.
    """
    return common(types[1], types[2])


def integral(types: Types) -> str:
    """Return the type of a bit operation: the first argument's type if it is an integer; raise Uncertain otherwise."""
    if types[0] not in INTEGERS:
        raise Uncertain(
            f"the operand has the type {types[0]}, and the result type of a bit operation is known for certain only "
            "for integers: cast the result to the type that Spark's typeof() shows for it"
        )
    return types[0]


def magnitude(types: Types) -> str:
    """Return DOUBLE, the type of sqrt() and similar functions; raise Uncertain if the argument is not numeric."""
    number(types)
    return "double"


def magnitudes(types: Types) -> str:
    """Return DOUBLE, the type of an aggregate of two numbers such as corr(y, x).

    Raise Uncertain unless both arguments are numeric.
    """
    return magnitude(types) if is_numeric(types[1]) else magnitude(types[1:])


def float_or_double(types: Types) -> str:
    """Return the type of nanvl(), FLOAT or DOUBLE, which both arguments must have; raise Uncertain otherwise."""
    if any(kind not in FRACTIONS for kind in types) or types[0] != types[1]:
        raise Uncertain(
            f"the arguments have the types {types[0]} and {types[1]}, and the result type of nanvl() is known for "
            "certain only for two FLOATs or two DOUBLEs: cast the result to the type that Spark's typeof() shows for it"
        )
    return types[0]


def dated(types: Types) -> str:
    """Return DATE for a date, timestamp or string as the first argument; raise Uncertain for other types."""
    if types[0] not in TEMPORAL and types[0] != STRING:
        raise Uncertain(
            f"the argument has the type {types[0]}, and the result type of a date function is known for certain only "
            "for dates, timestamps and strings: cast the result to the type that Spark's typeof() shows for it"
        )
    return "date"


def instant(types: Types) -> str:
    """Return TIMESTAMP, the type of date_trunc(unit, t); raise Uncertain unless t is a date, timestamp or string."""
    if types[1] not in (*TEMPORAL, STRING):
        raise Uncertain(
            f"the second argument has the type {types[1]}, and the result type of date_trunc() is known for certain "
            "only for dates, timestamps and strings: cast the result to the type that Spark's typeof() shows for it"
        )
    return "timestamp"


def rounded(kind: str, places: int) -> str:
    """Return the type of round() and bround() of a number of type `kind` to `places` decimal places.

    Raise Uncertain if `kind` is not numeric.

    >>> rounded("decimal(10,4)", 2), rounded("decimal(10,2)", 0), rounded("double", 1)
    ('decimal(9,2)', 'decimal(9,0)', 'double')
    """
    decimal = as_decimal(number([kind]))
    if decimal is None:
        return kind
    digits = decimal.precision - decimal.scale + 1
    if places < 0:
        return adjusted(max(digits, -places + 1), 0)
    kept = min(decimal.scale, places)
    return bounded(digits + kept, kept)


INT, BIGINT, DOUBLE, BOOLEAN = always("int"), always("bigint"), always("double"), always("boolean")
TEXT, DATE, BYTES = always(STRING), always("date"), always("binary")
TIMESTAMP = always("timestamp")
