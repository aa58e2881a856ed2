"""Decides whether sums of integers in DOUBLE are exact, and therefore equal in any order of rows.

A sum of a million INT values is exact: it is at most 2^31 * 10^6, which is less than 2^53.

law:    an integer up to 2^53 is exact as a DOUBLE; so if the sum of all magnitudes is at most 2^53, every partial sum
        is exact, and an average is the quotient of two exact numbers
law:    the number of rows is bounded by the tables' row counts, and the magnitudes are bounded by the type, or by the
        column's bounds in Iceberg's manifests
no:     a DOUBLE column, because the values between integral bounds need not be integers
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from sqlglot import exp

from rewriter.block import Block, aggregate_of
from rewriter.functions.registry import AGGREGATES, RESULTS
from rewriter.functions.results import number, together
from rewriter.functions.types import INTEGERS
from rewriter.match.most_rows import most_groups, most_rows
from rewriter.schema import expression_type

Tree = exp.Expr
# Up to this limit every integer is exact as a DOUBLE.
LIMIT = 2**53
_GREATEST = dict(zip(INTEGERS, (2**7, 2**15, 2**31, 2**63), strict=True))
# The result of these functions is one of their arguments; abs() keeps the magnitude of its argument.
_ONE_OF = (together, number)
_SAME = frozenset({"min", "max"})


def is_exact(call: exp.Anonymous, block: Block) -> bool:
    """Return whether an aggregate has the same value, to the last bit, in any order and partition of its rows.

    Return False if this is not certain.
    """
    argument = _argument(call)
    if AGGREGATES[call.name].exact(expression_type(argument, block)):
        return True
    summed = _summed(argument, block) if call.name in ("sum", "avg") else None
    return summed is not None and summed <= LIMIT


def fits_bigint(argument: Tree, block: Block) -> bool:
    """Return whether no sum of an integer expression over a block's rows overflows BIGINT.

    Return False if this is not certain.
    """
    summed = _summed(argument, block)
    return summed is not None and summed < _GREATEST["bigint"]


def _argument(call: exp.Anonymous) -> Tree:
    (argument, *_) = call.expressions
    distinct: Tree = argument.expressions[0] if isinstance(argument, exp.Distinct) else argument
    return distinct


def _summed(tree: Tree, block: Block) -> int | None:
    """Return an upper bound of the sum of an expression's absolute values; None if unknown.

    The sum is over all rows of a block. For a grouped block, in which the expression may contain keys and aggregates,
    the sum is over all groups.
    """
    call = aggregate_of(tree)
    if call is not None and call.name in ("sum", "count") and not isinstance(call.expressions[0], exp.Distinct):
        # Each row belongs to one group of each grouping set.
        return _times(_greatest(tree, block), len(block.sets or ((),)))
    return _times(_greatest(tree, block), most_groups(block) if block.keys is not None else most_rows(block))


def _greatest(tree: Tree, block: Block) -> int | None:
    """Return an upper bound of an expression's absolute value.

    Return None if no bound is known, or if the values may not be integers.
    """
    kind = expression_type(tree, block)
    if kind not in INTEGERS and kind != "double":
        return 0 if isinstance(tree, exp.Null) else None
    built = _built(tree, block)
    if kind in INTEGERS:
        # A result that overflows its type raises an error or wraps to another number of that type.
        return _GREATEST[kind] if built is None else min(built, _GREATEST[kind])
    return built if built is not None and built <= LIMIT else None


def _built(tree: Tree, block: Block) -> int | None:
    if isinstance(tree, exp.Literal):
        return int(tree.name) if tree.name.isdigit() else None
    if (call := aggregate_of(tree)) is not None:
        return _of_aggregate(call, block)
    if isinstance(tree, exp.Anonymous):
        return _most(tree.expressions, block) if RESULTS.get(tree.name) in _ONE_OF else None
    make = _OF.get(type(tree))
    return make(tree, block) if make is not None else None


def _of_aggregate(call: exp.Anonymous, block: Block) -> int | None:
    if call.name == "count":
        return most_rows(block)
    greatest = _greatest(_argument(call), block)
    if call.name in _SAME:
        return greatest
    return _times(greatest, most_rows(block)) if call.name == "sum" else None


def _column(tree: Tree, block: Block) -> int | None:
    table = next((table for table in block.tables if table.id == tree.args["table"].name), None)
    if table is None:
        return None
    if table.blocks:
        place = next(i for i, column in enumerate(table.columns) if column.name.lower() == tree.name)
        return _together([_greatest(inner.outputs[place], inner) for inner in table.blocks], max)
    ranges = table.contents.ranges if table.contents is not None else ()
    bounds = next((bounds for name, *bounds in ranges if name.lower() == tree.name), None)
    return None if bounds is None else max(map(abs, bounds))


def _cast(tree: Tree, block: Block) -> int | None:
    whole = expression_type(tree.this, block) in (*INTEGERS, "double")
    return _greatest(tree.this, block) if whole else None


def _divided(tree: Tree, block: Block) -> int | None:
    """Return an upper bound of the absolute value of a quotient or remainder by an integer: the bound of the dividend.

    Return None if the divisor is not an integer, or if no bound of the dividend is known.
    """
    whole = expression_type(tree.expression, block) in INTEGERS
    return _greatest(tree.this, block) if whole else None


def _case(tree: Tree, block: Block) -> int | None:
    return _most([*(each.args["true"] for each in tree.args["ifs"]), tree.args.get("default") or exp.null()], block)


def _most(trees: Iterable[Tree], block: Block) -> int | None:
    return _together([_greatest(tree, block) for tree in trees], max)


def _of_both(combine: Callable[[list[int]], int]) -> Callable[[Tree, Block], int | None]:
    return lambda tree, block: _together([_greatest(side, block) for side in (tree.this, tree.expression)], combine)


def _together(found: list[int | None], combine: Callable[[list[int]], int]) -> int | None:
    known = [each for each in found if each is not None]
    return combine(known) if known and len(known) == len(found) else None


def _times(greatest: int | None, rows: int | None) -> int | None:
    return None if greatest is None or rows is None else greatest * rows


_OF: Mapping[type[Tree], Callable[[Tree, Block], int | None]] = {
    exp.Column: _column,
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.Neg: lambda tree, block: _greatest(tree.this, block),
    exp.Add: _of_both(sum),
    exp.Sub: _of_both(sum),
    exp.Mul: _of_both(lambda both: both[0] * both[1]),
    exp.IntDiv: _divided,
    exp.Mod: _divided,
    exp.Case: _case,
}
