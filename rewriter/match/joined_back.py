"""Joins a table of the view to the storage table again by its primary key, to read columns that the view lacks.

law:    a trusted key that is never NULL identifies the row that the view's query has joined; so within each group of
        the view that has the key among its GROUP BY keys, all other columns of that row are constant
view:   SELECT c.id, o.day, sum(o.amount) AS total FROM orders o JOIN customers c ON o.cust = c.id GROUP BY c.id, o.day
query:  SELECT c.name, sum(o.amount) FROM orders o JOIN customers c ON o.cust = c.id GROUP BY c.name
gives:  SELECT b.name, sum(v.total) FROM view v, customers b WHERE v.id = b.id GROUP BY b.name
no:     a key that is not trusted; a table that an outer join fills with NULLs
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from sqlglot import exp

from rewriter.block import Block, Occurrence
from rewriter.model import Table

Tree = exp.Expr


class Back(NamedTuple):
    """A table of the view that is joined to the storage table by its primary key, and the key equalities of the join.

    The join reads columns that the storage table lacks.
    """

    table: Occurrence
    on: tuple[Tree, ...]


def joined_back(table: Occurrence, known: Table, block: Block, held: Callable[[Tree], Tree | None]) -> Back | None:
    """Return the join of one of the view's tables to the storage table by its primary key.

    `held` returns the storage column of an expression, or None; `known` is the catalog's table with its keys; `block`
    is the query's block. Return None if the table has no trusted key (a primary key that its owner declares as
    trusted), if the storage table lacks a key column, or if a key column is nullable or floating-point. Return None
    also for a table on the right side of an outer, semi or anti join, or on either side of a FULL join.
    """
    filled = any(table.id in join.tables for join in block.joins)
    if filled or not known.primary_key:
        return None
    again = replace(table, id=f"{table.id}_again")
    on = []
    for name in known.primary_key:
        column = table.column(name)
        here = held(exp.column(name.lower(), table.id))
        if column is None or column.nullable or column.type in ("float", "double") or here is None:
            return None
        on.append(exp.EQ(this=here.copy(), expression=exp.column(name.lower(), again.id)))
    return Back(again, tuple(on))
