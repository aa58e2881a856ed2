"""Finds the time buckets that can be computed from a view's storage columns.

A grain is the length of time buckets: a name such as "day", or a number of seconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import NamedTuple, Protocol

from sqlglot import exp

from rewriter.block import Block, meaning
from rewriter.block.elsewhere import hidden_zone
from rewriter.block.words import words
from rewriter.functions.trees import call_of, cast
from rewriter.functions.types import INTEGERS
from rewriter.match.reasons import Miss, Reason
from rewriter.schema import UNKNOWN, expression_type
from rewriter.sql import nodes_of
from rewriter.timeseries import (
    Grain,
    bucket_call,
    bucket_elsewhere,
    date_of_fields,
    is_fixed_offset,
    nests,
    number_of,
    same_buckets,
    told_by,
    zone_elsewhere,
)
from rewriter.timeseries.factors import SECONDS
from rewriter.timeseries.seconds import KindOf, SinceOf, scaled_of
from rewriter.timeseries.steady import LENGTHS

Tree = exp.Expr
Read = Tree | Miss | None


class Rows(Protocol):
    """The expressions that a view's storage table stores, and the derivation of further expressions from them."""

    @property
    def rows(self) -> Mapping[Tree, Tree]:
        """The storage columns, keyed by the canonical form of the expression that each column stores."""

    @property
    def stores_computed(self) -> bool:
        """Whether a storage column stores an expression other than a column, such as a time bucket."""

    @property
    def block(self) -> Block:
        """The query's block."""

    @property
    def zone(self) -> str:
        """The session's time zone."""

    def since(self, tree: Tree) -> int | None:
        """Return a lower bound of a time expression in all rows read, in seconds since 1970; None if unknown."""

    def held(self, tree: Tree) -> Tree | None:
        """Return the storage column that stores an expression; None if no column stores the expression.

        If the column m stores `a + b`, `a + b` gives `v.m`.
        """

    def column(self, column: exp.Column) -> Tree | Miss:
        """Return a column, or a column equal to it, of a table joined to the storage table.

        Return a Miss if no joined table has the column or an equal column.
        """

    def is_normalized(self, tree: Tree) -> bool:
        """Return whether an expression is a floating-point grouping key of the view; GROUP BY stores 0.0 for -0.0 in
        such a key.
        """

    def compute(self, tree: Tree) -> Tree | Miss:
        """Return an expression over the query's rows as an expression over storage columns.

        If the column m stores `a + b`, `(a + b) * 2` gives `v.m * 2`. Return a Miss if the expression cannot be
        derived.
        """

    def condition(self, tree: Tree) -> Tree | Miss:
        """Return a condition of CASE or FILTER over storage columns, which is true for the same rows.

        Return a Miss if the condition cannot be derived.
        """


class Stored(NamedTuple):
    """A time bucket that the storage table determines: its grain, and the type and the SQL expression of its start."""

    grain: Grain
    type: str
    begin: Tree

    def in_place_of(self, kind: str | None) -> Stored:
        """Return the bucket with its start in a form comparable with a value of type `kind`.

        If `kind` is an integer type, the start becomes a number of seconds since 1970; for other types, and for an
        unknown type (None), the start stays a time.
        """
        if kind in INTEGERS and self.type != SECONDS:
            time = cast(self.begin, "timestamp") if self.type == "date" else self.begin
            return Stored(self.grain, SECONDS, call_of("unix_seconds", time))
        if kind not in INTEGERS and self.type == SECONDS:
            return Stored(self.grain, "timestamp", call_of("timestamp_seconds", self.begin))
        return self


def at_home(tree: Tree, zone: str, since_of: SinceOf) -> Tree:
    """Return a bucket computed in another zone as a bucket of the session's zone, if both zones have the same buckets.

    Minutes, for example, start at the same times in both. The bucket is a call such as `timeseries(t, 'minute',
    'timestamp', 'Asia/Tokyo')`; `zone` is the session's time zone, and `since_of` returns a lower bound of the times t.
    Return any other expression unchanged.
    """
    bucket = bucket_elsewhere(tree)
    if bucket is None or not same_buckets(bucket.grain, zone_elsewhere(tree), zone, since_of(bucket.source)):
        return tree
    return bucket_call(bucket.source, bucket.grain, bucket.type)


def kind_of(tree: Tree, rows: Rows) -> str | None:
    """Return the type of an expression over the tables of `rows.block`, the query's block; None if not known for
    certain.
    """
    kind = expression_type(tree, rows.block)
    return None if kind == UNKNOWN else kind


def is_time(tree: Tree, rows: Rows) -> bool:
    """Return whether an expression over the tables of `rows.block`, the query's block, is a TIMESTAMP or
    TIMESTAMP_NTZ.
    """
    return kind_of(tree, rows) in ("timestamp", "timestamp_ntz")


