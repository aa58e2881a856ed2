"""The normal form of casts, buckets and labels of times.

A label is a function of a time that is constant within a bucket, such as year(t); a grain is the length of buckets.

law: CAST(x AS type) is x if x has the type, also if x is first cast to a wider type
law: bucket(bucket(t, fine), coarse) is bucket(t, coarse) if the fine grain rolls up to the coarse grain
law: label(bucket(t, grain)) is label(t) if the label is constant over buckets of the grain
law: the start of a bucket of whole days is the midnight of the bucket's first day, in every time zone
law: a text that has all fields of a time has, cast to a time, the same labels and the same date as the time
law: in a zone with a fixed offset, a TIMESTAMP_NTZ and the TIMESTAMP with the same local time have the same buckets,
     dates and labels
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp

from rewriter.functions.times import OF_DATES
from rewriter.functions.trees import call_of, cast
from rewriter.functions.types import INTEGERS, as_decimal
from rewriter.schema import UNKNOWN
from rewriter.timeseries import (
    as_bucket,
    bucket_call,
    day_source,
    is_fixed_offset,
    label_source,
    read_moment,
    rolls_up,
)
from rewriter.timeseries.bucket import DATE_TRUNC_UNITS
from rewriter.timeseries.granularity import DATE_GRANULARITIES
from rewriter.verify.forms import Forms, widens
from rewriter.verify.labels import (
    counted_form,
    dated_form,
    divided_form,
    floored_form,
    formatted_form,
    from_seconds_form,
    made_form,
    piece_form,
    rounded_form,
    seconds_form,
)
from rewriter.verify.nesting import at_home, clock_of, counted_units, finer, shown

Tree = exp.Expr


def cast_form(forms: Forms, tree: Tree) -> Tree:
    """Return a cast in normal form; a cast that does not change the value is removed.

    `CAST(date_trunc('HOUR', t) AS DATE)` gives `CAST(t AS DATE)`, and `CAST(t AS BIGINT)` gives `unix_seconds(t)`.
    """
    if tree.args.get("safe"):
        return tree
    inner: Tree = tree.this
    wanted = forms.kind(tree)
    if wanted != UNKNOWN and wanted == forms.kind(inner):
        return inner
    if isinstance(inner, exp.Cast) and (direct := _without_detour(forms, inner, wanted)) is not None:
        return direct
    if wanted in ("timestamp_ntz", "date") and (local := clock_of(forms, inner) or shown(forms, inner)) is not None:
        return forms.normal(cast(local, wanted))
    bucket = as_bucket(inner)
    if wanted == "date" and (day := _literal_day(inner)) is not None:
        return day
    if wanted == "date" and bucket is not None and bucket.grain in DATE_GRANULARITIES:
        day = forms.normal(cast(bucket.source, "date"))
        return day if bucket.grain == "day" else forms.normal(bucket_call(day, bucket.grain, "date"))
    if wanted == "date" and (time := finer(forms, inner, "day")) is not None:
        return forms.normal(cast(time, "date"))
    if wanted in ("timestamp", "timestamp_ntz") and forms.kind(inner) == "date":
        return _midnight_of(forms, inner, wanted) or tree
    if wanted == "bigint" and isinstance(inner, exp.Div) and (divided := divided_form(forms, inner)) is not inner:
        return divided
    if wanted == "bigint" and forms.kind(inner) == "timestamp":
        return forms.normal(call_of("unix_seconds", inner))
    if wanted == "timestamp" and forms.kind(inner) in ("bigint", "double"):
        return forms.normal(call_of("timestamp_seconds", inner))
    return tree


def _without_detour(forms: Forms, inner: exp.Cast, wanted: str) -> Tree | None:
    """Return a number that `inner` casts to a wider type, cast to the type `wanted`.

    `CAST(CAST(n AS DECIMAL(38,0)) AS DOUBLE)` gives `CAST(n AS DOUBLE)` for an integer n. Return None if the wider type
    may not keep the value, or if the two casts could round differently.
    """
    number: Tree = inner.this
    kind, between = forms.kind(number), forms.kind(inner)
    if not widens(kind, between):
        return None
    if wanted == kind:
        return number
    exact = kind in INTEGERS and as_decimal(between) is not None
    return cast(number, wanted) if wanted == "double" and exact else None


def _midnight_of(forms: Forms, dates: Tree, kind: str) -> Tree | None:
    """Return a date of a time t, cast to the type `kind` of t, as a time bucket of t.

    `CAST(CAST(t AS DATE) AS TIMESTAMP)` gives the day bucket of t, because both are the midnight of the day of t.
    `dates` is the date, or a bucket of the date such as its month. Return None if `dates` is not computed from a time
    of type `kind`.
    """
    bucket = as_bucket(dates)
    source = day_source(bucket.source if bucket is not None else dates)
    if source is None or forms.kind(source) != kind:
        return None
    return bucket_call(source, bucket.grain if bucket is not None else "day", kind)


def call_form(forms: Forms, tree: Tree) -> Tree | None:
    """Return a time bucket, a time label (such as year(t)), or another function of times in normal form.

    `year(date_trunc('MONTH', t))` gives `year(t)`. Return None for calls of other functions.
    """
    home = at_home(forms, tree)
    if home is not None:
        return call_form(forms, home)
    bucket, label = as_bucket(tree), label_source(tree)
    if bucket is not None:
        if (clock := clock_of(forms, bucket.source)) is not None:
            return forms.normal(cast(bucket_call(clock, bucket.grain, "timestamp_ntz"), "timestamp"))
        time = finer(forms, bucket.source, bucket.grain)
        if time is not None and forms.kind(time) == bucket.type:
            return bucket_call(time, bucket.grain, bucket.type)
        return tree
    if label is not None:
        return _label(forms, tree, *label)
    law = _LAWS.get(tree.name) if isinstance(tree, exp.Anonymous) else None
    return law(forms, tree) if law is not None else None


def _label(forms: Forms, tree: Tree, source: Tree, grain: str) -> Tree:
    if (read := shown(forms, source)) is not None:
        return forms.normal(_put(tree, source, read))
    if (clock := clock_of(forms, source)) is not None:
        return forms.normal(_put(tree, source, clock))
    time, day = finer(forms, source, grain), day_source(source)
    if time is not None:
        return forms.normal(_put(tree, source, time))
    if day is not None and rolls_up("day", grain) and forms.kind(day) == "string":
        return forms.normal(_put(tree, source, day))
    return tree


def _truncated(forms: Forms, tree: Tree) -> Tree:
    """Return date_trunc() of a TIMESTAMP as a time bucket (an internal `timeseries` call).

    date_trunc() of a DATE bucket becomes date_trunc() of the date: `date_trunc('YEAR', trunc(d, 'MONTH'))` gives
    `date_trunc('YEAR', d)`. Return other calls unchanged.
    """
    if len(tree.expressions) != 2:
        return tree
    unit, source = tree.expressions
    inner = as_bucket(source)
    grain = DATE_TRUNC_UNITS.get(unit.name.upper(), "") if isinstance(unit, exp.Literal) else ""
    # A text determines its day, but not always its hour: when clocks are put back, one local hour comes twice.
    if (read := shown(forms, source)) is not None and (grain in DATE_GRANULARITIES or is_fixed_offset(forms.zone)):
        return forms.normal(call_of(tree.name, unit, read))
    if grain and forms.kind(source) == "timestamp":
        return call_form(forms, bucket_call(source, grain, "timestamp")) or tree
    if inner is None or inner.type != "date" or not rolls_up(inner.grain, grain):
        return tree
    return call_of("date_trunc", unit, inner.source)


def _truncated_date(forms: Forms, tree: Tree) -> Tree:
    """Return trunc() of a DATE as a time bucket; return other calls of trunc() in normal form.

    `trunc(d, 'MONTH')` gives the month bucket of d, an internal `timeseries` call.
    """
    if len(tree.expressions) != 2:
        return tree
    source, unit = tree.expressions
    grain = DATE_TRUNC_UNITS.get(unit.name.upper(), "") if isinstance(unit, exp.Literal) else ""
    if grain not in DATE_GRANULARITIES - {"day"} or forms.kind(source) != "date":
        return dated_form(forms, tree)
    return forms.normal(bucket_call(source, grain, "date"))


_LAWS: Mapping[str, Callable[[Forms, Tree], Tree]] = {
    "date_trunc": _truncated,
    "date_format": formatted_form,
    "substring": piece_form,
    "from_unixtime": from_seconds_form,
    "unix_seconds": seconds_form,
    "unix_timestamp": seconds_form,
    **dict.fromkeys(("unix_millis", "unix_micros"), counted_form),
    "floor": floored_form,
    "round": rounded_form,
    "make_date": made_form,
    **dict.fromkeys(OF_DATES, dated_form),
    "trunc": _truncated_date,
    "timestampdiff": counted_units,
}


def _literal_day(tree: Tree) -> Tree | None:
    """Return the date of a date or time literal: `CAST('2024-01-01' AS DATE)` for `TIMESTAMP '2024-01-01 10:00:00'`.

    Return None for other expressions.
    """
    text = tree.this if isinstance(tree, exp.Cast) and not tree.args.get("safe") else None
    moment = read_moment(text.name, None) if isinstance(text, exp.Literal) and text.is_string else None
    return cast(exp.Literal.string(moment.wall.date().isoformat()), "date") if moment is not None else None


def _put(tree: Tree, old: Tree, new: Tree) -> Tree:
    return type(tree)(**{name: _put_in(value, old, new) for name, value in tree.args.items()})


def _put_in(value: object, old: Tree, new: Tree) -> object:
    if isinstance(value, list):
        return [_put_in(item, old, new) for item in value]
    return new if isinstance(value, Tree) and value == old else value
