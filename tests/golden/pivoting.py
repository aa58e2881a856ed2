"""Computes PIVOT as Spark does, for DuckDB, whose PIVOT counts 0 where there are no rows and names
columns differently.
"""

from __future__ import annotations

import sqlglot
from sqlglot import exp


def without_pivots(tree: exp.Expr) -> exp.Expr:
    """Return a DuckDB tree with each pivoted table replaced by a query that groups and then spreads values over
    columns.
    """
    for source in reversed(list(tree.find_all(exp.Table, exp.Subquery))):
        pivots: list[exp.Expr] = source.args.get("pivots") or []
        if len(pivots) == 1 and not pivots[0].args.get("unpivot"):
            source.replace(_spread(source, pivots[0]))
    return tree


def _spread(source: exp.Expr, pivot: exp.Expr) -> exp.Expr:
    alias = pivot.alias or source.alias_or_name or "pivoted"
    (field,) = pivot.args["fields"]
    by = [column.name for column in (field.this.expressions or [field.this])]
    bare = source.copy()
    bare.set("pivots", None)
    calls = [item.unalias().copy() for item in pivot.expressions]
    used = {*by, *(column.name for call in calls for column in call.find_all(exp.Column))}
    keys = _keys(bare, used)
    values = [f"{call.sql('duckdb')} AS v{i}" for i, call in enumerate(calls)]
    grouped = f"SELECT {', '.join((*keys, *by, *values))} FROM {bare.sql('duckdb')} GROUP BY ALL"
    columns = [
        f'max(v{i}) FILTER (WHERE {condition}) AS "{_name(value, item, len(calls))}"'
        for value in field.expressions
        for condition in [_is_value(by, value.this if isinstance(value, exp.PivotAlias) else value)]
        for i, item in enumerate(pivot.expressions)
    ]
    rest = _keys(bare, used, more=[*by, *(f"v{i}" for i in range(len(calls)))])
    again = " GROUP BY ALL" if rest else ""
    query = f"SELECT * FROM (SELECT {', '.join((*rest, *columns))} FROM ({grouped}) AS g{again}) AS {alias}"
    spread: exp.Expr = sqlglot.parse_one(query, read="duckdb").args["from_"].this
    return spread


def _keys(source: exp.Expr, used: set[str], more: list[str] | None = None) -> list[str]:
    """Return the columns that PIVOT does not name; empty if the query gives no others."""
    query = source.this if isinstance(source, exp.Subquery) else None
    if isinstance(query, exp.Select) and {o.alias_or_name for o in query.expressions} <= used:
        return []
    return [f"* EXCLUDE ({', '.join(more if more is not None else sorted(used))})"]


def _is_value(by: list[str], value: exp.Expr) -> str:
    values = value.expressions if len(by) > 1 else [value]
    return " AND ".join(f"{name} IS NOT DISTINCT FROM {v.sql('duckdb')}" for name, v in zip(by, values, strict=True))


def _name(value: exp.Expr, item: exp.Expr, number: int) -> str:
    told = value.alias if isinstance(value, exp.PivotAlias) else value.name
    return told if number == 1 else f"{told}_{item.alias or item.sql('spark').lower()}"
