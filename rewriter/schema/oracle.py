"""Computes the type of an expression as Spark does.

The expressions are in the normal form of blocks, in which a function call is an `exp.Anonymous` with the function's
name, and a column is qualified by the id of its table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, reduce
from types import MappingProxyType
from typing import NamedTuple

from sqlglot import exp

from rewriter.block.opaque import SCALAR, text_of
from rewriter.block.vocabulary import CAST_TYPES
from rewriter.functions.registry import FIELDS, OF_UNITS, OPERATORS, RESULTS, UNITS, meant
from rewriter.functions.results import rounded
from rewriter.functions.types import (
    BIGINT_DIGITS,
    FRACTIONS,
    INTEGERS,
    STRING,
    UNKNOWN,
    VOID,
    Decimal,
    Uncertain,
    as_decimal,
    column_type,
    common,
    common_numeric,
    decimal_result,
    is_numeric,
    wide_decimal,
)
from rewriter.sql import excerpt
from rewriter.sql.operators import ARITHMETIC
from rewriter.timeseries import as_bucket
from rewriter.timeseries.bucket import TEMPORAL

Tree = exp.Expr
Declared = Callable[[exp.Column], str | None]
Types = dict[tuple[Tree, bool], str]


class _Known(NamedTuple):
    """The context of a type computation.

    `declared` returns the type of a column, None if unknown. With `lossless`, the type of a DECIMAL result that needs
    more than 38 digits, and of a quotient by DIV that BIGINT may not hold, counts as uncertain. `found` has the types
    computed before. `subqueries` has the types of scalar subqueries by their text.
    """

    declared: Declared
    lossless: bool
    found: Types | None
    subqueries: Mapping[str, str]


_Rule = Callable[[Tree, _Known], str]


def type_of(
    tree: Tree,
    declared: Declared,
    *,
    lossless: bool = False,
    found: Types | None = None,
    subqueries: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return Spark's type of an expression in normal form; raise Uncertain if the type is not known for certain.

    `declared` returns the type of a column, None if unknown. With `lossless`, also raise Uncertain if a DECIMAL result
    needs more than 38 digits, because settings determine which digits Spark then drops, and if BIGINT may not hold the
    quotient of DECIMALs by DIV, because Spark then drops its upper bits, also in ANSI mode. `found` caches the types of
    all parts of the expression, for the same columns. `subqueries` has the types of scalar subqueries by their text.

    >>> from rewriter.sql import parse_select
    >>> price = parse_select("SELECT sum(price * (1 - discount)) FROM t").expressions[0]
    >>> type_of(price, lambda column: "decimal(15,2)")
    'decimal(38,4)'
    """
    return _type(tree, _Known(declared, lossless, found, subqueries))


def _type(tree: Tree, known: _Known) -> str:
    rule = _RULE.get(type(tree))
    if rule is None:
        raise _unknown(f"the type of {excerpt(tree)} is not known for certain", "expression")
    if known.found is None or rule in _LEAVES:
        return rule(tree, known)
    key = (tree, known.lossless)
    kind = known.found.get(key)
    if kind is None:
        kind = known.found[key] = rule(tree, known)
    return kind


def _column(tree: Tree, known: _Known) -> str:
    assert isinstance(tree, exp.Column)
    kind = known.declared(tree)
    if kind is None or kind == UNKNOWN:
        raise Uncertain(
            f"the type of the column {tree.name} is not known: cast the column to the type that Spark's typeof() "
            "shows for it"
        )
    return kind


def _literal(tree: Tree, known: _Known) -> str:
    if tree.is_string:
        return STRING
    return number_type(tree.name)


def number_type(text: str) -> str:
    """Return the type of an unsigned numeric literal; raise Uncertain if the text is not a plain number.

    >>> number_type("7"), number_type("3000000000"), number_type("0.05"), number_type("1.50"), number_type("1e3")
    ('int', 'bigint', 'decimal(2,2)', 'decimal(3,2)', 'double')
    """
    if "e" in text.lower():
        return "double"
    whole, point, fraction = text.partition(".")
    if not (whole + fraction).isdigit():
        raise _unknown(f"the type of the number {text} is not known for certain", "number")
    digits = len((whole + fraction).lstrip("0"))
    if point:
        return str(Decimal(max(digits, len(fraction), 1), len(fraction)))
    if int(whole) < 2**31:
        return "int"
    return "bigint" if int(whole) < 2**63 else str(Decimal(digits, 0))


