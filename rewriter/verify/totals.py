"""The normal form of counts, as sums of 1 and 0, and of expressions that are never NULL.

A count in normal form is `coalesce(sum(x), 0)`, where x is 1 or 0 in each row.

law: count(x) = coalesce(sum(CASE WHEN x IS NOT NULL THEN 1 ELSE 0 END), 0)
law: the sum of coalesce(x, 0) over one or more rows is coalesce(sum(x), 0)
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from rewriter.block.points import number_value
from rewriter.functions.trees import call_of, is_zero
from rewriter.functions.types import FRACTIONS, is_numeric, may_be_cut
from rewriter.schema import numeric_type
from rewriter.verify.forms import (
    ONE,
    ZERO,
    Forms,
    case_of,
    conditions_of,
    never_null,
    of_shape,
    values_of,
    widens,
)
from rewriter.verify.truth import bare, conjunction

Tree = exp.Expr


def indicator(forms: Forms, argument: Tree) -> Tree:
    """Return an expression that is 1 where `argument` is not NULL, and 0 elsewhere.

    `x` gives `CASE WHEN x IS NOT NULL THEN 1 ELSE 0 END`, and `1` gives `1`.
    """
    if isinstance(argument, exp.Null):
        return ZERO
    argument = nullable_part(forms, argument)
    if isinstance(argument, (exp.Literal, exp.Boolean, exp.Star)):
        return ONE
    if isinstance(argument, exp.Case):
        values = [indicator(forms, value) for value in values_of(argument)]
        if argument.args.get("default") is None:
            values.append(ZERO)
        return merged_case(of_shape(argument, conditions_of(argument), values))
    there = exp.Not(this=exp.Is(this=bare(exp.Is(), argument), expression=exp.Null()))
    return case_of([(there, ONE)], ZERO)


def total_of(argument: Tree) -> Tree:
    """Return coalesce(sum(x), 0) for the argument x, with ELSE 0 added to each CASE without ELSE in x.

    `CASE WHEN p THEN x END` gives `coalesce(sum(CASE WHEN p THEN x ELSE 0 END), 0)`.
    """
    return call_of("coalesce", call_of("sum", _zero_defaults(argument)), ZERO)


def _zero_defaults(argument: Tree) -> Tree:
    if not isinstance(argument, exp.Case):
        return argument
    values = [_zero_defaults(value) for value in values_of(argument)]
    if argument.args.get("default") is None:
        values.append(ZERO)
    return merged_case(of_shape(argument, conditions_of(argument), values))


def merged_case(tree: Tree) -> Tree:
    """Return nested CASEs as one: CASE WHEN p THEN CASE WHEN q THEN x END END gives CASE WHEN p AND q THEN x END.

    A CASE with the same value in all branches gives this value: CASE WHEN p THEN 1 ELSE 1 END gives 1. Return other
    CASEs unchanged.
    """
    default: Tree | None = tree.args.get("default")
    if default is not None and all(value == default for value in values_of(tree)):
        return default
    if tree.this is not None or len(tree.args["ifs"]) != 1:
        return tree
    (branch,) = tree.args["ifs"]
    condition, value = branch.this, branch.args["true"]
    if isinstance(condition, exp.Is) and default is not None:
        other = None if isinstance(value, exp.Null) else value
        return merged_case(case_of([(exp.Not(this=condition), default)], other))
    plain = isinstance(value, exp.Case) and value.this is None and len(value.args["ifs"]) == 1
    if not plain or value.args.get("default") != default:
        return tree
    (inner,) = value.args["ifs"]
    both = conjunction(exp.And(this=condition, expression=inner.this))
    return case_of([(both, inner.args["true"])], default)


def defaulted(argument: Tree) -> Tree | None:
    """Return the x of an expression coalesce(x, 0); None for other expressions.

    The sum of coalesce(x, 0) over one or more rows is coalesce(sum(x), 0).
    """
    zeroed = isinstance(argument, exp.Anonymous) and argument.name == "coalesce" and len(argument.expressions) == 2
    return argument.expressions[0] if zeroed and is_zero(argument.expressions[1]) else None


def is_count(forms: Forms, tree: Tree) -> bool:
    """Return whether an expression is a count of rows in normal form: coalesce(sum(x), 0), where x is 0 or 1 in each
    row.

    A cast around this expression is ignored.
    """
    total = defaulted(tree.this if isinstance(tree, exp.Cast) else tree)
    return isinstance(total, exp.Anonymous) and total.name == "sum" and never_null(total.expressions[0])


def nullable_part(forms: Forms, tree: Tree) -> Tree:
    """Return the smallest known part of an expression that is NULL exactly where the whole expression is NULL.

    `2 * (x + 1)` gives `x`, and `2 * (x + y)` gives `x + y`. Return 1 if the expression is never NULL, as
    `coalesce(x, 0)`. An overflow gives NULL only for a DECIMAL, and only without ANSI mode.
    """
    if number_value(tree) is not None:
        return ONE
    if isinstance(tree, exp.Column):
        declared = forms.block.type_of(tree)
        return ONE if declared is not None and not declared.nullable else tree
    if isinstance(tree, exp.Cast):
        return nullable_part(forms, tree.this) if _keeps_nulls(forms, tree) else tree
    if isinstance(tree, exp.Anonymous) and tree.name == "coalesce":
        constant = any(number_value(each) is not None for each in tree.expressions)
        return ONE if constant and numeric_type(tree, forms.block) else tree
    if isinstance(tree, exp.Case):
        whole = tree.args.get("default") is not None
        return ONE if whole and all(nullable_part(forms, value) == ONE for value in values_of(tree)) else tree
    if may_be_cut(forms.kind(tree)) and not forms.ansi:
        return tree
    divides = isinstance(tree, (exp.Div, exp.IntDiv, exp.Mod))
    if not isinstance(tree, (exp.Add, exp.Sub, exp.Mul, exp.Neg)) and not (divides and number_value(tree.expression)):
        return tree
    parts = {part for side in tree.iter_expressions() if (part := nullable_part(forms, side)) != ONE}
    return tree if len(parts) > 1 or not numeric_type(tree, forms.block) else next(iter(parts), ONE)


def _keeps_nulls(forms: Forms, tree: exp.Cast) -> bool:
    """Return whether a cast between numeric types is NULL only where its operand is NULL."""
    inner, outer = forms.kind(tree.this), forms.kind(tree)
    if not is_numeric(inner) or not is_numeric(outer):
        return False
    raises = forms.ansi and not tree.args.get("safe") and inner not in FRACTIONS
    return raises or outer in FRACTIONS or widens(inner, outer)


def never_null_in(forms: Forms) -> Callable[[Tree], bool]:
    """Return a function that returns whether an expression over the tables of `forms` is certainly never NULL."""
    return lambda tree: never_null(tree) or nullable_part(forms, tree) == ONE
