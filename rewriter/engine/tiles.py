"""Describes the rows that each branch of a UNION ALL reads, for EXPLAIN REWRITE: `h from 2024-02-01 to 2024-02-15`.

Among several bounds of one column, a bound that another bound implies is omitted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlglot import exp

from rewriter.block import Block
from rewriter.block.words import words
from rewriter.match import Rewriting
from rewriter.match.bounds import moment_of, next_begin
from rewriter.sql import operands
from rewriter.timeseries import as_bucket, rolls_up
from rewriter.timeseries.bucket import Bucket, day_source

Tree = exp.Expr
_FROM, _TO = (exp.GTE, exp.GT), (exp.LT, exp.LTE)


class _Split(NamedTuple):
    """A range with a gap, from a condition such as `h < a OR h >= b`.

    `end` is the condition on the values before the gap, `h < a`; `begin` the condition on the values after the gap.
    """

    end: Tree
    begin: Tree


def rows_of(branch: Rewriting | Block) -> str:
    """Return a description of the rows that a branch reads; empty if the branch has no filter."""
    return rows_in_words(branch.where)


def rows_in_words(where: Sequence[Tree]) -> str:
    """Return a description of a filter: the range of the first column with a bound, then the other conditions.

    The result is empty if `where` has no conditions.

    >>> h = exp.column("h")
    >>> begin, end = (exp.Literal.string(f"2024-0{month}-01 00:00:00") for month in (2, 3))
    >>> rows_in_words([exp.GTE(this=h, expression=begin), exp.LT(this=h, expression=end)])
    'h from 2024-02-01 00:00:00 to 2024-03-01 00:00:00'
    """
    column = next((tree.this for tree in where if isinstance(tree, (*_FROM, *_TO))), None)
    mine = [tree for tree in where if isinstance(tree, (*_FROM, *_TO)) and tree.this == column]
    splits = {tree: split for tree in where if (split := _split(tree, column)) is not None}
    others = [words(tree) for tree in where if tree not in mine and tree not in splits]
    begins, ends = ([tree for tree in mine if isinstance(tree, kinds)] for kinds in (_FROM, _TO))
    told = [_interval(begins, [split.end for split in splits.values()] or ends)]
    if splits:
        told.append(_interval([split.begin for split in splits.values()], ends))
    ranges = f"{words(column)} {' and '.join(told)}" if column is not None else ""
    return ", ".join(filter(None, (ranges, " AND ".join(others) and f"where {' AND '.join(others)}")))


def _interval(begins: Sequence[Tree], ends: Sequence[Tree]) -> str:
    since = " and ".join(
        _moment(tree.expression) + ", excluded" * isinstance(tree, exp.GT) for tree in _closest(begins, _after)
    )
    until = " and ".join(
        _moment(tree.expression) + ", included" * isinstance(tree, exp.LTE) for tree in _closest(ends, _before)
    )
    return " ".join(filter(None, (since and f"from {since}", until and f"to {until}")))


def _closest(bounds: Sequence[Tree], implies: Callable[[Tree, Tree], bool]) -> list[Tree]:
    """Return the bounds that no other bound in `bounds` implies: of `h < 3` and `h < 5`, only `h < 3`.

    `implies(one, other)` tells whether every value that satisfies the bound `one` satisfies the bound `other`.
    """
    told = list(dict.fromkeys(bounds))
    implied = (any(implies(other.expression, tree.expression) for other in told if other != tree) for tree in told)
    return [tree for tree, is_implied in zip(told, implied, strict=True) if not is_implied]


def _after(one: Tree, other: Tree) -> bool:
    """Return whether the lower bound `one` implies the lower bound `other`; False if unknown.

    `one` implies `other` if `one` is a later literal, the end of the bucket that contains `other`, or the start of a
    finer bucket of the same time: `h >= date_trunc('hour', now())` implies `h >= date_trunc('day', now())`.
    """
    if (moments := _moments(one, other)) is not None:
        return moments[0] > moments[1]
    ended = _ended(one)
    if ended is not None and ended.source == other:
        return True
    begun, before = as_bucket(one), as_bucket(other)
    return begun is not None and before is not None and begun.source == before.source and _is_finer(begun, before)


def _before(one: Tree, other: Tree) -> bool:
    """Return whether the upper bound `one` implies the upper bound `other`; False if unknown.

    `one` implies `other` if `one` is an earlier literal, the start of the bucket that contains `other`, or the end of a
    finer bucket of the same time: `h < date_trunc('hour', now())` implies `h < now()`.
    """
    if (moments := _moments(one, other)) is not None:
        return moments[0] < moments[1]
    begun = as_bucket(one)
    if begun is not None and begun.source == other:
        return True
    ended, after = _ended(one), _ended(other)
    return ended is not None and after is not None and ended.source == after.source and _is_finer(ended, after)


def _moments(one: Tree, other: Tree) -> tuple[datetime, datetime] | None:
    left, right = _wall(one), _wall(other)
    return (left, right) if left is not None and right is not None else None


def _wall(bound: Tree) -> datetime | None:
    """Return the local time of a literal (for a DATE, the midnight at which the date starts); None for other
    expressions.
    """
    day = day_source(bound)
    moment = moment_of(bound if day is None else day)
    if moment is None:
        return None
    return moment.wall if day is None else moment.wall.replace(hour=0, minute=0, second=0, microsecond=0)


def _is_finer(one: Bucket, other: Bucket) -> bool:
    return one.grain != other.grain and rolls_up(one.grain, other.grain)


def _ended(bound: Tree) -> Bucket | None:
    """Return the time bucket whose end `bound` is; None if `bound` is not the end of a bucket.

    `date_trunc('hour', now()) + INTERVAL 1 HOUR` gives the bucket `date_trunc('hour', now())`.
    """
    bucket = as_bucket(bound.this) if isinstance(bound, exp.Add) else None
    ends = bucket is not None and bound == next_begin(bucket.source, bucket.grain, bucket.type)
    return bucket if ends else None


def _split(tree: Tree, column: Tree | None) -> _Split | None:
    """Return the two bounds of a condition such as `h < a OR h >= b` over the column h; None for other conditions.

    `column` is h; if it is None, return None.
    """
    sides = list(operands(tree, exp.Or)) if isinstance(tree, exp.Or) else []
    if len(sides) != 2 or any(not isinstance(side, (*_FROM, *_TO)) or side.this != column for side in sides):
        return None
    end, begin = sides
    return _Split(end, begin) if isinstance(end, _TO) and isinstance(begin, _FROM) else None


def _moment(bound: Tree) -> str:
    """Return a bound as text for users: 2024-02-01 for the literal '2024-02-01'.

    `date_trunc('HOUR', current_timestamp())` gives "the start of the hour of current_timestamp()", and the end of a
    bucket is described alike. Any other expression is returned as SQL.
    """
    if day_source(bound) is not None and (day := _wall(bound)) is not None:
        return day.date().isoformat()
    text = bound.this if isinstance(bound, exp.Cast) else bound
    if isinstance(text, exp.Literal):
        return str(text.name)
    bucket = as_bucket(bound)
    if bucket is not None:
        return f"the start of the {_named(bucket.grain)} of {_moment(bucket.source)}"
    if (ended := _ended(bound)) is not None:
        return f"the end of the {_named(ended.grain)} of {_moment(ended.source)}"
    return words(bound)


def _named(grain: str) -> str:
    return grain.replace("_", " ") + "s" * ("_" in grain)