_LEAVES = frozenset({_column, _literal})


def _child(tree: Tree, known: _Known) -> str:
    return _type(tree.this, known)


def _negated(tree: Tree, known: _Known) -> str:
    kind = _type(tree.this, known)
    if not is_numeric(kind):
        raise _unknown(f"the type of {excerpt(tree)} is not known for certain", "expression")
    return kind


def _boolean(tree: Tree, known: _Known) -> str:
    return "boolean"


def _void(tree: Tree, known: _Known) -> str:
    return VOID


# A DATE plus whole days is a DATE, plus parts of days a TIMESTAMP; with other units it depends on the interval's text.
_WHOLE_DAYS = frozenset({"DAY", "WEEK", "MONTH", "YEAR", "DAYS", "WEEKS", "MONTHS", "YEARS"})
_PARTS_OF_DAYS = frozenset({"HOUR", "MINUTE", "SECOND", "HOURS", "MINUTES", "SECONDS"})


def _moved(tree: Tree, known: _Known) -> str:
    """Return the type of `tree`, a date or timestamp plus or minus an interval; raise Uncertain if it is not known.

    For a DATE d, `d + INTERVAL 1 DAY` is a DATE and `d + INTERVAL 1 HOUR` a TIMESTAMP. `known` has the types of the
    columns.
    """
    interval, moved = tree.expression, tree.this
    if isinstance(tree, exp.Add) and isinstance(moved, exp.Interval):
        interval, moved = moved, interval
    kind = _type(moved, known)
    unit = str(interval.args.get("unit") or "").upper()
    if kind in ("timestamp", "timestamp_ntz") or (kind == "date" and unit in _WHOLE_DAYS):
        return kind
    if kind == "date" and unit in _PARTS_OF_DAYS:
        return "timestamp"
    raise _unknown(f"the type of {excerpt(tree)} is not known for certain", "expression")


def _arithmetic(tree: Tree, known: _Known) -> str:
    if isinstance(tree, (exp.Add, exp.Sub)) and isinstance(tree.expression, exp.Interval):
        return _moved(tree, known)
    if isinstance(tree, exp.Add) and isinstance(tree.this, exp.Interval):
        return _moved(tree, known)
    return _operation(ARITHMETIC[type(tree)], tree.this, tree.expression, known)


def _operation(symbol: str, left: Tree, right: Tree, known: _Known) -> str:
    """Return the type of `left symbol right`, such as `price * 2`; raise Uncertain if the type is not known.

    `known` has the types of the columns.
    """
    kinds = _type(left, known), _type(right, known)
    if "date" in kinds and symbol in ("+", "-"):
        return _date_arithmetic(symbol, kinds)
    if not all(map(is_numeric, kinds)):
        raise _unknown(f"the result type of {kinds[0]} {symbol} {kinds[1]} is not known for certain", "result")
    if any(kind in FRACTIONS for kind in kinds):
        both_float = symbol != "/" and kinds == ("float", "float")
        # Beside an integer, a FLOAT becomes DOUBLE in ANSI mode, and stays FLOAT without.
        if not both_float and symbol != "/" and set(kinds) <= {"float", *INTEGERS}:
            raise _unknown(f"the result type of {kinds[0]} {symbol} {kinds[1]} is not known for certain", "result")
        return "float" if both_float else "double"
    if all(kind in INTEGERS for kind in kinds):
        return "double" if symbol == "/" else common_numeric(*kinds)
    return decimal_result(symbol, _as_decimals(left, kinds[0]), _as_decimals(right, kinds[1]), lossless=known.lossless)


