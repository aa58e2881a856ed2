"""Partition values: bounds of a column's values in a source partition, and the storage partition that contains them.

As in Iceberg, a DATE is a number of days since 1970, a TIMESTAMP or TIMESTAMP_NTZ a number of microseconds since 1970.
Time buckets of a TIMESTAMP, such as date_trunc('HOUR', t), are supported only in time zones with a fixed offset. Each
function here returns None if the given partition does not determine the bounds or the storage partition.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import quote_plus

from sqlglot import exp

from rewriter.model import Value
from rewriter.model.literals import literal
from rewriter.model.times import timestamp_text
from rewriter.timeseries import as_bucket, floor, label_source, micros_of, offset_of, wall_of
from rewriter.timeseries.bucket import TEMPORAL

Tree = exp.Expr

DAY = 86_400_000_000
PLAIN = ("int", "bigint", "string", "boolean", *TEMPORAL)
SPANS = ("hour", "day", "month", "year")
_NAMES = {"year": len("2024"), "month": len("2024-01"), "day": len("2024-01-01"), "hour": len("2024-01-01-00")}
_LABELS = {
    "year": lambda wall: wall.year,
    "quarter": lambda wall: (wall.month + 2) // 3,
    "month": lambda wall: wall.month,
    "day": lambda wall: wall.day,
    "hour": lambda wall: wall.hour,
    "dayofweek": lambda wall: wall.isoweekday() % 7 + 1,
    "dayofyear": lambda wall: wall.timetuple().tm_yday,
}


@dataclass(frozen=True, slots=True)
class Span:
    """The bounds of a column's values in a partition: a single value if `last` is None, else the first and last value.

    `type` is the column's type. A single value is in Iceberg's unit for the type. The first and the last value are in
    microseconds since 1970; for a DATE, they are the midnights at which the first and the last day start.
    """

    type: str
    value: Value
    last: int | None = None

    @property
    def ends(self) -> tuple[int, int] | None:
        """The first and the last microsecond (since 1970) of a date or time; None for NULL and for other types."""
        if self.type not in TEMPORAL or not isinstance(self.value, int):
            return None
        if self.last is not None:
            return self.value, self.last
        moment = self.value * DAY if self.type == "date" else self.value
        return moment, moment

    def condition(self, column: str) -> str:
        """Return the SQL condition that a column lies within the bounds, in a form by which Iceberg can skip files."""
        if self.last is None:
            return f"{column} IS NULL" if self.value is None else f"{column} = {value_text(self.value, self.type)}"
        assert isinstance(self.value, int)
        after = self.last + (DAY if self.type == "date" else 1)
        low, high = (value_text(m // DAY if self.type == "date" else m, self.type) for m in (self.value, after))
        return f"({column} >= {low} AND {column} < {high})"


def span(value: Value, transform: str, kind: str) -> Span | None:
    """Return the bounds of a column in a partition with this partition value; None if the value sets no bounds.

    `transform` is the partition field's transform, as in Iceberg, and `kind` the column's type.

    >>> span(19723, "identity", "date").condition("d"), span(648, "month", "date").condition("d")
    ("d = DATE '2024-01-01'", "(d >= DATE '2024-01-01' AND d < DATE '2024-02-01')")
    """
    if kind not in PLAIN:
        return None
    if transform == "identity":
        return Span(kind, value)
    if transform not in SPANS or kind not in TEMPORAL:
        return None
    if value is None:
        return Span(kind, None)
    if not isinstance(value, int):
        return None
    first, after = (micros_of(_begin(number, transform)) for number in (value, value + 1))
    return Span(kind, first, after - (DAY if kind == "date" else 1))


def _begin(number: int, transform: str) -> datetime:
    """Return the start of the hour, day, month or year with this number; number 0 is the first one of 1970.

    `transform` is "hour", "day", "month" or "year".
    """
    if transform == "year":
        return datetime(1970 + number, 1, 1)
    if transform == "month":
        return datetime(1970 + number // 12, number % 12 + 1, 1)
    return datetime(1970, 1, 1) + timedelta(**{f"{transform}s": number})


def computed(tree: Tree, column: Tree, known: Span, zone: str, kind: str) -> Span | None:
    """Return the bounds of `tree`, an expression of type `kind`, from the bounds `known` of its only column.

    `zone` is the session time zone. The bounds are known for a time bucket of the column, such as `date_trunc('MONTH',
    t)`, and for a label, which is a field of a time, such as `month(t)`. Return None if the bounds of the expression
    are unknown.

    law:    the bucket of a time grows with the time; so if both bounds are in one bucket, all times between them are in
            that bucket, and have the same labels
    no:     month(t) between two times in different months, because the label of a later month may be smaller
    """
    if tree == column:
        return known
    if known.last is None and known.value is None:
        return Span(kind, None) if as_bucket(tree) or label_source(tree) else None
    ends = known.ends
    offset = _offset(known.type, zone)
    if ends is None or offset is None or kind not in PLAIN:
        return None
    walls = [wall_of(moment + offset) for moment in ends]
    bucket, label = as_bucket(tree), label_source(tree)
    if bucket is not None and bucket.source == column:
        first, last = (micros_of(floor(wall, bucket.grain)) - offset for wall in walls)
        return _single(first, last, kind)
    if label is None or label[0] != column or len({floor(wall, label[1]) for wall in walls}) != 1:
        return None
    if isinstance(tree, exp.Cast):
        return Span("date", micros_of(floor(walls[0], "day")) // DAY)
    make = _LABELS.get(tree.name)
    return Span(kind, make(walls[0])) if make is not None else None


def _offset(kind: str, zone: str) -> int | None:
    """Return the offset of local time from UTC, in microseconds, for values of a type; None if the offset varies.

    The offset is 0 for types other than TIMESTAMP, which have no time zone.
    """
    if kind != "timestamp":
        return 0
    ahead = offset_of(zone)
    return None if ahead is None else ahead * 1_000_000


def _single(first: int, last: int, kind: str) -> Span:
    if first == last:
        return Span(kind, first // DAY if kind == "date" else first)
    return Span(kind, first, last)


def transformed(known: Span, transform: str) -> Span | None:
    """Return the bounds of the partition that contains all values in `known`; None if several partitions may be needed.

    `transform` is the partition field's transform.

    >>> transformed(Span("date", 19723), "month").condition("d")
    "(d >= DATE '2024-01-01' AND d < DATE '2024-02-01')"
    """
    if transform == "identity":
        return known if known.last is None else None
    if transform not in SPANS:
        return None
    if known.last is None and known.value is None:
        return known
    ends = known.ends
    if ends is None:
        return None
    first, last = (floor(wall_of(moment), transform) for moment in ends)
    return span(_number(first, transform), transform, known.type) if first == last else None


def _number(wall: datetime, transform: str) -> int:
    if transform == "year":
        return wall.year - 1970
    if transform == "month":
        return (wall.year - 1970) * 12 + wall.month - 1
    return micros_of(wall) // (DAY if transform == "day" else DAY // 24)


def name_of(known: Span, transform: str) -> str:
    """Return the value of a partition, whose bounds are `known`, as Iceberg writes the value in paths.

    `transform` is the partition field's transform.

    >>> name_of(Span("date", 19723), "identity"), name_of(Span("string", "a b"), "identity")
    ('2024-01-01', 'a+b')
    """
    if known.value is None:
        return "null"
    if known.ends is None:
        return quote_plus(str(known.value).lower() if isinstance(known.value, bool) else str(known.value))
    wall = wall_of(known.ends[0])
    if transform == "identity":
        return quote_plus(wall.date().isoformat() if known.type == "date" else wall.isoformat())
    return wall.isoformat().replace("T", "-")[: _NAMES[transform]]


def value_text(value: Value, kind: str) -> str:
    r"""Return a value as a SQL literal of its type, which means the same in every session time zone.

    >>> value_text(0, "timestamp"), value_text("it's", "string"), value_text(True, "boolean")
    ("TIMESTAMP_LTZ '1970-01-01 00:00:00.000000Z'", "'it\\'s'", 'true')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and kind in TEMPORAL:
        wall = wall_of(value * DAY if kind == "date" else value)
        if kind == "date":
            return f"DATE '{wall.date().isoformat()}'"
        return (
            timestamp_text(value) if kind == "timestamp" else f"TIMESTAMP_NTZ '{wall.isoformat(' ', 'microseconds')}'"
        )
    if isinstance(value, int):
        return f"{value}L" if kind == "bigint" else str(value)
    return literal(str(value))
