"""Answers a query from a view of rows, which is a view without GROUP BY."""

from __future__ import annotations

from rewriter.match import Ask, Match, Miss, Reason
from rewriter.match.grouping import Groups, finish, group_keys


def read_rows(ask: Ask) -> Match | Miss:
    """Return a plan that reads the view's rows instead of the tables' rows, and filters, groups and projects them.

    Return a Miss if the view cannot answer the query. A view with GROUP BY can answer only a query in which duplicate
    rows do not matter: the subquery of EXISTS or IN, an operand of UNION, INTERSECT or EXCEPT without ALL, or a query
    that reads the view's tables only on the right side of a SEMI or ANTI join. `ask` has the query, the access path
    (the view with its storage table), and the mapping of the view's tables to the query's tables.

    law:    a view without GROUP BY has the rows of its joined tables that satisfy its WHERE; so it can replace these
            tables if the query needs no other rows. EXISTS and IN only test whether a row exists, and a group exists if
            and only if it has a row; UNION, INTERSECT and EXCEPT without ALL return each row once
    view:   SELECT id, region, price * quantity AS revenue FROM sales WHERE year = 2024
    query:  SELECT region, sum(price * quantity) FROM sales WHERE year = 2024 AND id > 7 GROUP BY region
    gives:  SELECT region, sum(revenue) FROM view WHERE id > 7 GROUP BY region
    """
    reading = ask.reading
    if isinstance(reading, Miss):
        return reading
    held = reading.path.block.keys
    if held is not None and not (held and (reading.block.as_set or reading.tested)):
        return Miss(Reason.SHAPE, "the view stores groups, not the rows of its tables: create a view without GROUP BY")
    if reading.block.keys is None:
        return finish(reading, reading.compute, keys=None, rolled_up=False)
    keys = group_keys(reading)
    if isinstance(keys, Miss):
        return keys
    # The aggregates are computed over the view's rows, with their arguments derived from storage columns.
    groups = Groups(reading, keys, reading.compute)
    return finish(reading, groups.over, keys=keys, rolled_up=False)
