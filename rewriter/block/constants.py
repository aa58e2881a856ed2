"""Computes constant expressions as Spark does, where the result is certain and does not depend on settings.

DATE arithmetic does not depend on the time zone. A sum, difference or product of whole numbers is computed if the
result fits INT, and of DECIMAL literals if the exact result certainly fits 38 digits. Other constant expressions stay
unchanged: a TIMESTAMP plus a day depends on the session's time zone, and 7 / 2 is a DOUBLE.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from operator import add, mul, sub

from sqlglot import exp

from rewriter.block.vocabulary import CAST_TYPES
from rewriter.functions.dates import COUNTED, DATE_STEPS, counted_instant, plus_days, plus_months
from rewriter.functions.trees import cast, integer_of
from rewriter.functions.types import MAX_PRECISION
from rewriter.sql import interval_of
from rewriter.timeseries import as_bucket, floor, read_moment, wall_of

Tree = exp.Expr

_ARITHMETIC: dict[type[Tree], Callable[[Decimal, Decimal], Decimal]] = {exp.Add: add, exp.Sub: sub, exp.Mul: mul}
_UNITS = {"DAY": (1, 0), "WEEK": (7, 0), "MONTH": (0, 1), "YEAR": (0, 12)}
_EPOCH = date(1970, 1, 1)
_MOST_OF_INT = 2**31


def folded(tree: Tree) -> Tree:
    """Return a constant expression as a literal or a cast literal; return any other expression unchanged.

    >>> from rewriter.sql import parse_select
    >>> folded(parse_select("SELECT 0.06 - 0.01").expressions[0]).sql()
    '0.05'
    """
    if isinstance(tree, (exp.Literal, exp.Column)):
        return tree
    computed = _number(tree) if isinstance(tree, (exp.Add, exp.Sub, exp.Mul)) else None
    if computed is not None:
        literal = exp.Literal.number(f"{abs(computed):f}")
        return exp.Neg(this=literal) if computed < 0 else literal
    counted = isinstance(tree, exp.Cast) and tree.to.this is exp.DataType.Type.TIMESTAMPTZ and not tree.args.get("safe")
    call = exp.Anonymous(this="timestamp_seconds", expressions=[tree.this]) if counted else tree
    instant = _instant(call) if isinstance(call, exp.Anonymous) else None
    if instant is not None:
        return cast(exp.Literal.string(instant), "timestamp")
    day = _day(tree) if not (isinstance(tree, exp.Cast) and isinstance(tree.this, exp.Literal)) else None
    return tree if day is None else cast(exp.Literal.string(day.isoformat()), "date")


# Format patterns, with their lengths, for which a cast reads a string just as the pattern does.
_PLAIN = {"yyyy-MM-dd HH:mm:ss": 19, "yyyy-MM-dd": 10}


def _instant(call: exp.Anonymous) -> str | None:
    """Return the TIMESTAMP that a call with constant arguments returns, as the text of a literal; None for other calls.

    `timestamp_seconds(0)` gives the instant '1970-01-01 00:00:00Z'. `to_timestamp('2024-01-01')` gives '2024-01-01',
    without Z: a local time of the session's time zone.
    """
    parts = call.expressions
    if call.name in COUNTED and len(parts) == 1 and (count := integer_of(parts[0])) is not None:
        try:
            return f"{counted_instant(call.name, count).isoformat(' ')}Z"
        except OverflowError:
            return None
    if call.name == "make_timestamp" and len(parts) == 6:
        return _made(datetime, [integer_of(part) for part in parts])
    if call.name != "to_timestamp" or not all(isinstance(each, exp.Literal) and each.is_string for each in parts):
        return None
    text, pattern = [each.name for each in parts] if len(parts) == 2 else [parts[0].name, ""]
    plain = read_moment(text, "UTC") is not None and (not pattern or _PLAIN.get(pattern) == len(text))
    return text if plain else _read(text, pattern)


def _made(kind: type[date], fields: Sequence[int | None]) -> str | None:
    """Return the date or timestamp with these fields (year, month, day, hour …) as text, such as '2024-02-01'.

    `kind` is the class date or datetime. Return None if a field is unknown (None) or out of range.
    """
    try:
        made = kind(*(field for field in fields if field is not None)) if None not in fields else None
    except ValueError:
        return None
    return (made.isoformat(" ") if isinstance(made, datetime) else made.isoformat()) if made is not None else None


# Spark reads a time and takes its date, which is another date where the zone skipped the date: Samoa was the last one.
_LAST_SKIPPED = "2011-12-31"


# The fields of a format pattern that are read in the same way by every parser policy, with their digits.
_FIELDS = {"yyyy": r"(\d{4})", "MM": r"(\d\d)", "dd": r"(\d\d)", "HH": r"(\d\d)", "mm": r"(\d\d)", "ss": r"(\d\d)"}
_FIELDS["SSS"] = r"(\d{3})"
_TOKENS = re.compile("yyyy|MM|dd|HH|mm|ss|SSS|'T'|[-/:. ]")


def _read(text: str, pattern: str) -> str | None:
    """Return the timestamp that Spark parses from `text` by a format pattern, as text in ISO format.

    '02/2024' with the pattern MM/yyyy gives '2024-02-01 00:00:00': a missing month or day counts as 1, a missing time
    of day as midnight. Return None if the pattern has no year or an unsupported field, or does not match the text.
    """
    tokens = _TOKENS.findall(pattern)
    names = [token for token in tokens if token in _FIELDS]
    if "".join(tokens) != pattern or len(set(names)) != len(names) or "yyyy" not in names:
        return None
    found = re.fullmatch("".join(_FIELDS.get(token, re.escape(token.strip("'"))) for token in tokens), text)
    if found is None:
        return None
    read = {name: int(value) for name, value in zip(names, found.groups(), strict=True)}
    fields = [read.get(name, least) for name, least in zip(_FIELDS, (0, 1, 1, 0, 0, 0, 0), strict=True)]
    return _made(datetime, [*fields[:-1], fields[-1] * 1000])


def text_of_hex(call: Tree) -> str | None:
    """Return the string that `decode(unhex('4445'), 'utf-8')` returns, here DE; None for other expressions.

    Metabase writes string literals in this form.
    """
    if not isinstance(call, exp.Anonymous) or call.name.lower() != "decode" or len(call.expressions) != 2:
        return None
    digits, charset = call.expressions
    inner = isinstance(digits, exp.Anonymous) and digits.name.lower() == "unhex" and len(digits.expressions) == 1
    literals = [*digits.expressions, charset] if inner else []
    if not literals or not all(isinstance(each, exp.Literal) and each.is_string for each in literals):
        return None
    if not literals[0].name.isalnum():  # bytes.fromhex ignores spaces
        return None
    try:
        return bytes.fromhex(literals[0].name).decode() if charset.name.lower() == "utf-8" else None
    except ValueError:  # Spark returns NULL for invalid digits, and replaces bytes that are not UTF-8
        return None


def _number(tree: Tree) -> Decimal | None:
    """Return the value of a literal, or of a sum, difference or product of literals that Spark computes exactly.

    Return None for other expressions.
    """
    if isinstance(tree, exp.Neg):
        inner = _number(tree.this)
        return None if inner is None else -inner
    if isinstance(tree, exp.Literal):
        plain = not tree.is_string and tree.name.replace(".", "", 1).isdigit()
        return Decimal(tree.name) if plain and len(tree.name) < MAX_PRECISION // 2 else None
    operation = _ARITHMETIC.get(type(tree))
    if operation is None:
        return None
    left, right = _number(tree.this), _number(tree.expression)
    if left is None or right is None:
        return None
    result = operation(left, right)
    # Whole numbers give an integer, which must fit INT; other numbers give a DECIMAL with room for all exact digits.
    whole = left == left.to_integral_value() and right == right.to_integral_value()
    most = max(map(abs, (left, right, result)))
    return result if most < _MOST_OF_INT and (whole or _digits(left) + _digits(right) < MAX_PRECISION) else None


def _digits(number: Decimal) -> int:
    return len(number.as_tuple().digits)


def _day(tree: Tree) -> date | None:
    """Return the value of a constant DATE expression in the years 1 to 9999; None for other expressions."""
    try:
        return _date(tree)
    except (OverflowError, ValueError):
        return None


def _date(tree: Tree) -> date | None:
    if isinstance(tree, exp.Cast):
        return _converted(tree) if CAST_TYPES.get(tree.to.this) == "date" and not tree.args.get("safe") else None
    if isinstance(tree, (exp.Add, exp.Sub)):
        day, sign = _date(tree.this), -1 if isinstance(tree, exp.Sub) else 1
        return None if day is None else _stepped(day, tree.expression, sign)
    bucket = as_bucket(tree)
    if bucket is not None:
        day = _date(bucket.source) if bucket.type == "date" else None
        return None if day is None else floor(wall_of((day - _EPOCH).days * 86_400_000_000), bucket.grain).date()
    return _called(tree) if isinstance(tree, exp.Anonymous) else None


def _converted(tree: exp.Cast) -> date | None:
    literal = tree.this
    if not isinstance(literal, exp.Literal):
        return _date(literal)
    return _written(literal)


def _written(literal: Tree) -> date | None:
    """Return the date of a string literal in the form YYYY-MM-DD; None for other expressions."""
    moment = read_moment(literal.name, None) if isinstance(literal, exp.Literal) and literal.is_string else None
    return moment.wall.date() if moment is not None and len(literal.name) == 10 else None


def _called(call: exp.Anonymous) -> date | None:
    """Return the result of last_day(), date_add(), date_sub() or add_months() with constant arguments.

    A string argument is parsed as a date. Return None for other calls.
    """
    if call.name == "make_date" and len(call.expressions) == 3:
        text = _made(date, [integer_of(part) for part in call.expressions])
        return date.fromisoformat(text) if text is not None else None
    if call.name == "to_date" and len(call.expressions) == 2:
        text = _instant(exp.Anonymous(this="to_timestamp", expressions=call.expressions))
        later = text is not None and text[:10] > _LAST_SKIPPED
        return date.fromisoformat(text[:10]) if text is not None and later else None
    if call.name == "last_day" and len(call.expressions) == 1:
        day = _argument(call.expressions[0])
        return None if day is None else plus_months(day.replace(day=1), 1) - timedelta(days=1)
    step = DATE_STEPS.get(call.name)
    if step is None or len(call.expressions) != 2:
        return None
    day, count = _argument(call.expressions[0]), _whole(call.expressions[1])
    return None if day is None or count is None else step(day, count)


def _argument(tree: Tree) -> date | None:
    return _written(tree) if isinstance(tree, exp.Literal) else _date(tree)


def _stepped(day: date, step: Tree, sign: int) -> date | None:
    """Return a date plus (`sign` 1) or minus (`sign` -1) a step: a constant interval or a constant number of days.

    The interval must be of days, weeks, months or years. Return None for other steps.
    """
    if not isinstance(step, exp.Interval):
        count = _whole(step)
        return None if count is None else plus_days(day, sign * count)
    count, unit = interval_of(step) or (0, "")
    if unit not in _UNITS or count >= _MOST_OF_INT:
        return None
    days, months = _UNITS[unit]
    return plus_days(day, sign * days * count) if days else plus_months(day, sign * months * count)


def _whole(tree: Tree) -> int | None:
    number = _number(tree)
    integral = number is not None and "." not in tree.sql() and abs(number) < _MOST_OF_INT
    return int(number) if number is not None and integral else None
