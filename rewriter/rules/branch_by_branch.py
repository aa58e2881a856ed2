"""Answers a set operation from a view that is the same set operation with matching branches."""

from __future__ import annotations

from rewriter.match import Ask, Branchwise, Miss, Reason
from rewriter.match.set_operations import SetQuestion


def branch_by_branch(ask: Ask) -> Branchwise | Miss:
    """Plan to answer a set operation branch by branch, from a view that is the same set operation.

    The engine then answers each branch from the view's matching branch, and requires that all branches give the same
    SELECT over the view. Return a Miss if the query or the view is not such a set operation. `ask` has the query, the
    access path (the view with its storage table), and the mapping of the view's tables to the query's tables.

    law:    a filter on whole rows may be applied before or after UNION, INTERSECT and EXCEPT; a projection may be
            applied before or after UNION ALL, and before or after any other operator if it keeps all columns, so
            that no two different rows become equal
    view:   SELECT id, region, n FROM sales WHERE n > 3 UNION ALL SELECT id, region, n FROM returns
    query:  SELECT region FROM returns WHERE id < 9 UNION ALL SELECT region FROM sales WHERE n > 3 AND id < 9
    gives:  SELECT region FROM view WHERE id < 9
    no:     branches with different filters that the view has not applied, because one read has one filter
    no:     SELECT region FROM sales INTERSECT SELECT region FROM returns over a view that also selects id
    no:     the branches of EXCEPT in another order
    no:     an outer filter on a floating-point output, as in text_match
    """
    question = ask.question
    if not isinstance(question, SetQuestion):
        return Miss(
            Reason.SHAPE,
            "the rule branch_by_branch is only for set operations (UNION, INTERSECT, EXCEPT), and the query is not a "
            "set operation",
            apart=True,
        )
    return Branchwise(question)
