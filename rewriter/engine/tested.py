"""Reads the tables that the SEMI and ANTI joins of a plan test from views, too.

query:  SELECT s.name, count(*) FROM suppliers s, items i WHERE s.id = i.supplier AND EXISTS (SELECT * FROM items j
        WHERE j.order_id = i.order_id AND j.supplier <> i.supplier) GROUP BY s.name
plan:   SELECT s.name, sum(v.cnt) FROM deliveries v, suppliers s LEFT SEMI JOIN items j ON …
gives:  SELECT s.name, sum(v.cnt) FROM deliveries v, suppliers s LEFT SEMI JOIN deliveries t0 ON …
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice
from typing import NamedTuple

from sqlglot import exp

from rewriter.block import Block, Join, Occurrence, Predicates, predicates_of
from rewriter.block.changed import changed
from rewriter.engine.answer import MAPPINGS
from rewriter.functions.trees import number
from rewriter.match import AccessPath, Rewriting, table_mappings
from rewriter.match.access_path import STORAGE_ALIAS
from rewriter.match.reading import Reading, read_view
from rewriter.sql import columns_in

Tree = exp.Expr
_HELD = "held by the plan"


class Test(NamedTuple):
    """A SEMI or ANTI join of a plan, and the rows that the join tests: the columns of its tables in ON, grouped by
    them.
    """

    join: Join
    rows: Block


def tests_of(rewriting: Rewriting) -> Iterator[Test]:
    """Yield the SEMI and ANTI joins of a plan that test rows of catalog tables, with the block of these rows.

    Leave out joins that test a view's storage table, and joins that compare no column of the tested tables with the
    other rows of the plan.
    """
    texts = {table.id for table in rewriting.tables if table.text}
    for join in rewriting.joins if rewriting.union is None else ():
        if join.kind in ("SEMI", "ANTI") and not join.tables & {STORAGE_ALIAS, *texts}:
            rows = _tested_rows(rewriting, join)
            if rows.keys:
                yield Test(join, rows)


def _tested_rows(rewriting: Rewriting, join: Join) -> Block:
    own = tuple(conjunct for conjunct in join.on if {c.table for c in columns_in(conjunct)} <= join.tables)
    used = (column for conjunct in join.on if conjunct not in own for column in columns_in(conjunct))
    keys = tuple(dict.fromkeys(column for column in used if column.table in join.tables))
    tables = tuple(table for table in rewriting.tables if table.id in join.tables)
    return Block(tables, own, keys, (None,) * len(keys), keys)


def tested_from(rewriting: Rewriting, test: Test, path: AccessPath, zone: str) -> Rewriting | None:
    """Return the plan with the storage table of an access path in place of the tables that a test reads.

    `test` is one of the plan's joins (see `tests_of`), `path` the access path to a view, `zone` the session's time
    zone. Return None if the view cannot take the place of these tables, or if only a part of its rows is current.
    """
    join, storage = test.join, path.storage
    if path.block.sets is not None or path.grown or storage.only or storage.behind:
        return None
    held = Occurrence(_HELD, rewriting.storage.name, _HELD, rewriting.storage.columns, contents=rewriting.storage)
    asked = replace(join, on=tuple(_moved(tree, {STORAGE_ALIAS: _HELD}) for tree in join.on), subquery=False)
    block = Block((held, *rewriting.tables), (), (number(1),), (None,), joins=(asked,))
    reading = _reading(predicates_of(block, zone), test.rows, path)
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


def _reading(question: Predicates, rows: Block, path: AccessPath) -> Reading | None:
    """Return `question` over the storage columns of `path` in place of all tables of `rows`; None if that is not
    possible.
    """
    for mapping in islice(table_mappings(path.block, rows), MAPPINGS):
        if len(mapping) == len(path.block.tables) == len(rows.tables):
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
