"""A block of groups as rows of these: what it does with its groups stands over them, as over a derived table.

query:  SELECT region, sum(price) FROM sales GROUP BY region HAVING count(*) > 9
gives:  SELECT g.region, g.`sum(price)` FROM (SELECT region, sum(price), count(*) FROM sales GROUP BY region) AS g
        WHERE g.`count(*)` > 9
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import count

from sqlglot import exp

from rewriter.block import Block, Occurrence, aggregate_of, remembered
from rewriter.block.changed import changed, mapped
from rewriter.block.words import words
from rewriter.model import Column, TableName
from rewriter.schema import output_types

Tree = exp.Expr
_GROUPS = "groups_0"


@remembered
def over_groups(block: Block) -> Block | None:
    """Return a block of groups as one of rows over a derived table of the groups; None for other blocks."""
    if block.keys is None or block.sets is not None:
        return None
    parts = tuple(dict.fromkeys((*block.keys, *_aggregates(block))))
    names = _names(parts)
    inner = replace(
        block, outputs=parts, names=tuple(names.values()), having=(), order=(), limit=None, offset=None,
        distinct=False, decides=False,
    )  # fmt: skip
    columns = tuple(map(Column, names.values(), output_types(inner)))
    table = Occurrence(_GROUPS, TableName((_GROUPS,)), _GROUPS, columns, inner=inner)
    # Of the rows themselves nothing is left to filter, to join or to group.
    rows = replace(block, tables=(table,), where=block.having, having=(), keys=None, joins=(), since=())
    return mapped(rows, lambda node: exp.column(names[node], _GROUPS) if node in names else node)


def _aggregates(block: Block) -> Iterable[Tree]:
    trees = (*block.outputs, *block.having, *(item.key for item in block.order))
    return (node for tree in trees for node in outermost_aggregates(tree))


def outermost_aggregates(tree: Tree) -> Iterable[Tree]:
    """Return the aggregates in an expression, each with its FILTER."""
    found: list[Tree] = []

    def seen(node: Tree) -> Tree:
        if aggregate_of(node) is None:
            return node
        found.append(node)
        return exp.null()

    changed(tree, seen)
    return found


def _names(parts: Iterable[Tree]) -> Mapping[Tree, str]:
    """A name for each part, none twice: as it is called in messages."""
    names: dict[Tree, str] = {}
    for part in parts:
        name = words(part).lower()
        names[part] = next(n for i in count() if (n := f"{name} {i}" if i else name) not in names.values())
    return names
