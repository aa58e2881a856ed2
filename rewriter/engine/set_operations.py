"""Set operations of a statement, answered from views that are the same operation over more rows or columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from rewriter.block import Block, Find, Unsupported, build_block, find_among, predicates_of, tells_time
from rewriter.cost import UNKNOWN, cost, original_cost
from rewriter.engine.access_paths import columns_of
from rewriter.engine.answer import Answer, answer_whole
from rewriter.engine.questions import block_of, finder
from rewriter.freshness import Relations
from rewriter.index import Definitions
from rewriter.match import Candidate, Match, Miss, Reason
from rewriter.match.set_operations import SetOperation, SetQuestion, set_operation_of
from rewriter.match.texts import Part, parts
from rewriter.model import Column, MaterializedView, Table, TableName
from rewriter.rules.branch_by_branch import branch_by_branch
from rewriter.schema import output_types
from rewriter.sql import Statement, parse, storage_statement
from rewriter.verify import UNDECIDED, Verdict, verify_branches

Columns = tuple[tuple[TableName, tuple[Column, ...]], ...]


def questions_of(operation: SetOperation, statement: Statement, find: Find) -> tuple[Block, ...] | Miss:
    """Return the blocks of a set operation's branches."""
    blocks = []
    try:
        for branch in operation.branches:
            assert branch.tree is not None
            block, correlation = block_of(branch, branch.tree, statement, find)
            if correlation is not None:
                raise Unsupported("a branch names columns of a block around it")
            blocks.append(replace(block, decides=statement.decides_by(branch)))
    except (Unsupported, RecursionError) as problem:
        return Miss(Reason.NOT_READ, str(problem) or "it is nested too deeply")
    return tuple(blocks)


def answer_set(
    part: Part, statement: Statement, find: Find, path: Candidate, definitions: Definitions, relations: Relations
) -> tuple[Answer, tuple[str | None, ...]] | None:
    """Return what comes of a set operation asked of a view, and the names of its outputs; None for other operators."""
    name = branch_by_branch.__name__
    operation = set_operation_of(part, statement)
    held = _branches(path.view, _known(path.view, definitions, relations))
    if operation is None or held is None or held[0] != (operation.operator, len(operation.branches)):
        return None
    blocks = questions_of(operation, statement, find)
    if isinstance(blocks, Miss):
        return Answer(name, blocks), ()
    wrong = next((each for each in held[1] if output_types(each) != tuple(c.type for c in path.storage.columns)), None)
    if wrong is not None:
        return Answer(name, Miss(Reason.SHAPE, "a branch of the view has other types than the view")), ()
    paths = [replace(path, block=block) for block in held[1]]
    asked = [predicates_of(block, statement.session.time_zone) for block in blocks]
    limit = sum(original_cost(block, relations) for block in blocks)
    found = Answer(name, Miss(Reason.SHAPE, "its branches are others than the view's"))
    for order in operation.orders():
        pairs = tuple((question, paths[place]) for question, place in zip(asked, order, strict=True))
        tried = answer_whole(SetQuestion(part, statement, operation.operator, pairs), path)
        if isinstance(tried.result, Match):
            if limit < cost(tried.result, blocks[0], relations) < UNKNOWN:
                return Answer(name, Miss(Reason.DEARER, "reading it costs more than reading the tables")), ()
            return tried, blocks[0].names
        # In another order of its branches, they read other tables.
        found = tried if tried.result.reason is not Reason.TABLES_DIFFER else found
    return found, ()


def verify_set(
    original: str,
    plan: str,
    statement: Statement,
    view: MaterializedView,
    definitions: Definitions,
    relations: Relations,
) -> Verdict:
    """Compare each branch of a set operation with the plan over the view's branch for it."""
    session = statement.session
    read = parse(original, session)
    part = next(parts(read, ()), None)
    operation = set_operation_of(part, read) if part is not None else None
    blocks = questions_of(operation, read, finder(read, definitions, relations)) if operation is not None else ()
    if part is None or operation is None or isinstance(blocks, Miss):
        return Verdict(UNDECIDED, "it is read as no set operation")
    storage = relations.get(view.storage)
    texts = branch_texts(view)
    if not isinstance(storage, Table) or len(texts) != len(blocks):
        return Verdict(UNDECIDED, "the view is another set operation")
    return verify_branches(operation, part, blocks, texts, plan, session, view, storage, definitions, relations)


def branch_texts(view: MaterializedView) -> Sequence[str]:
    """Return the texts of the branches of a view that is a set operation."""
    statement = storage_statement(view)
    operation = _operation(statement)
    return [statement.sql[slice(*branch.span)] for branch in operation.branches] if operation is not None else ()


def _operation(statement: Statement) -> SetOperation | None:
    part = next(parts(statement, ()), None)
    return set_operation_of(part, statement) if part is not None and not part.tail else None


def _known(view: MaterializedView, definitions: Definitions, relations: Relations) -> Columns:
    return tuple((name, columns_of(name, definitions, relations)) for name in definitions.sources[view.name])


@lru_cache(maxsize=1024)
def _branches(view: MaterializedView, columns: Columns) -> tuple[tuple[str, int], tuple[Block, ...]] | None:
    """The operator of a view, with the number and the blocks of its branches; None for other views."""
    statement = storage_statement(view)
    operation = _operation(statement)
    if operation is None or statement.ctes:
        return None
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
