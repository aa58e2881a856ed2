"""Builds and reads small expression trees.

Built trees share their operands instead of copying them, so that callers must not change a built tree.
"""

from __future__ import annotations

from functools import cache

from sqlglot import exp

Tree = exp.Expr
ROWS = exp.Anonymous(this="count", expressions=[exp.Star()])


def call_of(name: str, *arguments: Tree) -> exp.Anonymous:
    """Return a call of the function `name`; the arguments are not copied.

    >>> call_of("sum", exp.column("x")).sql()
    'SUM(x)'
    """
    return exp.Anonymous(this=name, expressions=list(arguments))


def percentile_of(node: Tree) -> Tree | None:
    """Return `percentile_cont(p) WITHIN GROUP (ORDER BY x)` as `percentile(x, p)`, as which Spark executes it.

    Return None for any other function with WITHIN GROUP, and for a descending order. `node` is an exp.WithinGroup.
    """
    call, order = node.this, node.expression.expressions
    name = call.name.lower() if isinstance(call, exp.Anonymous) else ""
    if (name, len(call.expressions), len(order)) != ("percentile_cont", 1, 1) or order[0].args.get("desc"):
        return None
    return call_of("percentile", order[0].this, *call.expressions)


def cast(tree: Tree, kind: str) -> Tree:
    """Return the expression CAST(tree AS kind); `kind` is a type name as in Spark's DDL."""
    return exp.TryCast(this=tree, to=_type(kind))


def number(value: int) -> Tree:
    """Return an integer literal; `value` must not be negative."""
    return exp.Literal.number(value)


def integer_of(tree: Tree) -> int | None:
    """Return the value of an integer literal, with any number of minus signs; None for other expressions.

    >>> integer_of(exp.Neg(this=number(7)))
    -7
    """
    if isinstance(tree, exp.Neg):
        value = integer_of(tree.this)
        return None if value is None else -value
    return int(tree.name) if isinstance(tree, exp.Literal) and not tree.is_string and tree.name.isdigit() else None


def is_zero(tree: Tree) -> bool:
    """Return whether an expression is a literal 0 of any numeric type.

    >>> is_zero(exp.Literal.number("0.00")), is_zero(exp.Literal.string("0"))
    (True, False)
    """
    return isinstance(tree, exp.Literal) and not tree.is_string and not tree.name.strip("0.")


@cache
def _type(kind: str) -> exp.DataType:
    return exp.DataType.build(kind, dialect="spark")
