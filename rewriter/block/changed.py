"""Replaces nodes and occurrence ids (the ids of the tables in FROM) in expressions and blocks.

Unchanged subtrees are shared, not copied.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from rewriter.block.form import Block, Join

Tree = exp.Expr


def renamed_block(block: Block, mapping: Mapping[str, str]) -> Block:
    """Return the block with the ids of its tables in FROM replaced: `mapping` maps old ids to new ids.

    Return the same object if no id changes.
    """
    if all(mine == other for mine, other in mapping.items()):
        return block
    tables = tuple(replace(table, id=mapping[table.id]) for table in block.tables)
    joins = tuple(join.renamed(mapping) for join in block.joins)

    def rename(node: Tree) -> Tree:
        if not isinstance(node, exp.Column) or node.table not in mapping:
            return node
        return exp.column(node.name, mapping[node.table])

    return replace(mapped(replace(block, tables=tables, joins=()), rename), joins=joins)


def changed(tree: Tree, change: Callable[[Tree], Tree]) -> Tree:
    """Return the tree with `change` applied to each node, outer nodes first.

    `change` returns a replacement, or its argument to keep the node. The nodes of a replacement are not changed again.
    """
    new = change(tree)
    if new is not tree or isinstance(tree, (exp.Column, exp.Literal, exp.DataType, exp.Identifier)):
        return new
    other = False
    arguments: dict[str, object] = {}
    for name, value in tree.args.items():
        if isinstance(value, list):
            values = [changed(item, change) if isinstance(item, Tree) else item for item in value]
            other |= any(mine is not theirs for mine, theirs in zip(values, value, strict=True))
            arguments[name] = values
        else:
            new = arguments[name] = changed(value, change) if isinstance(value, Tree) else value
            other |= new is not value
    return type(tree)(**arguments) if other else tree


def mapped(block: Block, change: Callable[[Tree], Tree]) -> Block:
    """Return the block with `change` applied to each node of its expressions, outer nodes first.

    `change` returns a replacement, or its argument to keep the node. The nodes of a replacement are not changed again.
    """

    def each(trees: Sequence[Tree]) -> tuple[Tree, ...]:
        return tuple(changed(tree, change) for tree in trees)

    return replace(
        block,
        where=each(block.where),
        outputs=each(block.outputs),
        keys=None if block.keys is None else each(block.keys),
        having=each(block.having),
        order=tuple(replace(item, key=changed(item.key, change)) for item in block.order),
        joins=tuple(Join(join.kind, join.tables, each(join.on)) for join in block.joins),
        sets=None if block.sets is None else tuple(each(keys) for keys in block.sets),
        since=tuple((changed(source, change), at) for source, at in block.since),
    )
