"""Answers a query from a view's stored rows together with the rows inserted and deleted since the last refresh."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from rewriter.block import Block, Predicates
from rewriter.delta import CHANGE_TYPE, Changed, Read, signed, signed_problem, terms, with_group_counts
from rewriter.match import Ask, Delta, Miss, Reason, TwoPhase
from rewriter.match.decompose import changes_of, changes_problem, decomposed, derived_problem
from rewriter.match.joins import filling_join
from rewriter.model import ChangeKind
from rewriter.schema import output_types

Tree = exp.Expr


def changelog_union(ask: Ask) -> TwoPhase | Miss:
    """Plan to add the inserted rows to a view's stored sums and counts, and to subtract the deleted rows.

    Return a Miss if no rows were deleted or replaced since the last refresh (the rule delta_union is for appends), if
    the query does not group, or if it has an aggregate from which a deleted row cannot be subtracted. `ask` has the
    query, the access path (the view with its storage table), and the mapping of the view's tables to the query's
    tables. Spark lists a copied row, of a data file that DELETE or UPDATE has rewritten, once as deleted and once as
    inserted.

    law:    sum and count are linear: new = old + inserted - deleted, exactly for integers and decimals; so is a join of
            the changed table with other tables, if no outer, SEMI or ANTI join drops its rows
    view:   SELECT region, sum(price) AS total, count(price) AS n, count(*) AS cnt FROM sales GROUP BY region
    query:  SELECT region, sum(price) FROM sales GROUP BY region
    gives:  SELECT region, total FROM (SELECT region, CASE WHEN sum(n) = 0 THEN NULL ELSE sum(total) END AS total FROM
            (SELECT region, total, n, cnt FROM view UNION ALL SELECT region, sum(CASE WHEN _change_type = 'INSERT' THEN
            price ELSE -price END), … FROM sales.changes WITH ('start-snapshot-id' = '5', 'end-snapshot-id' = '9') GROUP
            BY region) GROUP BY region HAVING sum(cnt) > 0)
    no:     min and max, because the row with the minimum or maximum may have been deleted
    no:     a sum without the count of its argument, which tells a sum of 0 from a sum of no values, which is NULL
    """
    query, path = ask.question, ask.path
    if not isinstance(query, Predicates) or all(change.kind is not ChangeKind.CHANGED for change in path.grown):
        return Miss(
            Reason.SHAPE,
            "the rule changelog_union reads rows deleted from the view's base tables since the last refresh of the "
            "view, and no rows were deleted",
            apart=True,
        )
    if problem := _query_problem(ask, query.block):
        return Miss(Reason.SHAPE, problem)
    changes = changes_of(query.block, frozenset(ask.mapping.values()), path.grown)
    if problem := changes_problem(query.block, changes):
        return Miss(Reason.SHAPE, problem)
    # Row counts and column bounds describe the current rows, and the deleted rows may exceed them.
    tables = tuple(replace(table, contents=None) for table in query.block.tables)
    groups = with_group_counts(decomposed(replace(query.block, tables=tables)))
    if problem := signed_problem(groups, _types(groups), recomputed=False):
        return Miss(Reason.AGGREGATE_DOES_NOT_ROLL_UP, f"the current rows, because {problem}: refresh the view")
    held = replace(ask, question=Predicates(groups, query.conjuncts, query.zone), path=path.before_changes)
    return TwoPhase(groups, held, deltas=tuple(_delta(groups, reads) for reads in terms(changes)), signed=True)


def _query_problem(ask: Ask, block: Block) -> str:
    """Return why a query cannot be answered with changed rows, as the end of a message; empty if it can.

    `block` is the query's block.
    """
    if block.keys is None:
        return "rows were deleted or replaced since the last refresh, and the query does not group: refresh the view"
    if (join := filling_join(block, ask.mapping)) is not None:
        changed = {change.name for change in ask.path.grown}
        names = dict.fromkeys(str(t.name) for t in block.tables if t.id in join.tables and t.name in changed)
        return (
            f"rows of {' and '.join(names)}, on the right side of a LEFT join, were deleted or replaced since the last "
            "refresh: refresh the view"
        )
    if problem := derived_problem(block, "the changed rows"):
        return f"{problem}: refresh the view"
    named = next((table.name for table in block.tables if table.column(CHANGE_TYPE) is not None), None)
    if named is not None:
        return f"{named} has a column {CHANGE_TYPE}, as Iceberg's list of changed rows has: rename the column"
    return ""


def _delta(groups: Block, reads: Sequence[Read]) -> Delta:
    """Return the groups of one term; if the term reads changed rows, deleted rows count negatively."""
    pairs = zip(groups.tables, reads, strict=True)
    changed = next((table.id for table, read in pairs if isinstance(read, Changed)), None)
    if changed is None:
        return Delta(groups, tuple(reads))
    types = _types(groups)
    outputs = (each if each in (groups.keys or ()) else signed(each, changed, types[each]) for each in groups.outputs)
    return Delta(replace(groups, outputs=tuple(outputs)), tuple(reads))


def _types(groups: Block) -> Mapping[Tree, str]:
    return dict(zip(groups.outputs, output_types(groups), strict=True))
