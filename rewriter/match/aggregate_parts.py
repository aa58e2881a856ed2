"""The aggregates of which others are put together: what CREATE stores beside them, and a query in parts asks for."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from rewriter.block import Block
from rewriter.block.vocabulary import DEVIATIONS, PAIRED
from rewriter.functions.moments import digits_of, scale_of, squared
from rewriter.functions.pairs import needed, pair_of
from rewriter.schema import UNKNOWN, expression_type, numeric_type

Tree = exp.Expr


def parts_of(call: exp.Anonymous, block: Block) -> Iterator[tuple[str, Tree]]:
    """The aggregates of which one is put together that does not roll up by itself."""
    argument = call.expressions[0]
    if isinstance(argument, exp.Distinct):
        return
    if call.name == "avg":
        yield from _average_parts(argument, block)
    scale = scale_of(numeric_type(argument, block)) if call.name in DEVIATIONS else None
    if scale is not None:
        digits = digits_of(argument, scale)
        yield "sum", exp.Anonymous(this="sum", expressions=[digits])
        yield "squares", exp.Anonymous(this="sum", expressions=[squared(digits)])
        yield "count", exp.Anonymous(this="count", expressions=[argument.copy()])
    if call.name in PAIRED:
        yield from _sums_over_pairs(call, block)


def _sums_over_pairs(call: exp.Anonymous, block: Block) -> Iterator[tuple[str, Tree]]:
    y, x = call.expressions
    pair = pair_of(y, x, (numeric_type(y, block), numeric_type(x, block)))
    if pair is not None:
        for part in needed(call.name):
            yield "count" if part == "n" else "sum", pair.summed(part)


def _average_parts(argument: Tree, block: Block) -> Iterator[tuple[str, Tree]]:
    """Sum and count. A BIGINT's sum is kept as DECIMAL: it overflows where the average does not."""
    kind = expression_type(argument, block)
    if kind == UNKNOWN:  # whether its sum overflows is not known
        return
    wide = kind == "bigint"
    summed = exp.TryCast(this=argument.copy(), to=exp.DataType.build("decimal(38,0)", dialect="spark"))
    yield "sum", exp.Anonymous(this="sum", expressions=[summed if wide else argument.copy()])
    yield "count", exp.Anonymous(this="count", expressions=[argument.copy()])
