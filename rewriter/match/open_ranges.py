"""Estimates the share of a time range outside its whole buckets, if the range has no end or starts relative to now.

A range without an end is assumed to last until the storage table's last bucket. The length of a range up to now follows
from its start, such as `now() - INTERVAL 7 DAYS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sqlglot import exp

from rewriter.block import Predicates
from rewriter.block.since import back_of
from rewriter.match.bounds import is_unknown, length_of, moment_of, next_begin
from rewriter.timeseries import GRANULARITIES, rolls_up
from rewriter.timeseries.bucket import Bucket

Tree = exp.Expr

_MICROS = 1_000_000


class OpenRange(NamedTuple):
    """A time range of a query that has no end, or whose start is known only at execution.

    - `begin`: the comparison at which the range starts, such as `t >= now() - INTERVAL 7 DAYS`
    - `divided`: for each comparison that limits the range, the comparison that limits the whole buckets within the
      range: with buckets of a day, `t >= '2024-01-15 10:30:00'` gives `t >= '2024-01-16'`
    - `bucket`: the view's bucket of the time
    - `last`: the start of the storage table's last bucket, in seconds since 1970; None if unknown
    - `query`: the query's predicates
    """

    begin: Tree
    divided: Mapping[Tree, Tree]
    bucket: Bucket
    last: int | None
    query: Predicates

    @property
    def is_by_clock(self) -> bool:
        """Whether the start of the range is known only at execution."""
        return is_unknown(self.begin.expression, self.query.zone)

    @property
    def holds_none(self) -> bool:
        """Whether the storage table has no whole bucket of the range.

        True if the range has no whole bucket, or if its whole buckets are all after the storage table's last bucket.
        False if not certain.
        """
        if not self.is_by_clock:
            return self.last is not None and self._border is not None and self._border > self.last
        # No bucket is whole if the range ends at the end of the finer bucket that contains its start.
        begin, bucket = self.begin, self.bucket
        ends = {c.expression for c in self.query.conjuncts if isinstance(c, exp.LT) and c.this == begin.this}
        finer = (grain for grain in GRANULARITIES if grain != bucket.grain and rolls_up(grain, bucket.grain))
        return any(next_begin(begin.expression, grain, bucket.type) in ends for grain in finer)

    @property
    def lacking(self) -> float | None:
        """The estimated share (0 to 1) of the range's rows that are in no whole bucket; None if unknown."""
        length = length_of(self.bucket.grain)
        if self.is_by_clock:
            back = back_of(self.begin.expression)
            return min(1.0, len(self.divided) * length / max(1, back)) if back is not None else None
        since = moment_of(self.begin.expression)
        values = self.query.values(self.query.equivalence.normalize(self.begin.this)).intervals
        if (
            self.last is None
            or since is None
            or self._border is None
            or not values
            or values[-1].high.value is not None
        ):
            return None
        first = since.micros // _MICROS
        return (self._border - first) / max(1, self.last + length - first)

    @property
    def _border(self) -> int | None:
        cut = self.divided.get(self.begin)
        moment = moment_of(cut.expression) if cut is not None else None
        return moment.micros // _MICROS if moment is not None else None


def open_range(divided: Mapping[Tree, Tree], bucket: Bucket, last: int | None, query: Predicates) -> OpenRange | None:
    """Return the OpenRange of the time that the comparisons in `divided` limit.

    `divided` maps each comparison to the comparison that limits the whole buckets within the range: with buckets of a
    day, `t >= '2024-01-15 10:30:00'` to `t >= '2024-01-16'`. `bucket` is the view's bucket, and `last` the start of the
    storage table's last bucket in seconds since 1970 (None if unknown). Return None if the query gives the time no
    lower bound or several, or if the comparisons limit more than one time.
    """
    times = {asked.this for asked in divided}
    begins = [end for end in query.conjuncts if isinstance(end, (exp.GTE, exp.GT)) and end.this in times]
    return OpenRange(begins[0], divided, bucket, last, query) if len(times) == len(begins) == 1 else None
