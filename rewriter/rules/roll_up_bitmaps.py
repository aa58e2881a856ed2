"""Answers count(DISTINCT i) from bitmaps of finer groups: unites the bitmaps of each bucket, then counts their bits.

A bitmap bucket is a range of integers; a bitmap has one bit for each integer of its bucket.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlglot import exp

from rewriter.block import Block, Predicates, aggregate_of, meaning
from rewriter.block.words import words
from rewriter.match import Ask, Miss, Reason, TwoPhase
from rewriter.match.aggregates import bits_of, bucket_of
from rewriter.match.decompose import decomposed
from rewriter.sql import every, names_called

Tree = exp.Expr


def roll_up_bitmaps(ask: Ask) -> TwoPhase | Miss:
    """Plan to unite the bitmaps of each bucket per group of the query, and then to add up their bit counts.

    Return a Miss if the query has no count(DISTINCT i) for which the view has bitmaps of i. `ask` has the query, the
    access path (the view with its storage table), and the mapping of the view's tables to the query's tables.

    law:    a bit of a bucket stands for the same integer in all groups; so the bitmaps of a bucket must be united
            before the bits are counted, to count each integer once
    view:   SELECT a, b, bitmap_bucket_number(i) AS n, bitmap_construct_agg(bitmap_bit_position(i)) AS bits … GROUP BY
            a, b, bitmap_bucket_number(i)
    query:  SELECT a, count(DISTINCT i) … GROUP BY a
    gives:  SELECT a, sum(bitmap_count(bits)) FROM (SELECT a, n, bitmap_or_agg(bits) AS bits FROM view GROUP BY a, n)
            GROUP BY a
    no:     GROUPING SETS, because a bucket would be counted once for each finer group
    """
    query = ask.question
    if not isinstance(query, Predicates) or query.block.keys is None:
        return Miss(
            Reason.SHAPE,
            "the rule roll_up_bitmaps is only for queries with count(DISTINCT …), and the query does not aggregate "
            "rows",
            apart=True,
        )
    distinct = [*_counted(query.block)]
    held = ask.held(query) if distinct else {}
    counted = [value for value in distinct if meaning(query.equivalence.normalize(bits_of(value))) in held]
    if not counted:
        value = words(distinct[0]) if distinct else "x"
        lacking = (
            f"the view has no bitmaps for count(DISTINCT {value}): add bitmap_bucket_number({value}) to the view's "
            f"GROUP BY and outputs, and bitmap_construct_agg(bitmap_bit_position({value})) to the outputs"
        )
        none = "the query has no count(DISTINCT …) of a single expression, which could be computed from bitmaps"
        return Miss(Reason.SHAPE, lacking if distinct else none, apart=True)
    groups = _with_bitmaps(decomposed(query.block), counted)
    return TwoPhase(groups, replace(ask, question=Predicates(groups, groups.where, query.zone)))


def _counted(block: Block) -> Iterator[Tree]:
    """Yield the argument of each one-argument count(DISTINCT …) in a block."""
    for tree in block.expressions:
        for call in every(tree, exp.Anonymous) if "count" in names_called(tree) else ():
            value = _distinct_value(call)
            if value is not None:
                yield value


def _distinct_value(tree: Tree) -> Tree | None:
    """Return the argument of a count(DISTINCT …) with one argument; None for other expressions."""
    call = aggregate_of(tree)
    if call is None or call.name != "count" or not isinstance(call.expressions[0], exp.Distinct):
        return None
    (value, *others) = call.expressions[0].expressions
    return None if others else value


def _with_bitmaps(groups: Block, counted: list[Tree]) -> Block:
    """Return the block `groups` with bitmaps instead of distinct counts, and with the bitmaps' buckets as further keys.

    `counted` are the expressions whose distinct values are counted. For i, `count(DISTINCT i)` becomes
    `bitmap_construct_agg(bitmap_bit_position(i))`, with the further key `bitmap_bucket_number(i)`.
    """
    outputs = [output for output in groups.outputs if _distinct_value(output) not in counted]
    buckets, bits = (list(dict.fromkeys(make(value) for value in counted)) for make in (bucket_of, bits_of))
    keys = tuple(dict.fromkeys((*(groups.keys or ()), *buckets)))
    every = tuple(dict.fromkeys((*keys, *outputs, *bits)))
    return replace(groups, keys=keys, outputs=every, names=(None,) * len(every))
