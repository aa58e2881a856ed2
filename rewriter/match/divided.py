"""Replaces a UNION ALL in FROM by one of its branches, so that a query can be divided into one query per branch."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

from sqlglot import exp

from rewriter.block import Block, Occurrence, renamed
from rewriter.block.changed import mapped
from rewriter.functions.trees import cast
from rewriter.schema import expression_type

Tree = exp.Expr


def merged(block: Block, union: Occurrence, branch: Block) -> Block:
    """Return the block with `union`, a UNION ALL in FROM, replaced by the tables, joins and filters of one of its
    branches.

    `branch` is the block of this branch.
    """
    taken = {table.id for table in block.tables if table.id != union.id}
    fresh = (f"b{i}" for i in count() if f"b{i}" not in taken)
    mapping = {table.id: table.id if table.id not in taken else next(fresh) for table in branch.tables}
    known = {
        column.name.lower(): _typed(output, column.type, branch)
        for column, output in zip(union.columns, branch.outputs, strict=True)
    }
    inside = {name: renamed(tree, mapping) for name, tree in known.items()}

    def put(node: Tree) -> Tree:
        return inside[node.name.lower()].copy() if isinstance(node, exp.Column) and node.table == union.id else node

    over = mapped(block, put)
    return replace(
        over,
        tables=(
            *(replace(table, id=mapping[table.id]) for table in branch.tables),
            *(table for table in block.tables if table.id != union.id),
        ),
        where=(*(renamed(tree, mapping) for tree in branch.where), *over.where),
        joins=(*(join.renamed(mapping) for join in branch.joins), *over.joins),
    )


def _typed(output: Tree, kind: str, branch: Block) -> Tree:
    """Return a branch's output, cast to the type `kind` of the UNION ALL's column if the output has another type.

    NULL has the type void, and is cast to any other type. `branch` is the block of the branch.
    """
    return output if expression_type(output, branch) == kind else cast(output, kind)
