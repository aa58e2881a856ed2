"""The normal form of aggregates, over rows and over finer groups.

A finer group is a group of a view or derived table (the inner block) that an outer query aggregates again. The
parameter `forms` of the functions has the block over whose tables an expression is written, and normalizes
subexpressions. The laws of counts are in totals.py, the laws of arithmetic over aggregates in arguments.py.

| law                                                                                           |
|-----------------------------------------------------------------------------------------------|
| f(x) FILTER (WHERE p) = f(CASE WHEN p THEN x END), if f ignores NULL                          |
| avg, variances, regressions = a formula over their components (sum, count, M2 …)              |
| sum(sum(x)) = sum(x), min(min(x)) = min(x) …, when groups are rolled up from finer groups     |
"""

from __future__ import annotations

from sqlglot import exp

from rewriter.block import aggregate_of, has_aggregate
from rewriter.block.points import number_value
from rewriter.block.words import words
from rewriter.functions.registry import AGGREGATES, COMPOSED, FOLDED, IDEMPOTENT, SETS, UNITED
from rewriter.functions.trees import call_of, cast, is_zero
from rewriter.functions.types import INTEGERS, as_decimal, is_numeric
from rewriter.match.monotone import with_operand
from rewriter.match.numbers import reciprocal
from rewriter.schema import argument_types, components_of, numeric_type
from rewriter.sql import every, holds, operands
from rewriter.verify.arguments import EXTREMES, argument_in_double, argument_of, argument_of_sum, monotone_of
from rewriter.verify.forms import (
    ONE,
    SINGLE,
    ZERO,
    Forms,
    case_of,
    conditions_of,
    is_distinct,
    never_null,
    of_shape,
    under,
    values_of,
    widens,
    with_condition,
)
from rewriter.verify.totals import defaulted, indicator, is_count, merged_case, never_null_in, nullable_part, total_of
from rewriter.verify.truth import symmetric

Tree = exp.Expr

_NULL_IGNORING = frozenset(name for name in FOLDED | COMPOSED if AGGREGATES[name].arity == 1)
# Aggregates that combine with themselves: sum(sum(x)), min(min(x)) and so on.
_FOLDED = frozenset(name for name in FOLDED if AGGREGATES[name].combine == name)
# Operators that give NULL if one operand is NULL.
_STRICT = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Neg, exp.Cast)


class Unfolded(Exception):
    """Raised for an aggregate over groups that equals no aggregate over the rows of the groups.

    For example, `avg(sum(x))` equals no aggregate of x, but `sum(sum(x))` equals `sum(x)`. The message names the
    aggregate.
    """


def case_form(forms: Forms, tree: Tree) -> Tree:
    """Return a CASE in normal form.

    If the values of the CASE are aggregates, and its conditions have one value in all rows of a group, the CASE becomes
    an aggregate of a CASE: `CASE WHEN k THEN sum(x) END` gives `sum(CASE WHEN k THEN x END)`.
    """
    if tree.this is not None:
        tests = (forms.normal(exp.EQ(this=tree.this, expression=branch.this)) for branch in tree.args["ifs"])
        tree = of_shape(exp.Case(), list(tests), values_of(tree))
    if isinstance(tree.args.get("default"), exp.Null):
        tree = exp.Case(ifs=tree.args["ifs"], default=None)
    tree = merged_case(tree)
    if not isinstance(tree, exp.Case):
        return tree
    values, conditions = values_of(tree), conditions_of(tree)
    if not forms.nonempty or any(map(has_aggregate, conditions)) or not any(map(has_aggregate, values)):
        return tree
    for name in ("sum", *sorted(_FOLDED - {"sum"})):
        part = argument_of(forms, name, tree)
        if part is not None:
            return _whole(forms, name, part)
    return tree


def arithmetic_form(forms: Forms, tree: Tree) -> Tree:
    """Return arithmetic over SUMs as one SUM over rows, if the result is exactly the same.

    `k * sum(x)` gives `sum(k * x)` for a k with one value in all rows of a group. Return other expressions unchanged.
    """
    sides = (tree.this, tree.expression) if isinstance(tree, exp.Mul) else ()
    if not forms.nonempty or not has_aggregate(tree) or any(is_count(forms, side) for side in sides):
        return tree
    part = argument_of_sum(forms, tree)
    kind = forms.kind(part) if part is not None else ""
    exact = kind in INTEGERS or as_decimal(kind) is not None or (kind == "double" and _is_zero_or_more(tree))
    return _whole(forms, "sum", part) if part is not None and exact else tree


