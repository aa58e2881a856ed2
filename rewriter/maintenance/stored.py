"""The block of a view's storage query, and the storage column of each output.

The storage query is the query that fills the view's storage table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache

from sqlglot import exp

from rewriter.block import Block, Occurrence, Unsupported, build_block, find_among, opaque_within, tells_time
from rewriter.block.vocabulary import COMPARISONS, CONNECTORS, OPERATORS
from rewriter.derived import common_of, texts_of
from rewriter.functions.trees import ROWS
from rewriter.match import AccessPath
from rewriter.model import Column, MaterializedView, Table, TableName
from rewriter.sql import storage_statement, storage_tree

Tree = exp.Expr

# The fields of a block and its tables that this package understands; a block with any other content is refreshed in
# full.
_READ_OF_BLOCK = frozenset(
    {"tables", "where", "outputs", "names", "keys", "having", "order", "limit", "offset", "joins", "decides"}
)
_READ_OF_TABLE = frozenset({"id", "name", "alias", "columns", "declared"})
_READ = (
    exp.Column, exp.Identifier, exp.Literal, exp.Null, exp.Boolean, exp.Paren, exp.Not, exp.Neg, *CONNECTORS,
    *COMPARISONS, *OPERATORS, exp.Between, exp.In, exp.Is, exp.Case, exp.If, exp.Cast, exp.TryCast, exp.DataType,
    exp.DataTypeParam, exp.Interval, exp.Var, exp.Filter, exp.Where, exp.Distinct, exp.Star, exp.Anonymous,
)  # fmt: skip


@dataclass(frozen=True)
class Stored:
    """A view, the block of its storage query, and its storage table with one column for each output of the block.

    The storage query is the query that fills the storage table.
    """

    view: MaterializedView
    block: Block
    storage: Table

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the stored columns."""
        return tuple(column.name for column in self.storage.columns)

    @property
    def types(self) -> Mapping[Tree, str]:
        """The type of each output's storage column, by output."""
        pairs = zip(self.block.outputs, self.storage.columns, strict=True)
        return {output: column.type for output, column in pairs}

    @property
    def keys(self) -> tuple[Column, ...]:
        """The storage columns that hold grouping keys."""
        pairs = zip(self.block.outputs, self.storage.columns, strict=True)
        found: dict[Tree, Column] = {}
        for output, column in pairs:
            if output in (self.block.keys or ()):
                found.setdefault(output, column)
        return tuple(found.values())

    @property
    def rows(self) -> str:
        """The name of the storage column with the count of a group's rows; empty if there is no such column."""
        pairs = zip(self.block.outputs, self.storage.columns, strict=True)
        return next((column.name for output, column in pairs if output == ROWS), "")

    @property
    def path(self) -> AccessPath:
        """The view, with its block and storage table, as an access path for rewrite rules."""
        return AccessPath(self.view, self.block, self.storage, self.names)


def stored(view: MaterializedView, storage: Table, columns: Mapping[TableName, tuple[Column, ...]]) -> Stored | str:
    """Return the view with its block and storage table; `columns` has the columns of each source.

    If an incremental refresh does not support the block, return the reason as text.
    """
    block = block_of(view, columns)
    if isinstance(block, str):
        return block
    return _shape_problem(block, storage) or Stored(view, block, storage)


def block_of(view: MaterializedView, columns: Mapping[TableName, tuple[Column, ...]]) -> Block | str:
    """Return the block of a view's storage query (the query that fills the storage table).

    If the query is not supported as one block, or its rows change with time, return the reason as text. `columns` has
    the columns of each source.
    """
    statement = storage_statement(view)
    tree = storage_tree(view)
    if tree is None:
        return statement.problem or "the query is not a single SELECT"
    try:
        # Storage has all rows of the query; no outer query selects among them.
        block = replace(build_block(tree, find_among(statement, columns)), decides=False)
    except Unsupported as problem:
        return _in_names(view, str(problem))
    return "the view's query depends on the current time" if any(map(tells_time, block.expressions)) else block


@lru_cache(maxsize=20_000)
def known_block(view: MaterializedView, columns: tuple[tuple[TableName, tuple[Column, ...]], ...]) -> Block | str:
    """Return the block of a view's storage query for rewrite rules, cached by view and source columns.

    The storage query is the query that fills the storage table. Unlike the block that `block_of` returns, this block
    may read derived tables. Return the reason as text if there is no block.
    """
    block = block_of(view, dict(columns))
    if isinstance(block, str) and len(storage_statement(view).blocks) > 1:
        return _over_derived_tables(view, dict(columns)) or block
    return block


def _over_derived_tables(view: MaterializedView, columns: Mapping[TableName, tuple[Column, ...]]) -> Block | None:
    """Return the block of a view that reads derived tables which cannot be merged into the block.

    An example is a derived table with GROUP BY. `columns` has the columns of each source. Return None if the block is
    unsupported, has a subquery, or depends on the current time.
    """
    statement = storage_statement(view)
    main = statement.main
    if main is None or main.tree is None:
        return None
    find = find_among(statement, columns)
    try:
        block = build_block(main.tree, find, common_of(statement, find), texts=texts_of(main, statement, find))
    except Unsupported:
        return None
    blocks = (block, *block.derived)
    trees = [tree for each in blocks for tree in each.expressions]
    known = all(table.inner is not None for each in blocks for table in each.tables if table.text)
    # A subquery's text is resolved where the view was made; in a query the same text may mean something else.
    if not known or any(map(tells_time, trees)) or any(True for tree in trees for _ in opaque_within(tree)):
        return None
    return replace(block, tables=tuple(map(_of_view, block.tables)))


def _of_view(table: Occurrence) -> Occurrence:
    """Return a derived table marked as belonging to the view; return other tables unchanged.

    Without the mark, the derived table would equal a derived table with the same text in a query, whose names may
    resolve to other tables.
    """
    return replace(table, name=TableName(("derived table of a view", table.text))) if table.text else table


def _in_names(view: MaterializedView, text: str) -> str:
    """Return a message in which the aliases of expanded views are replaced by the views' names.

    In the query that fills the storage table, the expanded view `lake.demo.daily` has an alias such as `daily_1`, which
    the user does not know.
    """
    for state in view.through:
        text = re.sub(rf"(?<![\w.]){re.escape(state.name.table)}_\d+(?!\w)", str(state.name).replace("\\", r"\\"), text)
    return text


def _shape_problem(block: Block, storage: Table) -> str:
    if _unread(block, _READ_OF_BLOCK) or any(_unread(table, _READ_OF_TABLE) for table in block.tables):
        return "the view's query has more than joins, filters and groups"
    strange = next((node for tree in block.expressions for node in tree.walk() if not isinstance(node, _READ)), None)
    if strange is not None:
        return f"the view's query has an expression that may depend on several rows: {type(strange).__name__.lower()}"
    if block.limit is not None or block.offset is not None:
        return "the view's query has LIMIT or OFFSET"
    if len(block.outputs) != len(storage.columns):
        return "the storage table has other columns than the view's query"
    if not set(block.keys or ()) <= set(block.outputs):
        return "the storage table lacks a grouping key"
    return ""


def _unread(part: Block | Occurrence, read: frozenset[str]) -> bool:
    return any(getattr(part, field.name) for field in fields(part) if field.init and field.name not in read)
