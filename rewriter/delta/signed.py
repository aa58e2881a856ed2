"""What rows that came and went add to the groups of a block: those that went count negatively."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from rewriter.block import Block, aggregate_of

Tree = exp.Expr

CHANGE_TYPE = "_change_type"
_CAME = ("INSERT", "UPDATE_AFTER")
_EXACT = ("bigint", "decimal")


def _came(table: str) -> Tree:
    values = [exp.Literal.string(word) for word in _CAME]
    return exp.In(this=exp.column(CHANGE_TYPE, table), expressions=values)


def _number(value: int) -> Tree:
    return exp.Literal.number(value)


def _either(condition: Tree, then: Tree, otherwise: Tree) -> Tree:
    return exp.Case(ifs=[exp.If(this=condition, true=then)], default=otherwise)


def _sign(table: str) -> Tree:
    return _either(_came(table), _number(1), exp.Neg(this=_number(1)))


def _sum(tree: Tree) -> Tree:
    return exp.Anonymous(this="sum", expressions=[tree])


def signed_problem(block: Block, types: Mapping[Tree, str]) -> str:
    """Why a grouped block's outputs do not follow from counts and exact sums of what came and went; empty if they do.

    law:    count and sum are linear: new = old + came - went, exactly in integers and decimals, never in floats
    no:     min and max, which may have gone; sum(x) without count(x), where x can be NULL: no x left is NULL, not 0
    """
    if len(block.tables) != 1:
        return "more than one table is read"
    for output in block.outputs:
        if output in (block.keys or ()):
            continue
        problem = _problem(output, block, types)
        if problem:
            return problem
    return ""


def _problem(output: Tree, block: Block, types: Mapping[Tree, str]) -> str:
    call = aggregate_of(output)
    if call is None:
        return "an output computes with aggregates"
    name, argument = call.name, call.expressions[0]
    if isinstance(argument, exp.Distinct) or name not in ("count", "sum", "avg"):
        return f"{name} cannot take a row back"
    if name == "count":
        return ""
    if isinstance(output, exp.Filter):
        return f"a filtered {name} may be left without rows"
    if name == "sum" and not types[output].startswith(_EXACT):
        return "a floating-point sum cannot take a value back"
    counted = count_of(argument) in block.outputs or never_null(argument, block)
    if not counted or (name == "avg" and not _has_exact_sum(argument, block, types)):
        return f"{name}() takes no value back unless the view has count() of the same, too"
    return ""


def count_of(argument: Tree) -> Tree:
    """How many values of an argument there are."""
    return exp.Anonymous(this="count", expressions=[argument.copy()])


def never_null(argument: Tree, block: Block) -> bool:
    """Whether an argument is a column that cannot be NULL."""
    declared = block.type_of(argument)
    return declared is not None and not declared.nullable


def _has_exact_sum(argument: Tree, block: Block, types: Mapping[Tree, str]) -> bool:
    sums = (o for o in block.outputs if isinstance(o, exp.Anonymous) and o.name == "sum")
    return any(
        types[total].startswith(_EXACT) and argument in (total.expressions[0], total.expressions[0].this)
        for total in sums
    )


def signed(output: Tree, block: Block, kind: str) -> Tree:
    """An output over rows with their `_change_type`, as what to add to the output over the rows before.

    gives:  count(x) → sum(CASE WHEN x IS NULL THEN 0 ELSE ±1 END), sum(x) → sum(CASE WHEN it came THEN x ELSE -x END)
    """
    call = aggregate_of(output)
    if call is None:
        return output
    table, argument = block.tables[0].id, call.expressions[0].copy()
    if call.name == "sum":
        return _sum(_either(_came(table), argument, exp.Neg(this=argument.copy())))
    if call.name != "count":
        return exp.TryCast(this=exp.Null(), to=exp.DataType.build(kind, dialect="spark"))
    counted = _sign(table)
    if not isinstance(argument, exp.Star):
        counted = _either(exp.Is(this=argument, expression=exp.Null()), _number(0), counted)
    if isinstance(output, exp.Filter):
        counted = _either(output.expression.this.copy(), counted, _number(0))
    return _sum(counted)
