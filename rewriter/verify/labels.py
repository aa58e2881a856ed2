"""The normal form of texts, numbers and dates that are computed from times.

In these laws, t is a time, s a number of seconds since 1970, and n, m, c and o are integers.

law: a text of some fields of a time is the same text of the time's bucket, if no field is finer than the bucket, as
     HH:mm of a minute
law: make_date(year(t), month(t), 1) is the first day of the month of t; date_add(t, n) is date_add(date(t), n)
law: unix_seconds(timestamp_seconds(s)) is s, and s - pmod(s, n) is floor(s / n) * n
law: floor(floor(s / m) * m / n) is floor(s / n) if m divides n; floor((floor(s / m) * m - o) / n) is floor((s - o) / n)
     if m divides both n and o
law: unix_millis(timestamp_millis(n)) is n
law: (n + c) - c is n for integers of one type
law: t >= d is date(t) >= d, and t < d is date(t) < d, for a date d of a table, if local dates never go back in the zone
law: s DIV n and s - s % n round towards zero; they equal the forms with floor() if s is never before 1970
"""

from __future__ import annotations

from math import gcd

from sqlglot import exp

from rewriter.functions.dates import COUNTED
from rewriter.functions.times import OF_DATES
from rewriter.functions.trees import call_of, cast, integer_of, number
from rewriter.functions.types import INTEGERS
from rewriter.sql import holds
from rewriter.timeseries import as_bucket, bucket_call, is_fixed_offset
from rewriter.timeseries.seconds import MOST
from rewriter.timeseries.steady import LENGTHS
from rewriter.timeseries.zone_data import days_follow
from rewriter.verify import truth
from rewriter.verify.forms import Forms
from rewriter.verify.nesting import (
    begins_second,
    counted_down,
    earliest,
    finer,
    is_after_1970,
    is_call,
    is_counted,
    is_whole,
    nests,
    shown,
    stepped,
)

Tree = exp.Expr


def seconds_form(forms: Forms, tree: Tree) -> Tree:
    """Return unix_seconds() in normal form: `unix_seconds(timestamp_seconds(x))` gives `x`.

    unix_timestamp() becomes unix_seconds(), unless the results may differ, as for a fraction of a second before 1970.
    Return other calls unchanged.
    """
    if len(tree.expressions) != 1 or forms.kind(tree.expressions[0]) != "timestamp":
        return tree
    source: Tree = tree.expressions[0]
    if tree.name != "unix_seconds" and not begins_second(forms, source):
        return tree
    if is_call(source, "timestamp_seconds") and forms.kind(source.expressions[0]) == "bigint":
        seconds: Tree = source.expressions[0]
        return seconds
    time = finer(forms, source, 1)
    return call_of("unix_seconds", time if time is not None else source)


def counted_form(forms: Forms, tree: Tree) -> Tree:
    """Return unix_millis() of a time bucket of timestamp_millis(ms) as a multiple of the bucket's length.

    `unix_millis(date_trunc('MINUTE', timestamp_millis(ms)))` gives `floor(ms / 60000) * 60000`. Return the call
    unchanged if the buckets do not start at multiples of a number of seconds since 1970.
    """
    bucket = as_bucket(tree.expressions[0]) if len(tree.expressions) == 1 else None
    made = tree.name.replace("unix_", "timestamp_")
    counted = bucket.source.expressions[0] if bucket is not None and is_call(bucket.source, made) else None
    if bucket is None or not isinstance(counted, exp.Column) or not is_counted(forms, counted):
        return tree
    time, length = bucket.source, LENGTHS.get(bucket.grain, 0)
    both = ((bucket.grain, length), (length, bucket.grain))
    if not length or not all(nests(forms, fine, coarse, "timestamp", time) for fine, coarse in both):
        return tree
    step = number(length * COUNTED[made])
    return forms.normal(exp.Mul(this=_floored(counted, step), expression=step))


