"""Decides which blocks of a statement are answered from which views: shortlist, rules, cost, snapshots, verification.

decide ─▶ choose (one block, or one branch of it) ─▶ tried (the views of the shortlist, the cheapest plan) │ ├─ answer
(one access path: table mappings, RULES) │ ├─ access_paths (a view's storage as a relation, settings) │ └─ over_views
(the views defined over a view that answers) └─▶ verify (each plan), consistency (one set of snapshots)

An access path (match.Candidate) is a view's block together with its storage table. The question is the block, or the
text or set operation matched as a whole, that a view should answer.
"""

from rewriter.engine.decide import decide

__all__ = ["decide"]
