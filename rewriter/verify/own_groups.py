"""Verifies that IN over the groups of a storage table is the same as a filter, where a plan reads this storage table.

law:  if each row of S has its own k, `r.k IN (SELECT k FROM S WHERE p)` is true for a row r of S exactly if r.k is not
      NULL and p is true for r
no:   a storage table with further keys: p may be true for only one of the rows with the same k
"""

from __future__ import annotations

from collections import Counter

from sqlglot import exp

from rewriter.model import TableName
from rewriter.sql import ParseError, from_items, operands, parse_select
from rewriter.verify.leaves import Leaves

Tree = exp.Expr


def is_filter(plan: str, members: str, groups: str, filtered: str, storage: TableName, leaves: Leaves) -> bool:
    """Return whether the plan `filtered` is `plan` with one condition `v.k IN (members)` as a filter, by the law above.

    `groups` is a verified plan for the subquery `members`. It must be `SELECT v.k FROM S AS v WHERE p`, where S is the
    storage table `storage`, k is the only key of the view, and `plan` reads the same rows of S as v. In place of the
    condition, `filtered` must have the conditions `NOT (v.k IS NULL)` and p. `leaves` provides the block that computes
    S.
    """
    try:
        given, inner, made = map(parse_select, (plan, groups, filtered))
        key = inner.expressions[0].unalias()
        text = key.sql("spark")
        listed, present = _condition(f"{text} IN ({members})"), _condition(f"NOT ({text} IS NULL)")
    except ParseError:
        return False
    if not _selects_own_key(inner, key, storage, leaves) or inner.args["from_"].this not in from_items(given):
        return False
    asked, rest = _conditions(given), _without_conditions(given)
    expected = asked - Counter([listed]) + _conditions(inner) + Counter([present])
    return asked[listed] == 1 and _conditions(made) == expected and _without_conditions(made) == rest


def _selects_own_key(inner: exp.Select, key: Tree, storage: TableName, leaves: Leaves) -> bool:
    """Return whether `inner` only filters a storage table of which each row has its own value of the column `key`."""
    source, held = inner.args["from_"].this, leaves.held(storage)
    clauses = {clause for clause, value in inner.args.items() if value} - {"expressions", "from_", "where"}
    if clauses or not isinstance(source, exp.Table) or not isinstance(key, exp.Column) or held is None:
        return False
    block, named = held.block, tuple(part.name for part in source.parts)
    if len(inner.expressions) != 1 or key.table != source.alias or named != tuple(filter(None, storage.parts)):
        return False
    computed = dict(zip(held.columns, block.outputs, strict=True)).get(key.name.lower())
    return block.sets is None and block.keys == (computed,)


def _condition(text: str) -> Tree:
    (condition,) = _conditions(parse_select(f"SELECT 1 WHERE {text}"))
    return condition


def _conditions(select: exp.Select) -> Counter[Tree]:
    where = select.args.get("where")
    return Counter(operands(where.this, exp.And)) if where is not None else Counter()


def _without_conditions(select: exp.Select) -> Tree:
    bare = select.copy()
    bare.set("where", None)
    return bare
