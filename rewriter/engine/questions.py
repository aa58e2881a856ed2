"""Builds the blocks (one for each SELECT of a statement) that rewrite rules match with views."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from rewriter.block import Block, Find, Found, build_block, takes_first_rows
from rewriter.correlation import Correlation, correlation_of, refused_outer
from rewriter.derived import common_of, texts_of
from rewriter.freshness import Relations
from rewriter.functions.trees import number
from rewriter.index import Definitions
from rewriter.model import Table
from rewriter.sql import Membership, SelectBlock, Statement, membership_of

DERIVED_ALONE = "the SELECT reads only derived tables, each of which is rewritten separately"


def finder(statement: Statement, definitions: Definitions, relations: Relations) -> Find:
    """Return a function that looks up a table or view that a FROM clause names.

    The function returns None for an unknown name, and for a view whose definition has changed since it was read.
    """

    def find(table: exp.Table) -> Found | None:
        name = statement.resolve(table)
        if name is None:
            return None
        relation = relations.get(name)
        if isinstance(relation, Table):
            return Found(name, relation.columns, relation)
        view = definitions.by_name.get(name) or definitions.plain_by_name.get(name)
        if view is not None and relation == view.state:
            return Found(name, view.columns)
        return None

    return find


def unread(problem: Exception) -> str:
    """Return the message that says why a SELECT is not supported; `problem` is the exception raised for the SELECT."""
    return "the query is nested too deeply: simplify the query" if isinstance(problem, RecursionError) else str(problem)


def block_of(
    select: SelectBlock, tree: exp.Select, statement: Statement, find: Find
) -> tuple[Block, Correlation | None]:
    """Return the block of a SELECT, and its outer references (None if the SELECT cannot have any).

    `tree` is the syntax tree of `select`. `find` looks up a table or view that a FROM clause names. Raise Unsupported
    if the SELECT has syntax that is not supported.
    """
    correlation = correlation_of(statement, select, find)
    common = common_of(statement, find)
    outer = correlation.column if correlation is not None else refused_outer(statement, select)
    ties = takes_first_rows(statement, select)
    membership = membership_of(statement, select)
    block = build_block(
        tree,
        find,
        common,
        texts=texts_of(select, statement, find),
        outer=outer,
        ties=ties,
        exists=membership is Membership.EXISTS,
        decides=statement.decides_by(select),
    )
    operand = _asked_as_set(block, membership)
    if correlation is not None:
        within = membership in (Membership.EXISTS, Membership.IN)
        correlation.check(operand if within else block, compared=not within)
    return operand, correlation


def _asked_as_set(block: Block, membership: Membership | None) -> Block:
    """Return the block, marked `as_set` if the enclosing query uses the block's rows so that duplicates do not matter.

    `membership` is this use: EXISTS, IN or a set operator without ALL; None for any other use. For EXISTS, the outputs
    become the constant 1. Return the block unchanged if `membership` is None, or if the block groups, deduplicates,
    sorts or limits its rows, or has window functions.
    """
    beyond = block.keys is not None or block.limit or block.offset or block.order or not block.plain
    if membership is None or beyond:
        return block
    if membership is Membership.EXISTS:
        block = replace(block, outputs=(number(1),), names=(None,))
    return replace(block, as_set=True)


def reads_derived_alone(block: Block) -> bool:
    """Return whether a block reads only derived tables, each of which is answered as a block of its own.

    Return False if one of the derived tables is a UNION ALL, because then the block itself can be answered, separately
    over each branch of the UNION ALL.
    """
    return all(table.text and not table.branches for table in block.tables)