def floored_form(forms: Forms, tree: Tree) -> Tree:
    """Return `floor(s / n)` over a rounded s as `floor(s / n)` over the original s, if the rounding changes nothing.

    `floor(floor(s / 60) * 60 / 3600)` gives `floor(s / 3600)`, because 60 divides 3600; the same holds for `floor((s -
    o) / n)` with a constant o. Return other expressions unchanged.
    """
    ratio = tree.expressions[0]
    if len(tree.expressions) != 1 or not isinstance(ratio, exp.Div) or not is_whole(ratio.expression):
        return tree
    shift = ratio.this if isinstance(ratio.this, exp.Sub) and is_whole(ratio.this.expression) else None
    seconds, length = (ratio.this if shift is None else shift.this), int(ratio.expression.name)
    step = length if shift is None else gcd(length, int(shift.expression.name))
    counted = counted_down(forms, seconds, step)
    if counted is None:
        return tree
    moved = counted if shift is None else exp.Sub(this=counted, expression=shift.expression)
    return forms.normal(call_of("floor", exp.Div(**{**ratio.args, "this": moved})))


def rounded_form(forms: Forms, tree: Tree) -> Tree:
    """Return `round(s / n)` over a rounded s as `round(s / n)` over the original s, if the rounding changes nothing.

    `round(floor(s / 60) * 60 / 3600)` gives `round(s / 3600)` if s is never negative. Return other expressions
    unchanged.

    law: for s >= 0, round(s / n) is floor((s + n / 2) / n), so that it is constant between multiples of n / 2
    """
    ratio = tree.expressions[0]
    if len(tree.expressions) != 1 or not isinstance(ratio, exp.Div) or not is_whole(ratio.expression):
        return tree
    half, odd = divmod(int(ratio.expression.name), 2)
    counted = counted_down(forms, ratio.this, half) if not odd and is_after_1970(forms, ratio.this, half) else None
    return call_of("round", exp.Div(**{**ratio.args, "this": counted})) if counted is not None else tree


def difference_form(forms: Forms, tree: Tree) -> Tree:
    """Return `s - pmod(s, n)` as `floor(s / n) * n`, and `x + c - c` as `x`; other differences unchanged.

    s is a number of seconds since 1970, n and c are integer literals. `s - s % n` is treated like `s - pmod(s, n)` if s
    is never negative.
    """
    rest, seconds = tree.expression, tree.this
    if (undone := undone_form(forms, tree)) is not None:
        return undone
    if is_call(rest, "pmod", 2) and rest.expressions[0] == seconds:
        step = rest.expressions[1]
        known = is_whole(step) and (is_counted(forms, seconds) or stepped(seconds) is not None)
    elif isinstance(rest, exp.Mod) and rest.this == seconds:
        step = rest.expression
        known = is_whole(step) and is_after_1970(forms, seconds, int(step.name))
    else:
        return tree
    return forms.normal(exp.Mul(this=_floored(seconds, step), expression=step)) if known else tree


def undone_form(forms: Forms, tree: Tree) -> Tree | None:
    """Return the x of `x + c - c` or `x - c + c`, where c is an integer literal; None for other expressions.

    The result is cast to the type of the whole expression: `n + 1 - 1` gives `n` for an INT n.
    """
    sides = [(tree.this, tree.expression)]
    sides += [(tree.expression, tree.this)] if isinstance(tree, exp.Add) else []
    inverse = exp.Sub if isinstance(tree, exp.Add) else exp.Add
    for inner, constant in sides:
        if not is_whole(constant) or not isinstance(inner, inverse):
            continue
        within = [(inner.this, inner.expression)]
        within += [(inner.expression, inner.this)] if isinstance(inner, exp.Add) else []
        found = next((number for number, other in within if other == constant), None)
        kind = forms.kind(tree)
        if found is not None and kind in INTEGERS and forms.kind(found) in INTEGERS:
            return found if forms.kind(found) == kind else forms.normal(cast(found, kind))
    return None


_UNITS = {"unix_millis": 1_000, "unix_micros": 1_000_000}


