"""Prints canonical expressions for messages, as users would write them."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from rewriter.block.opaque import is_opaque, spelled
from rewriter.sql import every, render
from rewriter.timeseries import as_bucket, bucket_call, bucket_elsewhere, zone_elsewhere


def words(tree: exp.Expr) -> str:
    """Return an expression as text for a message; columns have a qualifier only if their names occur in two tables.

    >>> words(exp.Mul(this=exp.column("price", "t_0"), expression=exp.column("n", "t_0") + 1))
    'price * (n + 1)'
    >>> words(exp.EQ(this=exp.column("id", "orders_0"), expression=exp.column("id", "lines_0")))
    'orders.id = lines.id'
    >>> words(bucket_call(exp.column("ts", "events_0"), "hour", "timestamp"))
    "timeseries(ts, 'hour')"
    """
    unclear = set(_unclear(tree))

    def plain(node: exp.Expr) -> exp.Expr:
        if is_opaque(node):
            return exp.Var(this=spelled(node, words))
        if isinstance(node, exp.Column):
            return exp.column(node.name, _occurring(node) if node.name in unclear else None)
        if _binds_less(node):
            return exp.Paren(this=node.transform(plain))
        if (elsewhere := bucket_elsewhere(node)) is not None:
            here = bucket_call(elsewhere.source.transform(plain), elsewhere.grain, elsewhere.type)
            return exp.Var(this=f"{words(here)} in {zone_elsewhere(node)}")
        if as_bucket(node) is not None:
            time, grain = node.expressions[:2]
            return exp.Anonymous(this="timeseries", expressions=[time.transform(plain), grain])
        return node

    return render(tree.transform(plain))


def _binds_less(node: exp.Expr) -> bool:
    """Return whether an operand needs parentheses, because it binds less tightly than its parent."""
    if isinstance(node, exp.Or):
        return isinstance(node.parent, (exp.And, exp.Not))
    subtracted = isinstance(node.parent, (exp.Sub, exp.Div)) and node.arg_key == "expression"
    return isinstance(node, (exp.Add, exp.Sub)) and (subtracted or isinstance(node.parent, (exp.Mul, exp.Div, exp.Neg)))


def _occurring(column: exp.Column) -> str:
    """Return the table's name in the qualifier of a canonical column: orders for `orders_0.price`."""
    return column.table.rpartition("_")[0] or column.table


def _unclear(tree: exp.Expr) -> Iterator[str]:
    """Yield the unclear column names: names that occur with more than one table, and therefore need a qualifier."""
    tables: dict[str, str] = {}
    for column in every(tree, exp.Column):
        if tables.setdefault(column.name, column.table) != column.table:
            yield column.name
