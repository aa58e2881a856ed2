"""Converts predicates to conjunctive form (clauses) and disjunctive form (branches), with NOT pushed down.

law:    NOT (a AND b) is NOT a OR NOT b, and a OR (b AND c) is (a OR b) AND (a OR c), even if an operand is unknown
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from sqlglot import exp

from rewriter.sql import operands

Tree = exp.Expr

MOST_CLAUSES = 64


def branches_of(tree: Tree) -> tuple[Tree, ...] | None:
    """Return the branches of a disjunction, at least one of which must be true; None for other predicates.

    >>> a, b = exp.column("a"), exp.column("b")
    >>> [branch.sql() for branch in branches_of(exp.Not(this=exp.And(this=a, expression=b)))]
    ['NOT a', 'NOT b']
    """
    if isinstance(tree, exp.Or):
        return tuple(operands(tree, exp.Or))
    if isinstance(tree, exp.Not) and isinstance(tree.this, exp.And):
        return tuple(negated(part) for part in operands(tree.this, exp.And))
    return None


def clauses_of(tree: Tree) -> list[tuple[Tree, ...]] | None:
    """Return the clauses of a predicate, which must all be true; each clause is a disjunction of the listed predicates.

    Return None if there would be more than 64 clauses.

    >>> a, b, c = (exp.column(name) for name in "abc")
    >>> either = exp.Or(this=a, expression=exp.And(this=b, expression=c))
    >>> [[atom.sql() for atom in clause] for clause in clauses_of(either)]
    [['a', 'b'], ['a', 'c']]
    """
    clauses = _clauses(tree)
    return None if clauses is not None and len(clauses) > MOST_CLAUSES else clauses


def _clauses(tree: Tree) -> list[tuple[Tree, ...]] | None:
    if isinstance(tree, exp.Not) and isinstance(tree.this, (exp.And, exp.Or, exp.Not)):
        return _clauses(negated(tree.this))
    if isinstance(tree, exp.And):
        parts = [_clauses(part) for part in operands(tree, exp.And)]
        return None if None in parts else [clause for part in parts for clause in part or ()]
    if not isinstance(tree, exp.Or):
        return [(tree,)]
    found: list[tuple[Tree, ...]] = [()]
    for branch in operands(tree, exp.Or):
        clauses = _clauses(branch)
        if clauses is None or len(found) * len(clauses) > MOST_CLAUSES:
            return None
        found = [(*clause, *more) for clause, more in product(found, clauses)]
    return found


def negated(tree: Tree) -> Tree:
    """Return the negation of a predicate, with NOT pushed below AND and OR."""
    if not isinstance(tree, (exp.And, exp.Or)):
        inner: Tree = tree.this if isinstance(tree, exp.Not) else exp.Not(this=tree.copy())
        return inner
    opposite = exp.Or if isinstance(tree, exp.And) else exp.And
    parts = [negated(part).copy() for part in operands(tree, type(tree))]
    return joined(opposite, parts)


def joined(kind: type[Tree], parts: Sequence[Tree]) -> Tree:
    """Return one or more predicates joined by AND or OR; `kind` is exp.And or exp.Or. The predicates are not copied."""
    whole: Tree = parts[0]
    for part in parts[1:]:
        whole = kind(this=whole, expression=part)
    return whole
