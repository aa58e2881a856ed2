"""Splits a predicate into its conjuncts: the predicates of a conjunction, which must all be true."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sqlglot import exp

from rewriter.block.meaning import meaning
from rewriter.block.normal_forms import joined
from rewriter.sql import operands

Tree = exp.Expr


def conjuncts_of(node: Tree) -> Iterator[Tree]:
    """Yield the conjuncts of a predicate, except those that are always true, such as `1 = 1` or TRUE.

    A conjunct that all branches of an OR share becomes a conjunct of its own.

    law: (a AND b) OR (a AND c) is a AND (b OR c), and a OR (a AND c) is a, even if an operand is unknown; TRUE AND a is
         a

    >>> from rewriter.sql import parse_select
    >>> where = parse_select("SELECT 1 FROM t WHERE (a = 1 AND b) OR (c AND a = 1)").args["where"].this
    >>> [part.sql() for part in conjuncts_of(where)]
    ['a = 1', 'b OR c']
    """
    for part in operands(node, exp.And):
        if _is_true(part):
            continue
        if isinstance(part, exp.Or):
            yield from _factored(part)
        else:
            yield part


def _is_true(part: Tree) -> bool:
    """Return whether a predicate is always true by its form: `TRUE`, `1 = 1`, or an OR such as `a OR 1 = 1`."""
    if isinstance(part, exp.Or):
        return any(map(_is_true, operands(part, exp.Or)))
    if isinstance(part, exp.EQ):
        return isinstance(part.this, exp.Literal) and part.this == part.expression
    return isinstance(part, exp.Boolean) and bool(part.this)


def _factored(node: exp.Or) -> Iterator[Tree]:
    """Yield the conjuncts that all branches of an OR share, then the OR of what remains of the branches.

    `(a AND b) OR (a AND c)` yields a and `b OR c`. If nothing remains of a branch, as in `a OR (a AND c)`, the
    remaining OR is always true, so only the shared conjuncts are yielded: a.
    """
    branches = [list(conjuncts_of(branch)) for branch in operands(node, exp.Or)]
    common = _common(branches)
    if not common:
        yield node
        return
    yield from common.values()
    rests = [[part for part in branch if meaning(part) not in common] for branch in branches]
    if all(rests):
        yield joined(exp.Or, [*map(_together, rests)])


def _common(branches: Sequence[Sequence[Tree]]) -> Mapping[Tree, Tree]:
    """Return the conjuncts that all branches of an OR share, in the order of the first branch.

    Each branch is given as the sequence of its conjuncts. A shared conjunct is returned as the first branch writes the
    conjunct. Its key in the mapping is the conjunct with commutative operands in a fixed order, so that `a = b` and
    `b = a` count as the same conjunct.
    """
    common = {meaning(part): part for part in branches[0]}
    for branch in branches[1:]:
        here = {meaning(part) for part in branch}
        common = {meant: part for meant, part in common.items() if meant in here}
        if not common:
            break
    return common


def _together(parts: Sequence[Tree]) -> Tree:
    """Return the predicates joined by AND; they are copied, because a node can be in only one tree."""
    return joined(exp.And, [part.copy() for part in parts])
