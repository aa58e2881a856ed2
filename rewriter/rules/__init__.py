"""The rewrite rules, one in each module: each rule tries to compute a query's rows from one view.

A query is a block (one SELECT in normal form), a text that is compared with the text of a view's query, or a set
operation that is compared with a view's set operation branch by branch.

An access path is a view with the current state of its storage table. An Ask is a query, an access path, and a mapping
of the path's tables to the query's tables. A rule is a function of an Ask that returns a plan, or a Miss with the
reason. A rule never raises an error and never changes the Ask; it does not consider freshness, permissions or cost. A
plan may contain further Asks, which only the engine answers. The engine tries RULES in order for each path, up to the
first plan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rewriter.block import Block
from rewriter.match import Ask, Miss, Plan
from rewriter.rules.branch_by_branch import branch_by_branch
from rewriter.rules.changelog_union import changelog_union
from rewriter.rules.delta_union import delta_union
from rewriter.rules.read_rows import read_rows
from rewriter.rules.roll_up import roll_up
from rewriter.rules.roll_up_bitmaps import roll_up_bitmaps
from rewriter.rules.same_grain import same_grain
from rewriter.rules.text_match import text_match
from rewriter.rules.union_branches import union_branches
from rewriter.rules.union_remainder import union_remainder

Rule = Callable[[Ask], Plan | Miss]

RULES: tuple[Rule, ...] = (
    text_match,
    branch_by_branch,
    read_rows,
    # same_grain before roll_up: both answer a query at the view's own grain, but the former does not group again.
    same_grain,
    roll_up,
    # Needs two levels of aggregation; tried after the rules that need one.
    roll_up_bitmaps,
    # Only these rules (LIVE) answer from a view whose tables have changed since the refresh: by appends, or otherwise.
    delta_union,
    changelog_union,
    # Last, because it also reads base tables: it is for views that lack some of the rows.
    union_remainder,
)

# The names of the rules that read the rows changed since a view's refresh together with the view's stored rows.
LIVE = frozenset(rule.__name__ for rule in (delta_union, changelog_union))

# Rules that divide a query block before access paths are tried; each part is answered as a question of its own.
DIVISIONS: tuple[Callable[[Block], Sequence[Block]], ...] = (union_branches,)

__all__ = ["DIVISIONS", "LIVE", "RULES", "Rule"]
