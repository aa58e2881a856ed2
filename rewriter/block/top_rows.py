"""Recognizes top-N queries by row_number().

Like a query with LIMIT, a top-N query does not determine which rows it returns if rows are equal under ORDER BY.
An example is a query for the top three items of each region:

query:  SELECT region, item FROM (SELECT region, item, row_number() OVER (PARTITION BY region ORDER BY sum(x) DESC) AS
        n FROM sales GROUP BY region, item) AS t WHERE n <= 3
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from rewriter.functions.registry import SUCCESSIONS, meant
from rewriter.sql import SelectBlock, Statement, every, from_items, operands

Tree = exp.Expr
_NUMBERED = re.compile(r"\brow_number\s*\(", re.IGNORECASE)
_COMPARED = (exp.EQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between)


def takes_first_rows(statement: Statement, select: SelectBlock) -> bool:
    """Return whether a SELECT computes one row_number() and is read by one SELECT only, which filters by this number.

    The inner SELECT of `SELECT … FROM (SELECT …, row_number() OVER (…) AS n …) WHERE n <= 3` does. Return False if the
    statement has another row_number(), or if the SELECT has another window function that can distinguish equal rows.

    law: each choice among rows that are equal in the order is a correct answer, if the statement makes the choice only
         once
    """
    if select.tree is None or "row_number" not in statement.sql.lower():
        return False
    if len(_NUMBERED.findall(statement.sql)) != 1:
        return False
    windows = [window for output in select.tree.expressions for window in every(output, exp.Window)]
    numbers = [o.alias for o in select.tree.expressions if isinstance(o, exp.Alias) and _is_number(o.this)]
    if len(numbers) != 1 or any(_tells_apart(window) for window in windows if not _is_number(window)):
        return False
    readers = list(_readers(statement, select))
    return len(readers) == 1 and _filters_by(readers[0], numbers[0])


def _readers(statement: Statement, select: SelectBlock) -> Iterator[exp.Select]:
    """Yield each SELECT whose FROM reads the given SELECT, as a derived table or as a CTE."""
    names = {table.name for table in statement.common if table.block.span == select.span}
    for block in statement.blocks:
        for item in from_items(block.tree) if block.tree is not None else ():
            derived = isinstance(item, exp.Subquery) and item.this == select.tree
            named = isinstance(item, exp.Table) and len(item.parts) == 1 and item.name.lower() in names
            if block.tree is not None and (derived or named):
                yield block.tree


def _filters_by(reader: exp.Select, number: str) -> bool:
    where = reader.args.get("where")
    return where is not None and any(
        isinstance(part, _COMPARED) and isinstance(part.this, exp.Column) and part.this.name.lower() == number.lower()
        for part in operands(where.this, exp.And)
    )


def _is_number(node: Tree) -> bool:
    return isinstance(node, exp.Window) and meant(node.this.name) == "row_number"


def _tells_apart(window: exp.Window) -> bool:
    spec = window.args.get("spec")
    by_rows = spec is not None and str(spec.args.get("kind")).upper() == "ROWS"
    return by_rows or meant(window.this.name) in SUCCESSIONS
