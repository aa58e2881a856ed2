"""One rule a file: how a query's block is read from a view's storage.

A rule is a function of a Reading (a query through a view, for one mapping of its tables, with what is left of
the query's filter) → Match or Miss. It never raises to say no and never changes its input. RULES is tried in
order for each view; the first match is the view's.
"""

from __future__ import annotations

from collections.abc import Callable

from rewriter.match import Match, Miss, Reading
from rewriter.rules.read_rows import read_rows
from rewriter.rules.roll_up import roll_up
from rewriter.rules.same_grain import same_grain

Rule = Callable[[Reading], Match | Miss]

# same_grain before roll_up: both answer a query at the view's own grain, and the former without grouping again.
RULES: tuple[Rule, ...] = (read_rows, same_grain, roll_up)

__all__ = ["RULES"]