def _is_zero_or_more(tree: Tree) -> bool:
    """Return whether a product, quotient, sum or difference of DOUBLE sums is never -0.0 (it may be 0.0).

    Spark's sum() is never -0.0, so that only such an expression can be written as one sum(). Return True for sums and
    differences, for a product with a positive number, and for a quotient by a positive number; False for `-1 * sum(x)`.
    """
    if isinstance(tree, (exp.Add, exp.Sub)):
        return True
    sides = (tree.expression,) if isinstance(tree, exp.Div) else (tree.this, tree.args.get("expression"))
    return any((number_value(side) or 0) > 0 for side in sides if side is not None)


def doubled_form(forms: Forms, tree: Tree) -> Tree:
    """Return an aggregate cast to DOUBLE as the aggregate of the values cast to DOUBLE.

    `CAST(sum(x) AS DOUBLE)` gives `sum(CAST(x AS DOUBLE))`. Return other expressions unchanged.

    no: CAST(coalesce(sum(x), 0) AS DOUBLE) without GROUP BY, which is 0 over an empty table
    """
    if not isinstance(tree, exp.Cast) or forms.kind(tree) != "double":
        return tree
    zeroed = defaulted(tree.this)
    if zeroed is not None and not forms.nonempty:
        return tree
    call = aggregate_of(tree.this if zeroed is None else zeroed)
    if call is None or call.name not in _FOLDED or is_count(forms, tree):
        return tree
    part = argument_in_double(forms, call.name, tree)
    return tree if part is None else _whole(forms, call.name, part)


def aggregate_form(forms: Forms, call: exp.Anonymous, condition: Tree | None) -> Tree:
    """Return an aggregate in normal form, with its FILTER condition moved into the argument.

    `condition` is the FILTER condition of `call`, or None. If the block aggregates the groups of a view or derived
    table, return an equal aggregate over the rows of these groups; raise Unfolded if no such aggregate is known.
    """
    if forms.finer is not None:
        return _of_groups(forms, call, condition, forms.finer)
    finished = _finished(forms, call, condition)
    if finished is not None:
        return forms.normal(finished)
    if condition is not None and (within := _distinct_within(call, condition)) is not None:
        return forms.over_operands(within)
    if isinstance(call.expressions[0], exp.Distinct) or call.name not in _NULL_IGNORING:
        return _united(forms.over_operands(call), condition if condition is None else forms.normal(condition))
    if call.name == "count":
        return _count(forms, call.expressions[0], condition)
    (argument,) = call.expressions
    integer = _summed_integer(forms, call)
    if integer is not None:
        return cast(_whole(forms, "sum", forms.normal(under(condition, integer)), condition), forms.kind(call))
    found = _whole(forms, call.name, forms.normal(under(condition, argument)), condition)
    kind = forms.kind(call)
    # coalesce(sum(x), 0) may have fewer digits than sum(coalesce(x, 0))
    return found if as_decimal(kind) is None or forms.kind(found) == kind else cast(found, kind)


def _summed_integer(forms: Forms, call: exp.Anonymous) -> Tree | None:
    """Return the n of an expression sum(CAST(n AS DECIMAL(p,s))) that equals sum(n); None for other aggregates.

    `sum(CAST(n AS DECIMAL(20,0)))` gives n for an INT column n.

    law: a sum of integers that are not BIGINT is exact, and fits a DECIMAL with 19 digits before the point
    law: in ANSI mode, a sum of BIGINTs is exact or an error; without ANSI mode, the sum may wrap around
    """
    argument = call.expressions[0]
    kind = forms.kind(argument.this) if call.name == "sum" and isinstance(argument, exp.Cast) else ""
    if kind not in INTEGERS or (kind == "bigint" and not forms.ansi) or as_decimal(forms.kind(argument)) is None:
        return None
    fits = widens(kind, forms.kind(argument)) and widens("bigint", forms.kind(call))
    return argument.this if fits else None


