"""What each function returns, by the types of its arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

from rewriter.block.vocabulary import CLOCK, PAIRED, UNITED
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

Types = Sequence[str]
Rule = Callable[[Types], str]


def always(kind: str) -> Rule:
    """The same for all arguments."""
    return lambda types: kind


def first(types: Types) -> str:
    """The type of the first argument."""
    return types[0]


def together(types: Types) -> str:
    """The common type of all arguments."""
    return reduce(common, types)


def of_text(types: Types) -> str:
    """Text of what is one plain value; of bytes Spark may make bytes."""
    if not is_numeric(types[0]) and types[0] not in (STRING, "boolean", *TEMPORAL):
        raise Uncertain(f"what this function makes of {types[0]} is not known for certain")
    return STRING


def texts(types: Types) -> str:
    """Text of texts."""
    for kind in types:
        of_text([kind])
    return STRING


def number(types: Types) -> str:
    """The number's own type."""
    if not is_numeric(types[0]):
        raise Uncertain(f"this function of {types[0]} is not known for certain")
    return types[0]


def total(types: Types) -> str:
    """What sum() makes of its argument."""
    kind = number(types)
    if decimal := as_decimal(kind):
        return bounded(decimal.precision + 10, decimal.scale)
    return "bigint" if kind in INTEGERS else "double"


def average(types: Types) -> str:
    """What avg() makes of its argument."""
    if decimal := as_decimal(number(types)):
        return bounded(decimal.precision + 4, decimal.scale + 4)
    return "double"


def whole(types: Types) -> str:
    """What ceil and floor make of one argument."""
    kind = number(types)
    if len(types) != 1:
        raise Uncertain("ceil and floor to a scale are not known for certain")
    if decimal := as_decimal(kind):
        return kind if decimal.scale == 0 else bounded(decimal.precision - decimal.scale + 1, 0)
    return "bigint"


def either(types: Types) -> str:
    """One of the last two, as if(x, a, b) and nvl2(x, a, b) choose by the first."""
    return common(types[1], types[2])


def integral(types: Types) -> str:
    """Bits of whole numbers."""
    if types[0] not in INTEGERS:
        raise Uncertain(f"the bits of {types[0]} are not known for certain")
    return types[0]


def magnitude(types: Types) -> str:
    """signum, sqrt and the like, which calculate in DOUBLE."""
    number(types)
    return "double"


def magnitudes(types: Types) -> str:
    """What is made of pairs of numbers, calculated in DOUBLE."""
    return magnitude(types) if is_numeric(types[1]) else magnitude(types[1:])


def float_or_double(types: Types) -> str:
    """What nanvl() takes: two of the same."""
    if any(kind not in FRACTIONS for kind in types) or types[0] != types[1]:
        raise Uncertain("nanvl of these types is not known for certain")
    return types[0]


def dated(types: Types) -> str:
    """A calendar date from a point in time."""
    if types[0] not in TEMPORAL and types[0] != STRING:
        raise Uncertain(f"the date of {types[0]} is not known for certain")
    return "date"


def instant(types: Types) -> str:
    """date_trunc, which goes through TEMPORALTAMP."""
    if types[1] not in (*TEMPORAL, STRING):
        raise Uncertain(f"date_trunc of {types[1]} is not known for certain")
    return "timestamp"


def rounded(kind: str, places: int) -> str:
    """What round and bround to a number of places make of a type.

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


_INT, _BIGINT, _DOUBLE, _BOOLEAN = always("int"), always("bigint"), always("double"), always("boolean")
_STRING, _DATE = always(STRING), always("date")

FUNCTIONS: Mapping[str, Rule] = {
    **dict.fromkeys(("abs",), number),
    **dict.fromkeys(("sqrt", "exp", "ln", "log10", "log2", "signum", "power"), magnitude),
    **dict.fromkeys(("ceil", "floor"), whole),
    **dict.fromkeys(("coalesce", "nvl", "greatest", "least"), together),
    **dict.fromkeys(("nullif",), first),
    **dict.fromkeys(("if", "nvl2"), either),
    "nanvl": float_or_double,
    **dict.fromkeys(("upper", "lower", "initcap", "ltrim", "rtrim", "trim", "btrim", "replace", "split_part"), of_text),
    **dict.fromkeys(("substring", "left", "right", "lpad", "rpad", "reverse"), of_text),
    **dict.fromkeys(("regexp_replace", "regexp_extract", "regexp_substr", "get_json_object"), _STRING),
    **dict.fromkeys(("substring_index", "translate", "repeat"), of_text),
    **dict.fromkeys(("concat", "concat_ws"), texts),
    **dict.fromkeys(("md5", "sha1", "sha2", "date_format"), _STRING),
    **dict.fromkeys(("length", "instr", "ascii", "datediff"), _INT),
    **dict.fromkeys(("year", "quarter", "month", "day", "dayofweek", "dayofyear", "weekday", "weekofyear"), _INT),
    **dict.fromkeys(("hour", "minute", "second"), _INT),
    **dict.fromkeys(("crc32", "theta_sketch_estimate"), _BIGINT),
    **dict.fromkeys(("bitmap_bucket_number", "bitmap_bit_position", "bitmap_count"), _BIGINT),
    **dict.fromkeys(("isnull", "isnotnull"), _BOOLEAN),
    **dict.fromkeys(("date", "to_date"), dated),
    **dict.fromkeys(("date_add", "date_sub", "add_months", "last_day", "make_date", "trunc"), _DATE),
    "date_trunc": instant,
    **{name: always(kind) for name, kind in CLOCK.items()},
    # aggregates
    **dict.fromkeys(("count", "count_if", "regr_count", "approx_count_distinct", "grouping_id"), _BIGINT),
    **dict.fromkeys(UNITED, always("binary")),
    "grouping": always("tinyint"),
    "sum": total,
    "avg": average,
    **dict.fromkeys(("min", "max", "any_value", "first", "first_value", "last", "last_value", "mode"), first),
    **dict.fromkeys(("bool_and", "bool_or"), _BOOLEAN),
    **dict.fromkeys(("bit_and", "bit_or", "bit_xor"), integral),
    **dict.fromkeys(("var_pop", "var_samp", "variance", "stddev", "stddev_pop", "stddev_samp", "std"), magnitude),
    **dict.fromkeys(("skewness", "kurtosis"), magnitude),
    **dict.fromkeys(PAIRED - {"regr_count", "regr_avgx", "regr_avgy"}, magnitudes),
    "regr_avgx": lambda types: average(types[1:]),
    "regr_avgy": average,
    **dict.fromkeys(("collect_list", "collect_set", "array_agg"), lambda types: f"array<{types[0]}>"),
    # windows
    **dict.fromkeys(("row_number", "rank", "dense_rank", "ntile"), _INT),
    **dict.fromkeys(("percent_rank", "cume_dist"), _DOUBLE),
    **dict.fromkeys(("lag", "lead"), first),
}
