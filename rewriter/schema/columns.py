"""The output columns of a block (a SELECT in normal form), and the types of expressions over its tables."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sqlglot import exp

from rewriter.block import Block, remembered
from rewriter.functions.types import INTEGERS, UNKNOWN, VOID, Uncertain, is_numeric
from rewriter.model import Column
from rewriter.schema.names import lost_spelling, name_of, unnameable
from rewriter.schema.oracle import Declared, Types, type_of
from rewriter.sql import columns_in
from rewriter.timeseries.bucket import TEMPORAL


def output_columns(
    block: Block,
    tree: exp.Select,
    sql: str,
    spelled: exp.Select | None = None,
    subquery_types: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Column, ...]:
    """Return the names and types of a block's outputs; raise Uncertain if a name or type is not known for certain.

    `tree` is the block's SELECT as the user typed it in the text `sql`. `spelled` is the same SELECT with its
    `timeseries` calls translated to Spark functions, and None if there are no `timeseries` calls. In `spelled`, each
    output with such a call has an alias, the text that the user typed for the output. `subquery_types` has the types of
    the block's scalar subqueries by their text.
    """
    pairs = zip(tree.expressions, (spelled or tree).expressions, strict=True)
    unnamed = [shown for item, shown in pairs if not _settled(item)]
    if len(unnamed) != block.names.count(None):
        raise Uncertain(
            "* stands for a column whose name is not known for certain: list the columns instead of *, and give each "
            "expression an alias"
        )
    if lost := lost_spelling(sql, [item for item in tree.expressions if not isinstance(item, (exp.Alias, exp.Star))]):
        raise Uncertain(
            f"the output name of an expression with {lost} is not known for certain: give the output an alias"
        )
    if (item := next((item for item in tree.expressions if _uses_alias(item, tree)), None)) is not None:
        raise unnameable(item)
    items = iter(unnamed)
    declared = _declared(block)
    columns = []
    for name, output in zip(block.names, block.outputs, strict=True):
        kind = type_of(output, declared, subqueries=subquery_types)
        columns.append(Column(_name(next(items), output, declared) if name is None else name, kind))
    return tuple(columns)


def output_names(block: Block, tree: exp.Select, sql: str) -> tuple[str | None, ...]:
    """Return the names of a block's outputs; None for a name that is not known for certain.

    `tree` is the block's SELECT as the user typed it in the text `sql`.
    """
    unnamed = [item for item in tree.expressions if not _settled(item)]
    if len(unnamed) != block.names.count(None) or lost_spelling(sql, unnamed):
        return block.names
    if any(_uses_alias(item, tree) for item in unnamed):
        return block.names
    items, declared = iter(unnamed), _declared(block)
    pairs = zip(block.names, block.outputs, strict=True)
    return tuple(_known_name(next(items), output, declared) if name is None else name for name, output in pairs)


def _known_name(item: exp.Expr, output: exp.Expr, declared: Declared) -> str | None:
    try:
        return _name(item, output, declared)
    except Uncertain:
        return None


def _name(item: exp.Expr, output: exp.Expr, declared: Declared) -> str:
    if isinstance(item, exp.Alias):
        return str(item.alias)
    # Spark names `day + 1` date_add(day, 1).
    moved = (operand for node in output.find_all(exp.Add, exp.Sub) for operand in (node.this, node.expression))
    if any(isinstance(operand, exp.Interval) or type_of(operand, declared) in TEMPORAL for operand in moved):
        raise unnameable(item)
    if any(map(_has_decimal_side, item.find_all(*_ORDERING))):
        compared = [node for node in output.find_all(*_ORDERING) if _has_decimal_side(node)]
        sides = [type_of(side, declared) for node in compared for side in (node.this, node.expression)]
        if not compared or any(kind in INTEGERS for kind in sides):
            raise unnameable(item)
    return name_of(item)


# Spark compares an integer with an integer instead of a decimal literal: `i > 1.5` is named (i > 1).
_ORDERING = (exp.LT, exp.LTE, exp.GT, exp.GTE)


def _has_decimal_side(comparison: exp.Expr) -> bool:
    sides = (side.unnest() for side in (comparison.this, comparison.expression))
    literals = (side.this.unnest() if isinstance(side, exp.Neg) else side for side in sides)
    return any(isinstance(side, exp.Literal) and not side.is_string and "." in side.name for side in literals)


def output_types(block: Block) -> tuple[str, ...]:
    """Return the types of a block's outputs; `unknown` for a type that is not known for certain."""
    return tuple(expression_type(output, block) for output in block.outputs)


def expression_type(tree: exp.Expr, block: Block) -> str:
    """Return the type of an expression over a block's tables; `unknown` if the type is not known for certain."""
    try:
        return type_of(tree, _declared(block), found=_types(block))
    except Uncertain:
        return UNKNOWN


def numeric_type(tree: exp.Expr, block: Block) -> str | None:
    """Return the type of a numeric expression over a block's tables, `void` for NULL.

    Return None if the type is not numeric or not known for certain. Return None, too, if a DECIMAL result needs more
    than 38 digits: settings determine which digits Spark then drops; or if BIGINT may not hold a quotient by DIV.
    """
    try:
        kind = type_of(tree, _declared(block), lossless=True, found=_types(block))
    except Uncertain:
        return None
    return kind if kind == VOID or is_numeric(kind) else None


# An expression nested n times is asked for its type n times, once for each operand. A block of a view lives long.
_MOST_TYPES = 1000


def _types(block: Block) -> Types:
    """Return the cached types of expressions over a block's tables, after removing all if there are more than
    _MOST_TYPES.
    """
    found = _cached_types(block)
    if len(found) > _MOST_TYPES:
        found.clear()
    return found


@remembered
def _cached_types(block: Block) -> Types:
    return {}


def _declared(block: Block) -> Declared:
    def declared(column: exp.Column) -> str | None:
        found = block.type_of(column)
        return found.type if found else None

    return declared


def _uses_alias(item: exp.Expr, tree: exp.Select) -> bool:
    """Return whether an output without alias may use the alias of an output before it in the SELECT list of `tree`.

    Spark names `b * 2` in `SELECT a + 1 AS b, b * 2` (lateralAliasReference(b) * 2).
    """
    if _settled(item):
        return False
    names = {column.name.lower() for column in columns_in(item) if not column.table}
    before = tree.expressions[: next(i for i, each in enumerate(tree.expressions) if each is item)]
    return any(isinstance(each, exp.Alias) and each.alias.lower() in names for each in before)


def _settled(item: exp.Expr) -> bool:
    """Return whether the text alone determines an output's name: the output is an alias, a column or a star."""
    return isinstance(item, (exp.Alias, exp.Column, exp.Star))
