"""Proves that a printed plan returns the rows of the block that it answers, independently of the rule that made it.

A block is one SELECT, as an object. The plan's SQL is parsed again, and each storage table in it is replaced by its
view's own query ("unfolded"). Aggregates of groups are replaced by aggregates of rows ("folded"), by the laws of the
aggregate functions. The resulting block over base tables is compared with the block to be answered: tables, joins,
filters, groups, outputs, order. Filters are compared in cells: combinations of ranges of column values, in each of
which no comparison changes its truth value.

    printed text ─ printed.read ─▶ blocks over storage tables ─ unfold ─▶ block over base tables ─ compare ─▶ Verdict
                                                                              the block to be answered ────┘

A plan that is neither proved nor refuted is undecided, and may be used; a refuted plan is never used. The verdict names
its axioms: the trusted keys on which the proof relies.
"""

from rewriter.verify.leaves import Leaves
from rewriter.verify.own_groups import is_filter
from rewriter.verify.proofs import verdict_on
from rewriter.verify.set_operations import verify_branches
from rewriter.verify.texts import verify_text
from rewriter.verify.verdict import PROVED, REFUTED, UNDECIDED, UNVERIFIED, Verdict, verify

__all__ = [
    "PROVED",
    "REFUTED",
    "UNDECIDED",
    "UNVERIFIED",
    "Leaves",
    "Verdict",
    "is_filter",
    "verdict_on",
    "verify",
    "verify_branches",
    "verify_text",
]
