"""A view with exactly the groups of the query."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from rewriter.match import Aggregates, Ask, Match, Miss, Reading, Reason
from rewriter.match.grouping import Groups, finish
from rewriter.match.most_rows import joined_once

Tree = exp.Expr


def same_grain(ask: Ask) -> Match | Miss:
    """Read each group of the query from the view's one row for it.

    law:    the query's keys determine the view's, and the query joins nothing more but to drop some of the groups, or
            tables by their trusted keys, of which each group finds one row at most
    view:   SELECT region, sex, sum(price) AS total FROM sales GROUP BY region, sex
    query:  SELECT sex, sum(price) FROM sales WHERE region = 'eu' GROUP BY sex
    gives:  SELECT sex, total FROM view WHERE region = 'eu'
    """
    reading, keys = ask.reading, ask.keys
    if isinstance(reading, Miss):
        return reading
    if isinstance(keys, Miss):
        return keys
    repeated = ask.path.scattered or _repeating(reading)
    if repeated or reading.block.sets is not None or not _determined(reading, keys):
        return Miss(Reason.SHAPE, "the query's groups are not the view's")
    if not reading.block.keys and (reading.residual or reading.extra):
        # Filtering away the view's only row would leave none, and an aggregate over no rows is one row.
        return Miss(Reason.SHAPE, "an aggregate over all rows with a filter")
    groups = Groups(reading, keys, Aggregates(reading).direct)
    return finish(reading, groups.over, keys=None, rolled_up=False)


def _determined(reading: Reading, keys: Mapping[Tree, Tree]) -> bool:
    """Return whether the query's keys and filters determine each key of the view."""
    rest = reading.view_keys - keys.keys()
    return not rest or (bool(keys) and all(map(reading.dependencies(keys).determine, rest)))


def _repeating(reading: Reading) -> bool:
    """Return whether the query joins tables that could repeat a group.

    SEMI and ANTI joins cannot, nor can a join of a table by its whole key.
    """
    beside = {table.id for table in reading.extra}
    filtering = frozenset[str]().union(*(join.tables for join in reading.joins if join.kind in ("SEMI", "ANTI")))
    left = beside - filtering
    return bool(left) and not left <= joined_once({table.id for table in reading.block.tables} - beside, reading.block)