def _as_decimals(tree: Tree, kind: str) -> Decimal:
    """Return the DECIMAL to which Spark converts the operand `tree` of type `kind` if the other operand is a DECIMAL.

    An integer literal gets as many digits as its text has (7 is a DECIMAL(1,0)); any other integer gets all digits of
    its type (an INT is a DECIMAL(10,0)).
    """
    if isinstance(tree, exp.Neg) and isinstance(tree.this, exp.Literal):
        tree = tree.this
    if kind in INTEGERS and isinstance(tree, exp.Literal):
        return Decimal(max(1, len(tree.name.lstrip("0"))), 0)
    return wide_decimal(kind)


def _date_arithmetic(symbol: str, kinds: tuple[str, str]) -> str:
    days = ("tinyint", "smallint", "int")
    if (kinds[0] == "date" and kinds[1] in days) or (symbol == "+" and kinds[1] == "date" and kinds[0] in days):
        return "date"
    raise _unknown(f"the result type of {kinds[0]} {symbol} {kinds[1]} is not known for certain", "result")


def _whole_division(tree: Tree, known: _Known) -> str:
    kinds = _type(tree.this, known), _type(tree.expression, known)
    if not all(kind in INTEGERS or as_decimal(kind) for kind in kinds):
        raise _unknown(f"the result type of {kinds[0]} DIV {kinds[1]} is not known for certain", "result")
    if known.lossless and any(map(as_decimal, kinds)):
        dividend, divisor = _as_decimals(tree.this, kinds[0]), _as_decimals(tree.expression, kinds[1])
        if dividend.precision - dividend.scale + divisor.scale > BIGINT_DIGITS:
            raise Uncertain("DIV of DECIMALs keeps 64 bits of a greater quotient: cast the operands to smaller types")
    return "bigint"


def _joined_text(tree: Tree, known: _Known) -> str:
    kinds = _type(tree.this, known), _type(tree.expression, known)
    if kinds != (STRING, STRING):
        raise _unknown(f"the result type of {kinds[0]} || {kinds[1]} is not known for certain", "result")
    return STRING


def _case(tree: Tree, known: _Known) -> str:
    values = [branch.args["true"] for branch in tree.args["ifs"]]
    default = tree.args.get("default")
    return reduce(common, [_type(value, known) for value in [*values, *([default] if default else [])]])


def _cast(tree: Tree, known: _Known) -> str:
    assert isinstance(tree, exp.Cast)
    if tree.to.this not in CAST_TYPES and not tree.to.expressions:
        raise Uncertain(
            f"{excerpt(tree)} is a cast to {tree.to.sql('spark')}, which is not supported: cast to a number, string, "
            "date or timestamp, if the result is the same"
        )
    return _cast_type(tree.to)


# Printing a type takes ten times as long as the rest of the work on a cast.
@lru_cache(maxsize=1000)
def _cast_type(kind: exp.DataType) -> str:
    return column_type(kind.sql("spark"))


def _unknown(problem: str, cast: str) -> Uncertain:
    return Uncertain(f"{problem}: cast the {cast} to the type that Spark's typeof() shows for it")


def _call(tree: Tree, known: _Known) -> str:
    if not isinstance(tree.this, str):
        raise _unknown(f"the type of {excerpt(tree)} is not known for certain", "expression")
    bucket = as_bucket(tree)
    if bucket is not None:
        return bucket.type
    if isinstance(tree, exp.Anonymous) and tree.name == SCALAR:
        return _scalar_subquery(tree, known)
    name = meant(tree.this)
    arguments = [argument for given in tree.expressions for argument in _plain(given)]
    if name in OF_UNITS and len(arguments) == 3:  # a column may have the name of the unit
        return "bigint" if OF_UNITS[name] == "counted" else _moved_type(_type(arguments[2], known))
    if name == "named_struct":
        return _structure(arguments, known)
    field = arguments[0] if name in FIELDS and arguments else None
    # The fields without a fraction; those of an interval have other types.
    if isinstance(field, exp.Literal) and field.name.upper() in UNITS and _type(arguments[-1], known) in TEMPORAL:
        return "int"
    if name in OPERATORS and len(arguments) == 2:
        return _operation(OPERATORS[name], arguments[0], arguments[1], known)
    if name in ("round", "bround"):
        return _rounding(arguments, known)
    rule = RESULTS.get(name)
    if rule is None:
        raise _unknown(f"the result type of {name}() is not known for certain", "result")
    types = [VOID if isinstance(argument, exp.Star) else _type(argument, known) for argument in arguments]
    return _ruled(rule, types, tree)


