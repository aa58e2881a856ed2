"""Decides what answers a statement: shortlist, access paths, rules, cost, one moment, and the verdict on each plan.

decide ─▶ choose (per block, or per part of one) ─▶ tried (the views of the shortlist, the cheapest plan)
│                                                   ├─ answer (one path: mappings, RULES, asks)
│                                                   ├─ access_paths (a view as something to read now), settings
│                                                   └─ over_views (what a plan asks of a view, put to the views over it)
└─▶ verify (each plan), consistency (one set of snapshots)
"""

from rewriter.engine.decide import decide

__all__ = ["decide"]
