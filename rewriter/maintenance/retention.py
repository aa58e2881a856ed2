"""Retention: drops the partitions of a storage table that are older than a period."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlglot.tokens import TokenType

from rewriter.block import Unsupported
from rewriter.maintenance.decision import Decision
from rewriter.maintenance.stored import block_of
from rewriter.maintenance.text import listed
from rewriter.maintenance.values import SPANS, span
from rewriter.model import Column, DataFile, MaterializedView, PartitionField, Table, TableName, quoted
from rewriter.model.refresh_kind import Kind
from rewriter.sql import tokenize
from rewriter.timeseries import as_bucket, floor, micros_of, read_moment
from rewriter.timeseries.bucket import TEMPORAL
from rewriter.timeseries.literals import zone_info

_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Kept:
    """The storage partitions that retention keeps: the partitions whose time is at or after a bound.

    - `field`: the partition field of a time column; `at`: its position among the partition fields
    - `column`: the time column
    - `bound`: the start of the first kept partition, in microseconds since 1970
    - `text`: the bound as a literal for a session in the time zone `zone`

    A partition whose time is NULL is dropped.
    """

    at: int
    field: PartitionField
    column: Column
    bound: int
    text: str
    zone: str

    @property
    def condition(self) -> str:
        """The SQL condition that the kept rows of the view satisfy, such as `day >= DATE '2024-01-01'`."""
        return f"{quoted(self.column.name)} >= {self.text}"

    @property
    def outside(self) -> str:
        """The SQL condition that the dropped rows satisfy, such as `day < DATE '2024-01-01' OR day IS NULL`.

        The condition selects whole partitions, so that whole files are dropped.
        """
        name = quoted(self.column.name)
        return f"{name} < {self.text} OR {name} IS NULL"

    def within(self, part: str) -> str:
        """Return a partial storage table's condition, `part`, with `bound` in place of an earlier retention's bound.

        `(region = 'eu') AND day >= DATE '2024-01-01'` gives the same condition with the later day. If `part` has a
        later bound, return `part` unchanged; if `part` has no bound of the form that retention writes, return an empty
        string.
        """
        own = rf"{re.escape(quoted(self.column.name))} >= (?:DATE|TIMESTAMP|TIMESTAMP_NTZ) '([^']*)'"
        found = re.fullmatch(rf"(?:(\(.*\)) AND )?{own}", part, re.DOTALL)
        if found is None or (found[1] and not _is_bracketed(found[1])):
            return ""
        before = read_moment(found[2], self.zone if self.column.type == "timestamp" else None)
        if before is None:
            return ""
        rest = f"{found[1]} AND " if found[1] else ""
        return rest + self.condition if before.micros <= self.bound else part

    def dropping(self, storage: Table) -> Decision:
        """Return the decision whose statement drops the rows of a storage table that retention does not keep.

        The statement is `INSERT INTO … REPLACE WHERE day < DATE '2024-01-01' OR day IS NULL SELECT … WHERE false`.
        """
        nothing = f"SELECT {listed([column.name for column in storage.columns])} FROM {storage.name.sql()} WHERE false"
        reason = (
            f"the partitions of the storage table without {self.condition} are older than the retention, and "
            "are dropped"
        )
        return Decision(Kind.RETENTION, reason, "INSERT INTO", f"REPLACE WHERE {self.outside} {nothing}")

    def leaves_out(self, files: Iterable[DataFile]) -> bool:
        """Return whether the retention drops any of the given files of the storage table.

        A file with an unknown partition value counts as dropped, because its rows may be too old.
        """
        known = (span(file.partition[self.at], self.field.transform, self.column.type) for file in files)
        return any(each is None or each.ends is None or each.ends[1] < self.bound for each in known)


def kept(
    view: MaterializedView, storage: Table, columns: Mapping[TableName, tuple[Column, ...]], now_ms: int, seconds: int
) -> Kept:
    """Return the storage partitions with rows younger than `seconds` at the time `now_ms` (milliseconds since 1970).

    `columns` has the columns of each source. Raise Unsupported if the storage table is not partitioned by a time
    column, or if the view's query or time zone is unsupported.
    """
    block = block_of(view, columns)
    if isinstance(block, str):
        raise Unsupported(
            f"viewgate.retention of {view.name} cannot be applied: {block}; set viewgate.retention = 'never'"
        )
    found = next(((i, f, c) for i, f in enumerate(storage.partitioned_by) if (c := _time(view, f)) is not None), None)
    if found is None:
        raise Unsupported(
            f"{view.name} is not partitioned by a time column, so its retention cannot drop partitions: "
            "recreate the view with PARTITIONED BY a time column"
        )
    at, field, column = found
    output = block.outputs[view.columns.index(column)]
    bucket = as_bucket(output)
    begin = datetime.fromtimestamp(max(now_ms // 1000 - seconds, 0), UTC).replace(tzinfo=None)
    if bucket is not None:
        # Buckets of a TIMESTAMP begin in the view's time zone, which differs by less than a day from UTC.
        aside = _DAY if column.type == "timestamp" else timedelta()
        begin = floor(begin - aside, bucket.grain) - aside
    if zone_info(view.zone) is None:
        raise Unsupported(
            f"the time zone of {view.name} is not known ({view.zone or 'none is recorded'}): recreate the view with "
            "CREATE OR REPLACE MATERIALIZED VIEW"
        )
    begin = _border(begin, field, column)
    while (text := _literal(begin, column, view.zone)) is None:
        begin = _border(begin - _DAY, field, column)
    return Kept(at, field, column, micros_of(begin), text, view.zone)


def _is_bracketed(condition: str) -> bool:
    """Return whether one pair of parentheses encloses the whole condition."""
    depth = 0
    tokens = tokenize(condition)
    for token in tokens[:-1]:
        depth += {TokenType.L_PAREN: 1, TokenType.R_PAREN: -1}.get(token.token_type, 0)
        if depth == 0:
            return False
    return True


def _time(view: MaterializedView, field: PartitionField) -> Column | None:
    """Return the time column of a view on which a partition field is defined.

    Return None if the column is not a date or timestamp, or if the field's transform is not a transform of times, such
    as `bucket[16]`.
    """
    column = next((column for column in view.columns if column.name == field.column), None)
    known = field.transform in ("identity", *SPANS)
    return column if column is not None and column.type in TEMPORAL and known else None


def _border(moment: datetime, field: PartitionField, column: Column) -> datetime:
    """Return the start of the partition that contains the UTC time `moment`; `field` is a partition field of `column`.

    As in Iceberg, a partition by day, month or year starts at midnight UTC.
    """
    day = floor(moment, "day") if column.type == "date" else moment
    return floor(day, field.transform) if field.transform in SPANS else day


def _literal(begin: datetime, column: Column, zone: str) -> str | None:
    """Return the UTC time `begin` as a literal of the type of `column`, for a session in the time zone `zone`.

    Return None for a TIMESTAMP whose local time is ambiguous in the zone.
    """
    if column.type == "date":
        return f"DATE '{begin:%Y-%m-%d}'"
    if column.type == "timestamp_ntz":
        return f"TIMESTAMP_NTZ '{begin:%Y-%m-%d %H:%M:%S}'"
    text = f"{begin.replace(tzinfo=UTC).astimezone(zone_info(zone)):%Y-%m-%d %H:%M:%S}"
    moment = read_moment(text, zone)
    return f"TIMESTAMP '{text}'" if moment is not None and moment.micros == micros_of(begin) else None
