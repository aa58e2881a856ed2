"""Proves that a finished plan returns the rows of its question, without knowing the rule that made the plan.

The printed SQL is read again, each storage table is unfolded into its view's own query, groups of groups are folded by
the laws of the aggregates, and the block over base tables is compared with the question: tables, joins, filters (by
cells), groups, outputs, order.

    printed text ─ printed.read ─▶ blocks over storage ─ unfold ─▶ block over tables ─ compare ─▶ Verdict
                                                                  question's block ────┘

What cannot be told is undecided, and used: only a refuted plan is not. Axioms (keys that are trusted) are named.
"""

from rewriter.verify.branches import verify_branches
from rewriter.verify.leaves import Leaves
from rewriter.verify.proofs import verdict_on
from rewriter.verify.texts import verify_text
from rewriter.verify.verdict import PROVED, REFUTED, UNDECIDED, UNVERIFIED, Verdict, verify

__all__ = [
    "PROVED",
    "REFUTED",
    "UNDECIDED",
    "UNVERIFIED",
    "Leaves",
    "Verdict",
    "verdict_on",
    "verify",
    "verify_branches",
    "verify_text",
]
