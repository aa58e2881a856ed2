"""Expressions as users would write them, for messages."""

from __future__ import annotations

from sqlglot import exp

from rewriter.block.opaque import is_opaque, spelled
from rewriter.sql import render
from rewriter.timeseries import as_bucket


def words(tree: exp.Expr) -> str:
    """An expression without the names of occurrences and without the types that buckets carry.

    >>> words(exp.Mul(this=exp.column("price", "t0"), expression=exp.column("n", "t0") + 1))
    'price * (n + 1)'
    """

    def plain(node: exp.Expr) -> exp.Expr:
        if is_opaque(node):
            return exp.Var(this=spelled(node, words))
        if isinstance(node, exp.Column):
            return exp.column(node.name)
        if _binds_less(node):
            return exp.Paren(this=node.transform(plain))
        bucket = as_bucket(node)
        return exp.Anonymous(this="timeseries", expressions=node.expressions[:2]) if bucket else node

    return render(tree.transform(plain))


def _binds_less(node: exp.Expr) -> bool:
    """Whether an operation would be read otherwise where it stands, without parentheses around it."""
    if isinstance(node, exp.Or):
        return isinstance(node.parent, exp.And | exp.Not)
    subtracted = isinstance(node.parent, exp.Sub | exp.Div) and node.arg_key == "expression"
    return isinstance(node, exp.Add | exp.Sub) and (subtracted or isinstance(node.parent, exp.Mul | exp.Div | exp.Neg))
