"""Verifies a plan that answers a set operation from a view that is the same set operation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from rewriter.block import Block
from rewriter.freshness import Relations
from rewriter.index import Definitions
from rewriter.match.set_operations import UNION_ALL, SetOperation, stored_operation
from rewriter.model import MaterializedView, Session, Table
from rewriter.sql import ParseError, parse_select
from rewriter.verify.proofs import verdict_on
from rewriter.verify.texts import tail_problem
from rewriter.verify.verdict import PROVED, REFUTED, UNDECIDED, Verdict


def verify_branches(
    operation: SetOperation,
    questions: Sequence[Block],
    plan: str,
    session: Session,
    view: MaterializedView,
    definitions: Definitions,
    relations: Relations,
) -> Verdict:
    """Return the verdict on a plan for a set operation, by a comparison of each branch with a branch of the view.

    `operation` is the query, `questions` are the blocks of its branches, and `plan` is the SQL text of the plan. A plan
    for `a UNION b` reads the storage table of a view whose query is `c UNION d`. The plan is proved if it answers a
    when it is run over the rows of c, and answers b over the rows of d; or, because UNION allows another order of the
    branches, if the same holds with c and d exchanged. The order stays fixed for EXCEPT. `definitions` has all views,
    `relations` the tables and views by name.

    law:    the plan equals the set operation if each branch of the operation is the plan over one branch of the view,
            if the operator gives the same rows for this order of the branches, and, for operators other than UNION
            ALL, if the plan keeps all columns, so that no two different rows become equal
    """
    stored, storage = stored_operation(view), relations.get(view.storage)
    if stored is None or not isinstance(storage, Table) or len(stored[1].branches) != len(questions):
        return Verdict(UNDECIDED, "the view's query is not a set operation with as many branches as the query")
    statement, of_view = stored
    if of_view.operator != operation.operator:
        return Verdict(REFUTED, f"the view's query is a {of_view.operator} instead of a {operation.operator}")
    texts = [statement.sql[slice(*branch.span)] for branch in of_view.branches]
    try:
        tree, tail = parse_select(plan), parse_select(f"SELECT 1 {operation.query.tail}")
    except ParseError as problem:
        return Verdict(UNDECIDED, str(problem))
    given = {item.unalias().name for item in tree.expressions if isinstance(item.unalias(), exp.Column)}
    if operation.operator != UNION_ALL and not {column.name for column in storage.columns} <= given:
        return Verdict(
            REFUTED, f"{operation.operator} may merge rows of the rewritten query that the view keeps distinct"
        )
    wrong = tail_problem(tree, tail, operation.query.names)
    if wrong:
        return Verdict(REFUTED, wrong)
    alone = tree.copy()
    for clause in ("order", "limit", "offset"):
        alone.set(clause, None)
    text = alone.sql("spark")
    names = {storage.name, *(table.name for block in questions for table in block.tables)}
    problems = []
    for order in operation.orders():
        verdicts = []
        for branch, question, place in zip(operation.branches, questions, order, strict=True):
            of_branch = replace(view, query=texts[place], storage_query=texts[place])
            known = Definitions((of_branch,), declared=definitions.declared)
            asked = replace(question, names=(None,) * len(question.names), decides=False)
            verdicts.append(verdict_on(asked, branch.text, text, session, known, relations, names))
        if all(verdict.status == PROVED for verdict in verdicts):
            return Verdict(PROVED, axioms=tuple(dict.fromkeys(axiom for each in verdicts for axiom in each.axioms)))
        problems.append(next(verdict for verdict in verdicts if verdict.status != PROVED))
    certain = all(problem.status == REFUTED for problem in problems)
    return Verdict(REFUTED if certain else UNDECIDED, problems[0].reason)
