"""Reads a filter on a column from a CASE that a view stores in place of the column.

law:    a CASE of literals puts each value of x into the band of its first true condition; a filter that is true for
        whole bands, and for no value of the others, is a filter on the CASE
view:   SELECT CASE WHEN x < 0 THEN 'refund' WHEN x < 10 THEN 'small' ELSE 'large' END AS band, count(*) … GROUP BY 1
query:  SELECT count(*) FROM t WHERE x < 10
gives:  SELECT sum(cnt) FROM view WHERE band IN ('refund', 'small')
no:     WHERE x < 5, which is true for a part of the band 'small'
no:     a DOUBLE x, because of NaN, and literals such as 1 and 1.0, which are equal
no:     WHERE x >= 10 of an x that may be NULL, because ELSE takes NULL, too
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from rewriter.block import Block
from rewriter.block.atoms import range_of, united
from rewriter.block.normal_forms import joined
from rewriter.block.ranges import ALL, NOT_NULL, RangeSet
from rewriter.functions.types import FRACTIONS

Tree = exp.Expr


def in_bands(conjunct: Tree, stored: Iterable[tuple[Tree, Tree]], block: Block, zone: str) -> Tree | None:
    """Return a conjunct of a filter as a condition on a stored CASE of literals; None if no stored CASE decides it.

    The condition is true for the same rows; where it is not true, it may be false instead of unknown. `stored` are
    pairs of a stored expression and its storage column, `block` is the query's block, and `zone` the session's time
    zone.
    """
    found = range_of(conjunct, block, zone)
    if found is None:
        return None
    subject, wanted = found
    for tree, column in stored:
        bands = _bands(tree, subject, block, zone) if isinstance(tree, exp.Case) and tree.this is None else None
        inside = [label for label, values in (bands or {}).items() if values.within(wanted)]
        outside = [label for label, values in (bands or {}).items() if values.meet(wanted).empty]
        if bands and inside and len(inside) + len(outside) == len(bands):
            return _one_of(column, inside)
    return None


def _bands(tree: exp.Case, subject: Tree, block: Block, zone: str) -> dict[Tree, RangeSet] | None:
    """Return the values of `subject` for which a CASE returns each of its literals; None for another CASE.

    NULL is the key of the values for which the CASE returns NULL.
    """
    declared = block.type_of(subject)
    if declared is None or declared.type in FRACTIONS:
        return None
    left = NOT_NULL if not declared.nullable else ALL
    bands: dict[Tree, RangeSet] = {}
    kinds: set[str] = set()
    for condition, label in [*((branch.this, branch.args["true"]) for branch in tree.args["ifs"]), (None, None)]:
        found = range_of(condition, block, zone) if condition is not None else (subject, ALL)
        value = label if condition is not None else tree.args.get("default") or exp.Null()
        if found is None or found[0] != subject or not isinstance(value, (exp.Literal, exp.Null)):
            return None
        kinds.add(_kind(value))
        here = left.meet(found[1])
        bands[value] = united(subject, [bands[value], here] if value in bands else [here], block)
        left = left.meet(found[1].complement())
    if not kinds <= {"text", "null"} and not kinds <= {"whole", "null"}:
        return None
    return {label: values for label, values in bands.items() if not values.empty}


def _kind(label: Tree) -> str:
    """Return the kind of a literal: "text", "whole", "null", or "other" for numbers that may equal another literal.

    1 and 1.0 are equal, as are 1 and 01.
    """
    if isinstance(label, exp.Null):
        return "null"
    return "text" if label.is_string else "whole" if label.name.isdigit() and label.name[0] != "0" else "other"


def _one_of(column: Tree, labels: list[Tree]) -> Tree:
    """Return the condition that a storage column has one of these literals, or is NULL."""
    known = [label.copy() for label in labels if not isinstance(label, exp.Null)]
    parts: list[Tree] = [exp.In(this=column.copy(), expressions=known)] if known else []
    if len(known) == 1:
        parts = [exp.EQ(this=column.copy(), expression=known[0])]
    if len(known) < len(labels):
        parts.append(exp.Is(this=column.copy(), expression=exp.Null()))
    return joined(exp.Or, parts)
