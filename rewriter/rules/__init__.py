"""The rules, one per file: each answers a question from an access path.

A rule is a function of an Ask (a question put to a path, for one mapping of its tables) → a plan, or a Miss with its
reason. It never raises to say no, never changes its input, and knows nothing of freshness, permissions and cost. A plan
may hold further asks: the engine alone fills them. RULES is tried in order for each path; the first plan is taken, and
whatever a rule misses, the next one is tried.
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
    # same_grain before roll_up: both answer a query at the view's own grain, and the former without grouping again.
    same_grain,
    roll_up,
    # In two steps, where one does not do.
    roll_up_bitmaps,
    # Of a path to whose tables rows were appended no rule before this one reads.
    delta_union,
    # It reads the tables, too: only where no view has all of the rows.
    union_remainder,
)

# Rules that divide a question before any path is asked: each part is a question of its own.
DIVISIONS: tuple[Callable[[Block], Sequence[Block]], ...] = (union_branches,)

__all__ = ["DIVISIONS", "RULES", "Rule"]
