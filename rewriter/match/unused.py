"""Removes the tables of a query that only a join's condition names, if declared keys guarantee that this join keeps
each row once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from sqlglot import exp

from rewriter.block import Block, Join, Occurrence
from rewriter.block.equivalence import key_of
from rewriter.block.predicates import equated
from rewriter.model import Relation, Table, TableName
from rewriter.sql import columns_in

Tree = exp.Expr


def without_unused(block: Block, relations: Mapping[TableName, Relation | None]) -> Block:
    """Return the block without the tables that neither add, drop nor repeat rows, and whose columns are not used.

    `relations` has the catalog's tables, with their declared keys.

    law:    a LEFT join onto a whole primary key keeps each row once, whatever else ON compares; an inner join of a
            foreign key onto the referenced key keeps each row once in which the foreign key is not NULL
    query:  SELECT p.brand, count(*) FROM sales s JOIN products p ON s.product_id = p.product_id
              LEFT JOIN customers c ON s.customer_id = c.customer_id GROUP BY p.brand
    gives:  SELECT p.brand, count(*) FROM sales s JOIN products p ON s.product_id = p.product_id GROUP BY p.brand
    no:     WHERE c.region = 'eu', and JOIN customers c without a declared foreign key, which may drop rows
    """
    if len(block.tables) < 2:
        return block
    looked_up = ((table.id, relations.get(table.name)) for table in block.tables if not table.text)
    tables = {at: found for at, found in looked_up if isinstance(found, Table)}
    while len(block.tables) > 1:
        smaller = next((found for table in block.tables for found in _without(block, table, tables)), None)
        if smaller is None:
            break
        block = smaller
    return block


def _without(block: Block, table: Occurrence, tables: Mapping[str, Table]) -> Iterator[Block]:
    """Yield the block without `table`, if declared keys show that the table can be removed.

    `tables` has the catalog's tables by the ids of their occurrences.
    """
    known = tables.get(table.id)
    if known is None or not known.primary_key:
        return
    around = [join for join in block.joins if table.id in join.tables]
    if not around:
        yield from _without_inner(block, table, known, tables)
    elif len(around) == 1 and around[0].kind == "LEFT" and len(around[0].tables) == 1:
        left = replace(block, joins=tuple(join for join in block.joins if join is not around[0]))
        if _finds_one(around[0], block, table, known) and not _reads(left.expressions, table):
            yield _dropped(left, table)


def _finds_one(join: Join, block: Block, table: Occurrence, known: Table) -> bool:
    """Return whether ON equates each column of the primary key of `table` with a column of another table."""
    pairs = [pair for conjunct in join.on if (pair := equated(conjunct, block)) is not None]
    sides = ((key_of(mine), key_of(other)) for pair in pairs for mine, other in (pair, pair[::-1]))
    held = {name for (of, name), (other, _) in sides if of == table.id != other}
    return {name.lower() for name in known.primary_key} <= held


def _without_inner(block: Block, table: Occurrence, known: Table, tables: Mapping[str, Table]) -> Iterator[Block]:
    """Yield the block without the inner-joined table `table`, once for each foreign key that joins another table to it.

    Yield nothing if the block uses columns of `table` elsewhere. Foreign key columns that may be NULL get the filter IS
    NOT NULL instead of the join. `known` is the table in the catalog; `tables` has the catalog's tables by the ids of
    their occurrences.
    """
    joining = [conjunct for conjunct in block.where if _reads((conjunct,), table)]
    pairs = [equated(conjunct, block) for conjunct in joining]
    if None in pairs or _reads(replace(block, where=()).expressions, table):
        return  # most tables are also filtered, or have columns in the outputs
    rest = replace(block, where=tuple(c for c in block.where if not any(c is each for each in joining)))
    equal = {frozenset(pair) for pair in pairs if pair is not None}
    apart = frozenset[str]().union(*(join.tables for join in block.joins))
    for owner in block.tables:
        from_here = tables.get(owner.id) if owner.id not in apart and owner.id != table.id else None
        for key in from_here.references(known) if from_here is not None else ():
            mine = [exp.column(name, owner.id) for name, _ in key]
            wanted = {
                frozenset(pair) for pair in zip(mine, (exp.column(name, table.id) for _, name in key), strict=True)
            }
            if equal != wanted:
                continue
            there = [
                exp.Not(this=exp.Is(this=column, expression=exp.Null())) for column in mine if _nullable(block, column)
            ]
            yield _dropped(replace(rest, where=tuple(dict.fromkeys((*rest.where, *there)))), table)


def _nullable(block: Block, column: Tree) -> bool:
    declared = block.type_of(column)
    return declared is None or declared.nullable


def _dropped(block: Block, table: Occurrence) -> Block:
    return replace(block, tables=tuple(each for each in block.tables if each is not table))


def _reads(trees: Iterable[Tree], table: Occurrence) -> bool:
    return any(column.table == table.id for tree in trees for column in columns_in(tree))
