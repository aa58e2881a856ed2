"""A view with finer groups than the query asks for."""

from __future__ import annotations

from collections.abc import Mapping

from rewriter.block import Predicates
from rewriter.match import Aggregates, Candidate, Match, Miss, Reason, read_view
from rewriter.match.grouping import Groups, finish, group_keys, inexact_decision


def roll_up(query: Predicates, candidate: Candidate, mapping: Mapping[str, str]) -> Match | Miss:
    """Aggregate the view's groups again, to the query's coarser ones.

    law:    each group of the view lies within one group of the query: the query's keys, filters and
            joins are functions of the view's keys
    view:   SELECT region, sex, sum(price) AS total, count(*) AS cnt FROM sales GROUP BY region, sex
    query:  SELECT region, sum(price), count(*) FROM sales GROUP BY region
    gives:  SELECT region, sum(total), coalesce(sum(cnt), 0) FROM view GROUP BY region
    no:     a query by user_id, which is finer
    """
    if candidate.block.keys is None:
        return Miss(Reason.SHAPE, "the view holds rows, not groups")
    if query.block.keys is None:
        return Miss(Reason.GROUPING_TOO_COARSE, "the view holds groups, the query asks for rows")
    reading = read_view(query, candidate, mapping)
    if isinstance(reading, Miss):
        return reading
    keys = group_keys(reading)
    if isinstance(keys, Miss):
        return Miss(Reason.GROUPING_TOO_COARSE, keys.detail) if keys.reason is Reason.COLUMN_NOT_IN_VIEW else keys
    inexact = inexact_decision(reading)
    if inexact is not None:
        return inexact
    groups = Groups(reading, keys, Aggregates(reading).rolled)
    return finish(reading, groups.over, group=tuple(keys.values()), rolled_up=True)
