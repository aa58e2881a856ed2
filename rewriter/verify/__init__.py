"""Proves that a finished plan returns the rows of its question, without knowing the rule that made the plan.

The printed SQL is parsed again, each storage table is unfolded into its view's own query, groups of groups are folded
by the laws of the aggregates, and the resulting block over base tables is compared with the question: tables, joins,
filters (by cells), groups, outputs, order.

    printed text ─ printed.read ─▶ blocks over storage ─ unfold ─▶ block over tables ─ compare ─▶ Verdict
                                                                  question's block ────┘

A plan whose equality is neither proved nor refuted is undecided, and may be used; a refuted plan is never used. The
verdict names its axioms, which are trusted keys.
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
