"""Reads the tables that the SEMI and ANTI joins of a plan test from views, too.

query:  SELECT s.name, count(*) FROM suppliers s, items i WHERE s.id = i.supplier AND EXISTS (SELECT * FROM items j
        WHERE j.order_id = i.order_id AND j.supplier <> i.supplier) GROUP BY s.name
plan:   SELECT s.name, sum(v.cnt) FROM deliveries v, suppliers s LEFT SEMI JOIN items j ON …
gives:  SELECT s.name, sum(v.cnt) FROM deliveries v, suppliers s LEFT SEMI JOIN deliveries t0 ON …
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from sqlglot import exp

from rewriter.block import Block, Join, Occurrence, Predicates, predicates_of
from rewriter.block.changed import changed
from rewriter.functions.trees import number
from rewriter.match import Candidate, Rewriting, table_mappings
from rewriter.match.candidate import STORAGE_ALIAS
from rewriter.match.reading import Reading, read_view
from rewriter.sql import columns_in

Tree = exp.Expr
_HELD = "held by the plan"


def tests_of(rewriting: Rewriting) -> Iterator[Join]:
    """Yield the SEMI and ANTI joins of a plan that test catalog tables only, and not a view's storage table."""
    texts = {table.id for table in rewriting.tables if table.text}
    for join in rewriting.joins if rewriting.union is None else ():
        if join.kind in ("SEMI", "ANTI") and not join.tables & {STORAGE_ALIAS, *texts}:
            yield join


def tested_rows(rewriting: Rewriting, join: Join) -> Block:
    """Return the block of the rows that a SEMI or ANTI join tests: the columns in ON of its tables, grouped by them."""
    own = tuple(conjunct for conjunct in join.on if {c.table for c in columns_in(conjunct)} <= join.tables)
    used = (column for conjunct in join.on if conjunct not in own for column in columns_in(conjunct))
    keys = tuple(dict.fromkeys(column for column in used if column.table in join.tables))
    tables = tuple(table for table in rewriting.tables if table.id in join.tables)
    return Block(tables, own, keys, (None,) * len(keys), keys)


def tested_from(rewriting: Rewriting, join: Join, path: Candidate, zone: str) -> Rewriting | None:
    """Return the plan with the storage table of an access path in place of the tables that a join tests.

    `join` is a SEMI or ANTI join of the plan, `path` the access path to a view, `zone` the session's time zone. Return
    None if the view cannot take the place of these tables, or if only a part of its rows is current.
    """
    storage = path.storage
    if path.block.sets is not None or path.grown or storage.only or storage.behind:
        return None
    held = Occurrence(_HELD, rewriting.storage.name, _HELD, rewriting.storage.columns, contents=rewriting.storage)
    asked = replace(join, on=tuple(_moved(tree, {STORAGE_ALIAS: _HELD}) for tree in join.on), subquery=False)
    block = Block((held, *rewriting.tables), (), (number(1),), (None,), joins=(asked,))
    reading = _reading(predicates_of(block, zone), join, path)
    if reading is None:
        return None
    taken = {table.id for table in rewriting.tables}
    name = next(free for i in count() if (free := f"t{i}") not in taken)
    (found,) = reading.joins
    on = tuple(_moved(tree, {STORAGE_ALIAS: name, _HELD: STORAGE_ALIAS}) for tree in found.on)
    tested = Occurrence(name, storage.name, name, storage.columns, contents=storage)
    tables = tuple(table for table in rewriting.tables if table.id not in join.tables)
    joins = tuple(Join(each.kind, frozenset({name}), on) if each is join else each for each in rewriting.joins)
    return replace(rewriting, tables=(*tables, tested), joins=joins)


def _reading(question: Predicates, join: Join, path: Candidate) -> Reading | None:
    """Return the ON condition of the only join of `question` over the storage columns of `path`; None without one."""
    for mapping in table_mappings(path.block, question.block):
        if frozenset(mapping.values()) == join.tables and len(mapping) == len(path.block.tables):
            reading = read_view(question, path, mapping)
            if isinstance(reading, Reading):
                return reading
    return None


def _moved(tree: Tree, names: dict[str, str]) -> Tree:
    """Return an expression with other qualifiers of its columns: `names` maps old qualifiers to new ones."""

    def move(node: Tree) -> Tree:
        return (
            exp.Column(this=node.this.copy(), table=exp.to_identifier(names[node.table]))
            if isinstance(node, exp.Column) and node.table in names
            else node
        )

    return changed(tree, move)
