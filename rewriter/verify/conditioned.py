"""Reads the groups of a view in which a condition is true in some row as the groups of just these rows.

law:    a group in which the number of rows with p is not 0 is a group of the rows with p, and f(CASE WHEN p THEN x END)
        and f(x) FILTER (WHERE p) of the group are f(x) of its rows with p, if f ignores NULLs
no:     an aggregate without the condition, because it also aggregates the other rows of the group
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlglot import exp

from rewriter.block import Block, Occurrence, aggregate_of, has_aggregate, meaning
from rewriter.block.conjuncts import conjuncts_of
from rewriter.functions.registry import FOLDED
from rewriter.functions.trees import call_of
from rewriter.verify.forms import ONE, ROWS_CALL, ZERO, is_distinct

Tree = exp.Expr


def of_condition(
    outer: Block, table: Occurrence, block: Block, columns: Sequence[str]
) -> tuple[Block, Block, tuple[str, ...]]:
    """Return `outer` without a condition `n > 0` on a stored number of rows with p, and the view's rows with WHERE p.

    `block` and `columns` are the content of the view `table`, which the block `outer` reads: the view's block, and the
    names of its outputs. The returned content has the keys, and the aggregates of the rows with p. Return all unchanged
    if there is no such condition.
    """
    if not block.keys or block.having or block.sets is not None:
        return outer, block, tuple(columns)
    by_name = dict(zip(columns, block.outputs, strict=True))
    for conjunct in outer.where:
        column = conjunct.this
        tested = isinstance(conjunct, exp.GT) and conjunct.expression == ZERO and isinstance(column, exp.Column)
        output = by_name.get(column.name.lower()) if tested and column.table == table.id else None
        counted = next((p for p, call in _of_rows(output) if call == ROWS_CALL), None) if output is not None else None
        if counted is None:
            continue
        rest = tuple(other for other in outer.where if other is not conjunct)
        kept = {name: plain for name, tree in by_name.items() if (plain := _plain(tree, counted)) is not None}
        where = tuple(dict.fromkeys((*block.where, *conjuncts_of(counted))))
        rows = replace(block, where=where, outputs=tuple(kept.values()), names=(None,) * len(kept))
        return replace(outer, where=rest), rows, tuple(kept)
    return outer, block, tuple(columns)


def _plain(tree: Tree, condition: Tree) -> Tree | None:
    """Return an output of a view as an output over the rows with a condition; None if it also depends on other rows."""
    if not has_aggregate(tree):
        return tree
    meant = meaning(condition)
    return next((call for p, call in _of_rows(tree) if meaning(p) == meant), None)


def _of_rows(tree: Tree) -> Iterator[tuple[Tree, Tree]]:
    """Yield a condition p and an aggregate of the rows with p that equals the aggregate `tree`, if there is such a p.

    `count(CASE WHEN p THEN 1 END)` gives p and `count(*)`. Where no row has p, the two may differ.
    """
    call = aggregate_of(tree)
    if call is None or call.name not in FOLDED or is_distinct(call):
        return
    (argument,) = call.expressions
    if isinstance(tree, exp.Filter):
        yield tree.expression.this, call
        return
    if isinstance(argument, exp.Anonymous) and argument.name == "if":
        condition, value, default = argument.expressions
    elif isinstance(argument, exp.Case) and len(argument.args["ifs"]) == 1:
        (branch,), default = argument.args["ifs"], argument.args.get("default") or exp.Null()
        condition, value = branch.this, branch.args["true"]
        if argument.this is not None:
            condition = exp.EQ(this=argument.this.copy(), expression=condition.copy())
    else:
        return
    none = isinstance(default, exp.Null)
    ones = call.name == "sum" and value == ONE and (none or default == ZERO)
    if ones or (none and call.name == "count" and isinstance(value, (exp.Literal, exp.Boolean))):
        yield condition, ROWS_CALL
    elif none:
        yield condition, call_of(call.name, value)
