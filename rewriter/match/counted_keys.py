"""Counts a primary key without DISTINCT in a block whose rows have each row of the key's table at most once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from rewriter.block import Block, Occurrence
from rewriter.block.changed import mapped
from rewriter.functions.trees import call_of
from rewriter.functions.types import FRACTIONS
from rewriter.match.branches import branches_of
from rewriter.match.most_rows import joined_once

Tree = exp.Expr


def with_counted_keys(block: Block) -> Block:
    """Return the block with each `count(DISTINCT k)` of a primary key k as `count(k)`, if the two are equal; else the
    same object.

    Only keys in the `contents` of the block's tables are known; they must be trusted.

    law:    if a table is joined to all other tables by their whole primary keys, each row of the table is in at most
            one row of the block, so that no value of its primary key is counted twice; neither count has NULLs
    query:  SELECT c.country, count(DISTINCT o.id), count(DISTINCT CASE WHEN o.paid THEN o.id END)
              FROM orders o LEFT JOIN customers c ON o.customer = c.id GROUP BY c.country
    gives:  SELECT c.country, count(o.id), count(CASE WHEN o.paid THEN o.id END)
              FROM orders o LEFT JOIN customers c ON o.customer = c.id GROUP BY c.country
    no:     count(DISTINCT o.id) FROM items i JOIN orders o ON i.order_id = o.id, because an order has several items
    """
    if block.keys is None:
        return block
    found = mapped(block, lambda node: _counted(node, block))
    return block if found.expressions == block.expressions else found


def _counted(node: Tree, block: Block) -> Tree:
    """Return `count(k)` for the node `count(DISTINCT k)` of a primary key k whose values occur once in the block."""
    if not isinstance(node, exp.Anonymous) or node.name != "count" or not isinstance(node.expressions[0], exp.Distinct):
        return node
    values = node.expressions[0].expressions
    columns = [value if isinstance(value, exp.Column) else None for value in values]
    columns = columns if len(values) > 1 else [_only_column(values[0])]
    table = next((table for table in block.tables if _has_key(table, columns)), None)
    return node if table is None or not _occurs_once(table, block) else call_of("count", values[0])


def _only_column(value: Tree) -> exp.Column | None:
    """Return the column of a conditional expression whose other values are NULL, as k of `CASE WHEN p THEN k END`.

    Return a column itself, and None for other expressions. A CASE that is k for all rows is left alone: the shortlist
    asks for the columns of its conditions, of which the plan would read none.
    """
    branches = branches_of(value)
    values = {value, exp.Null()} if branches is None else set(branches.values)
    found = values - {exp.Null()}
    only = found.pop() if len(found) == 1 and len(values) == 2 else None
    return only if isinstance(only, exp.Column) else None


def _has_key(table: Occurrence, columns: Sequence[exp.Column | None]) -> bool:
    """Return whether expressions are columns of `table` among which are all columns of the table's primary key.

    Several columns must be NOT NULL: `count(DISTINCT a, b)` ignores rows in which one of them is NULL.
    """
    known = table.contents
    names = [column.name for column in columns if column is not None and column.table == table.id]
    if known is None or not known.primary_key or len(names) < len(columns):
        return False
    declared = [found for name in names if (found := known.column(name)) is not None and found.type not in FRACTIONS]
    certain = len(declared) == len(names) and (len(names) == 1 or not any(column.nullable for column in declared))
    return certain and {name.lower() for name in known.primary_key} <= set(names)


def _occurs_once(table: Occurrence, block: Block) -> bool:
    """Return whether each row of `table` is in at most one row of the block's FROM.

    Rows in which a LEFT join fills `table` with NULLs do not matter: the other rows satisfy the ON of this join.
    """
    filling = [join for join in block.joins if table.id in join.tables]
    if any(join.kind != "LEFT" or len(join.tables) > 1 for join in filling):
        return False
    rest = tuple(join for join in block.joins if join not in filling)
    matched = replace(block, joins=rest, where=(*block.where, *(each for join in filling for each in join.on)))
    asked = frozenset[str]().union(*(join.tables for join in rest if join.kind in ("SEMI", "ANTI")))
    beside = {other.id for other in block.tables} - {table.id} - asked
    return beside <= joined_once({table.id}, matched)
