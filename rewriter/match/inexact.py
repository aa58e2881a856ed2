"""Detects floating-point sums in derived tables whose last bits would decide which rows a query returns.

With a DOUBLE x, `SELECT k FROM (SELECT k, sum(x) AS s FROM t GROUP BY k) WHERE s > 10` is such a query.

law: two computations of a floating-point sum may differ in their last bits; after arithmetic the difference is still
     small, but a filter, join, grouping, rounding or comparison may make the query return different rows
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from rewriter.block import Block, aggregate_of
from rewriter.block.traits import is_literal
from rewriter.block.words import words
from rewriter.functions.registry import AGGREGATES, INEXACT
from rewriter.match.whole_sums import is_exact
from rewriter.sql import columns_in, nodes_of

Tree = exp.Expr
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg, exp.Paren)


def inexact_use(block: Block) -> str | None:
    """Return, in words, a derived table's floating-point column whose last bits would decide which rows the block
    returns.

    The column contains an inexact aggregate, such as a sum of DOUBLEs. Return None if there is no such column.
    """
    columns = _inexact_columns(block)
    if not columns:
        return None
    on = (conjunct for join in block.joins for conjunct in join.on)
    ordering = (item.key for item in block.order if block.limit or block.offset)
    deciding = [*block.where, *on, *(block.keys or ()), *block.having, *ordering]
    deciding += block.outputs if block.distinct or block.decides else ()
    deciding += [part for output in block.outputs for part in _beyond_arithmetic(output)]
    return next((words(c) for tree in deciding for c in columns_in(tree) if c in columns), None)


def unrounded(output: Tree) -> Tree:
    """Return the argument of round() or bround() to a literal number of digits; any other output unchanged.

    `round(sum(x), 2)` gives `sum(x)`.

    law: a small difference in the argument changes the rounded value by at most one unit of its last digit
    """
    rounds = isinstance(output, exp.Anonymous) and output.name in ("round", "bround")
    return output.expressions[0] if rounds and all(map(is_literal, output.expressions[1:])) else output


def _inexact_columns(block: Block) -> frozenset[Tree]:
    """Return the columns of derived tables that contain inexact aggregates."""
    found = set[Tree]()
    for table in block.tables:
        for inner in table.blocks:
            below = _inexact_columns(inner)
            pairs = zip(table.columns, inner.outputs, strict=True)
            found |= {exp.column(c.name.lower(), table.id) for c, tree in pairs if _is_inexact(tree, inner, below)}
    return frozenset(found)


def _is_inexact(tree: Tree, block: Block, below: frozenset[Tree]) -> bool:
    for node in nodes_of(tree):
        if node in below:
            return True
        if isinstance(node, exp.Anonymous) and node.name in INEXACT and not is_exact(node, block):
            return True
    return False


def _beyond_arithmetic(tree: Tree) -> Iterator[Tree]:
    """Yield the subexpressions of an output other than columns, arithmetic, and aggregates such as sum and max.

    `sum(x) + round(y)` yields `round(y)`.
    """
    if isinstance(tree, exp.Column):
        return
    if isinstance(tree, _ARITHMETIC) or _is_smooth(tree):
        for part in tree.iter_expressions():
            yield from _beyond_arithmetic(part)
    else:
        yield tree


def _is_smooth(tree: Tree) -> bool:
    """Return whether an aggregate keeps a small change of its argument small, as sum, avg, min and max do."""
    if not isinstance(tree, exp.Anonymous) or aggregate_of(tree) is None:
        return False
    record = AGGREGATES[tree.name]
    return record.linear or record.combine == tree.name
