"""Which columns of its sources a view reads, and where its storage must have its own."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from rewriter.maintenance.stored import block_of
from rewriter.model import Column, MaterializedView, Table, TableName
from rewriter.sql import storage_tree

Columns = Mapping[TableName, tuple[Column, ...]]


def used_columns(view: MaterializedView, columns: Columns) -> Columns:
    """The columns of each source that the storage query reads: all of them where that is not plain to see."""
    block = block_of(view, columns)
    if isinstance(block, str):
        return columns
    read = {(node.table, node.name) for tree in block.expressions for node in tree.find_all(exp.Column)}
    used: dict[TableName, set[str]] = {name: set() for name in columns}
    for table in block.tables:
        used[table.name] |= {name for occurrence, name in read if occurrence == table.id}
    named = {table.name for table in block.tables}
    return {
        name: tuple(column for column in held if name not in named or column.name.lower() in used[name])
        for name, held in columns.items()
    }


def misplaced(view: MaterializedView, storage: Table) -> Column | None:
    """A storage column that stands where another output of the view's query is written; None if there is none."""
    names = [name.lower() for name in _names(view)]
    for place, column in enumerate(storage.columns):
        name = column.name.lower()
        if name in names and names.index(name) != place:
            return column
    return None


def _names(view: MaterializedView) -> list[str]:
    """The outputs' names in the order in which they are written; '' for one that the text does not name."""
    tree = storage_tree(view)
    outputs = tree.expressions if tree is not None else []
    if not outputs or any(output.is_star for output in outputs):
        return [column.name for column in view.columns]
    return [output.alias_or_name for output in outputs]
