"""Decides which blocks of a statement are answered from which views: shortlist, rules, cost, snapshots, verification.

A block is one SELECT of a statement, as an object. A block's shortlist has the views that could answer the block. An
access path (match.AccessPath) is a view's block together with its storage table. A table mapping tells to which table
of the query each table of the view corresponds. A rewrite rule gets a block, an access path and a table mapping. It
returns a Match with the plan, or a Miss with the reason why the view cannot answer. Instead of a block, a rule may get
a query that is matched as a whole: by its text, or as a set operation.

decide ─▶ choose (one block, or one branch of it) ─▶ tried (the views of the shortlist, the cheapest plan)
  │                                                    ├─ answer (one access path: table mappings, RULES)
  │                                                    ├─ access_paths (a view's storage as a relation, settings)
  │                                                    ├─ over_views (the views defined over a view that answers)
  │                                                    └─ tested (views in place of tables that EXISTS tests)
  └─▶ verify (each plan), consistency (one set of snapshots)
"""

from rewriter.engine.decide import decide

__all__ = ["decide"]
