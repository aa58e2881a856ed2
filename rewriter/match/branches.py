"""Converts CASE and if() to lists of conditions and values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sqlglot import exp

Tree = exp.Expr


@dataclass(frozen=True)
class Branches:
    """A conditional expression (CASE or if()): pairs of a condition and a value, and the default value.

    `operand` is the operand of `CASE operand WHEN …`; None if the CASE has no operand.
    """

    operand: Tree | None
    cases: tuple[tuple[Tree, Tree], ...]
    default: Tree

    @property
    def values(self) -> tuple[Tree, ...]:
        """The values of all branches, the default last."""
        return (*(value for _, value in self.cases), self.default)

    @property
    def conditions(self) -> tuple[Tree, ...]:
        """The operand, if the CASE has one, and the conditions of all branches."""
        return (*((self.operand,) if self.operand is not None else ()), *(condition for condition, _ in self.cases))

    @property
    def predicates(self) -> tuple[Tree, ...]:
        """The conditions of all branches as predicates: `operand = condition`, if the CASE has an operand."""
        conditions = (condition for condition, _ in self.cases)
        if self.operand is None:
            return tuple(conditions)
        return tuple(exp.EQ(this=self.operand.copy(), expression=condition.copy()) for condition in conditions)


def branches_of(tree: Tree) -> Branches | None:
    """Return the conditions and values of a CASE or a call of if(); None for other expressions.

    `tree` is a canonical expression: names of functions are in lower case.
    """
    if isinstance(tree, exp.Case):
        cases = tuple((branch.this, branch.args["true"]) for branch in tree.args["ifs"])
        return Branches(tree.args.get("this"), cases, tree.args.get("default") or exp.Null())
    if isinstance(tree, exp.Anonymous) and tree.name == "if" and len(tree.expressions) == 3:
        condition, value, default = tree.expressions
        return Branches(None, ((condition, value),), default)
    return None


class NullTest(NamedTuple):
    """A conditional expression that depends only on whether `operand` is NULL.

    `absent` is the value of the expression if the operand is NULL, `present` the value if the operand is not NULL.
    """

    operand: Tree
    absent: Tree
    present: Tree


def null_test(branches: Branches) -> NullTest | None:
    """Return the operand and the two values of `CASE WHEN x IS NULL THEN a ELSE b END`; None for other conditions."""
    if branches.operand is not None or len(branches.cases) != 1:
        return None
    ((condition, value),) = branches.cases
    negated = isinstance(condition, exp.Not)
    test = condition.this if negated else condition
    if not isinstance(test, exp.Is) or not isinstance(test.expression, exp.Null):
        return None
    absent, present = (branches.default, value) if negated else (value, branches.default)
    return NullTest(test.this, absent, present)


def chosen(branches: Branches, conditions: list[Tree], values: list[Tree]) -> Tree:
    """Return the CASE `branches` with other conditions and values.

    `conditions` are the new operand (if the CASE has one) and a new condition for each branch; `values` are a new value
    for each branch and the new default value.
    """
    rest = [condition.copy() for condition in conditions]
    operand = rest.pop(0) if branches.operand is not None else None
    ifs = [exp.If(this=when, true=value.copy()) for when, value in zip(rest, values[:-1], strict=True)]
    default = None if isinstance(values[-1], exp.Null) else values[-1].copy()
    return exp.Case(this=operand, ifs=ifs, default=default)
