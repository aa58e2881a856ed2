"""The data structures of the normal form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, wraps
from operator import eq
from typing import Concatenate, ParamSpec, TypeVar

from sqlglot import exp

from rewriter.model import Column, Table, TableName
from rewriter.sql import holds

Tree = exp.Expr
_Rest = ParamSpec("_Rest")
_Found = TypeVar("_Found")


class Unsupported(ValueError):
    """SQL that a block cannot represent; the message names the construct in the user's words."""


@dataclass(frozen=True)
class Occurrence:
    """One table of a block. `id` names it in canonical columns, `alias` in the user's text.

    Of a derived table that is no part of the block, `text` is how FROM reads it; the name is then that text. Of a
    chain of UNION ALL, `branches` are its blocks; of one SELECT, `inner` is its block.
    `contents` is the table as the catalog has it, where its numbers of rows and bounds of columns may matter.
    """

    id: str
    name: TableName
    alias: str
    columns: tuple[Column, ...]
    text: str = ""
    branches: tuple[Block, ...] = field(default=(), compare=False)
    inner: Block | None = field(default=None, compare=False)
    contents: Table | None = field(default=None, compare=False)

    def column(self, name: str) -> Column | None:
        """Return the column of that name, ignoring case."""
        return self._by_name.get(name.lower())

    @cached_property
    def _by_name(self) -> Mapping[str, Column]:
        if self.contents is not None and self.contents.columns is self.columns:
            return self.contents.by_name
        return {column.name.lower(): column for column in reversed(self.columns)}


@dataclass(frozen=True)
class Join:
    """A join that is not inner: LEFT, SEMI or ANTI of everything inner with the given tables, or FULL of two tables.

    `tables` are the ids of the tables that it brings; of a FULL join, both. ON is a conjunction.
    Between the tables that a LEFT, SEMI or ANTI join brings, and before its ON, there is nothing but a product.
    """

    kind: str
    tables: frozenset[str]
    on: tuple[Tree, ...]

    def renamed(self, mapping: Mapping[str, str]) -> Join:
        """Return the same join over other occurrence ids."""
        on = tuple(renamed(conjunct, mapping) for conjunct in self.on)
        return Join(self.kind, frozenset(mapping[t] for t in self.tables), on)


@dataclass(frozen=True)
class Ordering:
    """One item of ORDER BY."""

    key: Tree
    descending: bool
    nulls_first: bool


@dataclass(frozen=True)
class Block:
    """A SELECT over a product of tables, with outer, semi and anti joins onto it, and then its WHERE.

    Inner joins are the product and a part of `where`. `joins` are in an order in which each ON names
    only tables before it; those that do not depend on each other could stand in any order.
    `keys` is None for a block that does not group, and empty for one aggregate over all rows.
    DISTINCT without groups is grouping by all outputs; `distinct` is DISTINCT of what comes of groups or windows.
    `sets` are the sets of keys by which the rows are grouped, each row once for each; None: by all keys, once.
    `names` holds an output's name where the text settles it: an alias, or a plain column.
    `decides` says that the query around it may decide by its outputs which rows come back; false only where that
    was seen not to be so.
    Of one `as_set` it is asked only which rows it has, however often.
    `since` has times of rows with seconds since 1970 that they are known not to be before.
    Columns of tables that a join fills up with NULLs are nullable, whatever was declared.
    """

    tables: tuple[Occurrence, ...]
    where: tuple[Tree, ...]
    outputs: tuple[Tree, ...]
    names: tuple[str | None, ...]
    keys: tuple[Tree, ...] | None = None
    having: tuple[Tree, ...] = ()
    order: tuple[Ordering, ...] = ()
    limit: str | None = None
    offset: str | None = None
    joins: tuple[Join, ...] = ()
    sets: tuple[tuple[Tree, ...], ...] | None = None
    distinct: bool = False
    decides: bool = True
    as_set: bool = False
    since: tuple[tuple[Tree, int], ...] = ()

    @property
    def derived(self) -> tuple[Block, ...]:
        """The blocks of all derived tables, at any depth."""
        inner = [block for table in self.tables for block in (table.inner, *table.branches) if block is not None]
        return tuple(found for block in inner for found in (block, *block.derived))

    @property
    def plain(self) -> bool:
        """Whether each output row is one row or one group, computed from that alone."""
        return self.sets is None and not self.distinct and not any(holds(o, exp.Window) for o in self.outputs)

    @property
    def expressions(self) -> tuple[Tree, ...]:
        """All expressions of the block."""
        on = (conjunct for join in self.joins for conjunct in join.on)
        return (*self.outputs, *self.where, *on, *(self.keys or ()), *self.having, *(item.key for item in self.order))

    def type_of(self, column: Tree) -> Column | None:
        """Return the declared column of a canonical column; None for any other expression."""
        if not isinstance(column, exp.Column):
            return None
        table = self._by_id.get(column.table)
        return table.column(column.name) if table is not None else None

    @cached_property
    def _by_id(self) -> Mapping[str, Occurrence]:
        return {table.id: table for table in self.tables}


def remembered(
    function: Callable[Concatenate[Block, _Rest], _Found],
) -> Callable[Concatenate[Block, _Rest], _Found]:
    """Cache a function's result with its block: views persist, and every query asks again."""

    @wraps(function)
    def found(block: Block, /, *rest: _Rest.args, **named: _Rest.kwargs) -> _Found:
        known: dict[object, _Found] = vars(block).setdefault("_remembered", {})
        key = (function, *rest, *named.items())
        if key not in known:
            known[key] = function(block, *rest, **named)
        return known[key]

    return found


def renamed(tree: Tree, mapping: Mapping[str, str]) -> Tree:
    """Return an expression over other occurrence ids; the same object if no id changes."""
    if all(map(eq, mapping.keys(), mapping.values())):
        return tree

    def swap(node: exp.Expr) -> exp.Expr:
        return exp.column(node.name, mapping[node.table]) if isinstance(node, exp.Column) else node

    return tree.transform(swap)
