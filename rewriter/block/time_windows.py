"""The canonical form of the start and end of a time window, `window(t, '1 hour')`.

law: windows of a TIMESTAMP start at multiples of the window's length after 1970-01-01 00:00 UTC, plus an offset, in
     every session time zone; the window of a time is the last one that starts at or before the time
law: windows of a TIMESTAMP_NTZ start at multiples of the length after the local time 1970-01-01 00:00; so windows of a
     day or an hour are the buckets of date_trunc()
law: if a window of 1 hour slides by 15 minutes, a row is in 4 windows: the last one that starts at or before its time,
     and those that start `back` = 900, 1800 and 2700 seconds earlier; for a TIMESTAMP_NTZ, the slide must be the length
     of a bucket, such as a minute
no:  one-day windows are not the days of the session's zone: in New York such windows start at 19:00 or 20:00
"""

from __future__ import annotations

from sqlglot import exp

from rewriter.block.form import Occurrence, Unsupported
from rewriter.block.scope import Scope
from rewriter.block.traits import temporal_type
from rewriter.functions.trees import call_of, number
from rewriter.sql.time_windows import BACK, END, NAME, START, STRUCT
from rewriter.timeseries import bucket_call
from rewriter.timeseries.steady import LENGTHS

Tree = exp.Expr
# Without week: window() begins a week on Thursday (as 1970-01-01 was one), a bucket on Monday.
_GRAINS = {length: grain for grain, length in LENGTHS.items() if grain != "week"}


def time_window(field: str, arguments: list[Tree], scope: Scope) -> Tree:
    """Return the canonical expression of the start or the end of a time window, or of a struct of both.

    `field` is START, END or STRUCT. `arguments` are the time, and the window's length, offset and slide in seconds.
    Raise Unsupported if the type of the time is not known or not supported.
    """
    if field == STRUCT:
        start, end = (time_window(each, arguments, scope) for each in (START, END))
        return call_of("named_struct", exp.Literal.string("start"), start, exp.Literal.string("end"), end)
    time, (length, offset, slide) = arguments[0], (int(argument.name) for argument in arguments[1:])
    if scope.has(NAME):
        raise Unsupported("window() is ambiguous, because a column is named window: rename the column")
    kind = temporal_type(time, scope)
    slides = next((table for table in scope.tables if table.constant), None) if slide < length else None
    if kind == "timestamp":
        return _of_instants(field, time, length, offset, slide, slides)
    if kind == "timestamp_ntz" and slide in _GRAINS and offset == 0:
        begun: Tree = bucket_call(time, _GRAINS[slide], kind)
        if slides is not None:
            back = exp.Neg(this=exp.column(BACK, slides.id))
            begun = call_of("timestampadd", exp.Var(this="SECOND"), back, begun)
        ends = exp.Interval(this=exp.Literal.string(str(length)), unit=exp.Var(this="SECOND"))
        return exp.Add(this=begun, expression=ends) if field == END else begun
    if kind == "timestamp_ntz":
        raise Unsupported(
            "window() of a TIMESTAMP_NTZ is supported only without a start time, and if its windows start 1 second, "
            "1 minute, 5, 10, 15 or 30 minutes, 1 hour or 1 day apart: write such a window, or use a TIMESTAMP"
        )
    raise Unsupported(
        f"window() of a {kind.upper()} is not supported"
        if kind
        else "the type of the argument of window() is not known: cast the argument to TIMESTAMP"
    )


def _of_instants(field: str, time: Tree, length: int, offset: int, slide: int, slides: Occurrence | None) -> Tree:
    """Return `timestamp_seconds(floor((unix_seconds(t) - offset) / slide) * slide + offset - back)`, a window's start.

    `length`, `offset` and `slide` are in seconds. `back` is the column of the table `slides`: the seconds between the
    last window of a row and each of its windows. If `slides` is None, the window does not slide, and `back` is left
    out. If `field` is END, return the end of the window: `length` seconds more.
    """
    counted: Tree = call_of("unix_seconds", time)
    counted = exp.Sub(this=counted, expression=number(offset)) if offset else counted
    ratio = exp.Div(this=counted, expression=number(slide), typed=False, safe=False)
    begun: Tree = exp.Mul(this=call_of("floor", ratio), expression=number(slide))
    added = offset + length if field == END else offset
    begun = exp.Add(this=begun, expression=number(added)) if added else begun
    begun = exp.Sub(this=begun, expression=exp.column(BACK, slides.id)) if slides is not None else begun
    return call_of("timestamp_seconds", begun)
