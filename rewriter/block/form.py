"""The data structures of the block normal form: Block, Occurrence, Join and Ordering."""

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
    """SQL that a block cannot represent; the message names the construct as the user wrote it."""


@dataclass(frozen=True)
class Occurrence:
    """One table in FROM. `id` names it in canonical columns, `alias` is its name in the user's text.

    For a derived table that is not merged into the block, `text` is its SQL in FROM, and `name` holds that text, too;
    `branches` are the blocks of a chain of UNION ALL, `inner` is the block of one SELECT. `contents` is the catalog's
    table, where its row counts and column bounds may matter.
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
        """Return the column with this name, ignoring case; None if there is none."""
        return self._by_name.get(name.lower())

    @cached_property
    def _by_name(self) -> Mapping[str, Column]:
        if self.contents is not None and self.contents.columns is self.columns:
            return self.contents.by_name
        return {column.name.lower(): column for column in reversed(self.columns)}


@dataclass(frozen=True)
class Join:
    """A join that is not inner: LEFT, SEMI or ANTI of the preceding inner product with `tables`, or FULL of two tables.

    `tables` are the ids of the tables that the join adds; for FULL, of both sides. `on` is a conjunction. The tables
    that a LEFT, SEMI or ANTI join adds are combined as a plain product before ON is applied.
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
    """A SELECT: a product of tables, then outer, semi and anti joins onto it, then WHERE, groups, windows and ORDER BY.

    Inner joins are the product and a part of `where`. `joins` are in an order in which each ON names only tables before
    it; independent joins could stand in any order.
    `keys` is None for a block that does not group, and empty for one aggregate over all rows. DISTINCT without groups
    is grouping by all outputs; `distinct` is a DISTINCT applied after groups or windows.
    `sets` are the grouping sets; None means one set of all keys.
    `names` holds an output's name where the text determines it: an alias, or a plain column.
    `decides` is false only if the enclosing query is known not to select rows by this block's outputs.
    With `as_set`, only the distinct rows of the block matter, not how often each occurs.
    `since` maps times of rows to lower bounds in seconds since 1970.
    Columns that an outer join can fill with NULLs are nullable, whatever was declared.
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
        """Whether each output row is computed from one row or one group alone: no grouping sets,
        DISTINCT or windows.
        """
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
    """Cache a function's results on the block that is its first argument; views' blocks live long and are asked by
    every query.
    """

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
