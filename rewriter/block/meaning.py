"""Compares expressions regardless of the order of commutative operands.

A block keeps the operands in the order in which they were written, because the block is printed and run: in `x <> 0 AND
1 / x > 2` the order avoids a division by zero, and `NULL + 1 / 0` never evaluates its right side. Only lookups, such as
the search for a query's expression among the view's expressions, ignore the order.

law:    a + b equals b + a, and a * b equals b * a: the type is the same, overflow occurs for the same values, and
        floating-point results are the same to the last bit
        a = b is b = a, and a < b is b > a; AND, OR and IN have the same value for each order of their operands
        if(p, a, b) is CASE WHEN p THEN a ELSE b END, CASE x WHEN a is CASE WHEN x = a, and ELSE NULL changes nothing
no:     (a + b) + c is not a + (b + c): the two sums may round differently, and only one of them may overflow
        coalesce(a, b) is not coalesce(b, a), and a CASE is not the CASE with its branches in another order
"""

from __future__ import annotations

from functools import lru_cache, reduce
from typing import NamedTuple

from sqlglot import exp

from rewriter.block.vocabulary import CONNECTORS, OPERATORS
from rewriter.sql import operands

Tree = exp.Expr

# The operator that results when a comparison's operands change sides.
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
_LEAVES = (exp.Column, exp.Literal, exp.Identifier, exp.DataType, exp.Star, exp.Null, exp.Boolean)


def meaning(tree: Tree) -> Tree:
    """Return the expression with commutative operands in a fixed order, for comparisons and lookups only.

    The result must not be printed, because the order of evaluation may matter.

    >>> a, b, c = (exp.column(name) for name in "abc")
    >>> meaning(exp.Mul(this=a, expression=b)) == meaning(exp.Mul(this=b, expression=a))
    True
    >>> meaning(exp.LT(this=a, expression=b)) == meaning(exp.GT(this=b, expression=a))
    True
    >>> meaning((a + b) + c) == meaning(a + (b + c))
    False
    """
    if isinstance(tree, _LEAVES):
        return tree
    return (_meant(tree) if isinstance(tree.this, OPERATORS) else _reordered(tree)).tree


class _Meant(NamedTuple):
    """An expression with its commutative operands in a fixed order.

    `made` is true if the tree is newly built, so that it can be put into another tree without a copy.
    """

    tree: Tree
    made: bool

    @property
    def part(self) -> Tree:
        """The tree for use as an operand of another tree; a copy unless the tree is newly built."""
        return self.tree if self.made else self.tree.copy()


def _meant(tree: Tree) -> _Meant:
    if isinstance(tree, _LEAVES):
        return _Meant(tree, made=False)
    chain, operand = [], tree.this
    while isinstance(operand, OPERATORS):
        chain.append(operand)
        operand = operand.this
    for node in reversed(chain):  # from the innermost: chains of hundreds of operands are too deep for recursion
        _reordered(node)
    return _reordered(tree)


@lru_cache(maxsize=8192)  # caches each operand: a sum of hundreds of terms is compared at each of its additions
def _reordered(tree: Tree) -> _Meant:
    """Return the tree with commutative operands sorted by hash; the same tree if the operands are in that order.

    The order may differ from one process to another.
    """
    kind: type[Tree] = type(tree)
    plain = _plain_case(tree)
    if plain is not None:
        return _Meant(_reordered(plain).tree, made=True)
    if isinstance(tree, CONNECTORS):
        chain = {meant.tree: meant for meant in map(_meant, operands(tree, kind))}
        ordered = [chain[operand].part for operand in sorted(chain, key=hash)]
        return _Meant(reduce(lambda left, right: kind(this=left, expression=right), ordered), made=True)
    read = {name: value if isinstance(value, list) else [value] for name, value in tree.args.items()}
    parts = {name: [_meant(v) if isinstance(v, Tree) else v for v in values] for name, values in read.items()}
    made = any(isinstance(part, _Meant) and part.made for values in parts.values() for part in values)
    if isinstance(tree, exp.In) and "expressions" in parts:  # IN with a subquery has no list
        listed = {meant.tree: meant for meant in parts["expressions"]}
        in_order = [listed[value] for value in sorted(listed, key=hash)]
        made |= in_order != parts["expressions"]
        parts["expressions"] = in_order
    elif kind in _SWAPPED and hash(parts["this"][0].tree) > hash(parts["expression"][0].tree):
        parts["this"], parts["expression"] = parts["expression"], parts["this"]
        kind, made = _SWAPPED[kind], True
    if not made:
        return _Meant(tree, made=False)
    values = {name: [p.part if isinstance(p, _Meant) else p for p in some] for name, some in parts.items()}
    return _Meant(
        kind(**{n: some if isinstance(tree.args.get(n), list) else some[0] for n, some in values.items()}), True
    )


def _plain_case(tree: Tree) -> Tree | None:
    """Return a conditional expression as a CASE without an operand and without ELSE NULL; None if it is one, and for
    other expressions.

    `if(p, a, NULL)` gives `CASE WHEN p THEN a END`.
    """
    if isinstance(tree, exp.Anonymous) and tree.name == "if" and len(tree.expressions) == 3:
        condition, value, default = (part.copy() for part in tree.expressions)
        tree = exp.Case(ifs=[exp.If(this=condition, true=value)], default=default)
    elif not isinstance(tree, exp.Case) or (tree.this is None and not isinstance(tree.args.get("default"), exp.Null)):
        return None
    operand, default = tree.this, tree.args.get("default")
    tests = [
        branch.this if operand is None else exp.EQ(this=operand, expression=branch.this) for branch in tree.args["ifs"]
    ]
    ifs = [exp.If(this=test, true=branch.args["true"]) for test, branch in zip(tests, tree.args["ifs"], strict=True)]
    return exp.Case(ifs=ifs, default=None if isinstance(default, exp.Null) else default).copy()
