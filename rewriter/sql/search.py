"""Fast searches in expression trees, without recursion."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TypeVar

from sqlglot import exp

Tree = exp.Expr
_Node = TypeVar("_Node", bound=exp.Expr)

# These nodes contain names and types, but never expressions.
LEAVES = frozenset({exp.Column, exp.Identifier, exp.Literal, exp.Null, exp.Boolean, exp.Star, exp.DataType})


def every(tree: Tree, kind: type[_Node]) -> list[_Node]:
    """Return all nodes of a kind in an expression, outer nodes first.

    Identifiers within columns are not searched, for speed.

    >>> [node.name for node in every(exp.column("a") + exp.column("b"), exp.Column)]
    ['a', 'b']
    """
    if type(tree) in LEAVES:
        return [tree] if isinstance(tree, kind) else []
    return [node for node in nodes_of(tree) if isinstance(node, kind)]


def holds(tree: Tree, kind: type[Tree] | tuple[type[Tree], ...]) -> bool:
    """Return whether an expression contains a node of the kind, or of one of the kinds, in `kind`.

    >>> holds(exp.column("a") + 1, exp.Literal), holds(exp.column("a"), (exp.Window, exp.Literal))
    (True, False)
    """
    if type(tree) in LEAVES:
        return isinstance(tree, kind)
    return any(isinstance(node, kind) for node in nodes_of(tree))


def names_called(tree: Tree) -> frozenset[str]:
    """Return the names of all functions that an expression calls, spelled as in the tree.

    >>> sorted(names_called(exp.func("f", exp.column("a")) + exp.func("g")))
    ['f', 'g']
    """
    return _NO_NAMES if type(tree) in LEAVES else _names_called(tree)


_NO_NAMES = frozenset[str]()


@lru_cache(maxsize=4096)  # each output and conjunct is searched for aggregates and subqueries about ten times
def _names_called(tree: Tree) -> frozenset[str]:
    return frozenset(call.name for call in every(tree, exp.Anonymous))


def columns_in(tree: Tree) -> tuple[exp.Column, ...]:
    """Return all columns in an expression; cached, so that callers must not change the expression or the columns.

    >>> [column.name for column in columns_in(exp.column("a") + exp.column("b"))]
    ['a', 'b']
    """
    if isinstance(tree, exp.Column):
        return (tree,)
    return () if type(tree) in LEAVES else _columns_in(tree)


@lru_cache(maxsize=4096)  # a decision asks for the columns of each output and conjunct about five times
def _columns_in(tree: Tree) -> tuple[exp.Column, ...]:
    return tuple(every(tree, exp.Column))


def windows_in(tree: Tree) -> tuple[exp.Window, ...]:
    """Return all window functions in an expression, outer ones first; cached, so that callers must not change them."""
    return () if type(tree) in LEAVES else _windows_in(tree)


@lru_cache(maxsize=4096)  # as for columns
def _windows_in(tree: Tree) -> tuple[exp.Window, ...]:
    return tuple(every(tree, exp.Window))


def nodes_of(tree: Tree) -> list[Tree]:
    """Return all nodes of an expression, outer nodes first; identifiers within columns are omitted."""
    found = [tree]
    for node in found:
        if type(node) in LEAVES:
            continue
        for value in node.args.values():
            if isinstance(value, Tree):
                found.append(value)
            elif isinstance(value, list):
                found += [item for item in value if isinstance(item, Tree)]
    return found


def interval_of(tree: Tree) -> tuple[int, str] | None:
    """Return the number and the unit of an interval of one unit, such as (7, 'DAY'); None for other expressions.

    >>> interval_of(exp.Interval(this=exp.Literal.string("7"), unit=exp.Var(this="days")))
    (7, 'DAY')
    """
    if not isinstance(tree, exp.Interval) or not tree.name.isdecimal():
        return None
    return int(tree.name), str(tree.args["unit"]).upper().removesuffix("S")


def operands(tree: Tree, kind: type[Tree]) -> Iterator[Tree]:
    """Yield the operands of `tree`, a chain of AND or of OR, from left to right, without parentheses around them.

    `kind` is exp.And or exp.Or. A tree of another kind is yielded as the only operand.
    """
    rest = [tree]
    while rest:
        node = rest.pop().unnest()
        if isinstance(node, kind):
            rest += (node.expression, node.this)
        else:
            yield node
