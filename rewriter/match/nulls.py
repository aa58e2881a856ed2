"""Finds a simpler expression that is NULL in the same rows as an expression, so that both have the same count().

law:    arithmetic on numbers is NULL where an operand is NULL, and a cast to another numeric type where its operand is;
        a result that overflows is an error in ANSI mode, and NULL without ANSI mode only if the result is a DECIMAL
law:    a CASE is never NULL if its values and its ELSE are never NULL
law:    coalesce() is never NULL if one of its arguments is a constant other than NULL
gives:  count(2 * x + 1) is count(x), and count(coalesce(x, 0)) is count(*)
no:     DECIMALs with 38 digits without ANSI mode, because 2 * x may be NULL
no:     x / 0 and try_cast(x AS INT), which may be NULL where x is not
"""

from __future__ import annotations

from sqlglot import exp

from rewriter.block import Block
from rewriter.block.points import number_value
from rewriter.functions.types import FRACTIONS, holds_all, is_numeric, may_be_cut
from rewriter.schema import numeric_type

Tree = exp.Expr

_DIVIDING = (exp.Div, exp.IntDiv, exp.Mod)
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, *_DIVIDING)


def same_nulls(tree: Tree, block: Block, *, ansi: bool) -> Tree:
    """Return the operand of a numeric expression that alone decides where the expression is NULL.

    `2 * x + 1` gives `x`. Return `*` for an expression that is never NULL, and the expression itself if no operand or
    more than one operand decides, or if this is not certain. `ansi` is true in ANSI mode, in which an overflow is an
    error instead of NULL.
    """
    if number_value(tree) is not None:
        return exp.Star()
    if isinstance(tree, exp.Column):
        declared = block.type_of(tree)
        return tree if declared is None or declared.nullable else exp.Star()
    deciding = _deciding(tree, block, ansi=ansi)
    return tree if deciding is None else deciding


def _deciding(tree: Tree, block: Block, *, ansi: bool) -> Tree | None:
    if isinstance(tree, exp.Neg):
        return same_nulls(tree.this, block, ansi=ansi) if numeric_type(tree, block) else None
    if isinstance(tree, exp.Cast):
        return same_nulls(tree.this, block, ansi=ansi) if _keeps_nulls(tree, block, ansi=ansi) else None
    if isinstance(tree, _ARITHMETIC) and (kind := numeric_type(tree, block)) and (ansi or not may_be_cut(kind)):
        if isinstance(tree, _DIVIDING) and not number_value(tree.expression):
            return None
        left, right = (same_nulls(side, block, ansi=ansi) for side in (tree.this, tree.expression))
        return right if isinstance(left, exp.Star) else left if isinstance(right, exp.Star) or left == right else None
    if isinstance(tree, exp.Case):
        values = (*(branch.args["true"] for branch in tree.args["ifs"]), tree.args.get("default"))
        present = all(v is not None and isinstance(same_nulls(v, block, ansi=ansi), exp.Star) for v in values)
        return exp.Star() if present else None
    coalesced = isinstance(tree, exp.Anonymous) and tree.name in ("coalesce", "nvl") and numeric_type(tree, block)
    constant = coalesced and any(number_value(each) is not None for each in tree.expressions)
    return exp.Star() if constant else None


def _keeps_nulls(tree: exp.Cast, block: Block, *, ansi: bool) -> bool:
    """Return whether a cast between numeric types is NULL only where its operand is NULL.

    `ansi` is true in ANSI mode, in which a value that does not fit the type is an error instead of NULL.
    """
    narrow, wide = (numeric_type(each, block) for each in (tree.this, tree))
    if narrow is None or wide is None or not is_numeric(narrow):
        return False
    raises = ansi and not tree.args.get("safe") and narrow not in FRACTIONS
    return raises or wide in FRACTIONS or holds_all(wide, narrow)
