"""Delta algebra: how changes of a block's source tables change the block's rows.

A term reads each table occurrence in one way: at a snapshot, or only the rows appended between two snapshots. The rows
that appends add to a join are the union of its terms; a group's new aggregates combine its old ones with those of the
terms.
"""

from rewriter.delta.reads import Added, At, Changed, Read
from rewriter.delta.signed import count_among, count_of, signed, signed_problem
from rewriter.delta.terms import terms

__all__ = ["Added", "At", "Changed", "Read", "count_among", "count_of", "signed", "signed_problem", "terms"]
