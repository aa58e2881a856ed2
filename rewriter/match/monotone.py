"""Recognizes monotone functions of one operand, which commute with min() and max().

law:    if f keeps the order of values, max(f(x)) is f(max(x)); if f reverses the order, max(f(x)) is f(min(x)); f is
        NULL only where x is
gives:  max(2 * x + 1) is 2 * max(x) + 1, min(-x) is -max(x), and max(year(ts)) is year(max(ts))
no:     a function that reverses the order of DOUBLEs, because NaN stays the greatest value
no:     integers of any size without ANSI mode, because 2 * x and round(x, -1) may wrap around
no:     DECIMALs with 38 digits without ANSI mode, because 2 * x may be NULL
no:     the day of a TIMESTAMP in a zone whose clocks go back across midnight
"""

from __future__ import annotations

from typing import NamedTuple

from sqlglot import exp

from rewriter.block import Block
from rewriter.block.points import number_value
from rewriter.functions.registry import ROUNDING
from rewriter.functions.types import FRACTIONS, INTEGERS, VOID, as_decimal, holds_all, may_be_cut
from rewriter.schema import expression_type, numeric_type
from rewriter.timeseries import as_bucket, day_source, is_fixed_offset, keeps_whole
from rewriter.timeseries.bucket import TEMPORAL
from rewriter.timeseries.seconds import SinceOf

Tree = exp.Expr


class Monotone(NamedTuple):
    """An expression as a monotone function of `operand`, one of the expression's direct operands.

    `rising` is true if the function keeps the order of values, and false if it reverses the order.
    """

    operand: Tree
    rising: bool = True

    def extreme(self, name: str) -> str:
        """Return the aggregate of the operand, min or max, that determines the aggregate `name` of the expression.

        For the expression `-x`, max is determined by min(x).
        """
        return name if self.rising else "max" if name == "min" else "min"


def monotone(tree: Tree, block: Block, zone: str, since: SinceOf, *, ansi: bool) -> Monotone | None:
    """Return an expression as a monotone function of one of its operands; None if this is not certain.

    `-x` gives a falling function of x, and `x + 1` a rising one. `zone` is the session's time zone. `since` returns a
    lower bound of a time, in seconds since 1970 (None if unknown). `ansi` is true in ANSI mode, in which an overflow is
    an error.
    """
    found = _of_time(tree, block, zone, since) or _of_number(tree, block)
    if found is None:
        return None
    kind, of = expression_type(tree, block), expression_type(found.operand, block)
    if not found.rising and _may_be_nan(found.operand, block):
        return None
    # a cast without ANSI mode is monotone only to a wider type, and integers rounded to units stay as they are
    units = isinstance(tree, exp.Anonymous) and all((number_value(each) or 0) >= 0 for each in tree.expressions[1:])
    wraps = kind in INTEGERS and of in INTEGERS and not (isinstance(tree, exp.Cast) or units)
    return found if ansi or not (wraps or may_be_cut(kind)) else None


def _may_be_nan(tree: Tree, block: Block) -> bool:
    number = tree.this if isinstance(tree, exp.Cast) else tree
    return expression_type(number, block) in FRACTIONS


def with_operand(tree: Tree, operand: Tree, value: Tree) -> Tree:
    """Return a copy of the operation `tree` with its operand `operand`, found by object identity, replaced by
    `value`.
    """

    def put(part: object) -> object:
        return value if part is operand else part

    parts = tree.args.items()
    return type(tree)(**{key: [*map(put, part)] if isinstance(part, list) else put(part) for key, part in parts})


def _of_number(tree: Tree, block: Block) -> Monotone | None:
    found = _of_operation(tree, block) if numeric_type(tree, block) is not None else None
    return found if found is not None and numeric_type(found.operand, block) not in (None, VOID) else None


def _of_operation(tree: Tree, block: Block) -> Monotone | None:
    if isinstance(tree, exp.Neg):
        return Monotone(tree.this, rising=False)
    if isinstance(tree, exp.Cast):
        return Monotone(tree.this) if _keeps_order(tree, block) else None
    if isinstance(tree, exp.Anonymous):
        rounds = tree.name in ROUNDING and all(number_value(each) is not None for each in tree.expressions[1:])
        exact = rounds and numeric_type(tree.expressions[0], block) not in (*FRACTIONS, None)
        return Monotone(tree.expressions[0]) if exact else None
    if not isinstance(tree, (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv)):
        return None
    left, right = number_value(tree.this), number_value(tree.expression)
    scales = isinstance(tree, (exp.Mul, exp.Div, exp.IntDiv))
    if right is not None and (right != 0 or not scales):
        return Monotone(tree.this, rising=right > 0 or not scales)
    if left is None or isinstance(tree, (exp.Div, exp.IntDiv)) or (left == 0 and scales):
        return None
    return Monotone(tree.expression, rising=left > 0 if scales else isinstance(tree, exp.Add))


def _keeps_order(tree: exp.Cast, block: Block) -> bool:
    """Return whether a numeric cast keeps the order of values and returns NULL only for NULL.

    Return True if the target type of the cast can represent every value of the operand's type, and for casts to DOUBLE.
    """
    narrow, wide = numeric_type(tree.this, block), numeric_type(tree, block)
    if narrow is None or wide is None:
        return False
    exact = narrow in INTEGERS or as_decimal(narrow) is not None
    return holds_all(wide, narrow) if exact and wide not in FRACTIONS else wide == "double"


def _of_time(tree: Tree, block: Block, zone: str, since: SinceOf) -> Monotone | None:
    bucket, day = as_bucket(tree), day_source(tree)
    if bucket is not None:
        source, grain = bucket.source, bucket.grain
    elif day is not None:
        source, grain = day, "day"
    elif isinstance(tree, exp.Anonymous) and tree.name == "year" and len(tree.expressions) == 1:
        source, grain = tree.expressions[0], "year"
    else:
        return None
    kind = expression_type(source, block)
    if kind not in TEMPORAL or (bucket is not None and bucket.type != kind):
        return None
    steady = kind != "timestamp" or is_fixed_offset(zone) or keeps_whole(grain, zone, since(source))
    return Monotone(source) if steady else None
