"""The query block: a SELECT in normal form, with tables, joins, predicates, grouping keys and outputs.

The expressions of a block are canonical: two expressions that certainly mean the same are the same tree (see
`expressions`). SQL that a block cannot represent raises Unsupported, with a message that names the construct.
"""

from rewriter.block.atoms import range_of
from rewriter.block.dependencies import Dependencies
from rewriter.block.equivalence import equate
from rewriter.block.expressions import canonical
from rewriter.block.form import Block, Join, Occurrence, Ordering, Unsupported, remembered, renamed
from rewriter.block.from_clause import Derived, Find, Found, rejected
from rewriter.block.group_by import set_bits, set_number
from rewriter.block.meaning import meaning
from rewriter.block.opaque import opaque_within, text_of, with_texts
from rewriter.block.predicates import Predicates, predicates_of
from rewriter.block.ranges import RangeSet
from rewriter.block.resolve import Texts, build_block, common_tables, find_among, full_scope, syntax_problem
from rewriter.block.scope import Scope
from rewriter.block.top_rows import takes_first_rows
from rewriter.block.traits import aggregate_of, depends_on_zone, has_aggregate, tells_time

__all__ = [
    "Block",
    "Dependencies",
    "Derived",
    "Find",
    "Found",
    "Join",
    "Occurrence",
    "Ordering",
    "Predicates",
    "RangeSet",
    "Scope",
    "Texts",
    "Unsupported",
    "aggregate_of",
    "build_block",
    "canonical",
    "common_tables",
    "depends_on_zone",
    "equate",
    "find_among",
    "full_scope",
    "has_aggregate",
    "meaning",
    "opaque_within",
    "predicates_of",
    "range_of",
    "rejected",
    "remembered",
    "renamed",
    "set_bits",
    "set_number",
    "syntax_problem",
    "takes_first_rows",
    "tells_time",
    "text_of",
    "with_texts",
]
