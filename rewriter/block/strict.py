"""Finds the columns that cannot be NULL where a predicate is true."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from rewriter.sql import operands

Tree = exp.Expr

REJECTING = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Like, exp.In)
_PASSING = (exp.Add, exp.Sub, exp.Mul, exp.Neg, exp.Cast)


def not_null_in(predicate: Tree) -> Iterator[Tree]:
    """Yield columns that are not NULL in any row for which the predicate is true.

    >>> from rewriter.sql import parse_select
    >>> where = parse_select("SELECT 1 FROM t WHERE NOT a + 1 < CAST(b AS INT)").args["where"].this
    >>> [column.sql() for column in not_null_in(where)]
    ['a', 'b']
    """
    if isinstance(predicate, exp.Not) and isinstance(predicate.this, REJECTING):
        predicate = predicate.this
    if isinstance(predicate, exp.And):
        for part in operands(predicate, exp.And):
            yield from not_null_in(part)
    elif isinstance(predicate, exp.In):
        yield from _passed(predicate.this)
    elif isinstance(predicate, REJECTING):
        yield from _passed(predicate.this)
        yield from _passed(predicate.expression)


def _passed(tree: Tree) -> Iterator[Tree]:
    """Yield the columns of an expression that is NULL whenever one of these columns is NULL."""
    if isinstance(tree, exp.Column):
        yield tree
    elif isinstance(tree, _PASSING):
        for operand in tree.iter_expressions():
            if not isinstance(operand, exp.DataType):
                yield from _passed(operand)