def _unwidened(forms: Forms, tree: Tree) -> Tree:
    """Return the argument of a sum without casts that only widen its type: `CAST(n AS BIGINT)` of an INT n gives `n`.

    Such casts are also removed within a CASE and within exact arithmetic, and a DECIMAL quotient that has all its
    digits becomes a product, as `d / 100` becomes `d * 0.01`. The sum in the narrower type does not overflow: a sum of
    DECIMALs has ten digits more than its argument. Casts between integer types, and casts of BIGINTs to DECIMAL, are
    removed only in ANSI mode, in which the overflow of a sum is an error.
    """
    kind = numeric_type(tree, forms.block)
    if kind == "double":
        return _in_doubles(forms, tree)
    if as_decimal(kind) is None and not (kind in INTEGERS and forms.ansi):
        return tree
    if isinstance(tree, exp.Cast) and not tree.args.get("safe") and widens(forms.kind(tree.this), forms.kind(tree)):
        return tree if forms.kind(tree.this) == "bigint" and not forms.ansi else _unwidened(forms, tree.this)
    if isinstance(tree, exp.Case):
        return of_shape(tree, conditions_of(tree), [_unwidened(forms, value) for value in values_of(tree)])
    if isinstance(tree, exp.Neg):
        return exp.Neg(this=_unwidened(forms, tree.this))
    if isinstance(tree, (exp.Add, exp.Sub, exp.Mul)):
        sides = [_unwidened(forms, side) for side in (tree.this, tree.expression)]
        return forms.normal(type(tree)(this=sides[0], expression=sides[1]))
    return _exact_product(forms, tree) if isinstance(tree, exp.Div) else tree


def _in_doubles(forms: Forms, tree: Tree) -> Tree:
    """Return a summed DOUBLE expression with the factors of products and the dividends of quotients cast to DOUBLE.

    `n / 100` gives `CAST(n AS DOUBLE) / 100`. Number literals and divisors keep their type.
    """
    kind = forms.kind(tree)
    if number_value(tree) is not None:
        return tree
    if kind in INTEGERS or as_decimal(kind) is not None:
        return forms.normal(cast(_unwidened(forms, tree), "double"))
    if isinstance(tree, exp.Cast) and is_numeric(forms.kind(tree.this)):
        return forms.normal(cast(_unwidened(forms, tree.this), "double"))
    if isinstance(tree, exp.Case):
        return of_shape(tree, conditions_of(tree), [_unwidened(forms, value) for value in values_of(tree)])
    if isinstance(tree, exp.Anonymous) and tree.name == "coalesce":
        return call_of("coalesce", _unwidened(forms, tree.expressions[0]), *tree.expressions[1:])
    if isinstance(tree, exp.Mul):
        both = [_in_doubles(forms, side) for side in (tree.this, tree.expression)]
        return symmetric(forms, exp.Mul(this=both[0], expression=both[1]))
    if isinstance(tree, exp.Div):
        return exp.Div(this=_in_doubles(forms, tree.this), expression=tree.expression)
    return tree


def _exact_product(forms: Forms, tree: Tree) -> Tree:
    """Return a DECIMAL quotient that has all its digits in its type as a product: `d / 100` gives `d * 0.01`.

    Return all other quotients unchanged, such as `d / 3`.
    """
    decimal, inner = as_decimal(forms.kind(tree)), forms.kind(tree.this)
    factor = reciprocal(number_value(tree.expression))
    if decimal is None or factor is None or not is_numeric(inner):
        return tree
    scale = (as_decimal(inner) or (0, 0))[1] + len(factor.partition(".")[2])
    product = exp.Mul(this=_unwidened(forms, tree.this), expression=exp.Literal.number(factor))
    return forms.normal(product) if scale <= decimal.scale else tree


