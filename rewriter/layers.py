"""Divides a grouped block into two levels: its groups as a derived table, and an ungrouped block over this table.

query:  SELECT region, sum(price) FROM sales GROUP BY region HAVING count(*) > 9
gives:  SELECT g.region, g.`sum(price)` FROM (SELECT region, sum(price), count(*) FROM sales GROUP BY region) AS g
        WHERE g.`count(*)` > 9
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from itertools import count
from typing import NamedTuple

from sqlglot import exp

from rewriter.block import Block, Occurrence, aggregate_of, remembered
from rewriter.block.changed import changed, mapped
from rewriter.block.traits import is_window_call
from rewriter.block.words import words
from rewriter.model import Column, TableName
from rewriter.schema import output_types
from rewriter.sql import columns_in, windows_in

Tree = exp.Expr
_GROUPS = "groups_0"


class Obstacle(Enum):
    """The reason why a derived table cannot be merged into the block that reads it."""

    WINDOW = "WINDOW"
    COMPUTED = "COMPUTED"
    FULL_JOIN = "FULL_JOIN"
    GROUPING_SETS = "GROUPING_SETS"


@remembered
def over_groups(block: Block) -> Block | None:
    """Return a grouped block as an ungrouped block that reads the groups as a derived table.

    Return None for a block without groups, and for grouping sets. The result is cached.
    """
    if block.keys is None or block.sets is not None:
        return None
    groups = _groups(block, _GROUPS)
    # The outer block has nothing left to filter, join or group at the level of rows.
    rows = replace(block, tables=(groups.table,), where=block.having, having=(), keys=None, joins=(), since=())
    return mapped(rows, lambda node: part_of(groups.columns, node))


@remembered
def all_groups(block: Block) -> Block | Obstacle:
    """Return the block with the HAVING of its derived tables moved to the WHERE or ON of the block itself.

    The derived tables then have all groups. Return an Obstacle if a HAVING cannot be moved: its derived table has
    GROUPING SETS, or cannot be merged into the block (see `in_place_of`). The result is cached.
    """
    for table in block.tables:
        if table.inner is None:
            continue
        inner = all_groups(table.inner)
        if isinstance(inner, Obstacle):
            return inner
        if inner is table.inner and not inner.having:
            continue
        if inner.sets is not None:
            return Obstacle.GROUPING_SETS
        block = replace(block, tables=tuple(replace(t, inner=inner) if t is table else t for t in block.tables))
        pulled = _pulled(block, table, inner) if inner.having else block
        if isinstance(pulled, Obstacle):
            return pulled
        block = pulled
    return block


def _pulled(block: Block, table: Occurrence, inner: Block) -> Block | Obstacle:
    groups = _groups(inner, table.id)

    def over(tree: Tree) -> Tree:
        return changed(tree, lambda node: part_of(groups.columns, node))

    outputs = {c.name.lower(): over(tree) for c, tree in zip(table.columns, inner.outputs, strict=True)}
    return in_place_of(block, table, groups.table, outputs, tuple(map(over, inner.having)))


def in_place_of(
    block: Block, table: Occurrence, other: Occurrence, outputs: Mapping[str, Tree], filters: Sequence[Tree]
) -> Block | Obstacle:
    """Return a block with the table `table` replaced by `other`.

    `outputs` maps each column of `table` to its expression over `other`; `filters` are conditions over `other` to add.
    Return an Obstacle in three cases:

    - A used column is a window function. The function would read other rows, because the joins, filters and groups of
      `block` would run before the function.
    - `table` is on the right side of an outer join or in a FULL join, and a used column is computed. The join would
      fill the columns of `other` with NULLs, not the computed column.
    - A filter would have to run before a FULL join.
    """
    bringing = next((join for join in block.joins if table.id in join.tables), None)
    used = {c.name.lower() for tree in block.expressions for c in columns_in(tree) if c.table == table.id}
    if any(windows_in(outputs[name]) for name in used):
        return Obstacle.WINDOW
    filled = bringing is not None and bringing.kind in ("LEFT", "FULL")
    if filled and not all(isinstance(outputs[name], exp.Column) for name in used):
        return Obstacle.COMPUTED
    if filters and any(join.kind == "FULL" for join in block.joins):
        return Obstacle.FULL_JOIN

    def put(node: Tree) -> Tree:
        own = isinstance(node, exp.Column) and node.table == table.id
        return outputs[node.name.lower()] if own else node

    new = replace(table, name=other.name, columns=other.columns, inner=other.inner)
    tables = tuple(new if each.id == table.id else each for each in block.tables)
    placed = replace(mapped(block, put), tables=tables)
    if bringing is None:
        return replace(placed, where=(*placed.where, *filters))
    joins = (replace(join, on=(*join.on, *filters)) if table.id in join.tables else join for join in placed.joins)
    return replace(placed, joins=tuple(joins))


class _Groups(NamedTuple):
    """A derived table of groups; `columns` maps each key and aggregate to its column in this derived table."""

    table: Occurrence
    columns: Mapping[Tree, Tree]


def _groups(block: Block, table: str) -> _Groups:
    assert block.keys is not None
    parts = tuple(dict.fromkeys((*block.keys, *_aggregates(block))))
    names = _names(parts)
    inner = replace(
        block, outputs=parts, names=tuple(names.values()), having=(), order=(), limit=None, offset=None,
        distinct=False, decides=False,
    )  # fmt: skip
    columns = tuple(map(Column, names.values(), output_types(inner)))
    occurrence = Occurrence(table, TableName((table,)), table, columns, inner=inner)
    return _Groups(occurrence, {part: exp.column(name, table) for part, name in names.items()})


def _aggregates(block: Block) -> Iterable[Tree]:
    trees = (*block.outputs, *block.having, *(item.key for item in block.order))
    return (node for tree in trees for node in outermost_aggregates(tree))


def outermost_aggregates(tree: Tree) -> Iterable[Tree]:
    """Return the aggregates in an expression that are not arguments of another aggregate, each with its FILTER."""
    found: list[Tree] = []

    def seen(node: Tree) -> Tree:
        if aggregate_of(node) is None:
            return node
        found.append(node)
        return exp.null()

    changed(tree, seen)
    return found


def part_of(columns: Mapping[Tree, Tree], node: Tree) -> Tree:
    """Return the column of a grouped derived table that holds a key or an aggregate; other nodes unchanged.

    The function before OVER is not replaced, because `count(*) OVER ()` counts the groups, and `count(*)` the rows of
    each group.
    """
    return node if is_window_call(node) else columns.get(node, node)


def _names(parts: Iterable[Tree]) -> Mapping[Tree, str]:
    """Return a distinct column name for each key and aggregate: the expression's text in lower case.

    If the name is taken, a number is appended.
    """
    names: dict[Tree, str] = {}
    for part in parts:
        name = words(part).lower()
        names[part] = next(n for i in count() if (n := f"{name} {i}" if i else name) not in names.values())
    return names
