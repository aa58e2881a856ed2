"""The normal form of predicates: operands sorted, < and <= in place of > and >=, no negated comparisons."""

from __future__ import annotations

from functools import reduce

from sqlglot import exp

from rewriter.sql import operands
from rewriter.verify.forms import GROUPED_FLOAT, Forms

Tree = exp.Expr

_NEGATED: dict[type[Tree], type[Tree]] = {
    exp.EQ: exp.NEQ, exp.NEQ: exp.EQ, exp.LT: exp.GTE, exp.GTE: exp.LT, exp.GT: exp.LTE, exp.LTE: exp.GT,
}  # fmt: skip
_COMPARING = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.In, exp.Is)


def not_form(forms: Forms, tree: Tree) -> Tree:
    """Return NOT of a comparison as the opposite comparison, NOT NOT p as p, and other negations unchanged.

    `NOT a = b` gives `a <> b`: both are unknown (NULL) for the same rows.
    """
    inner = tree.this
    if isinstance(inner, exp.Not):
        plain: Tree = inner.this
        return plain
    opposite = _NEGATED.get(type(inner))
    return forms.normal(opposite(this=inner.this, expression=inner.expression)) if opposite is not None else tree


def chain(forms: Forms, tree: Tree) -> Tree:
    """Return a chain of AND or OR in normal form: `b AND a AND b` gives `a AND b`.

    Operands are distinct and in a fixed order. `forms` is not used; it is a parameter of each function that normalizes
    one kind of expression.
    """
    return conjunction(tree)


def conjunction(tree: Tree) -> Tree:
    """Return a chain of AND or OR with repeated operands removed and all operands in a fixed order.

    `b AND a AND b` and `a AND b` give the same expression.
    """
    parts = sorted(dict.fromkeys(operands(tree, type(tree))), key=hash)
    return reduce(lambda left, right: type(tree)(this=left, expression=right), parts)


def symmetric(forms: Forms, tree: Tree) -> Tree:
    """Return a symmetric operation with its operands in a fixed order: `b = a` and `a = b` give the same expression.

    An interval or a number of days stays to the right of its time, because `1 + day` has no known type.
    """
    left, right = bare(tree, tree.this), bare(tree, tree.expression)
    if isinstance(tree, exp.Add) and isinstance(right, exp.Literal) and forms.kind(left) == "date":
        return type(tree)(this=left, expression=right)
    kept = isinstance(right, exp.Interval) or (hash(left) <= hash(right) and not isinstance(left, exp.Interval))
    return type(tree)(this=left, expression=right) if kept else type(tree)(this=right, expression=left)


def ordered(forms: Forms, tree: Tree) -> Tree:
    """Return a comparison by > or >= as a comparison by < or <= with the sides exchanged: `a > b` gives `b < a`.

    Comparisons by < and <= keep their sides. `forms` is not used.
    """
    left, right = bare(tree, tree.this), bare(tree, tree.expression)
    if isinstance(tree, (exp.GT, exp.GTE)):
        return (exp.LT if isinstance(tree, exp.GT) else exp.LTE)(this=right, expression=left)
    return type(tree)(this=left, expression=right)


def is_form(forms: Forms, tree: Tree) -> Tree:
    """Return an IS predicate in normal form: without GROUPED_FLOAT, an internal call around a floating-point grouping
    key.

    The call records that the key is 0.0 where a row may have -0.0; IS NULL does not distinguish 0.0 and -0.0.
    """
    return type(tree)(this=bare(tree, tree.this), expression=tree.expression)


def in_form(forms: Forms, tree: Tree) -> Tree:
    """Return IN with distinct values in a fixed order; IN with one value becomes an equality.

    `x IN (2, 1, 2)` gives `x IN (1, 2)`, and `x IN (1)` gives `x = 1`.
    """
    values = sorted(dict.fromkeys(tree.expressions), key=hash)
    subject = bare(tree, tree.this)
    if len(values) == 1:
        return forms.normal(exp.EQ(this=subject, expression=values[0]))
    return exp.In(this=subject, expressions=values)


def bare(parent: Tree, operand: Tree) -> Tree:
    """Return an operand of a comparison without GROUPED_FLOAT, an internal call around floating-point grouping keys.

    A grouping key is 0.0 where a row may have -0.0; a comparison does not distinguish 0.0 and -0.0. `parent` is the
    operation; operands of operations that are not comparisons are returned unchanged.
    """
    grouped = isinstance(operand, exp.Anonymous) and operand.name == GROUPED_FLOAT
    return operand.expressions[0] if grouped and isinstance(parent, _COMPARING) else operand
