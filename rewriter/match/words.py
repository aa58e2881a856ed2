"""Expressions as users would write them, for messages."""

from __future__ import annotations

from sqlglot import exp

from rewriter.sql import render
from rewriter.timeseries import as_bucket


def words(tree: exp.Expr) -> str:
    """An expression without the names of occurrences and without the types that buckets carry.

    >>> words(exp.column("price", "t0"))
    'price'
    """

    def plain(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column):
            return exp.column(node.name)
        bucket = as_bucket(node)
        return exp.Anonymous(this="timeseries", expressions=node.expressions[:2]) if bucket else node

    return render(tree.transform(plain))
