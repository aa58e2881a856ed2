"""Finds the source columns that a view's storage query reads, and the positions of outputs in the storage table.

The storage query is the query that fills the view's storage table.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp
from sqlglot.tokens import TokenType

from rewriter.maintenance.stored import block_of
from rewriter.model import Column, MaterializedView, Table, TableName
from rewriter.sql import ParseError, storage_tree, tokenize

# Keywords by which a query reads columns without naming them.
_ALL = frozenset({"natural", "pivot", "unpivot", "table", "transform"})
# A star after one of these tokens stands for columns and is not a multiplication.
_ALL_AFTER = frozenset({"select", "distinct", "all", ",", ".", "("})

Columns = Mapping[TableName, tuple[Column, ...]]


def used_columns(view: MaterializedView, columns: Columns) -> Columns:
    """Return, by source table, the columns that the storage query (the query that fills the storage table) reads.

    `columns` has all columns of each source table. If the query is not a single SELECT that the rewriter supports,
    return each column whose name occurs in the query's text. If such a query may read columns without naming them, as
    `SELECT *` does, return every column.
    """
    block = block_of(view, columns)
    if isinstance(block, str):
        words = _words(view.storage_query)
        return columns if words is None else {name: _among(held, words) for name, held in columns.items()}
    read = {(node.table, node.name) for tree in block.expressions for node in tree.find_all(exp.Column)}
    used: dict[TableName, set[str]] = {name: set() for name in columns}
    for table in block.tables:
        used[table.name] |= {name for occurrence, name in read if occurrence == table.id}
    named = {table.name for table in block.tables}
    return {
        name: tuple(column for column in held if name not in named or column.name.lower() in used[name])
        for name, held in columns.items()
    }


def _among(columns: tuple[Column, ...], names: frozenset[str]) -> tuple[Column, ...]:
    return tuple(column for column in columns if column.name.lower() in names)


def _words(sql: str) -> frozenset[str] | None:
    """Return every word of a query outside string literals, in lower case; None if the query may read unnamed columns.

    `SELECT a FROM t` gives select, a, from and t. Also return None if the query cannot be split into tokens.

    law:    a query reads a column by its name, by a star, by NATURAL, or by PIVOT, which groups by all columns that it
            does not name
    """
    try:
        tokens = tokenize(sql)
    except ParseError:
        return None
    words = [token.text.lower() for token in tokens]
    for at, token in enumerate(tokens):
        before = words[max(at - 2, 0) : at]
        product = token.token_type is TokenType.STAR and before[-1:] and before[-1] not in _ALL_AFTER
        counted = token.token_type is TokenType.STAR and before == ["count", "("]
        if words[at] in _ALL or (token.token_type is TokenType.STAR and not (product or counted)):
            return None
    return frozenset(
        word for word, token in zip(words, tokens, strict=True) if token.token_type is not TokenType.STRING
    )


def misplaced(view: MaterializedView, storage: Table) -> Column | None:
    """Return the first storage column whose position differs from that of the same-named output of the view's query.

    Return None if there is no such column.
    """
    names = [name.lower() for name in _names(view)]
    for place, column in enumerate(storage.columns):
        name = column.name.lower()
        if name in names and names.index(name) != place:
            return column
    return None


def _names(view: MaterializedView) -> list[str]:
    """Return the names of the outputs of the query that fills the storage table, in order.

    The name is an empty string for an expression without alias. If the query selects `*` or is not a single SELECT,
    return the names of the view's columns.
    """
    tree = storage_tree(view)
    outputs = tree.expressions if tree is not None else []
    if not outputs or any(output.is_star for output in outputs):
        return [column.name for column in view.columns]
    return [output.alias_or_name for output in outputs]
