"""Expressions as users would write them, for messages."""

from __future__ import annotations

from sqlglot import exp

from rewriter.block.opaque import is_opaque, spelled
from rewriter.sql import render
from rewriter.timeseries import as_bucket


def words(tree: exp.Expr) -> str:
    """An expression without the names of occurrences and without the types that buckets carry.

    >>> words(exp.column("price", "t0"))
    'price'
    """

    def plain(node: exp.Expr) -> exp.Expr:
        if is_opaque(node):
            return exp.Var(this=spelled(node, words))
        if isinstance(node, exp.Column):
            return exp.column(node.name)
        bucket = as_bucket(node)
        return exp.Anonymous(this="timeseries", expressions=node.expressions[:2]) if bucket else node

    return render(tree.transform(plain))
