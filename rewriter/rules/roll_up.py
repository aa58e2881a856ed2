"""Answers a query from a view whose groups are finer than the query's."""

from __future__ import annotations

from rewriter.match import Aggregates, Ask, Match, Miss
from rewriter.match.grouping import Groups, finish


def roll_up(ask: Ask) -> Match | Miss:
    """Return a plan that aggregates the view's groups again, into the coarser groups of the query.

    Return a Miss if the view cannot answer the query. `ask` has the query, the access path (the view with its storage
    table), and the mapping of the view's tables to the query's tables.

    law:    if the query's keys, filters and joins are functions of the view's keys, each group of the view lies within
            one group of the query
    view:   SELECT region, sex, sum(price) AS total, count(*) AS cnt FROM sales GROUP BY region, sex
    query:  SELECT region, sum(price), count(*) FROM sales GROUP BY region
    gives:  SELECT region, sum(total), coalesce(sum(cnt), 0) FROM view GROUP BY region
    no:     a query with GROUP BY user_id, which the view does not have as a key
    """
    reading, keys = ask.reading, ask.keys
    if isinstance(reading, Miss):
        return reading
    if isinstance(keys, Miss):
        return keys
    groups = Groups(reading, keys, Aggregates(reading).rolled)
    return finish(reading, groups.over, keys=keys, rolled_up=True)
