"""A view that holds rows, not groups."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from rewriter.block import Predicates, aggregate_of
from rewriter.match import Candidate, Match, Miss, Reason, read_view
from rewriter.match.grouping import Groups, finish, group_keys, inexact_decision
from rewriter.match.reading import Reading

Tree = exp.Expr


def read_rows(query: Predicates, candidate: Candidate, mapping: Mapping[str, str]) -> Match | Miss:
    """Read rows from the view instead of the tables, and do with them what the query does.

    law:    the view has the rows of the tables that it joins, fewer only where the query wants fewer
    view:   SELECT id, region, price * quantity AS revenue FROM sales WHERE year = 2024
    query:  SELECT region, sum(price * quantity) FROM sales WHERE year = 2024 AND id > 7 GROUP BY region
    gives:  SELECT region, sum(revenue) FROM view WHERE id > 7 GROUP BY region
    """
    if candidate.block.keys is not None:
        return Miss(Reason.SHAPE, "the view holds groups")
    reading = read_view(query, candidate, mapping)
    if isinstance(reading, Miss):
        return reading
    if query.block.keys is None:
        return finish(reading, reading.compute, group=None, rolled_up=False)
    keys = group_keys(reading)
    if isinstance(keys, Miss):
        return keys
    inexact = inexact_decision(reading)
    if inexact is not None:
        return inexact
    groups = Groups(reading, keys, lambda tree: _over_rows(tree, reading))
    return finish(reading, groups.over, group=tuple(keys.values()), rolled_up=False)


def _over_rows(tree: Tree, reading: Reading) -> Tree | Miss:
    """The same aggregate of computed arguments."""
    assert aggregate_of(tree) is not None
    return reading.compute(tree)
