"""The algebra that rules share: how a view's block relates to a query's, and what can be computed from the view.

A view is read through its storage table, which has a column for each output of the view's block. A Reading contains all
that a rewriting needs: the predicates that the view does not apply, expressions over the storage columns, and rolled-up
aggregates.
"""

from rewriter.match.aggregates import Aggregates
from rewriter.match.ask import Ask, Branchwise, Plan, TwoPhase
from rewriter.match.candidate import Candidate, Delta, Match, Miss, Reason, Rewriting, Shared, UnionAll
from rewriter.match.lossless import widened
from rewriter.match.mapping import table_mappings
from rewriter.match.reading import Reading, read_view

__all__ = [
    "Aggregates",
    "Ask",
    "Branchwise",
    "Candidate",
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
