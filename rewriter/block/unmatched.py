"""Reads `FROM a LEFT JOIN b … WHERE b.key IS NULL`, the older spelling of NOT EXISTS, as an ANTI join."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from rewriter.block.form import Block, Join, Occurrence
from rewriter.block.from_clause import rejected
from rewriter.sql import columns_in

Tree = exp.Expr


def with_anti_joins(block: Block, declared: Sequence[Occurrence]) -> Block:
    """Return the block with each LEFT join replaced by an ANTI join if the filter keeps only the rows without a match.

    `declared` are the block's tables with the nullability that the catalog declares; in the block itself, all columns
    on the right side of a LEFT join are nullable.

    law:    in A LEFT JOIN B, a column of B that is never NULL in a matched row (declared so, or compared in ON) is NULL
            exactly in the rows of A without a match, each of which the LEFT join keeps once
    query:  SELECT c.id FROM customers c LEFT JOIN orders o ON o.customer = c.id WHERE o.customer IS NULL
    gives:  SELECT c.id FROM customers c ANTI JOIN orders o ON o.customer = c.id
    no:     … WHERE o.note IS NULL, if note is nullable, because note may also be NULL in a row with a match
    no:     SELECT c.id, o.id …, because an ANTI join does not return columns of its right side
    """
    for join in block.joins:
        if join.kind == "LEFT":
            block = _with_anti_join(block, join, declared)
    return block


def _with_anti_join(block: Block, join: Join, declared: Sequence[Occurrence]) -> Block:
    tables = [table for table in declared if table.id in join.tables]
    certain = {operand for conjunct in join.on for operand in rejected(conjunct) if isinstance(operand, exp.Column)}
    certain |= {exp.column(c.name.lower(), t.id) for t in tables for c in t.columns if not c.nullable}
    missing = [
        conjunct
        for conjunct in block.where
        if isinstance(conjunct, exp.Is)
        and isinstance(conjunct.expression, exp.Null)
        and conjunct.this in certain
        and conjunct.this.table in join.tables
    ]
    where = tuple(conjunct for conjunct in block.where if conjunct not in missing)
    others = tuple(other for other in block.joins if other is not join)
    read = replace(block, where=where, joins=others).expressions
    if not missing or any(column.table in join.tables for tree in read for column in columns_in(tree)):
        return block
    by_id = {table.id: table for table in tables}
    return replace(
        block,
        tables=tuple(by_id.get(table.id, table) for table in block.tables),
        where=where,
        joins=tuple(replace(join, kind="ANTI") if other is join else other for other in block.joins),
    )
