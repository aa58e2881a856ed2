"""Decides what answers a statement: shortlist, access paths, rules, cost, one set of snapshots, and verdicts on plans.

decide ─▶ choose (per block, or per part of one) ─▶ tried (the views of the shortlist, the cheapest plan)
│                                                   ├─ answer (one path: mappings, RULES, asks)
│                                                   ├─ access_paths (a view as a relation to read, settings)
│                                                   └─ over_views (a plan's read of a view, asked of views over it)
└─▶ verify (each plan), consistency (one set of snapshots)
"""

from rewriter.engine.decide import decide

__all__ = ["decide"]