def _twin(time: Tree, kind_of: KindOf) -> Tree | None:
    """Return `CAST(t AS TIMESTAMP)` for a TIMESTAMP_NTZ t, and t for this cast; None for other expressions.

    `kind_of` returns the type of an expression.
    """
    if kind_of(time) == "timestamp_ntz":
        return cast(time, "timestamp")
    cast_of = time.this if isinstance(time, exp.Cast) and not time.args.get("safe") else None
    zoneless = cast_of is not None and kind_of(cast_of) == "timestamp_ntz" and kind_of(time) == "timestamp"
    return cast_of if zoneless else None


def _since_stored(time: Tree, rows: Rows) -> int | None:
    """Return a lower bound of the times in the stored buckets that the query reads, in seconds since 1970.

    This is the lower bound of `time` in the query, except that -1, for "before 1970", replaces 0: if `time DIV 60` is
    stored, which rounds towards 0, the bucket 0 contains the times -59 to 59, although the query's filter drops the
    times before 0. With a bound above 0, the query does not need all rows of the bucket 0, so that the bucket is not
    read. Return None if the bound is unknown.
    """
    since = rows.since(time)
    return -1 if since == 0 else since


# The functions that count the fractions of a second since 1970, by the number of fractions in a second.
_COUNTED = {1_000: "unix_millis", 1_000_000: "unix_micros"}


def _length(grain: Grain, zone: str, since: int | None) -> int | None:
    """Return the length in seconds of the buckets of a grain; None if the buckets do not all have one length.

    Return None also if the buckets do not start at multiples of this length since 1970. `zone` is the session's time
    zone, and `since` a lower bound of the times in seconds since 1970 (None if unknown).
    """
    length = grain if isinstance(grain, int) else LENGTHS.get(grain)
    if length is None:
        return None
    same = nests(grain, length, "timestamp", zone, since) and nests(length, grain, "timestamp", zone, since)
    return length if same else None


def stored_buckets(source: Tree, rows: Rows) -> Iterator[Stored]:
    """Yield the buckets of a time expression that can be computed from the storage columns in `rows`, in column order.

    If the column m stores `date_trunc('hour', t)`, one of the buckets of t is the hour bucket, which starts at m.
    """
    kind = partial(kind_of, rows=rows)
    wanted = meaning(number_of(source, kind, rows.since))
    # In a zone with a fixed offset, a TIMESTAMP_NTZ and its instant have the same buckets.
    twin = _twin(wanted, kind) if is_fixed_offset(rows.zone) else None
    since = partial(_since_stored, rows=rows)
    for tree, column in rows.rows.items():
        told = told_by(tree, kind, since)
        if told is not None and told.source == wanted:
            yield Stored(told.grain, told.type, told.begin(column.copy()))
        elif told is not None and told.type == "timestamp" and (scaled := scaled_of(told.source, kind, since)):
            length = _length(told.grain, rows.zone, rows.since(told.source)) if scaled.source == wanted else None
            if length is not None and scaled.times in _COUNTED:
                begin = call_of(_COUNTED[scaled.times], told.begin(column.copy()))
                yield Stored(length * scaled.times, SECONDS, begin)
        elif told is not None and told.source == twin and told.type in ("timestamp", "timestamp_ntz"):
            there = "timestamp" if told.type == "timestamp_ntz" else "timestamp_ntz"
            yield Stored(told.grain, there, cast(told.begin(column.copy()), there))
    made = date_of_fields(wanted, rows.rows.get)
    if made is not None:
        yield Stored(made[0], "date", made[1])


def other_zone(source: Tree, rows: Rows) -> Miss | None:
    """Return a Miss if the stored buckets of the time `source` are unusable because of the session's time zone.

    There are two cases, in all others return None. First, the buckets, dates or texts of the time in the storage table
    were computed in another zone. Second, the clocks of the session's zone change, the view has buckets of a
    TIMESTAMP_NTZ n, and the query needs buckets of `CAST(n AS TIMESTAMP)`, or the reverse. `rows` has the storage
    columns.
    """
    zones = {zone_elsewhere(tree) for tree in rows.rows if (b := bucket_elsewhere(tree)) and b.source == source}
    zones |= {zone for tree in rows.rows if (zone := hidden_zone(tree)) and any(source == n for n in nodes_of(tree))}
    if zones:
        return Miss(
            Reason.ZONE_NOT_PROVED,
            f"the view's buckets of the time zone {', '.join(sorted(zones))} differ from those of the session's zone "
            f"{rows.zone}: create a view in this session, or set the session's time zone to the view's, which "
            "changes the query's buckets, too",
        )
    kind = partial(kind_of, rows=rows)
    twin = None if is_fixed_offset(rows.zone) else _twin(source, kind)
    if twin is None or not any(told.source == twin for tree in rows.rows if (told := told_by(tree, kind, rows.since))):
        return None
    zoneless = twin if kind(twin) == "timestamp_ntz" else source
    return Miss(
        Reason.ZONE_NOT_PROVED,
        f"the type of {words(zoneless)} is TIMESTAMP_NTZ; in the time zone {rows.zone}, whose clocks change, the "
        f"buckets of {words(zoneless)} differ from the buckets of its cast to TIMESTAMP: call timeseries() with the "
        "same type in the view and in the query, or use a session in UTC, which can change the query's result",
    )
