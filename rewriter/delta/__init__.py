"""Delta algebra: what a change to the sources of a block does to its rows.

A term reads each occurrence of a table at one place: as a snapshot has it, or only what was appended between two. An
append to a join is the union of its terms; a group's new aggregates are those of the old ones and the terms' together.
"""

from rewriter.delta.reads import Added, At, Changed, Read
from rewriter.delta.signed import count_among, count_of, signed, signed_problem
from rewriter.delta.terms import terms

__all__ = ["Added", "At", "Changed", "Read", "count_among", "count_of", "signed", "signed_problem", "terms"]
