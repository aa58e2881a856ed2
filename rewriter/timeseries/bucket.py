"""Time buckets in normal form, whichever Spark function computes the bucket: `timeseries(expression, 'grain', 'type')`.

A bucket that was computed in another time zone than the session's has the zone's name as a fourth argument.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sqlglot import exp

# The temporal types in an order in which each can be cast to the types after it.
TEMPORAL = ("date", "timestamp_ntz", "timestamp")

# The units of date_trunc and their grains; 'WEEK' starts on Monday in both.
DATE_TRUNC_UNITS: Mapping[str, str] = {
    "SECOND": "second",
    "MINUTE": "minute",
    "HOUR": "hour",
    "DAY": "day",
    "DD": "day",
    "WEEK": "week",
    "MONTH": "month",
    "MON": "month",
    "MM": "month",
    "QUARTER": "quarter",
    "YEAR": "year",
    "YYYY": "year",
    "YY": "year",
}

# Functions of a time that are constant over each bucket of the named grain.
LABELS: Mapping[str, str] = {
    "year": "year",
    "quarter": "quarter",
    "month": "month",
    "day": "day",
    "dayofmonth": "day",
    "dayofweek": "day",
    "dayofyear": "day",
    "weekday": "day",
    "weekofyear": "week",
    "hour": "hour",
    "minute": "minute",
    "second": "second",
    "last_day": "month",
    "dayname": "day",
    "monthname": "month",
}


class Bucket(NamedTuple):
    """The time bucket of the granularity `grain` that contains the value of `source`.

    `type` is the type of the source and of the bucket's start.
    """

    source: exp.Expr
    grain: str
    type: str


def bucket_call(source: exp.Expr, grain: str, kind: str) -> exp.Expr:
    """Return `timeseries(source, 'grain', 'kind')`: the normal form of the time bucket that contains `source`.

    `kind` is the type of the source.
    """
    return exp.Anonymous(this="timeseries", expressions=[source, exp.Literal.string(grain), exp.Literal.string(kind)])


def as_bucket(tree: exp.Expr) -> Bucket | None:
    """Return `tree` as a Bucket if it is a call `timeseries(source, 'grain', 'type')`, otherwise None.

    Such a call is the normal form of a time bucket in the session's time zone.
    """
    if isinstance(tree, exp.Anonymous) and tree.name == "timeseries" and len(tree.expressions) == 3:
        source, grain, kind = tree.expressions
        return Bucket(source, grain.name, kind.name)
    return None


def moved_elsewhere(bucket: Bucket, zone: str) -> exp.Expr:
    """Return `timeseries(source, 'grain', 'type', 'zone')`, the normal form of a bucket that was computed in `zone`.

    `zone` is a time zone other than the session's.
    """
    call = bucket_call(bucket.source, bucket.grain, bucket.type)
    call.append("expressions", exp.Literal.string(zone))
    return call


def bucket_elsewhere(tree: exp.Expr) -> Bucket | None:
    """Return `tree` as a Bucket if it is a call `timeseries(source, 'grain', 'type', 'zone')`, otherwise None.

    Such a call is the normal form of a time bucket that was computed in another time zone than the session's.
    """
    if isinstance(tree, exp.Anonymous) and tree.name == "timeseries" and len(tree.expressions) == 4:
        source, grain, kind, _ = tree.expressions
        return Bucket(source, grain.name, kind.name)
    return None


def zone_elsewhere(tree: exp.Expr) -> str:
    """Return the time zone in which a bucket was computed; `tree` must be a result of `moved_elsewhere`."""
    return str(tree.expressions[3].name)


def day_source(tree: exp.Expr) -> exp.Expr | None:
    """Return the argument of CAST(… AS DATE); None for other expressions."""
    dates = isinstance(tree, exp.Cast) and not tree.args.get("safe") and tree.to.this is exp.DataType.Type.DATE
    return tree.this if dates else None


def label_source(tree: exp.Expr) -> tuple[exp.Expr, str] | None:
    """Return the time that a label such as month(t) or a CAST to DATE reads, and the grain that determines the label.

    `month(t)` gives t and month: the label is constant over each bucket of this grain. Return None for other
    expressions.
    """
    if isinstance(tree, exp.Anonymous) and tree.name in LABELS and len(tree.expressions) == 1:
        return tree.expressions[0], LABELS[tree.name]
    if isinstance(tree, exp.Anonymous) and tree.name == "date_part" and tree.expressions[0].name == "YEAROFWEEK":
        return tree.expressions[1], "week"
    day = day_source(tree)
    return (day, "day") if day is not None else None
