"""Bucket expressions in canonical form: `timeseries(expression, 'grain', 'type')`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from sqlglot import exp

from rewriter.timeseries.granularity import DATE_GRANULARITIES, SUB_HOUR_MINUTES

TEMPORAL = ("timestamp", "timestamp_ntz", "date")

# date_trunc's units that mean a grain of ours; 'WEEK' starts on Monday in both.
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

# Functions of a point in time that are constant over each bucket of the named grain.
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
    "to_date": "day",
    "date": "day",
}


class Bucket(NamedTuple):
    """The bucket of `grain` that `source` falls in; `type` is the type of both."""

    source: exp.Expr
    grain: str
    type: str


def bucket_call(source: exp.Expr, grain: str, kind: str) -> exp.Expr:
    """The canonical tree of a bucket."""
    return exp.Anonymous(this="timeseries", expressions=[source, exp.Literal.string(grain), exp.Literal.string(kind)])


def as_bucket(tree: exp.Expr) -> Bucket | None:
    """Read a canonical bucket; None for any other expression."""
    if isinstance(tree, exp.Anonymous) and tree.name == "timeseries" and len(tree.expressions) == 3:
        source, grain, kind = tree.expressions
        return Bucket(source, grain.name, kind.name)
    return None


def label_source(tree: exp.Expr) -> tuple[exp.Expr, str] | None:
    """The point in time that a label function reads, and the grain over whose buckets the label is constant."""
    if isinstance(tree, exp.Anonymous) and tree.name in LABELS and len(tree.expressions) == 1:
        return tree.expressions[0], LABELS[tree.name]
    if isinstance(tree, exp.Cast) and not tree.args.get("safe") and tree.to.this is exp.DataType.Type.DATE:
        return tree.this, "day"
    return None


def is_border(wall: datetime, grain: str) -> bool:
    """Whether a bucket of the grain begins at this wall-clock time, in a zone of a fixed offset.

    >>> is_border(datetime(2024, 1, 1), "week"), is_border(datetime(2024, 1, 1, 0, 10), "fifteen_minute")
    (True, False)
    """
    if grain == "second":
        return wall.microsecond == 0
    if wall.second or wall.microsecond:
        return False
    if grain in SUB_HOUR_MINUTES:
        return wall.minute % SUB_HOUR_MINUTES[grain] == 0
    if grain == "minute":
        return True
    if wall.minute or (grain in DATE_GRANULARITIES and wall.hour):
        return False
    return {
        "hour": True,
        "day": True,
        "week": wall.weekday() == 0,
        "month": wall.day == 1,
        "quarter": wall.day == 1 and wall.month % 3 == 1,
        "year": wall.day == 1 and wall.month == 1,
    }[grain]