def divided_form(forms: Forms, tree: Tree) -> Tree:
    """Return `s DIV n`, or `s / n` cast to BIGINT, as `floor(s / n)` if s is never negative; other trees unchanged.

    s is a number of seconds since 1970, n an integer literal. Milliseconds and microseconds are divided as seconds:
    `unix_millis(t) DIV 60000` gives `floor(unix_seconds(t) / 60)`.
    """
    seconds, step = tree.this, tree.expression
    unit = _UNITS.get(seconds.name) if isinstance(seconds, exp.Anonymous) and isinstance(tree, exp.IntDiv) else None
    if unit is not None and is_whole(step, 2**63) and int(step.name) % unit == 0:
        seconds, step = call_of("unix_seconds", *seconds.expressions), number(int(step.name) // unit)
    after = is_whole(step) and is_after_1970(forms, seconds, int(step.name))
    return forms.normal(_floored(seconds, step)) if after else tree


def compared_form(forms: Forms, tree: Tree) -> Tree:
    """Return a comparison of seconds rounded down, such as `floor(s / n) * n < x`, as a comparison of the seconds.

    `floor(s / 60) * 60 < 100` gives `s < 120`, because 120 is the first multiple of 60 that is not less than 100; the
    operators <=, > and >= are treated in the same way. A comparison of a time with a DATE that is computed from columns
    becomes a comparison of the time's date with this DATE. In comparisons of other expressions, > and >= become < and
    <= with the sides exchanged.
    """
    less = truth.ordered(forms, tree)
    if (dates := _of_dates(forms, less)) is not None:
        return dates
    upper, strict = integer_of(less.expression) is not None, isinstance(less, exp.LT)
    subject, bound = (less.this, less.expression) if upper else (less.expression, less.this)
    found, literal = stepped(subject), integer_of(bound)
    if found is None or literal is None or abs(literal) >= MOST or not is_counted(forms, found[0]):
        return less
    counted, step = found
    # s < y for an upper bound, and s >= y for a lower one.
    least = literal + (upper != strict)
    multiple = -(-least // step) * step
    border: Tree = number(multiple) if multiple >= 0 else exp.Neg(this=number(-multiple))
    return exp.LT(this=counted, expression=border) if upper else exp.LTE(this=border, expression=counted)


def _of_dates(forms: Forms, less: Tree) -> Tree | None:
    """Return `t < d` or `d <= t`, of a time t and a DATE d, as a comparison of the date of t with d.

    d must contain a column. `t < d` gives `CAST(t AS DATE) < d`. Return None for other comparisons, and if clocks in
    the session's zone may be set back across midnight, so that a later time has an earlier date.
    """
    first = isinstance(less, exp.LT)
    time, day = (less.this, less.expression) if first else (less.expression, less.this)
    kind = forms.kind(time)
    if kind not in ("timestamp", "timestamp_ntz") or forms.kind(day) != "date" or not holds(day, exp.Column):
        return None
    if kind == "timestamp" and not days_follow(forms.zone, earliest(forms, time)):
        return None
    date = forms.normal(cast(time, "date"))
    return exp.LT(this=date, expression=day) if first else exp.LTE(this=day, expression=date)


def null_form(forms: Forms, tree: Tree) -> Tree:
    """Return `floor(s / n) * n IS NULL` as `s IS NULL`, for seconds s; return other IS predicates in normal form."""
    found = stepped(tree.this)
    if found is None or not isinstance(tree.expression, exp.Null):
        return truth.is_form(forms, tree)
    return exp.Is(this=found[0], expression=tree.expression)


def _floored(seconds: Tree, step: Tree) -> Tree:
    return call_of("floor", exp.Div(this=seconds, expression=step, typed=False, safe=False))


def product_form(forms: Forms, tree: Tree) -> Tree:
    """Return `floor(s / n) * n` as s if s is a multiple of n; put the operands of other products in a fixed order.

    s is a number of seconds since 1970 that is rounded down already, n an integer literal. If s is `floor(u / 3600) *
    3600`, `floor(s / 60) * 60` gives s.
    """
    for counted, step in ((tree.this, tree.expression), (tree.expression, tree.this)):
        ratio = counted.expressions[0] if is_call(counted, "floor") else None
        whole = isinstance(ratio, exp.Div) and ratio.expression == step and is_whole(step)
        seconds: Tree | None = ratio.this if isinstance(ratio, exp.Div) and whole else None
        found = stepped(seconds) if seconds is not None else None
        if seconds is not None and found is not None and found[1] % int(step.name) == 0:
            return seconds
    return truth.symmetric(forms, tree)


def dated_form(forms: Forms, tree: Tree) -> Tree:
    """Return a date function of a time's date as the same function of the time; other calls unchanged.

    `date_add(CAST(t AS DATE), 1)` gives `date_add(t, 1)`.
    """

    def bare(place: int, argument: Tree) -> Tree:
        time = finer(forms, argument, "day") if place in OF_DATES[tree.name] else None
        return time if time is not None else argument

    return call_of(tree.name, *(bare(place, argument) for place, argument in enumerate(tree.expressions)))


def formatted_form(forms: Forms, tree: Tree) -> Tree:
    """Return date_format() of a time bucket as date_format() of the time, if the bucket determines all fields.

    `date_format(date_trunc('MINUTE', t), 'HH:mm')` gives `date_format(t, 'HH:mm')`. Return other calls unchanged.
    """
    if len(tree.expressions) != 2:
        return tree
    source, pattern = tree.expressions
    if (read := shown(forms, source)) is not None:
        return forms.normal(call_of(tree.name, read, pattern))
    grain = _field(pattern)
    kind = forms.kind(source)
    settled = kind in ("timestamp", "date") or (kind == "timestamp_ntz" and is_fixed_offset(forms.zone))
    time = finer(forms, source, grain) if grain and settled else None
    return tree if time is None else forms.normal(call_of(tree.name, time, pattern))


def piece_form(forms: Forms, tree: Tree) -> Tree:
    """Return a substring of a bucket's text as the substring of the time's text, if the bucket determines this part.

    `substring(date_trunc('DAY', t), 1, 10)` gives `substring(CAST(t AS STRING), 1, 10)`. Otherwise return the call,
    with its source cast to STRING if the source is a time.
    """
    text, *place = tree.expressions
    if len(place) != 2 or not all(map(is_whole, place)):
        return tree
    shown = isinstance(text, exp.Cast) and forms.kind(text) == "string"
    source: Tree = text.this if shown else text
    if forms.kind(source) not in ("timestamp", "timestamp_ntz", "date"):
        return tree
    begin, length = (int(number.name) for number in place)
    ends = zip((4, 7, 10, 13, 16, 19), ("year", "month", "day", "hour", "minute", "second"), strict=True)
    grain = next((grain for end, grain in ends if begin + length <= end + 1), "")
    time = finer(forms, source, grain) if grain else None
    if time is None or forms.kind(time) == "date":
        return call_of(tree.name, cast(source, "string"), *place)
    return forms.normal(call_of(tree.name, cast(time, "string"), *place))


def from_seconds_form(forms: Forms, tree: Tree) -> Tree:
    """Return from_unixtime() of a BIGINT as date_format() of the time; other calls unchanged.

    `from_unixtime(s, 'yyyy')` gives `date_format(timestamp_seconds(s), 'yyyy')`.
    """
    seconds, *pattern = tree.expressions
    if isinstance(seconds, exp.Div):  # Spark casts the quotient to BIGINT
        seconds = divided_form(forms, seconds)
    if forms.kind(seconds) != "bigint":
        return tree
    text = pattern[0] if pattern else exp.Literal.string("yyyy-MM-dd HH:mm:ss")
    return forms.normal(call_of("date_format", call_of("timestamp_seconds", seconds), text))


def _field(pattern: Tree) -> str:
    """Return the grain of the smallest field in a date_format pattern; empty for an unsupported pattern.

    'yyyy-MM-dd HH:mm' gives "minute".
    """
    if not isinstance(pattern, exp.Literal) or not pattern.is_string:
        return ""
    kept = "".join(pattern.name.split("'")[::2])  # every second part is quoted text
    letters = {letter for letter in kept if letter.isalpha()}
    if pattern.name.count("'") % 2 or letters - set("sSmHhKkaDdEFLMQqyG") or set(kept) & set("[]{}#S"):
        return ""
    of = (("s", "second"), ("m", "minute"), ("HhKka", "hour"), ("DdEF", "day"), ("LM", "month"), ("Qq", "quarter"))
    return next((grain for names, grain in of if letters & set(names)), "year")


def made_form(forms: Forms, tree: Tree) -> Tree:
    """Return make_date() of a date's own fields as that date, or as the first day of its month or year.

    `make_date(year(t), month(t), 1)` gives the start of t's month. Return other calls unchanged.
    """
    year, *rest = tree.expressions
    if len(rest) != 2 or not is_call(year, "year"):
        return tree
    (source,) = year.expressions
    grains = {("month", "day"): "day", ("month", ""): "month", ("", ""): "year"}
    names = tuple("" if part == number(1) else part.name for part in rest)
    fields = (part for part in rest if part != number(1))
    if names not in grains or not all(is_call(part, part.name) and part.expressions[0] == source for part in fields):
        return tree
    day = cast(source, "date") if forms.kind(source) != "date" else source
    return forms.normal(day if names == ("month", "day") else bucket_call(day, grains[names[0], names[1]], "date"))
