"""Answers set operations (UNION, INTERSECT, EXCEPT) from views that are the same set operation.

The branches of the view may have more rows or columns than the branches of the query.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from rewriter.block import Block, Find, Unsupported, build_block, find_among, predicates_of, tells_time
from rewriter.cost import Costs, cost_problem
from rewriter.engine.access_paths import columns_of
from rewriter.engine.answer import Answer, answer_whole
from rewriter.engine.questions import DERIVED_ALONE, block_of, finder, reads_derived_alone, unread
from rewriter.freshness import Relations
from rewriter.index import Definitions
from rewriter.match import AccessPath, Match, Miss, Reason
from rewriter.match.set_operations import SetOperation, SetQuestion, set_operation_of, stored_operation
from rewriter.match.texts import decides_by_floats, whole_queries
from rewriter.model import Column, MaterializedView, Session, TableName
from rewriter.rules.branch_by_branch import branch_by_branch
from rewriter.scans import total
from rewriter.schema import output_types
from rewriter.sql import Statement, parse
from rewriter.verify import UNDECIDED, Verdict, verify_branches

Columns = tuple[tuple[TableName, tuple[Column, ...]], ...]


def questions_of(operation: SetOperation, statement: Statement, find: Find) -> tuple[Block, ...] | Miss:
    """Return the questions of a set operation, which are the blocks of its branches.

    Return a Miss if a branch is unsupported or has outer references. `find` looks up a table or view that a FROM
    clause names.
    """
    blocks = []
    try:
        for branch in operation.branches:
            assert branch.tree is not None
            block, correlation = block_of(branch, branch.tree, statement, find)
            if reads_derived_alone(block):
                raise Unsupported(DERIVED_ALONE)
            if correlation is not None:
                raise Unsupported(
                    "a branch of the set operation is a correlated subquery, which is not supported: write the set "
                    "operation as a derived table that is joined to the outer query's tables"
                )
            blocks.append(replace(block, as_set=False))
    except (Unsupported, RecursionError) as problem:
        return Miss(Reason.UNSUPPORTED, unread(problem))
    return tuple(blocks)


def answer_set(
    operation: SetOperation,
    statement: Statement,
    find: Find,
    path: AccessPath,
    definitions: Definitions,
    relations: Relations,
) -> tuple[Answer, tuple[str | None, ...]] | None:
    """Return a view's answer to a set operation, and the output names (empty without a match).

    `path` is the access path to the view. Return None if the view has another set operator or number of branches, or is
    not a supported set operation. The Answer contains a Miss if the branches do not match, if an outer query may filter
    by a floating-point output, or if reading the view is not estimated to be cheaper. `find` looks up a table or view
    that a FROM clause names.
    """
    name = branch_by_branch.__name__
    held = _branches(path.view, _known(path.view, definitions, relations))
    if held is None or held[0] != (operation.operator, len(operation.branches)):
        return None
    blocks = questions_of(operation, statement, find)
    if isinstance(blocks, Miss):
        return Answer(name, blocks), ()
    deciding = decides_by_floats(operation.query, statement, path.storage)
    if deciding is not None:
        return Answer(name, Miss(Reason.FLOAT_COMPARED, deciding.name)), ()
    types = tuple(column.type for column in path.storage.columns)
    if any(output_types(branch) != types for branch in held[1]):
        return Answer(
            name,
            Miss(
                Reason.SHAPE,
                "a branch of the view's set operation has other types than the view's columns: cast the outputs of the "
                "branch to the types of the columns",
            ),
        ), ()
    session = statement.session
    found = _in_some_order(operation, blocks, held[1], path, session.time_zone)
    if isinstance(found.result, Miss):
        return found, ()
    costs = Costs(relations, session.time_zone)
    plan, tables = costs.of_match(found.result), total(map(costs.of_block, blocks))
    dearer = cost_problem(plan, tables, path.view, session)
    return (found, blocks[0].names) if dearer is None else (Answer(name, dearer), ())


def _in_some_order(
    operation: SetOperation, questions: Sequence[Block], branches: Sequence[Block], path: AccessPath, zone: str
) -> Answer:
    """Return a view's answer to a set operation, in the first order of the view's branches in which all match.

    `questions` are the blocks of the branches of `operation`, and `branches` those of the view's set operation. `path`
    is the access path to the view, `zone` the session's time zone. The Answer contains a Miss if the branches match in
    no order.
    """
    asked = [predicates_of(block, zone) for block in questions]
    paths = [replace(path, block=block) for block in branches]
    closest = Answer(
        branch_by_branch.__name__,
        Miss(
            Reason.SHAPE,
            "the branches of the query's set operation are not branches of the view's set operation: create a view "
            "with the branches of the query",
        ),
    )
    for order in operation.orders():
        pairs = tuple((question, paths[place]) for question, place in zip(asked, order, strict=True))
        found = answer_whole(SetQuestion(operation, pairs), path)
        if isinstance(found.result, Match):
            return found
        # In another order the branches read other tables, which says less about the view.
        closest = found if found.result.reason is not Reason.TABLES_DIFFER else closest
    return closest


def verify_set(
    original: str,
    plan: str,
    session: Session,
    view: MaterializedView,
    definitions: Definitions,
    relations: Relations,
) -> Verdict:
    """Return the verdict on a plan for a set operation, by comparing its branches with the branches of the view.

    `original` is the text of the set operation, `plan` the text of the plan. The verdict is UNDECIDED if `original` is
    not a supported set operation.
    """
    statement = parse(original, session)
    whole = next(whole_queries(statement, ()), None)
    operation = set_operation_of(whole, statement) if whole is not None else None
    if operation is None:
        return Verdict(UNDECIDED, "the query is not a supported set operation")
    blocks = questions_of(operation, statement, finder(statement, definitions, relations))
    if isinstance(blocks, Miss):
        return Verdict(UNDECIDED, blocks.detail)
    return verify_branches(operation, blocks, plan, session, view, definitions, relations)


def _known(view: MaterializedView, definitions: Definitions, relations: Relations) -> Columns:
    return tuple((name, columns_of(name, definitions, relations)) for name in definitions.sources[view.name])


@lru_cache(maxsize=1024)
def _branches(view: MaterializedView, columns: Columns) -> tuple[tuple[str, int], tuple[Block, ...]] | None:
    """Return the operator and the number of branches of a view's set operation, and the blocks of its branches.

    `columns` has the columns of each table that the view reads. Return None for a view that is not a supported set
    operation. The result is cached.
    """
    stored = stored_operation(view)
    if stored is None or stored[0].ctes:
        return None
    statement, operation = stored
    find = find_among(statement, dict(columns))
    try:
        blocks = tuple(build_block(branch.tree, find) for branch in operation.branches if branch.tree is not None)
    except Unsupported:
        return None
    if any(block.having or block.limit or block.offset or not block.plain for block in blocks):
        return None
    if any(tells_time(tree) for block in blocks for tree in block.expressions):
        return None
    return (operation.operator, len(blocks)), blocks
