"""Finds the x for which an expression over aggregates equals the aggregate f(x) within each group.

The groups are those of a view or derived table, which an outer query aggregates again. A group constant (k) is an
expression with one value in all rows of a group, such as a grouping key.

| law                                                                                           |
|-----------------------------------------------------------------------------------------------|
| k * sum(x) = sum(k * x), and sum(x) + k * count(x) = sum(x + k)                               |
| k * count(*) = sum(k)                                                                         |
| count(*) - count(x) = sum(CASE WHEN x IS NULL THEN 1 ELSE 0 END)                              |
| nullif(sum(b), 0) = sum(CASE WHEN b = 1 THEN 1 END), if b is 0 or 1 in each row               |
| CASE WHEN p(k) THEN f(x) ELSE f(y) END = f(CASE WHEN p(k) THEN x ELSE y END)                  |
| CAST(f(x) AS DOUBLE) = f(CAST(x AS DOUBLE)), for a sum up to its last bits                    |
"""

from __future__ import annotations

from sqlglot import exp

from rewriter.block import aggregate_of, has_aggregate
from rewriter.block.points import number_value
from rewriter.functions.registry import IDEMPOTENT
from rewriter.functions.trees import call_of, cast, is_zero
from rewriter.functions.types import FRACTIONS, INTEGERS, as_decimal, is_numeric
from rewriter.match.monotone import Monotone, monotone, with_operand
from rewriter.match.numbers import is_modest
from rewriter.verify.forms import (
    ONE,
    ROWS,
    ZERO,
    Forms,
    case_of,
    conditions_of,
    is_distinct,
    never_null,
    of_shape,
    values_of,
    widens,
)
from rewriter.verify.totals import defaulted, indicator, is_count, merged_case, never_null_in, total_of

Tree = exp.Expr

EXTREMES = frozenset({"min", "max"})


def argument_of(forms: Forms, name: str, tree: Tree) -> Tree | None:
    """Return the argument x for which `tree` equals the aggregate `name` of x in each group; None if there is none.

    For "sum", `sum(a)` gives `a`, and `CASE WHEN k THEN sum(a) END` gives `CASE WHEN k THEN a END` for a grouping key
    k. The groups are those of a view or derived table, which the outer query aggregates again.
    """
    call = aggregate_of(tree)
    if call is not None:
        return call.expressions[0] if call.name == name and tree is call and not is_distinct(call) else None
    if isinstance(tree, exp.Case):
        parts = [argument_of(forms, name, value) for value in values_of(tree)]
        found = [part for part in parts if part is not None]
        constant = not any(map(has_aggregate, conditions_of(tree)))
        return of_shape(tree, conditions_of(tree), found) if constant and len(found) == len(parts) else None
    if isinstance(tree, exp.Null):
        return tree
    doubled = argument_in_double(forms, name, tree)
    if doubled is not None:
        return doubled
    if name == "sum":
        return argument_of_sum(forms, tree)
    function = monotone_of(forms, tree) if name in EXTREMES and has_aggregate(tree) else None
    if function is not None:
        inner = argument_of(forms, function.extreme(name), function.operand)
        return None if inner is None else with_operand(tree, function.operand, inner)
    return tree if name in IDEMPOTENT and not has_aggregate(tree) else None


def argument_in_double(forms: Forms, name: str, tree: Tree) -> Tree | None:
    """Return CAST(x AS DOUBLE) if `tree` is the aggregate `name` of x, cast to DOUBLE; None for other expressions.

    `CAST(sum(x) AS DOUBLE)` and the name "sum" give `CAST(x AS DOUBLE)`.

    law: the cast keeps the order of numbers; a sum of cast numbers differs from the cast sum only in its last bits,
         unless a BIGINT sum wraps around before the cast, which it does without ANSI mode
    """
    if not isinstance(tree, exp.Cast) or forms.kind(tree) != "double" or not has_aggregate(tree):
        return None
    inner = argument_of(forms, name, tree.this)
    if inner is None:
        return None
    kind = forms.kind(inner)
    keeps = as_decimal(kind) is not None or (kind in INTEGERS and (kind != "bigint" or name != "sum" or forms.ansi))
    return forms.normal(cast(inner, "double")) if keeps else None