def _of_groups(forms: Forms, call: exp.Anonymous, condition: Tree | None, finer: Forms) -> Tree:
    """Return an aggregate over the groups of a view or derived table as an aggregate over the rows of these groups.

    `sum(s)` over groups with `s = sum(x)` gives `sum(x)`. `condition` is the FILTER condition of `call`, or None;
    `finer` normalizes the expressions that the groups store. Raise Unfolded if no equal aggregate over rows is known.

    law: a sum of sums is the sum over all rows, a minimum of minima is the minimum, a maximum of maxima is the maximum,
         and an aggregate that depends only on the set of its values is the same over groups and over rows
    no:  count(*) over groups, because it counts groups instead of rows
    no:  sum(k) of a grouping key k, because each group counts once instead of once per row
    """
    arguments = [finer.normal(argument) for argument in call.expressions]
    if is_distinct(call):
        arguments = [exp.Distinct(expressions=[_of_some_row(finer, each) for each in arguments[0].expressions])]
    elif call.name in IDEMPOTENT:
        arguments = [_of_some_row(finer, each) for each in arguments]
    if not finer.nonempty and not all(map(_is_null_without_rows, arguments)):
        raise Unfolded(
            f"the argument of {words(call)} is the result of an aggregate query without GROUP BY, which the verifier "
            "does not support"
        )
    if call.name in _FOLDED and not is_distinct(call):
        argument = arguments[0] if condition is None else finer.normal(under(condition, arguments[0]))
        part = argument_of(forms, call.name, argument)
        if part is not None:
            return _whole(forms, call.name, part, condition)
    if call.name in SETS or is_distinct(call):
        where = None if condition is None else finer.normal(condition)
        constant = not any(map(has_aggregate, arguments)) or call.name in UNITED
        if constant and not has_aggregate(where or ZERO):
            plain = call_of(call.name, *arguments)
            within = _distinct_within(plain, where) if where is not None else None
            return _united(plain, where) if within is None else finer.over_operands(within)
    if forms.single and call.name == "max" and condition is None:
        if _is_null_without_rows(arguments[0]):
            return arguments[0]
        if aggregate_of(arguments[0]) is not None:
            return call_of(SINGLE, arguments[0])
    counted = call.name == "sum" and isinstance(arguments[0], (exp.Anonymous, exp.Case))
    if counted and any(inner.name == "bitmap_count" for inner in every(arguments[0], exp.Anonymous)):
        return finer.normal(with_condition(call_of("sum", arguments[0]), condition))
    raise Unfolded(
        f"{words(call)} aggregates groups, and the verifier knows no equal aggregate over the rows of these groups"
    )


def _distinct_within(call: exp.Anonymous, condition: Tree) -> exp.Anonymous | None:
    """Return a DISTINCT aggregate of one expression with its FILTER condition in the argument; None for others.

    `count(DISTINCT x)` and the condition p give `count(DISTINCT CASE WHEN p THEN x END)`.
    """
    values: list[Tree] = call.expressions[0].expressions if is_distinct(call) and call.name in _NULL_IGNORING else []
    return call_of(call.name, exp.Distinct(expressions=[under(condition, values[0])])) if len(values) == 1 else None


def _of_some_row(finer: Forms, tree: Tree) -> Tree:
    """Return `CASE WHEN p THEN k END` for a CASE whose condition is that p is true in some row, with a grouping key k.

    `CASE WHEN 0 < coalesce(sum(CASE WHEN p THEN 1 ELSE 0 END), 0) THEN k END` gives `CASE WHEN p THEN k END`, which has
    the value k in some row of the group, and otherwise NULL. Only an aggregate that ignores NULLs and repeated values
    may be applied to the result. Return other expressions unchanged.
    """
    plain = isinstance(tree, exp.Case) and len(tree.args["ifs"]) == 1 and tree.args.get("default") is None
    if not plain or has_aggregate(tree.args["ifs"][0].args["true"]):
        return tree
    (branch,) = tree.args["ifs"]
    parts = [_some(part) for part in operands(branch.this, exp.And)]
    if any(map(has_aggregate, parts)):
        return tree
    whole = parts[0]
    for part in parts[1:]:
        whole = exp.And(this=whole, expression=part)
    return finer.normal(case_of([(whole, branch.args["true"])], None))


def _some(tree: Tree) -> Tree:
    """Return p for `0 < n`, where n is the number of rows with p in normal form; return other conditions unchanged."""
    counted = tree.expression if isinstance(tree, exp.LT) and tree.this == ZERO else None
    total = counted.expressions[0] if isinstance(counted, exp.Anonymous) and counted.name == "coalesce" else None
    ones = total.expressions[0] if isinstance(total, exp.Anonymous) and total.name == "sum" else None
    if not isinstance(ones, exp.Case) or len(ones.args["ifs"]) != 1 or values_of(ones) != [ONE, ZERO]:
        return tree
    condition: Tree = ones.args["ifs"][0].this
    return condition


def _is_null_without_rows(tree: Tree) -> bool:
    """Return whether an expression of aggregates is NULL for an empty group, such as `sum(x) / nullif(count(x), 0)`.

    Return False for a count, which is 0 for an empty group, and for an expression with a column outside of aggregates.
    """
    whole = aggregate_of(tree)
    if whole is not None:
        return AGGREGATES[whole.name].of_nothing == "null"
    if not isinstance(tree, _STRICT) or tree.args.get("safe"):
        return False
    outside = tree.walk(prune=lambda node: aggregate_of(node) is not None)
    if any(isinstance(node, exp.Column) for node in outside):
        return False
    return any(map(_is_null_without_rows, tree.iter_expressions()))


