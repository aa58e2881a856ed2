"""count(DISTINCT i) from bitmaps of finer groups, in two steps: united by bucket, then counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from sqlglot import exp

from rewriter.block import Block, Predicates, aggregate_of, renamed
from rewriter.match import Candidate, Match, Miss, read_view
from rewriter.match.aggregates import bits_of, bucket_of
from rewriter.rules.roll_up import roll_up
from rewriter.sql import nodes_of
from rewriter.union import combined, in_parts

Tree = exp.Expr


def roll_up_by_bucket(query: Predicates, mapping: Mapping[str, str], candidate: Candidate) -> Match | Miss | None:
    """Unite the bitmaps of each bucket over the query's groups, then add up how many bits they have.

    law:    bits of one bucket are the same numbers in all groups, so they are united before they are counted
    view:   SELECT a, b, bitmap_bucket_number(i) AS n, bitmap_construct_agg(bitmap_bit_position(i)) AS bits …
            GROUP BY a, b, bitmap_bucket_number(i)
    query:  SELECT a, count(DISTINCT i) … GROUP BY a
    gives:  SELECT a, sum(bitmap_count(bits)) FROM (SELECT a, n, bitmap_or_agg(bits) AS bits FROM view GROUP BY a, n)
            GROUP BY a
    no:     GROUPING SETS, in which a bucket would be counted once for each of the finer groups
    """
    held = {query.equivalence.normalize(renamed(output, mapping)) for output in candidate.block.outputs}
    counted = [value for value in _counted(query.block) if query.equivalence.normalize(bits_of(value)) in held]
    if not counted or query.block.keys is None:
        return None
    parts = _with_bitmaps(in_parts(query.block), counted)
    reading = read_view(Predicates(parts, parts.where, query.zone), candidate, mapping)
    inner = reading if isinstance(reading, Miss) else roll_up(reading)
    return inner if isinstance(inner, Miss) else combined(query, candidate, parts, inner.rewriting)


def _counted(block: Block) -> Iterator[Tree]:
    """The values of which different ones are counted."""
    for tree in block.expressions:
        for node in nodes_of(tree):
            value = _distinct_value(node)
            if value is not None:
                yield value


def _distinct_value(tree: Tree) -> Tree | None:
    """Of what a canonical tree counts the different values, if it is of one."""
    call = aggregate_of(tree)
    if call is None or call.name != "count" or not isinstance(call.expressions[0], exp.Distinct):
        return None
    (value, *others) = call.expressions[0].expressions
    return None if others else value


def _with_bitmaps(parts: Block, counted: list[Tree]) -> Block:
    """The parts with bitmaps of these values, by bucket, for their counts."""
    outputs = [output for output in parts.outputs if _distinct_value(output) not in counted]
    buckets, bits = (list(dict.fromkeys(make(value) for value in counted)) for make in (bucket_of, bits_of))
    keys = tuple(dict.fromkeys((*(parts.keys or ()), *buckets)))
    every = tuple(dict.fromkeys((*keys, *outputs, *bits)))
    return replace(parts, keys=keys, outputs=every, names=(None,) * len(every))
