"""Answers a query from a view's stored rows together with the rows appended to its tables since the last refresh."""

from __future__ import annotations

from dataclasses import replace

from rewriter.block import Predicates
from rewriter.delta import terms
from rewriter.match import Ask, Delta, Miss, Reason, TwoPhase
from rewriter.match.decompose import (
    changes_of,
    changes_problem,
    decomposed,
    derived_problem,
    groups_problem,
    joined_groups,
    over_union,
)
from rewriter.match.joins import filling_join
from rewriter.model import ChangeKind


def delta_union(ask: Ask) -> TwoPhase | Miss:
    """Plan to combine a view's stored rows with the rows appended to its tables since the last refresh.

    Return a Miss if no rows were appended, or if the query reads a derived table. Return a Miss, too, if appended rows
    may remove or change result rows, as with an outer, SEMI or ANTI join, or with window functions. Below, old(A) and
    new(A) are the rows of a table before and after the append, and dA are the appended rows. `ask` has the query, the
    access path (the view with its storage table), and the mapping of the view's tables to the query's tables.

    law:    new(A) JOIN new(B) = old(A) JOIN old(B) UNION ALL dA JOIN new(B) UNION ALL old(A) JOIN dB; each branch is
            aggregated, and the union is aggregated again; each branch reads the current rows of all other tables
    view:   SELECT region, sum(price) AS total FROM sales GROUP BY region          (filled at snapshot 5 of sales)
    query:  SELECT region, sum(price) FROM sales GROUP BY region                   (at snapshot 9)
    gives:  SELECT region, sum(part) FROM (SELECT region, total AS part FROM view UNION ALL SELECT region, sum(price)
            FROM sales WITH ('start-snapshot-id' = '5', 'end-snapshot-id' = '9') GROUP BY region) GROUP BY region
    no:     rows appended to the joined side of a LEFT, SEMI or ANTI join, because they may remove result rows

    If the joined side of the query's LEFT join consists of exactly the view's tables, the joined side becomes the UNION
    ALL of the stored groups and the groups of appended rows:

    query:  SELECT d.day, sum(s.price) FROM dates d LEFT JOIN sales s ON s.day = d.day GROUP BY d.day
    gives:  SELECT d.day, sum(v.total) FROM dates d LEFT JOIN (SELECT day, total FROM view UNION ALL SELECT day,
            sum(price) AS total FROM sales WITH (…) GROUP BY day) AS v ON v.day = d.day GROUP BY d.day
    """
    query, path = ask.question, ask.path
    appended = path.grown and all(change.kind is ChangeKind.APPENDED for change in path.grown)
    if not appended or not isinstance(query, Predicates):
        return Miss(
            Reason.SHAPE,
            "the rule delta_union reads rows appended since the last refresh of the view, and answers only if the "
            "view's base tables have changed by appends alone",
            apart=True,
        )
    if query.block.keys is None and not query.block.plain:
        return Miss(
            Reason.SHAPE,
            "the query has a window function, which must read the view's rows and the appended rows together: "
            "refresh the view",
        )
    if filling_join(query.block, ask.mapping) is not None:
        return _joined_side(ask, query)
    if problem := derived_problem(query.block, "the appended rows"):
        return Miss(Reason.SHAPE, f"{problem}: refresh the view")
    changes = changes_of(query.block, frozenset(ask.mapping.values()), path.grown)
    if problem := changes_problem(query.block, changes):
        return Miss(Reason.SHAPE, problem)
    groups = decomposed(query.block)
    held = replace(ask, question=Predicates(groups, query.conjuncts, query.zone), path=path.before_changes)
    return TwoPhase(groups, held, deltas=tuple(Delta(groups, reads) for reads in terms(changes)))


def _joined_side(ask: Ask, query: Predicates) -> TwoPhase | Miss:
    """Plan to join the left side of a LEFT join with a UNION ALL of the view's stored rows and of appended rows.

    The appended rows are grouped by the view's query. Return a Miss if the view has HAVING, an outer join or GROUPING
    SETS. `ask` has the access path (the view with its storage table); `query` are the query's predicates.
    """
    path, view = ask.path, ask.path.block
    if problem := groups_problem(path, "the groups of the appended rows"):
        return Miss(Reason.SHAPE, f"{problem}: refresh the view")
    groups = joined_groups(path)
    past = path.before_changes
    same = {table.id: table.id for table in view.tables}
    held = Ask(Predicates(groups, view.where, query.zone), past, same)
    deltas = tuple(Delta(groups, reads) for reads in terms(changes_of(view, frozenset(same), path.grown)))
    return TwoPhase(groups, held, deltas=deltas, over=replace(ask, path=over_union(past)))
