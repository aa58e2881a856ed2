"""The normal form of expressions, by laws of types, times, truth values and aggregates."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from rewriter.block import Block, aggregate_of
from rewriter.functions.trees import call_of
from rewriter.schema import expression_type
from rewriter.verify import truth
from rewriter.verify.aggregates import aggregate_form, arithmetic_form, case_form, coalesce_form, doubled_form
from rewriter.verify.forms import Forms, Mode
from rewriter.verify.labels import compared_form, difference_form, divided_form, null_form, product_form, undone_form
from rewriter.verify.times import call_form, cast_form

Tree = exp.Expr


class Expressions:
    """A converter of expressions over a block's tables to normal form.

    `nonempty` is true if each group of the block has at least one row (without GROUP BY, the only group may be empty).
    `finer` is None if the block aggregates base-table rows. If the block aggregates the groups of a view or derived
    table again, `finer` is the converter for the expressions of these finer groups, and `single` is true if there is at
    most one finer group. An aggregate over finer groups is converted to an aggregate over their rows; Unfolded is
    raised if there is no such aggregate.
    """

    def __init__(
        self, block: Block, mode: Mode, *, nonempty: bool, finer: Forms | None = None, single: bool = False
    ) -> None:
        self.block, self.nonempty, self.finer, self.single = block, nonempty, finer, single
        self.zone, self.ansi = mode
        self._known: dict[Tree, Tree] = {}

    def normal(self, tree: Tree) -> Tree:
        """Return the expression in normal form: equal expressions that are written differently get equal trees.

        `b = a` and `NOT a <> b` have the same normal form. Raise Unfolded if the expression contains an aggregate over
        groups that equals no aggregate over the groups' rows.
        """
        known = self._known.get(tree)
        if known is None:
            known = self._known[tree] = self._normal(tree)
        return known

    def kind(self, tree: Tree) -> str:
        """Return the type of an expression; `unknown` if the type is not known for certain."""
        return expression_type(tree, self.block)

    def _normal(self, tree: Tree) -> Tree:
        if isinstance(tree, (exp.Column, exp.Literal, exp.Null, exp.Boolean, exp.Star, exp.Interval, exp.DataType)):
            return tree
        call = aggregate_of(tree)
        if call is not None:
            condition = tree.expression.this if isinstance(tree, exp.Filter) else None
            return aggregate_form(self, call, condition)
        if isinstance(tree, exp.Window):
            return self.over_operands(tree, tree.this)
        rebuilt = self.over_operands(tree)
        law = _LAWS.get(type(rebuilt))
        return law(self, rebuilt) if law is not None else rebuilt

    def over_operands(self, tree: Tree, keep: Tree | None = None) -> Tree:
        """Return the same operation over normalized operands.

        The operand `keep` is not normalized itself, but its operands are: it is the function of a window, such as
        sum(x) in `sum(x) OVER …`, which must not be normalized as an aggregate.
        """
        changed = False
        arguments: dict[str, object] = {}
        for name, value in tree.args.items():
            if isinstance(value, list):
                new = [self._operand(item, keep) for item in value]
                changed |= any(a is not b for a, b in zip(new, value, strict=True))
                arguments[name] = new
            else:
                arguments[name] = self._operand(value, keep)
                changed |= arguments[name] is not value
        return type(tree)(**arguments) if changed else tree

    def _operand(self, value: object, keep: Tree | None) -> object:
        if not isinstance(value, Tree) or isinstance(value, (exp.Identifier, exp.Var, exp.DataType)):
            return value
        return self.over_operands(value) if value is keep else self.normal(value)


def _call(forms: Forms, tree: Tree) -> Tree:
    in_time = call_form(forms, tree)
    if in_time is not None:
        return in_time
    if tree.name == "if" and len(tree.expressions) == 3:
        condition, value, default = tree.expressions
        return forms.normal(exp.Case(ifs=[exp.If(this=condition, true=value)], default=default))
    if tree.name == "nvl" and len(tree.expressions) == 2:
        tree = call_of("coalesce", *tree.expressions)
    return coalesce_form(forms, tree) if tree.name == "coalesce" else tree


def _sum(forms: Forms, tree: Tree) -> Tree:
    undone = undone_form(forms, tree)
    return arithmetic_form(forms, truth.symmetric(forms, tree)) if undone is None else undone


_LAWS: dict[type[Tree], Callable[[Forms, Tree], Tree]] = {
    exp.Cast: lambda forms, tree: doubled_form(forms, cast_form(forms, tree)),
    exp.TryCast: lambda forms, tree: doubled_form(forms, cast_form(forms, tree)),
    exp.Anonymous: _call,
    exp.Case: case_form,
    exp.Not: truth.not_form,
    exp.And: truth.chain,
    exp.Or: truth.chain,
    exp.EQ: truth.symmetric,
    exp.NEQ: truth.symmetric,
    exp.NullSafeEQ: truth.symmetric,
    exp.Add: _sum,
    exp.Mul: lambda forms, tree: arithmetic_form(forms, product_form(forms, tree)),
    exp.Sub: lambda forms, tree: arithmetic_form(forms, difference_form(forms, tree)),
    exp.Div: arithmetic_form,
    exp.IntDiv: divided_form,
    exp.Neg: arithmetic_form,
    exp.LT: compared_form,
    exp.LTE: compared_form,
    exp.GT: compared_form,
    exp.GTE: compared_form,
    exp.Is: null_form,
    exp.In: truth.in_form,
}
