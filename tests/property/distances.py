"""Queries with window frames of distances (RANGE) instead of numbers of rows (ROWS)."""

from __future__ import annotations

from sqlglot import exp

from rewriter.sql import ParseError, parse_select, render


def with_distances(query: str) -> str:
    """Return the query with RANGE instead of ROWS in each frame that is ordered by one number alone.

    >>> with_distances("SELECT n, count(*) OVER (ORDER BY n ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM fact")
    'SELECT n, count(*) OVER (ORDER BY n RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM fact'
    """
    try:
        tree = parse_select(query)
    except ParseError:
        return query
    for window in tree.find_all(exp.Window):
        spec, order = window.args.get("spec"), window.args.get("order")
        if spec is not None and order is not None and len(order.expressions) == 1:
            spec.set("kind", "RANGE" if _is_number(order.expressions[0].this) else "ROWS")
    return render(tree)


def _is_number(tree: exp.Expr) -> bool:
    numbers = ("count", "sum") if isinstance(tree, exp.Anonymous) else ("n", "big", "price")
    return isinstance(tree, exp.Anonymous | exp.Column) and tree.name in numbers
