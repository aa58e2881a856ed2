"""Computes how changes of a query block's source tables change the block's rows.

A block is a SELECT in normal form. A read is a way to read one table: all rows at a snapshot, or only the rows appended
between two snapshots, or the rows inserted and deleted between them. A term is the block with one read chosen for each
table in FROM. If rows were appended to tables of a join, the join gains exactly the rows of a UNION ALL of terms: one
term for each table with appended rows. In a grouped block, the aggregates over the terms are combined with the stored
aggregates; deleted rows count negatively.
"""

from rewriter.delta.reads import CHANGED_COST, Added, At, Changed, Read
from rewriter.delta.signed import (
    CHANGE_TYPE,
    count_of,
    count_output,
    netted,
    signed,
    signed_problem,
    with_group_counts,
)
from rewriter.delta.terms import terms

__all__ = [
    "CHANGED_COST",
    "CHANGE_TYPE",
    "Added",
    "At",
    "Changed",
    "Read",
    "count_of",
    "count_output",
    "netted",
    "signed",
    "signed_problem",
    "terms",
    "with_group_counts",
]
