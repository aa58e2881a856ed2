"""Finds columns that cannot be NULL where a predicate is true, and expressions that are NULL if some column is NULL."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator

from sqlglot import exp

from rewriter.functions.registry import STRICT
from rewriter.sql import operands

Tree = exp.Expr

REJECTING = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Like, exp.In)
_PASSING = (exp.Add, exp.Sub, exp.Mul, exp.Neg, exp.Cast)


def not_null_in(predicate: Tree) -> Iterator[Tree]:
    """Yield columns that are never NULL in rows for which the predicate is true.

    >>> from rewriter.sql import parse_select
    >>> where = parse_select("SELECT 1 FROM t WHERE NOT a + 1 < CAST(b AS INT)").args["where"].this
    >>> [column.sql() for column in not_null_in(where)]
    ['a', 'b']
    """
    if isinstance(predicate, exp.Not) and isinstance(predicate.this, REJECTING) and not _of_subquery(predicate.this):
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
    """Yield columns such that the expression is NULL wherever one of these columns is NULL: a and b for `a + b`.

    Yield nothing for an expression such as `coalesce(a, b)`, which may have a value although a column is NULL.
    """
    if isinstance(tree, exp.Column):
        yield tree
    elif isinstance(tree, _PASSING):
        for operand in tree.iter_expressions():
            if not isinstance(operand, exp.DataType):
                yield from _passed(operand)


def columns_of(tables: Container[str]) -> Callable[[Tree], bool]:
    """Return a function that returns whether a node is a column of one of the tables, given by their ids."""
    return lambda node: isinstance(node, exp.Column) and node.table in tables


def never_true(predicate: Tree, absent: Callable[[Tree], bool]) -> bool:
    """Return whether a predicate is true in no row in which all columns that `absent` selects are NULL.

    `absent` returns True for these columns, which may be all columns of one table.

    >>> from rewriter.sql import parse_select
    >>> of_t = columns_of({"t"})
    >>> select = parse_select("SELECT NOT t.a = 1, NOT t.a IS NULL, t.a > 1 OR t.b > u.b, t.a > 1 OR u.b > 1 FROM t, u")
    >>> [never_true(tree, of_t) for tree in select.expressions]
    [True, True, True, False]
    """
    if isinstance(predicate, exp.Paren):
        return never_true(predicate.this, absent)
    if isinstance(predicate, exp.Or):
        return all(never_true(part, absent) for part in operands(predicate, exp.Or))
    if isinstance(predicate, exp.And):
        return any(never_true(part, absent) for part in operands(predicate, exp.And))
    if isinstance(predicate, exp.In):
        return null_with(predicate.this, absent)
    if isinstance(predicate, exp.Not):
        inner = predicate.this.unnest()
        tests = isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null)
        return null_with(inner.this if tests else inner, absent)
    return null_with(predicate, absent)


def null_with(tree: Tree, absent: Callable[[Tree], bool]) -> bool:
    """Return whether an expression is NULL in each row in which all columns that `absent` selects are NULL.

    `absent` returns True for these columns, which may be all columns of one table.

    >>> from rewriter.sql import parse_select
    >>> of_t = columns_of({"t"})
    >>> select = parse_select("SELECT t.a + u.b, CASE WHEN u.b > 0 THEN t.a END, coalesce(t.a, 0), t.a IN (SELECT 1)")
    >>> [null_with(tree, of_t) for tree in select.expressions]
    [True, True, False, False]
    """
    if isinstance(tree, exp.Column):
        return absent(tree)
    if isinstance(tree, exp.Case):
        values = [branch.args["true"] for branch in tree.args["ifs"]]
        default = tree.args.get("default")
        return all(null_with(value, absent) for value in (*values, *([default] if default is not None else [])))
    if isinstance(tree, exp.Null):
        return True
    if isinstance(tree, exp.In):
        return null_with(tree.this, absent) and not _of_subquery(tree)
    if isinstance(tree, (*_PASSING, *REJECTING, exp.Div, exp.IntDiv, exp.Mod)) or _is_strict_call(tree):
        return any(null_with(operand, absent) for operand in tree.iter_expressions())
    return False


def _of_subquery(tree: Tree) -> bool:
    """Return whether this is IN with a subquery: if the subquery has no rows, NULL IN (…) is false, and NOT IN true."""
    return isinstance(tree, exp.In) and tree.args.get("query") is not None


def _is_strict_call(tree: Tree) -> bool:
    return isinstance(tree, exp.Anonymous) and tree.name in STRICT