def _united(call: Tree, condition: Tree | None) -> Tree:
    """Return the union of the bitmaps or sketches of groups as the bitmap or sketch of all rows of these groups.

    `bitmap_or_agg(bitmap_construct_agg(x))` gives `bitmap_construct_agg(x)`. Return other aggregates unchanged. If
    `condition` is not None, the returned aggregate has this condition as FILTER.
    """
    inner = aggregate_of(call.expressions[0])
    if inner is not None and UNITED.get(inner.name) == call.name and inner.expressions[1:] == call.expressions[1:]:
        call = inner
    return with_condition(call, condition)


def _count(forms: Forms, argument: Tree, condition: Tree | None) -> Tree:
    there = indicator(forms, forms.normal(argument))
    if condition is not None:
        there = case_of([(forms.normal(condition), there)], ZERO)
    return total_of(there)


def _whole(forms: Forms, name: str, argument: Tree, condition: Tree | None = None) -> Tree:
    """Return the aggregate `name` of `argument` over rows, in normal form.

    In ANSI mode, `sum(CAST(n AS BIGINT))` gives `sum(n)` for an INT n, and `max(x + 1)` gives `max(x) + 1`. A sum of a
    CASE over 0 and 1 gets a default: `coalesce(sum(CASE …), 0)`. With a FILTER (`condition` is not None), a sum gets no
    default, because the FILTER may drop all rows.
    """
    if name == "sum" and (forms.kind(argument) == "double" or holds(argument, (exp.Cast, exp.Div))):
        argument = _unwidened(forms, argument)
    function = monotone_of(forms, argument) if name in EXTREMES else None
    if function is not None:
        inner = _whole(forms, function.extreme(name), function.operand, condition)
        outer = with_operand(argument, function.operand, inner)
        return symmetric(forms, outer) if isinstance(outer, (exp.Add, exp.Mul)) else outer
    call = call_of(name, argument)
    if name == "sum" and forms.nonempty and condition is None:
        if never_null(argument) or (isinstance(argument, exp.Case) and never_null_in(forms)(argument)):
            return total_of(argument)
        zeroed = defaulted(argument)
        if zeroed is not None:
            return total_of(zeroed)
    return call


def _finished(forms: Forms, call: exp.Anonymous, condition: Tree | None) -> Tree | None:
    """Return an aggregate as a formula over its components: avg(x) gives sum(x) / count(x).

    Return None for an aggregate without components. `condition` is the FILTER condition of `call`, or None; each
    component gets the same condition.
    """
    composed, parts = AGGREGATES[call.name].composed, components_of(call, forms.block)
    if composed is None or not parts:
        return None
    values = {label: with_condition(part.call, condition) for label, part in parts.items()}
    return composed.finish(values, argument_types(call, forms.block))


def coalesce_form(forms: Forms, tree: Tree) -> Tree:
    """Return coalesce() in normal form: `coalesce(coalesce(x, 0), 0)` gives `coalesce(x, 0)`.

    `coalesce(x, 0)` gives `x` if x is never NULL. `coalesce(sum(CASE WHEN p THEN x END), 0)` gets an ELSE 0 within the
    sum. If at most one group of a view is read, and n is the group's stored count of rows, `coalesce(max(n), 0)` gives
    the count of these rows, because a count of no rows is 0.
    """
    first: Tree = tree.expressions[0]
    rest: list[Tree] = tree.expressions[1:]
    if not has_aggregate(first) and nullable_part(forms, first) == ONE and forms.kind(first) == forms.kind(tree):
        return first
    if isinstance(first, exp.Anonymous) and first.name == SINGLE and rest == [ZERO]:
        counted: Tree = first.expressions[0]
        call = aggregate_of(counted)
        return counted if call is not None and AGGREGATES[call.name].of_nothing == "zero" else tree
    if isinstance(first, exp.Anonymous) and first.name == "coalesce" and first.expressions[1:] == rest:
        return first
    open_case = isinstance(first, exp.Case) and first.args.get("default") is None and rest == [ZERO]
    if open_case and all(nullable_part(forms, value) == ONE for value in values_of(first)):
        return forms.normal(of_shape(first, conditions_of(first), [*values_of(first), ZERO]))
    summed = isinstance(first, exp.Anonymous) and first.name == "sum" and len(rest) == 1 and is_zero(rest[0])
    return total_of(first.expressions[0]) if summed else tree
