"""Matches query blocks with materialized views: the code that the rewrite rules share.

A view is read through its storage table, which has one column for each output of the view's query block. An AccessPath
is a view's block with the current state of its storage table. A Reading expresses a query over an access path:
expressions and aggregates over storage columns, the filters that the view does not apply, and the joins of further
tables. If a view cannot answer a query, functions return a Miss, which gives the reason.

Trees are sqlglot expressions in canonical form: columns are qualified by table ids, and function names are Spark's. A
normalized tree has each column replaced by one representative of its equal columns. The meaning of a tree is the tree
with commutative operands in a fixed order, for comparisons.
"""

from rewriter.match.access_path import AccessPath
from rewriter.match.aggregates import Aggregates
from rewriter.match.ask import Ask, Branchwise, Plan, TwoPhase
from rewriter.match.grouping import NEEDS_ROWS
from rewriter.match.lossless import widened
from rewriter.match.mapping import table_mappings
from rewriter.match.reading import Reading, read_view
from rewriter.match.reasons import Miss, Reason
from rewriter.match.rewriting import Delta, Match, Rewriting, Shared, UnionAll

__all__ = [
    "NEEDS_ROWS",
    "AccessPath",
    "Aggregates",
    "Ask",
    "Branchwise",
    "Delta",
    "Match",
    "Miss",
    "Plan",
    "Reading",
    "Reason",
    "Rewriting",
    "Shared",
    "TwoPhase",
    "UnionAll",
    "read_view",
    "table_mappings",
    "widened",
]
