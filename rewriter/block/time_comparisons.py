"""Turns comparisons of a time as a number or text into comparisons of the time itself.

law:    unix_seconds(t), unix_millis(t), unix_micros(t) and CAST(t AS BIGINT) round down; so the number is at least n if
        and only if t is at or after the instant n units after 1970, and at most n if t is before the instant n + 1
law:    unix_timestamp(t) rounds towards 1970, and so has the same property for instants after the start of 1970
law:    a text that is compared with a TIMESTAMP, such as from_unixtime(n), is cast to TIMESTAMP
law:    datediff(day, t) is at most n if and only if the date of t is at least date_sub(day, n)
law:    t LIKE '2024-02%' is true if and only if t is in February 2024
query:  unix_timestamp(t) BETWEEN 1704067200 AND 1706745599
gives:  t >= TIMESTAMP '2024-01-01 00:00:00Z' AND t < TIMESTAMP '2024-02-01 00:00:00Z'
no:     unix_timestamp(t) >= 0, because it is also true of times within the last second before 1970
no:     unix_micros(t) * 1000 >= n, because the product may overflow
"""

from __future__ import annotations

from typing import NamedTuple

from sqlglot import exp

from rewriter.block.constants import folded
from rewriter.block.meaning import MIRROR
from rewriter.block.scope import Scope
from rewriter.block.traits import is_constant, temporal_type
from rewriter.block.units import kind_of
from rewriter.functions.dates import UNITS_SINCE_1970, counted_instant
from rewriter.functions.trees import call_of, cast, integer_of, number
from rewriter.sql import interval_of
from rewriter.timeseries import read_moment
from rewriter.timeseries.seconds import is_whole_cast

Tree = exp.Expr

# The most seconds that may be subtracted from the current time without reaching 1970.
_MOST_BACK = 1_000_000_000
# The pattern of unix_timestamp(text), and a date that is after the start of 1970 in any zone.
_PATTERN, _AFTER_1970 = "yyyy-MM-dd HH:mm:ss", "1970-01-02"


class _Counted(NamedTuple):
    """A time as a whole number: the units of `micros` microseconds since 1970, multiplied by `times`.

    `unix_seconds(t) * 1000` has `micros` 1000000 and `times` 1000. `towards_1970` is true if the number of units is
    rounded towards 1970; else it is rounded down.
    """

    time: Tree
    micros: int
    times: int
    towards_1970: bool


def of_time(comparison: Tree, scope: Scope) -> Tree:
    """Return a comparison of a time's number or text as a comparison of the time; any other comparison unchanged.

    `unix_seconds(t) >= 100` gives `t >= TIMESTAMP '1970-01-01 00:01:40Z'`.
    """
    if isinstance(comparison, exp.Like):
        return _begun(comparison, scope) or comparison
    bound = comparison.expression
    plain = isinstance(comparison.this, exp.Column) and isinstance(bound, (exp.Literal, exp.Column))  # most comparisons
    if plain or not isinstance(comparison, _COMPARED):
        return comparison
    if _is_moved_text(bound) and temporal_type(comparison.this, scope) == "timestamp":
        return type(comparison)(this=comparison.this, expression=cast(bound, "timestamp"))
    if isinstance(bound, exp.Anonymous) and bound.name == "from_unixtime" and is_constant(bound):
        zoned = temporal_type(comparison.this, scope) == "timestamp"
        return type(comparison)(this=comparison.this, expression=cast(bound, "timestamp")) if zoned else comparison
    counted, value = _counted(comparison.this, scope), integer_of(bound)
    if counted is None:
        return (_of_days(comparison, value, scope) if value is not None else None) or comparison
    if value is not None:
        return _of_number(comparison, counted, value) or comparison
    second = _second(bound) if counted.micros == 1_000_000 and counted.times == 1 else None
    return _of_second(comparison, counted.time, *second) if second is not None else comparison


_COMPARED = (exp.GTE, exp.GT, exp.LTE, exp.LT, exp.EQ)


def _is_moved_text(bound: Tree) -> bool:
    """Return whether a bound is a string literal plus or minus an interval of days or weeks.

    law: Spark casts the string to TIMESTAMP, adds the days on the session's clock, and returns the local time as a
         string; to compare a TIMESTAMP with this string, Spark casts the string to TIMESTAMP again
    no:  computing the sum as a literal, because clocks may skip the local time that the string names, such as midnight
         in Brazil
    no:  months and years, because Spark refuses them; hours, because a local time that occurs twice, when clocks are
         set back, is read as the first occurrence
    """
    step = interval_of(bound.expression) if isinstance(bound, (exp.Add, exp.Sub)) else None
    if step is None or step[1] not in ("DAY", "WEEK"):
        return False
    return (
        isinstance(bound.this, exp.Literal) and bound.this.is_string and read_moment(bound.this.name, None) is not None
    )


def _begun(comparison: exp.Like, scope: Scope) -> Tree | None:
    """Return `LIKE 'prefix%'` over the text of a time as a comparison of the text's first characters.

    `t LIKE '2024-02%'` gives `substring(CAST(t AS STRING), 1, 7) = '2024-02'`. Return None for other predicates.
    """
    text, pattern = comparison.this, comparison.expression
    cast_to_text = isinstance(text, exp.Cast) and text.to.this in exp.DataType.TEXT_TYPES
    kind = temporal_type(text.this if cast_to_text else text, scope)
    prefix = pattern.name[:-1] if isinstance(pattern, exp.Literal) and pattern.name.endswith("%") else ""
    if kind not in ("timestamp", "timestamp_ntz") or not prefix or any(sign in prefix for sign in "%_\\"):
        return None
    shown = text if cast_to_text else cast(text, "string")
    return exp.EQ(
        this=call_of("substring", shown, number(1), number(len(prefix))), expression=exp.Literal.string(prefix)
    )


