"""Computes an upper bound of a block's row count from the row counts of its tables.

If sales has 1000 rows and is joined to products by the primary key of products, the join has at most 1000 rows.

law: a join has at most as many rows as the product of the row counts of its tables; a table whose whole primary key is
     equated with columns of preceding tables matches each row of the preceding tables at most once
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Set
from math import prod

from sqlglot import exp

from rewriter.block import Block, Occurrence, remembered
from rewriter.functions.types import FRACTIONS

Tree = exp.Expr
# For each table id and each column of its primary key: the sets of tables with an equal column.
_Determining = Mapping[str, list[frozenset[str]]]


@remembered
def most_rows(block: Block) -> int | None:
    """Return an upper bound of the number of rows of a block's FROM, before WHERE and GROUP BY; None if unknown."""
    counted = {table.id: _rows_of(table) for table in block.tables}
    counts = {table: rows for table, rows in counted.items() if rows is not None}
    if len(counts) < len(counted):
        return None
    for join in block.joins:
        for table in join.tables:
            # An outer join returns a row without a match once; SEMI and ANTI joins add no rows.
            least = {"LEFT": max(counts[table], 1), "FULL": counts[table] + 1}
            counts[table] = least.get(join.kind, 1)
    return prod(counts[table] for table in _free(block, counts))


def most_groups(block: Block) -> int | None:
    """Return an upper bound of the number of a block's groups; None if unknown."""
    rows = most_rows(block)
    return None if rows is None else max(rows, 1) * len(block.sets or ((),))


def joined_once(known: Collection[str], block: Block) -> Set[str]:
    """Return the ids of tables that add at most one row to each combination of rows of the tables in `known`.

    For `sales JOIN products ON sales.product_id = products.id` and sales in `known`, products is returned, if `id` is
    its primary key. A table that is joined by its primary key to a returned table is returned, too.
    """
    determining = {table.id: list(_determining(table, block)) for table in block.tables}
    return _determined(set(known), determining.keys() - set(known), determining)


def _rows_of(table: Occurrence) -> int | None:
    """Return an upper bound of the row count of a base table or derived table in FROM; None if unknown."""
    if not table.blocks:
        return table.contents.records if table.contents is not None else None
    found = [most_rows(block) if block.keys is None else most_groups(block) for block in table.blocks]
    known = [rows for rows in found if rows is not None]
    return sum(known) if len(known) == len(found) else None


def _free(block: Block, counts: Mapping[str, int]) -> list[str]:
    """Return the ids of tables whose rows determine, by primary keys, at most one row of each other table in a join.

    For sales and products, joined by the primary key of products, this is sales. The product of the row counts of the
    returned tables is therefore an upper bound of the rows of the join. `counts` has the row count of each table. If
    two tables determine equally many other tables, the smaller one is preferred.
    """
    determining = {table.id: list(_determining(table, block)) for table in block.tables}
    left, free = set(counts), list[str]()
    while left:
        known = counts.keys() - left
        reached = {table: _determined(known | {table}, left - {table}, determining) for table in left}
        best = min(left, key=lambda table: (-len(reached[table]), counts[table], table))
        free.append(best)
        left -= reached[best] | {best}
    return free


def _determined(known: Set[str], left: Set[str], determining: _Determining) -> Set[str]:
    """Return the tables in `left` of which the rows of the tables in `known` determine at most one row.

    A table is found if each column of its primary key is equated with a column of a table in `known`, or of a table
    already found. `determining` has, for each table and primary key column, the tables with an equal column. Tables are
    given by id.
    """
    found = set[str]()
    while True:
        before = known | found
        more = {t for t in left - found if determining[t] and all(each & before for each in determining[t])}
        if not more:
            return found
        found |= more


def _determining(table: Occurrence, block: Block) -> Iterator[frozenset[str]]:
    """Yield, for each primary key column of a table, the ids of the tables with an equal column.

    Yield nothing if the table is in a FULL join, or on the right side of a SEMI or ANTI join. Yield nothing, too, if it
    is on the right side of a LEFT join together with other tables.
    """
    key = table.contents.primary_key if table.contents is not None else ()
    joins = [join for join in block.joins if table.id in join.tables]
    # The condition of a FULL join, or of a join of several tables, does not determine the joined row.
    if any(join.kind != "LEFT" or len(join.tables) > 1 for join in joins):
        return
    conjuncts = joins[0].on if joins else block.where
    for name in key:
        column = exp.column(name.lower(), table.id)
        equal = (other.table for conjunct in conjuncts for other in _equals(column, conjunct, block))
        yield frozenset(other for other in equal if other != table.id)


def _equals(column: Tree, conjunct: Tree, block: Block) -> Iterator[exp.Column]:
    """Yield each column of the same type that a conjunct equates with `column`; floating-point columns are left out."""
    if not isinstance(conjunct, exp.EQ):
        return
    for one, other in ((conjunct.this, conjunct.expression), (conjunct.expression, conjunct.this)):
        if one == column and isinstance(other, exp.Column):
            mine, theirs = block.type_of(one), block.type_of(other)
            if mine is not None and theirs is not None and mine.type == theirs.type and mine.type not in FRACTIONS:
                yield other
