"""Recognizes expressions that round seconds since 1970, such as `floor(unix_timestamp(t) / 3600) * 3600`.

These expressions compute buckets of instants, which start at multiples of a number of seconds, regardless of the time
zone: in a zone with an offset of half an hour, an "hour" starts at half past. Integer columns are bucketed by the same
arithmetic, whatever they count; if a column n counts seconds, its instant is `timestamp_seconds(n)`. For a BIGINT
column bounds must be known: beyond 2^53 quotients are rounded, and beyond the year 294247 from_unixtime() wraps around.

unix_seconds() and CAST(t AS BIGINT) round down to a second, unix_timestamp() rounds towards 1970: the last second of
1969, except for its start, becomes the first of 1970. DIV, `%` and casts to BIGINT round towards 1970, too.

Functions take `kind_of`, which returns an expression's type, and `since_of`, which returns a lower bound of the
expression's values (for a time, in seconds since 1970); both return None if unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gcd
from typing import NamedTuple

from sqlglot import exp

from rewriter.timeseries.bucket import as_bucket

Tree = exp.Expr
KindOf = Callable[[Tree], str | None]
# Returns a lower bound of an expression's times, in seconds since 1970; None if unknown.
SinceOf = Callable[[Tree], int | None]

INTEGERS = frozenset({"tinyint", "smallint", "int", "bigint"})
# The greatest number of seconds since 1970 that fits a TIMESTAMP, whose microseconds are a BIGINT.
MOST = 2**63 // 1_000_000

_UNIX = frozenset({"unix_seconds", "unix_timestamp"})


def never_known(time: Tree) -> None:
    """Return None, an unknown lower bound of `time`: the default of the parameter `since_of`."""


class Seconds(NamedTuple):
    """An integer, rounded down to a multiple of `step`: the value of an integer column, or a TIMESTAMP's seconds since
    1970.

    `source` is the integer column or the TIMESTAMP. If `source` is a TIMESTAMP, `step` is in seconds. If `source` is a
    column, `step` is in the unit of the column, for example 3600000 for hours of a column that counts milliseconds.
    """

    source: Tree
    step: int


def seconds_of(tree: Tree, kind_of: KindOf, since_of: SinceOf = never_known) -> Seconds | None:
    """Return `tree` as Seconds if it is an expression of seconds since 1970 or of an integer column, otherwise None.

    `floor(unix_seconds(t) / 3600) * 3600` gives the source t and the step 3600. In the laws, s is a number of seconds
    since 1970, and n an integer literal. `kind_of` returns the type of an expression. `since_of` returns a lower bound
    of the expression's values (for a time, in seconds since 1970); None if no bound is known.

    law: floor(s / n) * n and s - pmod(s, n) round s down to a multiple of n, even if s is before 1970
    law: (s DIV n) * n, s - s % n, and casts of s / n to BIGINT do the same if s is never before 1970
    """
    if isinstance(tree, exp.Column):
        return Seconds(tree, 1) if _is_bounded(tree, kind_of(tree), since_of) else None
    if isinstance(tree, exp.Anonymous) and tree.name in _UNIX and len(tree.expressions) == 1:
        rounds_down = tree.name == "unix_seconds" or is_from_1970(tree.expressions[0], since_of)
        return _of_time(tree.expressions[0], kind_of, since_of) if rounds_down else None
    if is_whole_cast(tree):
        return _of_time(tree.this, kind_of, since_of)
    if isinstance(tree, exp.Mul):
        for number, factor in ((tree.this, tree.expression), (tree.expression, tree.this)):
            counted = count_of(number, kind_of, since_of)
            if counted is not None and counted.step == whole_number(factor):
                return counted
    if isinstance(tree, exp.Sub):
        rest = tree.expression
        if isinstance(rest, exp.Anonymous) and rest.name == "pmod" and rest.expressions[:1] == [tree.this]:
            return _stepped(tree.this, rest.expressions[1], kind_of, since_of)
        if isinstance(rest, exp.Mod) and rest.this == tree.this:
            return _towards_1970(tree.this, rest.expression, kind_of, since_of)
    return None


def is_from_1970(time: Tree, since_of: SinceOf) -> bool:
    """Return whether unix_timestamp() of a time rounds down: the time is never before 1970, or is on a full second.

    The start of a time bucket is on a full second. `since_of` returns a lower bound of the time in seconds since 1970,
    or None.
    """
    if as_bucket(time) is not None:
        return True
    since = since_of(time)
    return since is not None and since >= 0


def count_of(tree: Tree, kind_of: KindOf, since_of: SinceOf = never_known) -> Seconds | None:
    """Return `tree` as Seconds with the step n if it numbers time buckets of n seconds, as `floor(s / n)` does.

    Here s is an expression of seconds since 1970 or an integer column, and n an integer literal. `s DIV n` also numbers
    such buckets, if no s is before 1970. `kind_of` returns the type of an expression. `since_of` returns a lower bound
    of the expression's values (for a time, in seconds since 1970); None if no bound is known. Return None for other
    expressions.
    """
    if isinstance(tree, exp.IntDiv):
        return _towards_1970(*_in_seconds(tree.this, tree.expression), kind_of, since_of)
    if is_whole_cast(tree) and isinstance(tree.this, exp.Div):
        return _towards_1970(tree.this.this, tree.this.expression, kind_of, since_of)
    if not isinstance(tree, exp.Anonymous) or tree.name != "floor" or len(tree.expressions) != 1:
        return None
    (ratio,) = tree.expressions
    return _stepped(ratio.this, ratio.expression, kind_of, since_of) if isinstance(ratio, exp.Div) else None


_UNITS = {"unix_millis": 1_000, "unix_micros": 1_000_000}


def _in_seconds(number: Tree, step: Tree) -> tuple[Tree, Tree]:
    """Return the operands of DIV in seconds: `unix_millis(t) DIV 60000` gives `unix_seconds(t)` and `60`.

    Return the operands unchanged if the divisor is not a whole number of seconds, and for other numbers.

    no: `floor(unix_micros(t) / 60000000)`, because the quotient is a DOUBLE, which may be rounded up
    """
    unit = _UNITS.get(number.name) if isinstance(number, exp.Anonymous) and len(number.expressions) == 1 else None
    length = whole_number(step, 2**63) if unit is not None else None
    if unit is None or length is None or length % unit:
        return number, step
    seconds = exp.Anonymous(this="unix_seconds", expressions=[number.expressions[0].copy()])
    return seconds, exp.Literal.number(length // unit)


def cut_of(tree: Tree, kind_of: KindOf, since_of: SinceOf = never_known) -> Seconds | None:
    """Return `tree` as Seconds with the step n if it is `CAST(s / n AS INT)` and s is never before 1970, else None.

    Here s is an expression of seconds since 1970 or an integer column, and n an integer literal. The cast is constant
    over each time bucket of n seconds; if the cast overflows for a time, it overflows for the whole bucket. `kind_of`
    returns the type of an expression. `since_of` returns a lower bound of the expression's values (for a time, in
    seconds since 1970); None if no bound is known.
    """
    narrow = isinstance(tree, exp.Cast) and not tree.args.get("safe") and tree.to.this is exp.DataType.Type.INT
    ratio = tree.this if narrow else None
    return _towards_1970(ratio.this, ratio.expression, kind_of, since_of) if isinstance(ratio, exp.Div) else None


def rounded_of(tree: Tree, kind_of: KindOf, since_of: SinceOf = never_known) -> Seconds | None:
    """Return `tree` as Seconds with the step n / 2 if it is `round(s / n)` and s is never before 1970, else None.

    Here s is an expression of seconds since 1970 or an integer column, and n an integer literal. `round(s / 60)` has
    the step 30: its value changes at 30, 90, 150 …, halfway between two multiples of 60, and is constant over each time
    bucket of 30 seconds. `kind_of` returns the type of an expression. `since_of` returns a lower bound of the
    expression's values (for a time, in seconds since 1970); None if no bound is known.

    no: an odd n, because the value changes within a second
    no: `ceil(s / n)`, because it changes one second after each multiple of n
    """
    called = isinstance(tree, exp.Anonymous) and tree.name == "round" and len(tree.expressions) == 1
    ratio = tree.expressions[0] if called else None
    length = whole_number(ratio.expression) if isinstance(ratio, exp.Div) else None
    if not isinstance(ratio, exp.Div) or length is None or length % 2:
        return None
    return _towards_1970(ratio.this, exp.Literal.number(length // 2), kind_of, since_of)


def shifted_of(tree: Tree, kind_of: KindOf, since_of: SinceOf = never_known) -> Seconds | None:
    """Return `tree` as Seconds if it is `floor((s - o) / n) * n + m` with integer literals o, n and m.

    Here s is an integer column or a number of seconds since 1970. The result has the source s and, as its step, the
    greatest common divisor of n and o: the expression is constant over each bucket of this number of seconds. The
    expression may be a number, or a TIMESTAMP made of a number by timestamp_seconds(). `kind_of` returns the type of an
    expression. `since_of` returns a lower bound of an expression's values (for a time, in seconds since 1970), or None;
    the bound is needed because some functions round towards 0 instead of down. Return None for other expressions.
    """
    if isinstance(tree, exp.Anonymous) and tree.name == "timestamp_seconds" and len(tree.expressions) == 1:
        return shifted_of(tree.expressions[0], kind_of, since_of)
    times = tree.this if isinstance(tree, exp.Add) and whole_number(tree.expression) else None
    count = times.this if isinstance(times, exp.Mul) and whole_number(times.expression) else None
    ratio = count.expressions[0] if isinstance(count, exp.Anonymous) and count.name == "floor" else None
    if not isinstance(ratio, exp.Div):
        return None
    moved, length = ratio.this, whole_number(ratio.expression)
    offset = whole_number(moved.expression) if isinstance(moved, exp.Sub) else 0
    if length is None or offset is None:
        return None
    return _stepped(moved.this if offset else moved, exp.Literal.number(gcd(length, offset)), kind_of, since_of)


def instant_of(tree: Tree, kind_of: KindOf, since_of: SinceOf = never_known) -> Seconds | None:
    """Return `tree` as Seconds if it is a TIMESTAMP made of seconds since 1970, otherwise None.

    `timestamp_seconds(n)` and `CAST(n AS TIMESTAMP)` give the source n and the step 1. `kind_of` returns the type of an
    expression. `since_of` returns a lower bound of the expression's values (for a time, in seconds since 1970); None if
    no bound is known.
    """
    if isinstance(tree, exp.Anonymous) and tree.name == "timestamp_seconds" and len(tree.expressions) == 1:
        return seconds_of(tree.expressions[0], kind_of, since_of)
    if isinstance(tree, exp.Cast) and not tree.args.get("safe") and tree.to.this is exp.DataType.Type.TIMESTAMPTZ:
        return seconds_of(tree.this, kind_of, since_of)
    return None


# The functions that make an instant of a number since 1970, with the number of units in a second.
_MILLIS = 1_000
_MADE_OF = {"timestamp_millis": _MILLIS, "timestamp_micros": 1_000_000}


class Scaled(NamedTuple):
    """An instant, given by an integer column of milliseconds or microseconds since 1970.

    `source` is the column, and `times` the number of these units in a second: 1000 or 1000000.
    """

    source: Tree
    times: int


def scaled_of(time: Tree, kind_of: KindOf, since_of: SinceOf = never_known) -> Scaled | None:
    """Return an instant that is made of an integer column of milliseconds or microseconds; None for other expressions.

    `timestamp_millis(ms)`, `timestamp_seconds(ms / 1000)` and `timestamp_seconds(floor(ms / 1000))` give ms and 1000.
    `kind_of` returns the type of an expression. `since_of` returns a lower bound of the expression's values (for a
    time, in seconds since 1970); None if no bound is known.

    law: the instant is in the k-th bucket of n seconds if ms is in the k-th bucket of n * 1000, also before 1970; the
         quotient ms / 1000 is a DOUBLE, whose error is less than a millisecond if ms fits a TIMESTAMP
    """
    number = _made_of(time)
    if number is None:
        return None
    if isinstance(time, exp.Anonymous) and time.name in _MADE_OF and isinstance(number, exp.Column):
        return _counted_by(number, _MADE_OF[time.name], kind_of, since_of)
    if isinstance(number, exp.Div) and whole_number(number.expression) == _MILLIS:
        return _counted_by(number.this, _MILLIS, kind_of, since_of)
    whole = isinstance(time, exp.Anonymous) and time.name == "timestamp_seconds"
    counted = count_of(number, kind_of, since_of) if whole else None
    return Scaled(*counted) if counted is not None and isinstance(counted.source, exp.Column) else None


def _made_of(time: Tree) -> Tree | None:
    """Return the argument of timestamp_millis(), a similar function, or a CAST that makes a TIMESTAMP; else None."""
    number: Tree | None = None
    if isinstance(time, exp.Cast) and not time.args.get("safe") and time.to.this is exp.DataType.Type.TIMESTAMPTZ:
        number = time.this
    elif isinstance(time, exp.Anonymous) and time.name in (*_MADE_OF, "timestamp_seconds"):
        number = time.expressions[0] if len(time.expressions) == 1 else None
    return number


def _counted_by(number: Tree, times: int, kind_of: KindOf, since_of: SinceOf) -> Scaled | None:
    known = isinstance(number, exp.Column) and seconds_of(number, kind_of, since_of) is not None
    return Scaled(number, times) if known else None


def is_whole_cast(tree: Tree) -> bool:
    """Return whether an expression is a CAST to BIGINT, which drops fractions."""
    return isinstance(tree, exp.Cast) and not tree.args.get("safe") and tree.to.this is exp.DataType.Type.BIGINT


def _is_bounded(column: exp.Column, kind: str | None, since_of: SinceOf) -> bool:
    """Return whether the type `kind` of a column is an integer type and, if it is BIGINT, the column has known bounds.

    The bounds are known if `since_of` returns a lower bound of the column; all values then are seconds that fit a
    TIMESTAMP.
    """
    return kind in INTEGERS and (kind != "bigint" or since_of(column) is not None)


def _of_time(source: Tree, kind_of: KindOf, since_of: SinceOf) -> Seconds | None:
    made = instant_of(source, kind_of, since_of)
    if made is not None:
        return made
    return Seconds(source, 1) if kind_of(source) == "timestamp" else None


def _towards_1970(seconds: Tree, step: Tree, kind_of: KindOf, since_of: SinceOf) -> Seconds | None:
    """Return the expression `seconds`, rounded towards 1970 to a multiple of `step`, as Seconds.

    Return None if some values may be before 1970, or if the expression is not supported. `kind_of` returns the type of
    an expression. `since_of` returns a lower bound of the expression's values (for a time, in seconds since 1970); None
    if no bound is known.
    """
    counted = seconds_of(seconds, kind_of, since_of)
    since = since_of(counted.source) if counted is not None else None
    return _stepped(seconds, step, kind_of, since_of) if since is not None and since >= 0 else None


def _stepped(seconds: Tree, step: Tree, kind_of: KindOf, since_of: SinceOf) -> Seconds | None:
    counted, length = seconds_of(seconds, kind_of, since_of), whole_number(step)
    # The quotient is a DOUBLE, in which numbers up to MOST are exact, and no quotient is rounded up to the next
    # integer.
    if counted is None or not length or length % counted.step:
        return None
    return Seconds(counted.source, length)


def whole_number(tree: Tree, most: int = 2**31) -> int | None:
    """Return the value of an integer literal between 0 and `most`, both excluded; None for other expressions."""
    if not isinstance(tree, exp.Literal) or tree.is_string or not tree.name.isdigit():
        return None
    value = int(tree.name)
    return value if 0 < value < most else None
