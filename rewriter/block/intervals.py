"""The canonical form of a date or timestamp plus or minus a constant interval: one step for each unit.

law:    t - INTERVAL '1 day 2 hours' is (t - INTERVAL 1 DAY) - INTERVAL 2 HOURS: Spark first adds the whole days on the
        clock of the session's time zone, and then the rest
law:    make_interval() keeps days and hours apart: Spark adds its months, then its days, and then its hours, minutes
        and seconds, even if these exceed a day
law:    t + INTERVAL '-7' DAY is t - INTERVAL 7 DAY
law:    a DATE plus weeks and days is a DATE
no:     a DATE plus an interval with hours (even 0 hours) is not a DATE: Spark first casts the DATE to TIMESTAMP
no:     a DATE plus the hours of make_interval(), because Spark refuses the sum
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from sqlglot import exp

from rewriter.block.scope import Scope
from rewriter.block.units import kind_of
from rewriter.functions.dates import MADE_INTERVALS
from rewriter.functions.trees import cast, integer_of

Tree = exp.Expr

_DAY = 86_400
_MONTHS = {"YEAR": 12, "MONTH": 1}
_SECONDS = {"WEEK": 7 * _DAY, "DAY": _DAY, "HOUR": 3600, "MINUTE": 60, "SECOND": 1}
_PAIR = r"([+-]?\d+)\s+([a-z]+?)s?"
_PAIRS = re.compile(rf"\s*{_PAIR}(?:\s+{_PAIR})*\s*\Z", re.IGNORECASE)
_EACH_PAIR = re.compile(rf"{_PAIR}(?=\s|\Z)", re.IGNORECASE)
_YEARS_TO_MONTHS = re.compile(r"([+-]?)(\d+)-(0?\d|1[01])\Z")
# For each first unit of a text such as '1 02:30:00': the units of its numbers.
_CLOCK = {
    "DAY": ("DAY", "HOUR", "MINUTE", "SECOND"),
    "HOUR": ("HOUR", "MINUTE", "SECOND"),
    "MINUTE": ("MINUTE", "SECOND"),
}
# Behind a first unit, Spark refuses these numbers of the units, and larger ones.
_MOST = {"HOUR": 24, "MINUTE": 60, "SECOND": 60}
_NUMBERS = re.compile(r"([+-]?)(\d+(?:[ :]\d+)*)\Z")


class Length(NamedTuple):
    """The length of a constant interval, in months, whole days, and seconds.

    - `is_calendar`: true for make_interval(), whose hours never become days: 30 hours stay 108000 seconds; for other
      intervals, 30 hours are 1 day and 21600 seconds
    - `is_timed`: true if a DATE plus the interval is a TIMESTAMP, not a DATE
    """

    months: int
    days: int
    seconds: int
    is_calendar: bool = False
    is_timed: bool = False


def moved(node: Tree, scope: Scope, build: Callable[[Tree], Tree]) -> Tree | None:
    """Return a time plus or minus an interval in canonical form.

    `now() - INTERVAL '1 day 2 hours'` gives `(now() - INTERVAL 1 DAY) - INTERVAL 2 HOURS`. `build` returns the
    canonical form of the time. Return None if the node adds no interval to a time, or if the interval is not supported.
    """
    time, interval = node.this, _bare(node.expression)
    if isinstance(node, exp.Add) and _is_interval(_bare(time)) and not _is_interval(interval):
        time, interval = interval, _bare(time)
    if not _is_interval(interval):
        return None
    forth = isinstance(node, exp.Add)
    while isinstance(interval, exp.Neg):
        interval, forth = _bare(interval.this), not forth
    if isinstance(interval, exp.Interval) and isinstance(interval.args.get("unit"), exp.Var):
        return _of_one_unit(build(time), interval, forth)
    length = _length(interval)
    return _chained(build(time), length, forth, scope) if length is not None else None


def _bare(tree: Tree) -> Tree:
    return tree.unnest() if isinstance(tree, exp.Paren) else tree


def _is_interval(tree: Tree) -> bool:
    if isinstance(tree, exp.Neg):
        return _is_interval(_bare(tree.this))
    if isinstance(tree, exp.Add):  # INTERVAL 1 DAY 2 HOURS
        return isinstance(tree.this, exp.Interval) and isinstance(tree.expression, exp.Interval)
    called = isinstance(tree, exp.Anonymous) and isinstance(tree.this, str) and tree.this.lower() in MADE_INTERVALS
    return called or isinstance(tree, exp.Interval)


def _of_one_unit(time: Tree, interval: exp.Interval, forth: bool) -> Tree | None:
    if not isinstance(interval.this, exp.Literal):
        return None
    text = interval.name
    if text.startswith("-") and text[1:].isdigit():
        text, forth = text[1:], not forth
    step = exp.Interval(this=exp.Literal.string(text), unit=interval.args["unit"].copy())
    return (exp.Add if forth else exp.Sub)(this=time, expression=step)


def _length(interval: Tree) -> Length | None:
    """Return the length of a constant interval; None if its text is not supported or has fractions of a second."""
    if isinstance(interval, exp.Anonymous):
        return _made(interval)
    parts = list(_parts(interval))
    units = [unit for unit, _ in parts]
    if not parts or len(set(units)) != len(units):
        return None
    if set(units) <= _MONTHS.keys():
        return Length(sum(_MONTHS[unit] * count for unit, count in parts), 0, 0)
    if not set(units) <= _SECONDS.keys():
        return None
    length = _normalized(sum(_SECONDS[unit] * count for unit, count in parts))
    return length._replace(is_timed=not set(units) <= {"WEEK", "DAY"})


def _normalized(seconds: int) -> Length:
    sign = -1 if seconds < 0 else 1
    days, rest = divmod(abs(seconds), _DAY)
    return Length(0, sign * days, sign * rest, is_timed=True)


def _parts(interval: Tree) -> Iterator[tuple[str, int]]:
    """Yield the units and numbers of an interval: ("DAY", 1) and ("HOUR", 2) for `INTERVAL '1 day 2 hours'`.

    Yield nothing for an interval that is not supported.
    """
    if isinstance(interval, exp.Add):
        parts = (interval.this, interval.expression)
        if all(part.name.isdigit() for part in parts):
            yield from ((str(part.args["unit"]).upper().removesuffix("S"), int(part.name)) for part in parts)
        return
    span = interval.args.get("unit")
    if span is None and _PAIRS.match(interval.name):
        yield from ((unit.upper(), int(count)) for count, unit in _EACH_PAIR.findall(interval.name))
    if not isinstance(span, exp.IntervalSpan):
        return
    first, last = (str(span.args[end]).upper() for end in ("this", "expression"))
    found = _YEARS_TO_MONTHS.match(interval.name) if (first, last) == ("YEAR", "MONTH") else None
    if found is not None:
        yield from (("YEAR", int(found[1] + found[2])), ("MONTH", int(found[1] + found[3])))
    units, numbers = _CLOCK.get(first, ()), _NUMBERS.match(interval.name)
    if last in units and numbers is not None:
        counts = re.split("[ :]", numbers[2])
        within = zip(units[1:], counts[1:], strict=False)
        if len(counts) == units.index(last) + 1 and all(int(count) < _MOST[unit] for unit, count in within):
            yield from ((unit, int(numbers[1] + count)) for unit, count in zip(units, counts, strict=False))


def _made(call: exp.Anonymous) -> Length | None:
    units = MADE_INTERVALS[str(call.this).lower()]
    counts = [integer_of(_bare(argument)) for argument in call.expressions]
    if len(counts) > len(units):
        return None
    known = [(unit, count) for unit, count in zip(units, counts, strict=False) if count is not None]
    if len(known) != len(counts):
        return None
    months = sum(_MONTHS[unit] * count for unit, count in known if unit in _MONTHS)
    days = sum(_SECONDS[unit] * count for unit, count in known if unit in ("WEEK", "DAY")) // _DAY
    seconds = sum(_SECONDS[unit] * count for unit, count in known if unit in ("HOUR", "MINUTE", "SECOND"))
    if call.this.lower() == "make_dt_interval":
        return _normalized(days * _DAY + seconds)
    return Length(months, days, seconds, is_calendar=call.this.lower() == "make_interval")


def _chained(time: Tree, length: Length, forth: bool, scope: Scope) -> Tree | None:
    kind = kind_of(time, scope)
    if kind is None or (kind == "date" and length.is_calendar and length.seconds):
        return None
    if kind == "date" and length.is_timed:
        time = cast(time, "timestamp")
    for count, unit in ((length.months, "MONTH"), (length.days, "DAY")):
        time = _plus(time, count if forth else -count, unit) if count else time
    seconds = length.seconds if forth else -length.seconds
    unit = next(unit for unit in ("HOUR", "MINUTE", "SECOND") if seconds % _SECONDS[unit] == 0)
    if abs(seconds) < _DAY:
        return _plus(time, seconds // _SECONDS[unit], unit) if seconds else time
    number = exp.Literal.number(abs(seconds) // _SECONDS[unit])
    return exp.Anonymous(
        this="timestampadd", expressions=[exp.Var(this=unit), exp.Neg(this=number) if seconds < 0 else number, time]
    )


def _plus(time: Tree, count: int, unit: str) -> Tree:
    step = exp.Interval(this=exp.Literal.string(str(abs(count))), unit=exp.Var(this=unit))
    return (exp.Sub if count < 0 else exp.Add)(this=time, expression=step)
