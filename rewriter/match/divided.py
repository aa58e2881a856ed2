"""A question over a chain of UNION ALL as the same question over one of its branches."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

from sqlglot import exp

from rewriter.block import Block, Occurrence, renamed
from rewriter.functions.trees import cast
from rewriter.schema import expression_type

Tree = exp.Expr


def merged(block: Block, union: Occurrence, branch: Block) -> Block:
    """Return a block with a branch in the place of the union that it reads."""
    taken = {table.id for table in block.tables}
    fresh = (f"b{i}" for i in count() if f"b{i}" not in taken)
    mapping = {table.id: table.id if table.id not in taken else next(fresh) for table in branch.tables}
    known = {
        column.name.lower(): _typed(output, column.type, branch)
        for column, output in zip(union.columns, branch.outputs, strict=True)
    }
    inside = {name: renamed(tree, mapping) for name, tree in known.items()}

    def put(tree: Tree) -> Tree:
        return tree.transform(
            lambda node: (
                inside[node.name.lower()].copy() if isinstance(node, exp.Column) and node.table == union.id else node
            )
        )

    tables = (replace(table, id=mapping[table.id]) for table in branch.tables)
    joins = (replace(join, on=tuple(map(put, join.on))) for join in block.joins)
    return replace(
        block,
        tables=(*tables, *(table for table in block.tables if table.id != union.id)),
        where=(*(renamed(tree, mapping) for tree in branch.where), *map(put, block.where)),
        outputs=tuple(map(put, block.outputs)),
        keys=None if block.keys is None else tuple(map(put, block.keys)),
        having=tuple(map(put, block.having)),
        order=tuple(replace(item, key=put(item.key)) for item in block.order),
        joins=(*(join.renamed(mapping) for join in branch.joins), *joins),
        sets=None if block.sets is None else tuple(tuple(map(put, keys)) for keys in block.sets),
    )


def _typed(output: Tree, kind: str, branch: Block) -> Tree:
    """An output of a branch with the type of the union's column, which NULL does not have."""
    return output if expression_type(output, branch) == kind else cast(output, kind)
