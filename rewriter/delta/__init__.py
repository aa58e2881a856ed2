"""Computes how changes of a block's source tables change the block's rows.

A block is a SELECT in normal form. A term is the block with a chosen read for each table in FROM: the table at a
snapshot, or only the rows appended between two snapshots. The union of a join's terms has the rows that appends to its
tables add to the join. In a grouped block, the aggregates over the terms are combined with the stored aggregates.
"""

from rewriter.delta.reads import Added, At, Changed, Read
from rewriter.delta.signed import count_among, count_of, signed, signed_problem
from rewriter.delta.terms import terms

__all__ = ["Added", "At", "Changed", "Read", "count_among", "count_of", "signed", "signed_problem", "terms"]