def _of_days(comparison: Tree, days: int, scope: Scope) -> Tree | None:
    """Return a comparison of datediff() with a number, `days`, as a comparison of a date with a constant date.

    `datediff(DATE '2024-02-10', d) <= 9` gives `d >= DATE '2024-02-01'`. Return None for other comparisons, and unless
    exactly one argument of datediff() is a constant.
    """
    call = comparison.this
    if not isinstance(call, exp.Anonymous) or call.name != "datediff" or len(call.expressions) != 2:
        return None
    end, start = call.expressions
    back = is_constant(end)
    time, day = (start, end) if back else (end, start)
    if is_constant(time) or not is_constant(day):
        return None
    kinds = (kind_of(time, scope), kind_of(day, scope))
    if None in kinds:
        return None
    dates = [each if kind == "date" else cast(each, "date") for each, kind in zip((time, day), kinds, strict=True)]
    moved = call_of(
        "date_sub" if back else "date_add", dates[1], exp.Neg(this=number(-days)) if days < 0 else number(days)
    )
    operator = MIRROR[type(comparison)] if back else type(comparison)
    return operator(this=dates[0], expression=folded(moved))


def _counted(tree: Tree, scope: Scope) -> _Counted | None:
    if isinstance(tree, exp.Mul):
        for inner, factor in ((tree.this, tree.expression), (tree.expression, tree.this)):
            times, counted = integer_of(factor), _counted(inner, scope)
            # Only up to microseconds: a larger product may overflow, and wraps around without ANSI mode.
            if counted is not None and times is not None and 0 < counted.times * times <= counted.micros:
                return counted._replace(times=counted.times * times)
        return None
    if is_whole_cast(tree):
        return _Counted(tree.this, 1_000_000, 1, False) if temporal_type(tree.this, scope) == "timestamp" else None
    if not isinstance(tree, exp.Anonymous) or tree.name not in UNITS_SINCE_1970 or len(tree.expressions) != 1:
        return None
    (time,) = tree.expressions
    if temporal_type(time, scope) != "timestamp":
        return None
    return _Counted(time, UNITS_SINCE_1970[tree.name], 1, tree.name == "unix_timestamp")


def _of_number(comparison: Tree, counted: _Counted, value: int) -> Tree | None:
    above = value // counted.times + 1
    least = -(-value // counted.times) if isinstance(comparison, (exp.GTE, exp.LT, exp.EQ)) else above
    if isinstance(comparison, exp.EQ) and value % counted.times:
        return None
    if counted.towards_1970 and least < 1:
        return None
    begin, end = (_instant(count * counted.micros) for count in (least, above))
    if begin is None or end is None:
        return None
    if isinstance(comparison, exp.EQ):
        return exp.And(this=_from(counted.time, begin), expression=_before(counted.time, end))
    return (_from if isinstance(comparison, (exp.GTE, exp.GT)) else _before)(counted.time, begin)


def _second(bound: Tree) -> tuple[Tree, Tree] | None:
    """Return the instant of a constant number of seconds since 1970, and the instant one second later.

    `unix_timestamp() - 60` gives `timestamp_seconds(unix_timestamp() - 60)` and `timestamp_seconds(unix_timestamp() -
    60 + 1)`. Return None unless the constant is certainly after the start of 1970.
    """
    if _is_of_clock(bound):
        after = exp.Add(this=bound, expression=number(1))
        return call_of("timestamp_seconds", bound), call_of("timestamp_seconds", after)
    if not isinstance(bound, exp.Anonymous) or bound.name != "unix_timestamp":
        return None
    text, *pattern = bound.expressions
    told = pattern or [exp.Literal.string(_PATTERN)]
    second = folded(call_of("to_timestamp", text, *told))
    if not isinstance(second, exp.Cast) or "." in second.this.name or second.this.name < _AFTER_1970:
        return None
    return second, exp.Add(
        this=second, expression=exp.Interval(this=exp.Literal.string("1"), unit=exp.Var(this="SECOND"))
    )


def _of_second(comparison: Tree, time: Tree, second: Tree, after: Tree) -> Tree:
    if isinstance(comparison, exp.EQ):
        return exp.And(this=_from(time, second), expression=_before(time, after))
    bound = after if isinstance(comparison, (exp.GT, exp.LTE)) else second
    return (_from if isinstance(comparison, (exp.GTE, exp.GT)) else _before)(time, bound)


def _is_of_clock(bound: Tree) -> bool:
    """Return whether a constant is the current time in seconds since 1970, or this time minus a number of seconds.

    The number may be computed, as in `unix_timestamp() - 86400 * 30`, and must be so small that the difference is after
    1970.
    """
    if isinstance(bound, exp.Sub):
        back = integer_of(folded(bound.expression))
        return back is not None and 0 <= back < _MOST_BACK and _is_of_clock(bound.this)
    if not isinstance(bound, exp.Anonymous) or bound.name not in ("unix_timestamp", "unix_seconds"):
        return False
    return bound.expressions == [call_of("current_timestamp")]


def _instant(micros: int) -> Tree | None:
    """Return the TIMESTAMP literal of a number of microseconds since 1970; None outside the years 1 to 9999."""
    try:
        return cast(exp.Literal.string(f"{counted_instant('timestamp_micros', micros).isoformat(' ')}Z"), "timestamp")
    except OverflowError:
        return None


def _from(time: Tree, instant: Tree) -> Tree:
    return exp.GTE(this=time, expression=instant)


def _before(time: Tree, instant: Tree) -> Tree:
    return exp.LT(this=time, expression=instant)
