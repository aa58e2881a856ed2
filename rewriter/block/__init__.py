"""Block normal form: one SELECT as tables, predicates, outputs, groups and aggregates, in canonical expressions.

Whatever has no place in this form has no block, with the reason: it is never guessed at.
"""

from rewriter.block.conjuncts import conjuncts_of
from rewriter.block.equivalence import Equivalence
from rewriter.block.expressions import (
    aggregate_of,
    canonical,
    depends_on_zone,
    has_aggregate,
)
from rewriter.block.form import Block, Join, Occurrence, Ordering, Unsupported, renamed
from rewriter.block.from_clause import Build, Common, Find, rejected
from rewriter.block.predicates import Predicates, range_of
from rewriter.block.ranges import RangeSet
from rewriter.block.resolve import build_block, common_tables, find_among, scope_of
from rewriter.block.scope import Scope
from rewriter.block.vocabulary import AGGREGATES

__all__ = [
    "AGGREGATES",
    "Block",
    "Build",
    "Common",
    "Equivalence",
    "Find",
    "Join",
    "Occurrence",
    "Ordering",
    "Predicates",
    "RangeSet",
    "Scope",
    "Unsupported",
    "aggregate_of",
    "build_block",
    "canonical",
    "common_tables",
    "conjuncts_of",
    "depends_on_zone",
    "find_among",
    "has_aggregate",
    "range_of",
    "rejected",
    "renamed",
    "scope_of",
]
