"""What the normal forms share: the Forms protocol, and functions that build trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sqlglot import exp

from rewriter.block import Block
from rewriter.functions.trees import call_of, number

Tree = exp.Expr

# Marks a floating-point key of a group, which is 0.0 where rows may have -0.0.
GROUPED_FLOAT = "grouped float"
# Marks the value of an aggregate in the only finer group, NULL if there is none.
SINGLE = "single group's"
ZERO, ONE = number(0), number(1)
# count(*) in normal form.
ROWS = call_of("coalesce", call_of("sum", ONE), ZERO)


class Forms(Protocol):
    """Normalizes expressions over a block's tables."""

    @property
    def block(self) -> Block:
        """The block of the expressions."""

    @property
    def zone(self) -> str:
        """The time zone of the expressions."""

    @property
    def nonempty(self) -> bool:
        """Whether each group of the block has rows."""

    @property
    def finer(self) -> Forms | None:
        """The Forms of the finer groups that the block aggregates; None if the block aggregates rows."""

    @property
    def single(self) -> bool:
        """Whether there is at most one finer group."""

    def normal(self, tree: Tree) -> Tree:
        """Return the expression in normal form."""

    def kind(self, tree: Tree) -> str:
        """Return the type of an expression, `unknown` if uncertain."""

    def over_operands(self, tree: Tree) -> Tree:
        """Return the same operation over normalized operands."""


def values_of(tree: Tree) -> list[Tree]:
    """Return the values of a CASE, without an implicit NULL default."""
    default = tree.args.get("default")
    return [*(branch.args["true"] for branch in tree.args["ifs"]), *([default] if default is not None else [])]


def conditions_of(tree: Tree) -> list[Tree]:
    """Return all conditions of a CASE."""
    return [*([tree.this] if tree.this is not None else []), *(branch.this for branch in tree.args["ifs"])]


def with_condition(call: Tree, condition: Tree | None) -> Tree:
    """Return an aggregate with a FILTER; unchanged without a condition."""
    return call if condition is None else exp.Filter(this=call, expression=exp.Where(this=condition))


def under(condition: Tree | None, argument: Tree) -> Tree:
    """Return the argument of an aggregate with its FILTER applied: NULL in other rows."""
    return argument if condition is None else case_of([(condition, argument)], None)


def case_of(branches: Sequence[tuple[Tree, Tree]], default: Tree | None) -> Tree:
    """Return a CASE of these conditions and values."""
    return exp.Case(ifs=[exp.If(this=when, true=then) for when, then in branches], default=default)


def of_shape(tree: Tree, conditions: Sequence[Tree], values: Sequence[Tree]) -> Tree:
    """Return a CASE with these conditions and values in the shape of another; an extra value is the default."""
    rest = list(conditions)
    operand = rest.pop(0) if tree.this is not None else None
    ifs = [exp.If(this=when, true=then) for when, then in zip(rest, values, strict=False)]
    return exp.Case(this=operand, ifs=ifs, default=values[len(rest)] if len(values) > len(rest) else None)


def never_null(tree: Tree) -> bool:
    """Return whether an expression is a zero, a one, or a CASE of these with a default, and so never NULL."""
    if isinstance(tree, exp.Case):
        return tree.args.get("default") is not None and all(map(never_null, values_of(tree)))
    return tree in (ZERO, ONE)


def is_zero(tree: Tree) -> bool:
    """Return whether an expression is the number 0 of any type."""
    return isinstance(tree, exp.Literal) and not tree.is_string and not tree.name.strip("0.")


def is_distinct(call: exp.Anonymous) -> bool:
    """Return whether an aggregate is DISTINCT."""
    return bool(call.expressions) and isinstance(call.expressions[0], exp.Distinct)
