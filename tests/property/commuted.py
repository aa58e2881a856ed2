"""Random queries with commutative operands in another order."""

from __future__ import annotations

from random import Random

from sqlglot import exp

from rewriter.block.meaning import MIRROR
from rewriter.sql import ParseError, parse_select, render

_SWAPPED: dict[type[exp.Expr], type[exp.Expr]] = {**MIRROR, **{k: k for k in (exp.Add, exp.Mul, exp.And, exp.Or)}}


def commuted(seed: str, query: str) -> str:
    """Return the query with some operands in another order, the same in all places.

    >>> commuted("2", "SELECT n * 2 FROM fact WHERE n > big AND (sex = 'm' OR price < 1) GROUP BY n * 2")
    "SELECT n * 2 FROM fact WHERE big < n AND ('m' = sex OR 1 > price) GROUP BY n * 2"
    """
    try:
        tree = parse_select(query)
    except ParseError:
        return query
    for node, text in [(node, render(node)) for node in tree.find_all(*_SWAPPED)]:
        moved = isinstance(node.this, exp.Interval) or isinstance(node.expression, exp.Interval)
        if not moved and Random(f"{seed} {text}").random() < 0.6:
            node.replace(_SWAPPED[type(node)](this=node.expression, expression=node.this))
    for listed in tree.find_all(exp.In):
        Random(f"{seed} {listed.expressions}").shuffle(listed.expressions)
    return render(tree)