def argument_of_sum(forms: Forms, tree: Tree) -> Tree | None:
    """Return the argument x for which arithmetic over aggregates equals sum(x) in each group; None if there is none.

    `sum(a) * k` gives `a * k` for a grouping key k.
    """
    if is_zero(tree):
        return tree
    if isinstance(tree, exp.Anonymous) and tree.name == "coalesce" and len(tree.expressions) == 2:
        inner = argument_of(forms, "sum", tree.expressions[0])
        if inner is None or not is_zero(tree.expressions[1]):
            return None
        return inner if never_null_in(forms)(inner) else call_of("coalesce", inner, tree.expressions[1])
    if isinstance(tree, exp.Anonymous) and tree.name == "nullif" and is_zero(tree.expressions[1]):
        return _ones(forms, tree.expressions[0])
    if isinstance(tree, exp.Cast) and not tree.args.get("safe") and _keeps_sum(forms, tree):
        return argument_of(forms, "sum", tree.this)
    if isinstance(tree, exp.Mul):
        return _weighed(forms, tree) or _scaled(forms, tree)
    if isinstance(tree, exp.Div):
        return _divided(forms, tree)
    if isinstance(tree, exp.Sub) and _is_double_zero(forms, tree.this):
        tree = exp.Neg(this=tree.expression)
    if isinstance(tree, exp.Add) and any(_is_double_zero(forms, side) for side in (tree.this, tree.expression)):
        # sum() is never -0.0, which a product may be
        return argument_of_sum(forms, tree.expression if _is_double_zero(forms, tree.this) else tree.this)
    if isinstance(tree, exp.Neg):
        inner = _summed(forms, tree.this)
        return None if inner is None else exp.Neg(this=inner)
    return _shifted(forms, tree) if isinstance(tree, (exp.Add, exp.Sub)) else None


def _weighed(forms: Forms, tree: Tree) -> Tree | None:
    """Return the k of a product `k * count(*)`, which equals the sum of k over the rows; None for other products.

    k must contain no aggregate: it then has one value in all rows of a group.
    """
    for value, rows in ((tree.this, tree.expression), (tree.expression, tree.this)):
        plain = rows.this if isinstance(rows, exp.Cast) and is_numeric(forms.kind(rows)) else rows
        if plain == ROWS and not has_aggregate(value):
            return _narrow(forms, value)
    return None


def _scaled(forms: Forms, tree: Tree) -> Tree | None:
    """Return the expression whose sum() equals a product; None if there is no such expression.

    `sum(x) * k` gives `x * k` if k is constant within each group.
    """
    for value, total in ((tree.this, tree.expression), (tree.expression, tree.this)):
        plain = total.this if isinstance(total, exp.Cast) and is_count(forms, total) else total
        inner = _summed(forms, plain) if not has_aggregate(value) else None
        if isinstance(inner, exp.Case) and never_null(inner) and number_value(_narrow(forms, value)) is not None:
            return forms.normal(_with_ones(inner, _narrow(forms, value)))
        if inner is not None and (forms.kind(tree) not in FRACTIONS or _stays_finite(forms, inner, value)):
            return forms.normal(exp.Mul(this=inner, expression=_narrow(forms, value)))
    return None


def _with_ones(tree: Tree, constant: Tree) -> Tree:
    """Return the product of a CASE over 0 and 1 and a constant as a CASE: 1.5 and 0.0 in place of 1 and 0."""
    if not isinstance(tree, exp.Case):
        digits = len(constant.name.partition(".")[2])
        return constant if tree == ONE else exp.Literal.number(f"0.{'0' * digits}" if digits else "0")
    return of_shape(tree, conditions_of(tree), [_with_ones(value, constant) for value in values_of(tree)])


def _keeps_sum(forms: Forms, tree: exp.Cast) -> bool:
    """Return whether a cast of a sum either keeps the value or raises an error, so that the cast can be removed.

    A cast to a wider type always keeps the value. In ANSI mode, a cast to a DECIMAL with at least as many digits after
    the point keeps the value, or raises an error if the sum is too large for the DECIMAL. Removing such a cast is
    accepted: the verifier compares the rows of two queries, not their errors.
    """
    inner, outer = as_decimal(forms.kind(tree.this)), as_decimal(forms.kind(tree))
    raises = forms.ansi and inner is not None and outer is not None and inner.scale <= outer.scale
    return raises or widens(forms.kind(tree.this), forms.kind(tree))


def _divided(forms: Forms, tree: Tree) -> Tree | None:
    """Return the expression whose sum() equals a quotient in DOUBLE; None if there is no such expression.

    `sum(x) / k` gives `x / k` if k is constant within each group, up to the last bits.
    """
    if forms.kind(tree) != "double" or has_aggregate(tree.expression):
        return None
    inner = _summed(forms, tree.this)
    if inner is None or not _stays_finite(forms, inner, tree.expression):
        return None
    return forms.normal(exp.Div(this=inner, expression=tree.expression))


def _stays_finite(forms: Forms, summed: Tree, constant: Tree) -> bool:
    """Return whether neither the sum of `summed` in DOUBLE nor its product with `constant` can be infinite or NaN.

    `constant` must be a number whose magnitude is between 10^-30 and 10^30, or a grouping key with an integer or
    DECIMAL type. `summed` must be an integer or DECIMAL, or a product or quotient of an integer or DECIMAL with such a
    constant.
    """
    value = number_value(constant)
    kind = forms.kind(constant.this if isinstance(constant, exp.Cast) else constant)
    if value is None and kind not in INTEGERS and as_decimal(kind) is None:
        return False
    return (value is None or is_modest(value)) and _is_finite(forms, summed)


