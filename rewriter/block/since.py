"""Lower bounds of the times in a block's rows, from the filter and from column bounds of the tables.

A dashboard's filter usually has a lower bound: `t >= '2024-01-01'`, `year(t) = 2024`, `t >= current_date() - 30`. The
bound helps to prove that each stored hour lies within one day of the session's time zone. Long ago, zones had offsets
such as 53 minutes and 28 seconds, at which an hour may lie in two days; with a lower bound, only later offsets count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from sqlglot import exp

from rewriter.block.form import Block, remembered
from rewriter.block.traits import tells_time
from rewriter.functions.dates import COUNTED, DATE_STEPS, UNITS_SINCE_1970
from rewriter.functions.trees import integer_of
from rewriter.sql import interval_of, operands
from rewriter.timeseries import (
    as_bucket,
    bucket_elsewhere,
    day_source,
    number_of,
    offset_of,
    read_moment,
    told_by,
)
from rewriter.timeseries.seconds import (
    INTEGERS,
    MOST,
    count_of,
    instant_of,
    never_known,
    scaled_of,
    seconds_of,
)

Tree = exp.Expr
# A lower bound of the current time at any execution: the start of 2025, when this was written.
_TODAY = int(datetime(2025, 1, 1, tzinfo=UTC).timestamp())
_DAY = 86_400
_MICROS_OF_DAY = _DAY * 1_000_000
# Seconds that cover a time zone's offset, the length of a clock shift, and the rounding of a time to its date.
_MARGIN = 3 * _DAY
_UNITS = {
    "SECOND": 1,
    "MINUTE": 60,
    "HOUR": 3600,
    "DAY": _DAY,
    "WEEK": 7 * _DAY,
    "MONTH": 31 * _DAY,
    "YEAR": 366 * _DAY,
}
_LAST_YEAR = 9999


def since_of(
    source: Tree,
    conjuncts: Iterable[Tree],
    known: Iterable[tuple[Tree, int]] = (),
    zone: str = "",
    kind: str | None = None,
) -> int | None:
    """Return a lower bound of the time `source` in the rows that a filter keeps; None if no lower bound is known.

    The bound is in seconds since 1970, and follows from the filter's `conjuncts` and from `known`, pairs of a time and
    a bound. Proofs about the time zone are cached by the bound. Bounds are rounded down, so that there are few: from
    the filter to the start of a month, from `known` to the start of a year. Unless `zone`, the session's time zone, has
    a fixed offset, some days are first subtracted from a bound of the filter. `kind` is the type of the source; None if
    unknown. In the example, 1706745600 is the start of February 2024.

    >>> at = exp.column("at", "sales_0")
    >>> filtered = [exp.GTE(this=at, expression=exp.Literal.string("2024-02-03"))]
    >>> since_of(at, filtered, zone="UTC") == 1706745600
    True
    """
    known, filters = list(known), list(conjuncts)
    bounds = [at for time, at in known if time == source]
    found = [at for conjunct in filters if (at := _least(conjunct, source, zone)) is not None]
    # A BIGINT with known bounds, and a smaller integer, needs no upper bound in the filter.
    small = bool(bounds) or (kind in INTEGERS and kind != "bigint")
    number = _least_number(filters, source, small, zone) if isinstance(source, exp.Column) else None
    found += [number] if number is not None else []
    if (scaled := scaled_of(source, lambda node: "int", never_known)) is not None:
        counted = since_of(scaled.source, filters, known, zone)
        found += [counted // scaled.times] if counted is not None else []
    began = [_start_of_year(at) for at in bounds] + [_start_of_month(at) for at in found]
    return max(began) if began else None


def _start_of_year(seconds: int) -> int:
    return _rounded(seconds, lambda day: day.replace(month=1, day=1))


def _start_of_month(seconds: int) -> int:
    return _rounded(seconds, lambda day: day.replace(day=1))


def _rounded(seconds: int, start_of: Callable[[datetime], datetime]) -> int:
    """Return a time in seconds since 1970, rounded down by `start_of`; but 1 if a positive time would become 0 or less.

    `start_of` returns the start of a day's month or year. The bound 0 would not exclude times before 1970: DIV rounds
    towards 0, so that the bucket of the second 0 also contains seconds before 1970.
    """
    try:
        day = datetime.fromtimestamp(seconds, UTC)
        start = int(start_of(datetime(day.year, day.month, day.day, tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError, OSError):
        return seconds
    return max(start, 1) if seconds > 0 else start


def least_of(bound: Tree) -> int | None:
    """Return a lower bound, in seconds since 1970, of a constant's value at any time of execution; None if unknown.

    The constant may depend on the time of execution, such as `current_date() - 30`.
    """
    earliest = _earliest(bound)
    return earliest - _MARGIN if earliest is not None else None


def back_of(bound: Tree) -> int | None:
    """Return the greatest number of seconds by which a constant's value may lie before the time of execution.

    `current_date() - INTERVAL 30 DAYS` gives 2592000. Return None if the value does not depend on the time of
    execution, or if no limit is known.
    """
    earliest = _earliest(bound) if tells_time(bound) else None
    return _TODAY - earliest if earliest is not None else None


def _least(tree: Tree, column: Tree, zone: str) -> int | None:
    if isinstance(tree, exp.Or):
        return _every([_least(operand, column, zone) for operand in operands(tree, exp.Or)])
    if isinstance(tree, exp.And):
        return max((s for o in operands(tree, exp.And) if (s := _least(o, column, zone)) is not None), default=None)
    if isinstance(tree, exp.In) and tree.expressions:
        return _every([_bound(tree.this, value, column, zone) for value in tree.expressions])
    found = _bound(tree.this, tree.expression, column, zone) if isinstance(tree, (exp.GTE, exp.GT, exp.EQ)) else None
    if found is None and isinstance(tree, (exp.LTE, exp.LT, exp.EQ)):  # the verifier may put the bound on the left
        return _bound(tree.expression, tree.this, column, zone)
    return found


def _least_number(conjuncts: Iterable[Tree], column: Tree, small: bool, zone: str) -> int | None:
    """Return the greatest lower bound of an integer column that follows from `conjuncts`; None if there is none.

    `n >= 100 AND n < 200` gives 100 for n. The column has seconds since 1970. Unless `small`, return None if the
    conjuncts do not also have an upper bound that a TIMESTAMP can represent; `small` is true if all values of the
    column are known to be that small. `zone` is the session's time zone.

    no: `sec DIV 60 >= 0`, because the bucket around 0 has numbers below 0
    """
    lows: list[int] = []
    highs: list[int] = []
    for conjunct in conjuncts:
        for subject, bound, up in _sides(conjunct):
            number = integer_of(bound)
            instant = _bounded_instant(subject, bound, column, zone) if number is None else None
            if instant is not None:
                (highs if up else lows).append(instant[up])
            if number is None or abs(number) >= MOST:
                continue
            number += not up and isinstance(conjunct, (exp.GT, exp.LT))
            towards_0 = (lambda node: 0) if number > 0 else never_known
            counted = seconds_of(subject, lambda node: "int", towards_0)
            if counted is not None and counted.source == column:
                (highs if up else lows).append(number + (counted.step if up else 0))
    return max(lows) if lows and (small or (highs and min(highs) < MOST)) else None


def _bounded_instant(subject: Tree, bound: Tree, column: Tree, zone: str) -> tuple[int, int] | None:
    """Return a lower bound of `column` that follows from `subject >= bound`, and an upper bound that follows from
    `subject < bound`.

    The subject is `timestamp_millis(column)`, or a bucket or date of this instant, and the bound a literal; return None
    for any other subject or bound. Both results are then in milliseconds since 1970; for timestamp_seconds() and
    timestamp_micros(), they are in seconds or microseconds. `zone` is the session's time zone.
    """
    time = _floored(subject)
    made = isinstance(time, exp.Anonymous) and time.name in COUNTED and time.expressions == [column]
    begin = _exact(bound, zone) if made else None
    if begin is None or not isinstance(time, exp.Anonymous):
        return None
    return begin * COUNTED[time.name], (begin + _UNITS["YEAR"] + _MARGIN) * COUNTED[time.name]


def _sides(tree: Tree) -> Iterator[tuple[Tree, Tree, bool]]:
    """Yield a comparison as bounds of both sides: (a, b, True) and (b, a, False) for `a < b`.

    Each item has a side, the bound of this side, and whether the bound is an upper bound. Yield nothing for other
    expressions.
    """
    if isinstance(tree, (exp.GTE, exp.GT, exp.LTE, exp.LT)):
        up = isinstance(tree, (exp.LTE, exp.LT))
        yield tree.this, tree.expression, up
        yield tree.expression, tree.this, not up


def _every(sides: list[int | None]) -> int | None:
    """Return the smallest of several lower bounds; None if one of the bounds is unknown (None)."""
    known = [side for side in sides if side is not None]
    return min(known) if len(known) == len(sides) else None


def _floored(tree: Tree) -> Tree:
    """Return the time that an expression rounds down to a bucket or a date of the session's clock.

    `date_trunc('day', t)` gives t. Return any other expression unchanged.
    """
    bucket, day = as_bucket(tree), day_source(tree)
    inner = bucket.source if bucket is not None else day
    return _floored(inner) if inner is not None else tree


def _begun_of(tree: Tree) -> Tree:
    """Return the time or number that an expression rounds down or converts to another zone.

    `date_trunc('day', t)` and `from_utc_timestamp(t, 'Asia/Tokyo')` give t. Return any other expression unchanged.
    """
    bucket = as_bucket(tree) or bucket_elsewhere(tree)
    if bucket is not None:
        return _begun_of(bucket.source)
    if isinstance(tree, exp.Anonymous) and tree.name == "from_utc_timestamp":  # changes the time by less than a day
        return _begun_of(tree.expressions[0])
    # Counts are rounded down or towards 1970: a time at or after a bound has at least the bound's seconds.
    counted = instant_of(tree, lambda time: "timestamp", lambda time: 0)
    return counted.source if counted is not None else number_of(tree, lambda node: "int", lambda node: 0)


def _bound(subject: Tree, bound: Tree, column: Tree, zone: str) -> int | None:
    """Return a lower bound of the time `column`, in seconds since 1970, where `subject >= bound` is true.

    The subject is the column itself, or its bucket, date or year; return None for any other subject. `zone` is the
    session's time zone.
    """
    if _floored(subject) == column and (exact := _exact(bound, zone)) is not None:
        return exact
    if isinstance(subject, exp.Anonymous) and subject.name == "year" and _begun_of(subject.expressions[0]) == column:
        year = int(bound.name) if isinstance(bound, exp.Literal) and bound.name.isdigit() else 0
        return int(datetime(year, 1, 1, tzinfo=UTC).timestamp()) - _MARGIN if 0 < year <= _LAST_YEAR else None
    source = _begun_of(subject)
    day = day_source(source)
    if column not in (subject, source, _begun_of(day) if day is not None else None):
        return None
    return least_of(bound)


def _exact(bound: Tree, zone: str) -> int | None:
    """Return a lower bound of a time literal: the start of its day, in seconds since 1970; None for other expressions.

    `zone` is the session's time zone. The literal may be compared with a TIMESTAMP, whose day starts at midnight in the
    zone, or with a TIMESTAMP_NTZ or a DATE, whose day starts at midnight in UTC: return the earlier one of the two.
    Return None if the zone has no fixed offset, unless the literal names an offset.
    """
    text = bound.this if isinstance(bound, exp.Cast) else bound
    if not isinstance(text, exp.Literal) or not text.is_string:
        return None
    local = read_moment(text.name, None)
    if local is not None:
        day, offset = local.micros // _MICROS_OF_DAY * _DAY, offset_of(zone)
        return min(day, day - offset) if offset is not None else None
    written, instant = read_moment(text.name.strip()[:10], None), read_moment(text.name, "UTC")
    days = [moment.micros // _MICROS_OF_DAY for moment in (written, instant) if moment is not None]
    return min(days) * _DAY if len(days) == 2 else None


def _earliest(bound: Tree) -> int | None:
    """Return a lower bound of a constant, such as `current_date() - 30`, in seconds since 1970; None if unknown.

    The offset of the time zone is not taken into account; `least_of` subtracts a margin for the offset.
    """
    text = bound.this if isinstance(bound, exp.Cast) else bound
    if isinstance(text, exp.Literal) and text.is_string:
        moment = read_moment(text.name, None) or read_moment(text.name, "UTC")
        return moment.micros // 1_000_000 if moment is not None else None
    if isinstance(bound, exp.Cast):
        return _before(bound.this, _DAY)
    if isinstance(bound, (exp.Add, exp.Sub)):
        return _before(bound.this, _step(bound.expression))
    if not isinstance(bound, exp.Anonymous):
        return None
    if (bucket := as_bucket(bound)) is not None:
        return _before(bucket.source, 366 * _DAY)
    if not bound.expressions:
        return _TODAY if tells_time(bound) else None
    moved = _earliest_moved(bound.name, bound.expressions)
    return moved if moved is not None else _earliest_made(bound.name, bound.expressions)


def _earliest_moved(name: str, arguments: Sequence[Tree]) -> int | None:
    """Return a lower bound of a constant time that the function `name` truncates, or moves by days, months or hours.

    The bound is in seconds since 1970. `date_trunc('month', current_date())` gives 366 days before the bound of
    current_date(): the longest unit, a year, is subtracted for every unit. Return None for other functions, and if the
    bound is unknown.
    """
    if name == "timestampadd":
        unit, count, moved = arguments
        back = integer_of(count)
        return _before(moved, abs(back) * _UNITS[unit.name]) if back is not None else None
    if name in ("date_trunc", "trunc"):
        return _before(arguments[name == "date_trunc"], 366 * _DAY)
    if name in ("last_day", "next_day"):
        return _before(arguments[0], 0)
    if name not in DATE_STEPS:
        return None
    step = _step(arguments[1])
    return _before(arguments[0], step and step * (31 if name == "add_months" else 1))


def _earliest_made(name: str, arguments: Sequence[Tree]) -> int | None:
    """Return a lower bound of a constant time that the function `name` computes from numbers or a text.

    The bound is in seconds since 1970: `timestamp_seconds(100)` gives 100. Return None for other functions, and if the
    bound is unknown.
    """
    if COUNTED.get(name) == 1 or UNITS_SINCE_1970.get(name) == 1_000_000:
        return _earliest_second(arguments[0])
    if name == "from_unixtime":
        return _earliest_shown(arguments)
    if name == "date_format":
        return _earliest_text(arguments)
    # a year, and what follows it within the year
    return _earliest_year(arguments[0]) if name in ("make_date", "make_timestamp") or name == "concat" else None


def _earliest_shown(arguments: Sequence[Tree]) -> int | None:
    """Return a lower bound, in seconds since 1970, of the time that from_unixtime(seconds) returns; None if unknown.

    The bound is a day before `seconds`, because from_unixtime() returns a local time as text: in an hour that occurs
    twice, when clocks are set back, the text means the first occurrence.
    """
    earliest = _earliest_second(arguments[0]) if len(arguments) == 1 else None
    return earliest - _DAY if earliest is not None else None


def _earliest_text(arguments: Sequence[Tree]) -> int | None:
    """Return a lower bound, in seconds since 1970, of the time in the text that date_format(time, pattern) returns.

    Return None if the pattern does not start with `yyyy-`, or if no lower bound of the time is known.
    """
    return _before(arguments[0], 366 * _DAY) if arguments[1].name.startswith("yyyy-") else None


def _earliest_year(year: Tree) -> int | None:
    """Return a lower bound, in seconds since 1970, of the start of a constant year; None if unknown.

    The year is an expression such as `year(current_date()) - 1`.
    """
    if isinstance(year, (exp.Add, exp.Sub)):
        back, earliest = integer_of(year.expression), _earliest_year(year.this)
        return earliest - abs(back) * 366 * _DAY if earliest is not None and back is not None else None
    return _before(year.expressions[0], 366 * _DAY) if isinstance(year, exp.Anonymous) and year.name == "year" else None


def _earliest_second(counted: Tree) -> int | None:
    """Return a lower bound of a constant number of seconds, such as unix_timestamp() - 3600; None if unknown."""
    if (value := integer_of(counted)) is not None:
        return value
    if isinstance(counted, (exp.Add, exp.Sub)):
        step = counted.expression
        return _before(counted.this, int(step.name)) if isinstance(step, exp.Literal) and step.name.isdigit() else None
    return _earliest(counted)


def _before(bound: Tree, seconds: int | None) -> int | None:
    earliest = _earliest(bound)
    return earliest - seconds if earliest is not None and seconds is not None else None


def _step(tree: Tree) -> int | None:
    """Return the length of a constant interval, or of a constant number of days, in seconds; None if unknown."""
    if isinstance(tree, exp.Interval):
        count, unit = interval_of(tree) or (None, "")
    else:
        days = integer_of(tree)
        count, unit = (abs(days), "DAY") if days is not None else (None, "")
    return count * _UNITS[unit] if count is not None and unit in _UNITS else None


@remembered
def known_since(
    block: Block, columns: tuple[str, ...], least: tuple[tuple[str, int], ...], ranges: tuple[tuple[str, int, int], ...]
) -> Block:
    """Return a view's block with lower bounds of its times, from the bounds of the storage table's columns.

    `columns` are the names of the storage columns, one for each output. `least` has the least values of time columns,
    in seconds since 1970, `ranges` the least and greatest values of integer columns. A bucket or date starts at or
    before the times within it. The least stored bucket or date of a time, minus a margin for clock shifts, is therefore
    a lower bound of the time.
    """
    found: dict[Tree, int] = {}
    times, numbers = dict(least), {name: bounds for name, *bounds in ranges}
    for output, name in zip(block.outputs, columns, strict=True):
        bucket = as_bucket(output) or bucket_elsewhere(output)
        source = bucket.source if bucket is not None else day_source(output) or output
        declared, at = block.type_of(source), times.get(name)
        kind = declared.type if declared is not None else bucket.type if bucket is not None else None
        if kind == "timestamp" and at is not None:
            found[source] = max(at - _MARGIN, found.get(source, at - _MARGIN))
        if declared is None and (at is not None or name in numbers):
            found |= _number_since(block, output, at, numbers.get(name))
    return replace(block, since=tuple(found.items())) if found else block


def _number_since(block: Block, output: Tree, at: int | None, bounds: Sequence[int] | None) -> dict[Tree, int]:
    """Return a lower bound of the BIGINT column that an output rounds down, as a mapping from the column to the bound.

    The output `floor(n / 3600)` with the least value 10 gives {n: 36000}. If the output is a time, such as
    `timestamp_seconds(floor(n / 3600) * 3600)`, `at` is its least value in seconds since 1970; if the output is an
    integer, `bounds` are its least and greatest value. Return an empty mapping for other outputs, and if `bounds` are
    unknown or far from 0: Spark computes `n / 3600` as a DOUBLE, which is not exact for large numbers.
    """

    def kind(node: Tree) -> str | None:
        declared = block.type_of(node)
        return declared.type if declared is not None else None

    told = told_by(output, kind, lambda node: 0)
    if told is None or kind(told.source) != "bigint":
        return {}
    if at is not None:  # the output is a TIMESTAMP: the number counts seconds since 1970
        return {told.source: at - _MARGIN}
    if bounds is None or not isinstance(told.grain, int):
        return {}
    # Where numbers are rounded towards 0, the bucket around 0 also holds numbers below 0.
    times = told.grain if count_of(output, kind, lambda node: 0) is not None else 1
    low, high = (bound * times for bound in bounds)
    low -= told.grain - 1 if low <= 0 else 0
    return {told.source: low} if low > -MOST and high + told.grain < MOST else {}
