"""Maintains a grouped block by signed deltas of its tables.

The aggregates of inserted rows are added to the stored aggregates, and the aggregates of deleted rows are subtracted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain

from sqlglot import exp

from rewriter.block import Block, aggregate_of
from rewriter.block.words import words
from rewriter.functions.registry import AGGREGATES
from rewriter.functions.trees import ROWS, call_of, number
from rewriter.functions.types import DIGITS, as_decimal
from rewriter.schema import expression_type

Tree = exp.Expr

CHANGE_TYPE = "_change_type"
# The table t.changes lists an update as DELETE and INSERT; a changelog view may list the new row as UPDATE_AFTER.
_CAME = ("INSERT", "UPDATE_AFTER")
_EXACT = ("bigint", "decimal")


def _came(table: str) -> Tree:
    values = [exp.Literal.string(word) for word in _CAME]
    return exp.In(this=exp.column(CHANGE_TYPE, table), expressions=values)


def _either(condition: Tree, then: Tree, otherwise: Tree) -> Tree:
    return exp.Case(ifs=[exp.If(this=condition, true=then)], default=otherwise)


def _sign(table: str) -> Tree:
    return _either(_came(table), number(1), exp.Neg(this=number(1)))


def signed_problem(block: Block, types: Mapping[Tree, str], *, recomputed: bool) -> str:
    """Return the reason, as text for a message, why signed deltas cannot maintain a grouped block.

    Signed deltas add the aggregates of inserted rows to the stored ones, and subtract those of deleted rows. Return an
    empty string if this maintains all outputs. `types` maps each output to its type. With `recomputed`, as in a
    refresh, an aggregate that is composed of others, such as avg, is computed again from their new values; otherwise
    such an aggregate is a reason.

    law:    count and sum are linear: new = old + added - deleted; this is exact for integers and decimals, but not for
            floating-point numbers
    no:     min and max, because the row with the minimum or maximum may have been deleted
    no:     sum(x) of a nullable x without a stored count(x), because only count(x) = 0 shows that the sum is NULL
    """
    computed = [output for output in block.outputs if output not in (block.keys or ())]
    unfit = (_unfit(output, types, recomputed) for output in computed)
    lacking = (_lacking(output, block, types) for output in computed)
    return next(filter(None, chain(unfit, lacking)), "")


def _unfit(output: Tree, types: Mapping[Tree, str], recomputed: bool) -> str:
    """Return why the contribution of a deleted row cannot be subtracted from an output; empty if it can be.

    Only this output is considered, not the block's other outputs. `types` and `recomputed` are those of
    `signed_problem`.
    """
    call = aggregate_of(output)
    if call is None:
        return "an output is an expression of aggregates"
    if isinstance(call.expressions[0], exp.Distinct):
        return f"a deleted row cannot be subtracted from {call.name} of distinct values"
    record = AGGREGATES[call.name]
    if not record.linear or (record.composed is not None and not recomputed):
        return f"a deleted row cannot be subtracted from {call.name}"
    if isinstance(output, exp.Filter) and call.name != "count":
        return f"a {call.name} with FILTER may have no rows left, and is NULL then"
    if call.name == "sum" and not types[output].startswith(_EXACT):
        return "a deleted value cannot be subtracted exactly from a floating-point sum"
    return ""


def _lacking(output: Tree, block: Block, types: Mapping[Tree, str]) -> str:
    """Return a message that names the outputs without which deleted values cannot be subtracted from `output`.

    Beside sum(x), the block must have count(x); beside avg(x), the block must have count(x) and an exact sum(x). Return
    an empty string if no such output is missing in `block`. `types` maps each output to its type.
    """
    call = aggregate_of(output)
    if call is None or call.name == "count":
        return ""
    argument = call.expressions[0]
    lacks = [] if count_output(argument, block) is not None else ["count"]
    if AGGREGATES[call.name].composed is not None and not _has_exact_sum(argument, block, types):
        lacks.append("exact sum")
    return (
        f"a deleted value cannot be subtracted from {words(output)} without the {' and the '.join(lacks)} of the same "
        "argument"
        if lacks
        else ""
    )


def count_of(argument: Tree) -> Tree:
    """Return the call count(argument)."""
    return call_of("count", argument.copy())


def count_output(argument: Tree, block: Block) -> Tree | None:
    """Return the output of `block` that has the value of count(argument), or None if there is none.

    `argument` is the argument of a sum() or avg(). If deletions reduce this count to 0, the sum or average becomes
    NULL.

    law:   CAST(x AS DECIMAL(38,0)) of an integer x is NULL only where x is NULL, so that both have the same count;
           count(x) is count(*) if x is never NULL
    """
    value = _unwidened(argument, block)
    declared = block.type_of(value)
    if declared is not None and not declared.nullable:
        value = exp.Star()
    counts = (o for o in block.outputs if isinstance(o, exp.Anonymous) and o.name == "count")
    return next((count for count in counts if _unwidened(count.expressions[0], block) == value), None)


def _unwidened(argument: Tree, block: Block) -> Tree:
    """Return an aggregate's argument without a cast from an integer type to a DECIMAL type that holds all its values.

    For an INT column n, `CAST(n AS DECIMAL(38,0))` gives n, which is NULL exactly where the cast is NULL. Return any
    other argument unchanged, such as `CAST(n AS DECIMAL(5,0))`. `block` has the types of the columns.
    """
    if not isinstance(argument, exp.Cast):
        return argument
    digits = DIGITS.get(expression_type(argument.this, block))
    decimal = as_decimal(expression_type(argument, block))
    has_room = digits is not None and decimal is not None and decimal.precision - decimal.scale >= digits
    return argument.this if has_room else argument


def _has_exact_sum(argument: Tree, block: Block, types: Mapping[Tree, str]) -> bool:
    sums = (o for o in block.outputs if isinstance(o, exp.Anonymous) and o.name == "sum")
    return any(
        types[total].startswith(_EXACT) and argument in (total.expressions[0], _unwidened(total.expressions[0], block))
        for total in sums
    )


def with_group_counts(block: Block) -> Block:
    """Return a grouped block with the counts that show which groups, and which sums, have no rows left.

    These are count(*), if the block has grouping keys, and the count of each sum's argument. Counts that the block has
    already are not added again.
    """
    missing: list[Tree] = [] if ROWS in block.outputs or not block.keys else [ROWS]
    for output in block.outputs:
        call = aggregate_of(output)
        if call is not None and call.name == "sum":
            known = replace(block, outputs=(*block.outputs, *missing))
            missing += [] if count_output(call.expressions[0], known) else [_count_of(call.expressions[0], block)]
    return replace(block, outputs=(*block.outputs, *missing), names=(*block.names, *(None for _ in missing)))


def _count_of(argument: Tree, block: Block) -> Tree:
    """Return the shortest call that has the value of count(argument): count(*) if the argument is never NULL."""
    value = _unwidened(argument, block)
    declared = block.type_of(value)
    return ROWS if declared is not None and not declared.nullable else count_of(value)


def netted(output: Tree, block: Block, added: Mapping[Tree, Tree]) -> Tree:
    """Return the expression for `output`, an output of `block`, after deleted rows were subtracted.

    `added` has, for each output, the sum of the stored value and of the changed rows' value. A sum of no values is
    NULL: `CASE WHEN coalesce(sum(cnt), 0) = 0 THEN NULL ELSE sum(total) END`. Other outputs are returned as in `added`.
    """
    call = aggregate_of(output)
    summed = call.expressions[0] if call is not None and call.name == "sum" else None
    count = count_output(summed, block) if summed is not None else None
    if count is None:
        return added[output]
    return _either(exp.EQ(this=added[count].copy(), expression=number(0)), exp.Null(), added[output])


def signed(output: Tree, table: str, kind: str) -> Tree:
    """Return the aggregate over changed rows whose value is to be added to the stored value of `output`.

    `kind` is the output's type, `table` the id of the table with the changed rows. A row counts negatively if the
    column `_change_type` says that the row was deleted. The result is the output itself for a grouping key, and NULL
    for other aggregates, such as avg(x), which is recomputed from sum(x) and count(x).

    gives:  count(x) → sum(CASE WHEN x IS NULL THEN 0 ELSE ±1 END), sum(x) → sum(CASE WHEN inserted THEN x ELSE -x END)
    """
    call = aggregate_of(output)
    if call is None:
        return output
    argument = call.expressions[0].copy()
    if call.name == "sum":
        # Cast to BIGINT, the type of the sum: the negation of the least INT overflows INT.
        went = exp.cast(argument.copy(), "bigint", dialect="spark") if kind == "bigint" else argument.copy()
        return call_of("sum", _either(_came(table), argument, exp.Neg(this=went)))
    if call.name != "count":
        return exp.TryCast(this=exp.Null(), to=exp.DataType.build(kind, dialect="spark"))
    counted = _sign(table)
    if not isinstance(argument, exp.Star):
        counted = _either(exp.Is(this=argument, expression=exp.Null()), number(0), counted)
    if isinstance(output, exp.Filter):
        counted = _either(output.expression.this.copy(), counted, number(0))
    return call_of("sum", counted)