def _is_finite(forms: Forms, tree: Tree) -> bool:
    kind = forms.kind(tree)
    if kind in INTEGERS or as_decimal(kind) is not None or isinstance(tree, exp.Null) or is_zero(tree):
        return True
    if kind != "double":
        return False
    if isinstance(tree, (exp.Cast, exp.Neg)):
        return _is_finite(forms, tree.this)
    if isinstance(tree, exp.Case):
        return all(_is_finite(forms, value) for value in values_of(tree))
    if isinstance(tree, exp.Anonymous) and tree.name == "coalesce":
        return all(_is_finite(forms, each) for each in tree.expressions)
    if not isinstance(tree, (exp.Mul, exp.Div)):
        return False
    return _stays_finite(forms, tree.this, tree.expression) or (
        isinstance(tree, exp.Mul) and _stays_finite(forms, tree.expression, tree.this)
    )


def _is_double_zero(forms: Forms, tree: Tree) -> bool:
    return isinstance(tree, exp.Cast) and is_zero(tree.this) and forms.kind(tree) == "double"


def _shifted(forms: Forms, tree: Tree) -> Tree | None:
    """Return the expression whose sum() equals `tree`, a sum or difference; None if there is no such expression.

    `sum(x) + k * count(x)` gives `x + k` if k is constant within each group, and `sum(x) - k * count(x)` gives `x - k`.
    `sum(x) + sum(y)` gives `x + y` if neither x nor y is ever NULL. Return None for floating-point numbers, because
    large sums may cancel each other and leave rounding errors.
    """
    if forms.kind(tree) in FRACTIONS:
        return None
    parts = [_summed(forms, side) for side in (tree.this, tree.expression)]
    for place, other in ((0, tree.expression), (1, tree.this)):
        part = parts[place]
        constant = _of_each(forms, other, part) if part is not None else None
        if part is not None and constant is not None:
            sides = (part, constant) if place == 0 else (constant, part)
            return forms.normal(type(tree)(this=sides[0], expression=sides[1]))
    left, right = parts
    if left is None or right is None or not all(map(never_null_in(forms), (left, right))):
        return None
    if isinstance(tree, exp.Sub) and left == ONE and isinstance(right, exp.Case) and never_null(right):
        return merged_case(_exchanged(right))
    return forms.normal(type(tree)(this=left, expression=right))


def _exchanged(tree: Tree) -> Tree:
    """Return a CASE over 0 and 1 with 1 in place of 0, and 0 in place of 1, which is 1 minus the CASE."""
    if not isinstance(tree, exp.Case):
        return ONE if tree == ZERO else ZERO
    return of_shape(tree, conditions_of(tree), [_exchanged(value) for value in values_of(tree)])


def _ones(forms: Forms, tree: Tree) -> Tree | None:
    """Return the expression whose sum() is NULL where the sum of x is 0, else that sum: `CASE WHEN p THEN 1 END`.

    `tree` is the sum of x, where x is `CASE WHEN p THEN 1 ELSE 0 END`. Return None for other expressions.
    """
    part = _summed(forms, tree)
    if not isinstance(part, exp.Case) or part.this is not None or len(part.args["ifs"]) != 1:
        return None
    (branch,), default = part.args["ifs"], part.args.get("default")
    condition, value = branch.this, branch.args["true"]
    if (value, default) == (ONE, ZERO):
        return case_of([(condition, ONE)], None)
    is_null = isinstance(condition, exp.Not) and isinstance(condition.this, exp.Is)
    return case_of([(condition.this, ONE)], None) if is_null and (value, default) == (ZERO, ONE) else None


def _summed(forms: Forms, tree: Tree) -> Tree | None:
    """Return the x of sum(x), and coalesce(x, 0) for coalesce(sum(x), 0); None for other expressions."""
    zeroed = defaulted(tree)
    inner = argument_of(forms, "sum", tree if zeroed is None else zeroed)
    if inner is None or zeroed is None or never_null_in(forms)(inner):
        return inner
    return call_of("coalesce", inner, ZERO)


def _of_each(forms: Forms, tree: Tree, counted: Tree) -> Tree | None:
    """Return the k of a product `k * count(x)`, where x is `counted`; None for other expressions.

    k must contain no aggregate: it then has one value in all rows of a group.
    """
    if not isinstance(tree, exp.Mul):
        return None
    there = total_of(indicator(forms, counted))
    for value, rows in ((tree.this, tree.expression), (tree.expression, tree.this)):
        plain = rows.this if isinstance(rows, exp.Cast) and is_numeric(forms.kind(rows)) else rows
        if plain == there and not has_aggregate(value):
            return _narrow(forms, value)
    return None


def monotone_of(forms: Forms, tree: Tree) -> Monotone | None:
    """Return an expression as a monotone function of one operand: `x + 1` is one of x. Return None for others."""
    return monotone(tree, forms.block, forms.zone, lambda time: None, ansi=forms.ansi)


def _narrow(forms: Forms, value: Tree) -> Tree:
    """Return a number without outer casts that only widen its type: `CAST(n AS BIGINT)` of an INT n gives `n`."""
    while (
        isinstance(value, exp.Cast) and not value.args.get("safe") and widens(forms.kind(value.this), forms.kind(value))
    ):
        value = value.this
    return value
