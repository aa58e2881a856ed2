"""The rules, one per file: each answers a question from an access path.

A rule is a function of an Ask (a question to an access path, for one mapping of its tables) that returns a plan, or a
Miss with its reason. It does not raise to refuse, never changes its input, and does not consider freshness, permissions
or cost. A plan may contain further asks, which only the engine answers. RULES are tried in order for each path; the
first plan is used, and after a Miss the next rule is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rewriter.block import Block
from rewriter.match import Ask, Miss, Plan
from rewriter.rules.branch_by_branch import branch_by_branch
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
    # In two steps, where one step does not suffice.
    roll_up_bitmaps,
    # Only this rule reads a path to whose tables rows were appended; all others refuse it.
    delta_union,
    # Last, because it also reads the tables: only where no view has all of the rows.
    union_remainder,
)

# Rules that divide a question before any path is asked; each part becomes a question of its own.
DIVISIONS: tuple[Callable[[Block], Sequence[Block]], ...] = (union_branches,)

__all__ = ["DIVISIONS", "RULES", "Rule"]