def _scalar_subquery(call: exp.Anonymous, known: _Known) -> str:
    """Return the type of a scalar subquery, which `call` represents; raise Uncertain if the type is not known."""
    kind = known.subqueries.get(text_of(call), UNKNOWN)
    if kind == UNKNOWN:
        raise _unknown(f"the type of ({text_of(call)}) is not known for certain", "subquery")
    return kind


def _structure(arguments: Sequence[Tree], known: _Known) -> str:
    """Return the type of a call of named_struct(): `named_struct('a', 1)` gives `struct<a:int>`.

    Raise Uncertain unless each name is a string literal that is a plain identifier. `arguments` are the call's
    arguments, names and values alternating. `known` has the types of the columns.
    """
    names, values = arguments[::2], arguments[1::2]
    plain = all(isinstance(name, exp.Literal) and name.is_string and name.name.isidentifier() for name in names)
    if not plain or len(names) != len(values):
        raise Uncertain(
            "the field names of named_struct() are not known: write each name as a string literal, such as 'total'"
        )
    fields = (f"{name.name}:{_type(value, known)}" for name, value in zip(names, values, strict=True))
    return f"struct<{','.join(fields)}>"


def _moved_type(kind: str) -> str:
    if kind not in TEMPORAL:
        raise Uncertain(
            f"an interval is added to a value of type {kind}, but can be added only to a date or timestamp: cast the "
            "value"
        )
    return "timestamp" if kind == "date" else kind


def _ruled(rule: Callable[[Sequence[str]], str], types: Sequence[str], tree: Tree) -> str:
    try:
        return rule(types)
    except IndexError:
        raise Uncertain(f"{excerpt(tree)} has too few arguments: add the missing arguments") from None
    except Uncertain as problem:
        raise Uncertain(f"the type of {excerpt(tree)} is not known: {problem}") from None


def _plain(argument: Tree) -> Sequence[Tree]:
    return argument.expressions if isinstance(argument, exp.Distinct) else [argument]


def _rounding(arguments: Sequence[Tree], known: _Known) -> str:
    if not arguments or len(arguments) > 2:
        raise Uncertain("round() takes one or two arguments: write round(number) or round(number, places)")
    places = arguments[1] if len(arguments) == 2 else exp.Literal.number(0)
    sign = -1 if isinstance(places, exp.Neg) else 1
    digits = places.this if isinstance(places, exp.Neg) else places
    if not isinstance(digits, exp.Literal) or not digits.name.isdigit():
        raise Uncertain(
            "the type of round() is not known if the number of decimal places is not a literal: cast the result to "
            "the type that Spark's typeof() shows for it"
        )
    return rounded(_type(arguments[0], known), sign * int(digits.name))


_TRUTH = (exp.And, exp.Or, exp.Not, exp.Is, exp.In, exp.Between, exp.Boolean, exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT)
_RULES: tuple[tuple[tuple[type[Tree], ...], _Rule], ...] = (
    ((exp.Column,), _column),
    ((exp.Literal,), _literal),
    ((exp.Paren, exp.Filter, exp.Window), _child),
    ((*_TRUTH, exp.GTE, exp.NullSafeEQ, exp.Like), _boolean),
    ((exp.Neg,), _negated),
    ((exp.Null,), _void),
    ((exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod), _arithmetic),
    ((exp.IntDiv,), _whole_division),
    ((exp.DPipe,), _joined_text),
    ((exp.Case,), _case),
    ((exp.Cast, exp.TryCast), _cast),
    ((exp.Anonymous,), _call),
)
# If several entries name one kind of node, the first counts.
_RULE = {kind: rule for kinds, rule in reversed(_RULES) for kind in kinds}
