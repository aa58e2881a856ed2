"""The numeric type that Spark gives an expression, where it can be told; a rolled-up sum has to have the original's.

Types are in Spark's DDL spelling; `void` is that of NULL. None: it cannot be told, or Spark would have to
drop digits to keep within 38, for which settings have different rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from sqlglot import exp

from rewriter.block import Block
from rewriter.block.predicates import INTEGERS

Tree = exp.Expr

FLOATING = frozenset({"float", "double"})
MAX_PRECISION = 38
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)\Z")
_DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 20}
_INT, _BIGINT = 2**31 - 1, 2**63 - 1


def numeric_type(tree: Tree, block: Block) -> str | None:
    """The type of a row expression of columns, numbers, +, - and *.

    >>> numeric_type(exp.Literal.number("1.50"), Block((), (), (), ()))
    'decimal(3,2)'
    """
    if isinstance(tree, exp.Null):
        return "void"
    if isinstance(tree, exp.Literal):
        return _literal_type(tree)
    if isinstance(tree, exp.Neg):
        return numeric_type(tree.this, block)
    if isinstance(tree, exp.Add | exp.Sub | exp.Mul):
        return _operation_type(tree, block)
    declared = block.type_of(tree)
    return declared.type if declared is not None and (_is_number(declared.type)) else None


def decimal_of(kind: str | None) -> tuple[int, int] | None:
    """Precision and scale of a DECIMAL."""
    found = _DECIMAL.match(kind or "")
    return (int(found[1]), int(found[2])) if found else None


def wider(kinds: Iterable[str | None]) -> str | None:
    """The type to which Spark brings the branches of a CASE.

    >>> wider(["decimal(10,2)", "int", "void"]), wider(["int", "bigint"]), wider(["decimal(38,4)", "decimal(5,5)"])
    ('decimal(12,2)', 'bigint', None)
    """
    result = "void"
    for kind in kinds:
        if kind is None or (kind != "void" and not _is_number(kind)):
            return None
        common = _common(result, kind)
        if common is None:
            return None
        result = common
    return result


def sum_type(kind: str) -> str | None:
    """The type of sum() over a type.

    >>> sum_type("int"), sum_type("decimal(30,2)"), sum_type("float")
    ('bigint', 'decimal(38,2)', 'double')
    """
    decimal = decimal_of(kind)
    if decimal is not None:
        return f"decimal({min(MAX_PRECISION, decimal[0] + 10)},{decimal[1]})"
    if kind in INTEGERS:
        return "bigint"
    return "double" if kind in FLOATING else None


def summed_type(total: str) -> str | None:
    """The type of what was summed, from the type of the sum; of an integer it cannot be told.

    A sum at the greatest precision tells the least that its argument can have: it is taken for the greatest,
    of which every sum has the same type.
    """
    decimal = decimal_of(total)
    if decimal is None:
        return "double" if total == "double" else None
    precision, scale = decimal
    return f"decimal({precision if precision == MAX_PRECISION else precision - 10},{scale})"


def _is_number(kind: str) -> bool:
    return kind in INTEGERS or kind in FLOATING or decimal_of(kind) is not None


def _literal_type(literal: exp.Literal) -> str | None:
    whole, dot, fraction = literal.name.partition(".")
    if literal.is_string or not (whole + fraction).isdigit():
        return None
    if not dot:
        value = int(whole)
        return "int" if value <= _INT else "bigint" if value <= _BIGINT else None
    digits = len((whole + fraction).lstrip("0")) or 1
    return f"decimal({max(digits, len(fraction))},{len(fraction)})"


def _common(left: str, right: str) -> str | None:
    if left == right or right == "void":
        return left
    if left == "void":
        return right
    if left in FLOATING or right in FLOATING:
        return "double"
    if left in INTEGERS and right in INTEGERS:
        return max(left, right, key=lambda kind: _DIGITS[kind])
    (p1, s1), (p2, s2) = _as_decimal(left), _as_decimal(right)
    return _bounded(max(p1 - s1, p2 - s2) + max(s1, s2), max(s1, s2))


def _operation_type(tree: exp.Binary, block: Block) -> str | None:
    left, right = numeric_type(tree.this, block), numeric_type(tree.expression, block)
    if left is None or right is None or "void" in (left, right):
        return None
    if left in FLOATING or right in FLOATING:
        return "double"
    if left in INTEGERS and right in INTEGERS:
        return _common(left, right)
    (p1, s1), (p2, s2) = _operand(tree.this, left), _operand(tree.expression, right)
    if isinstance(tree, exp.Mul):
        return _bounded(p1 + p2 + 1, s1 + s2)
    return _bounded(max(p1 - s1, p2 - s2) + max(s1, s2) + 1, max(s1, s2))


def _operand(tree: Tree, kind: str) -> tuple[int, int]:
    """Beside a DECIMAL, a whole number that is typed out counts by its digits."""
    literal = tree.this if isinstance(tree, exp.Neg) else tree
    if isinstance(literal, exp.Literal) and kind in INTEGERS:
        return len(str(int(literal.name))), 0
    return _as_decimal(kind)


def _as_decimal(kind: str) -> tuple[int, int]:
    return decimal_of(kind) or (_DIGITS[kind], 0)


def _bounded(precision: int, scale: int) -> str | None:
    return f"decimal({precision},{scale})" if precision <= MAX_PRECISION else None
