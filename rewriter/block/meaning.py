"""Comparison of expressions by meaning: the order of commutative operands does not matter.

A block keeps its expressions as they were written, for what is printed of them runs as its author had it: in
`x <> 0 AND 1 / x > 2` the order keeps a division by zero away, and `NULL + 1 / 0` never comes to its right side. What
is looked up, here an expression of a query among those of a view, is looked up by its meaning.

law:    a + b is b + a, for floating-point numbers to the last bit, and a * b is b * a: of the same type, and with the
        same overflow; a = b is b = a, a < b is b > a; AND, OR and IN take their operands in any order
no:     (a + b) + c for a + (b + c): the one may overflow where the other does not, and rounds otherwise;
        coalesce(a, b), and the branches of a CASE
"""

from __future__ import annotations

from functools import lru_cache, reduce

from sqlglot import exp

from rewriter.block.vocabulary import CONNECTORS
from rewriter.sql import holds, operands

Tree = exp.Expr

# What an operation is called when its operands change places.
MIRROR: dict[type[Tree], type[Tree]] = {
    exp.EQ: exp.EQ,
    exp.NEQ: exp.NEQ,
    exp.LT: exp.GT,
    exp.GT: exp.LT,
    exp.LTE: exp.GTE,
    exp.GTE: exp.LTE,
    exp.NullSafeEQ: exp.NullSafeEQ,
}
_SWAPPED = {**MIRROR, exp.Add: exp.Add, exp.Mul: exp.Mul}
_REORDERED = (*_SWAPPED, *CONNECTORS, exp.In)


def meaning(tree: Tree) -> Tree:
    """Return the expression with commutative operands in one order; for comparing, never for printing.

    >>> a, b, c = (exp.column(name) for name in "abc")
    >>> meaning(exp.Mul(this=a, expression=b)) == meaning(exp.Mul(this=b, expression=a))
    True
    >>> meaning(exp.LT(this=a, expression=b)) == meaning(exp.GT(this=b, expression=a))
    True
    >>> meaning((a + b) + c) == meaning(a + (b + c))
    False
    """
    return tree if isinstance(tree, exp.Column) else _reordered(tree)


@lru_cache(maxsize=4096)
def _reordered(tree: Tree) -> Tree:
    return _ordered(tree.copy()) if holds(tree, _REORDERED) else tree


def _ordered(tree: Tree) -> Tree:
    """Return the operands in the order of their hashes, which differs between processes."""
    kind: type[Tree] = type(tree)
    if isinstance(tree, CONNECTORS):
        chain = sorted({_ordered(operand) for operand in operands(tree, kind)}, key=hash)
        joined: Tree = reduce(lambda left, right: kind(this=left, expression=right), chain)
        return joined
    node = kind(**{name: _part(value) for name, value in tree.args.items()})
    if isinstance(node, exp.In):
        node.set("expressions", sorted(set(node.expressions), key=hash))
    elif kind in _SWAPPED and hash(node.this) > hash(node.expression):
        swapped: Tree = _SWAPPED[kind](**{**node.args, "this": node.expression, "expression": node.this})
        return swapped
    return node


def _part(value: object) -> object:
    if isinstance(value, list):
        return [_part(item) for item in value]
    return _ordered(value) if isinstance(value, Tree) else value
