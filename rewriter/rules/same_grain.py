"""Answers a query from a view that has exactly the query's groups."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from rewriter.match import Aggregates, Ask, Match, Miss, Reading, Reason
from rewriter.match.grouping import Groups, finish
from rewriter.match.most_rows import joined_once

Tree = exp.Expr


def same_grain(ask: Ask) -> Match | Miss:
    """Return a plan that reads each group of the query from the group's only storage row, without aggregating again.

    Return a Miss if the query's groups are not the view's groups, or if the view cannot answer the query. `ask` has the
    query, the access path (the view with its storage table), and the mapping of the view's tables to the query's
    tables.

    law:    if the query's keys determine the view's keys, each group of the query is one group of the view; an
            additional join of the query must only drop groups, or find at most one row for each group by a trusted key
    view:   SELECT region, sex, sum(price) AS total FROM sales GROUP BY region, sex
    query:  SELECT sex, sum(price) FROM sales WHERE region = 'eu' GROUP BY sex
    gives:  SELECT sex, total FROM view WHERE region = 'eu'
    """
    reading, keys = ask.reading, ask.keys
    if isinstance(reading, Miss):
        return reading
    if isinstance(keys, Miss):
        return keys
    repeated = ask.path.scattered or bool(reading.filled) or _repeating(reading)
    if repeated or reading.block.sets is not None or not _determined(reading, keys):
        return Miss(
            Reason.SHAPE,
            "the groups of the query are not the groups of the view: create a view with the query's GROUP BY",
        )
    if not reading.block.keys and (reading.residual or reading.extra):
        # If a filter drops the view's only row, the rewriting returns no row, but the query returns one.
        return Miss(
            Reason.SHAPE,
            "the query has no GROUP BY, so it returns one row even if its filters and joins drop all rows, but the "
            "view's row would then be dropped, too: create a view with these filters and joins",
        )
    groups = Groups(reading, keys, Aggregates(reading).direct)
    return finish(reading, groups.over, keys=None, rolled_up=False)


def _determined(reading: Reading, keys: Mapping[Tree, Tree]) -> bool:
    """Return whether the query's keys and filters determine each key of the view.

    `reading` is the query, expressed over the view's storage table. `keys` maps each grouping key of the query to its
    expression over the storage columns.
    """
    rest = reading.view_keys - keys.keys()
    return not rest or (bool(keys) and all(map(reading.dependencies(keys).determine, rest)))


def _repeating(reading: Reading) -> bool:
    """Return whether the query joins tables that could repeat a group of the view.

    SEMI and ANTI joins cannot repeat a group, and neither can a join by a table's whole primary key. `reading` is the
    query, expressed over the view's storage table.
    """
    beside = {table.id for table in reading.extra}
    filtering = frozenset[str]().union(*(join.tables for join in reading.joins if join.kind in ("SEMI", "ANTI")))
    left = beside - filtering
    return bool(left) and not left <= joined_once({table.id for table in reading.block.tables} - beside, reading.block)
