"""The data structures of a block, a SELECT in normal form: Block, Occurrence, Join and Ordering."""

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
    """One table in FROM; a table that occurs twice is two occurrences.

    `id` names the occurrence in canonical columns, `alias` is its name in the user's text. `contents` is the table in
    the catalog, for its row counts and column bounds; None if not known.

    A derived table that is not merged into the outer block is an occurrence, too: `text` is its SQL in FROM, which
    `name` also contains. `branches` are the blocks of a UNION ALL, `inner` is the block of a single SELECT.
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
    """A join that is not inner: LEFT, SEMI, ANTI or FULL.

    A LEFT, SEMI or ANTI join has all tables before it on its left side, and the product of `tables` on its right side.
    A FULL join has two tables, which are both in `tables`. `tables` are occurrence ids; `on` are the conjuncts of the
    condition.
    """

    kind: str
    tables: frozenset[str]
    on: tuple[Tree, ...]

    def renamed(self, mapping: Mapping[str, str]) -> Join:
        """Return the join with its occurrence ids replaced by those in `mapping`."""
        on = tuple(renamed(conjunct, mapping) for conjunct in self.on)
        return Join(self.kind, frozenset(mapping[t] for t in self.tables), on)


@dataclass(frozen=True)
class Ordering:
    """One item of ORDER BY: the expression, the direction, and where NULLs are sorted."""

    key: Tree
    descending: bool
    nulls_first: bool


@dataclass(frozen=True)
class Block:
    """A SELECT in normal form: a product of tables, other joins, WHERE, groups, windows, ORDER BY and LIMIT.

    An inner join is a product whose condition is in `where`. `joins` are the other joins; each ON names only tables
    before it, and independent joins may be in any order.

    `keys` are the grouping keys: None if the block does not group, empty for one aggregate over all rows. `sets` are
    the grouping sets; None means a single set of all keys. A DISTINCT without groups is represented as grouping by all
    outputs; `distinct` is true for a DISTINCT applied after groups or windows. `names` are the outputs' names; None for
    an output whose name the text does not determine (it is neither an alias nor a plain column).

    `decides` is false only if the outer query is known not to choose rows by this block's outputs. With `as_set`, the
    outer query (EXISTS or IN) ignores how often a row occurs. `since` has lower bounds, in seconds since 1970, of times
    in the rows. A column that an outer join can fill with NULLs is nullable, regardless of the table's schema.
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
        """The blocks of all derived tables in FROM, at any depth."""
        inner = [block for table in self.tables for block in (table.inner, *table.branches) if block is not None]
        return tuple(found for block in inner for found in (block, *block.derived))

    @property
    def plain(self) -> bool:
        """Whether each output row is computed from one row or group alone.

        False if the block has grouping sets, DISTINCT or window functions.
        """
        return self.sets is None and not self.distinct and not any(holds(o, exp.Window) for o in self.outputs)

    @property
    def expressions(self) -> tuple[Tree, ...]:
        """All expressions of the block: outputs, WHERE, ON, keys, HAVING and ORDER BY."""
        on = (conjunct for join in self.joins for conjunct in join.on)
        return (*self.outputs, *self.where, *on, *(self.keys or ()), *self.having, *(item.key for item in self.order))

    def type_of(self, column: Tree) -> Column | None:
        """Return the declared column that a canonical column names; None for any other expression."""
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
    """Cache a function's results in the block that is the function's first argument.

    The blocks of views live long, and every query asks the same about them.
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
    """Return an expression with its occurrence ids replaced by those in `mapping`; the same object if none changes."""
    if all(map(eq, mapping.keys(), mapping.values())):
        return tree

    def swap(node: exp.Expr) -> exp.Expr:
        return exp.column(node.name, mapping[node.table]) if isinstance(node, exp.Column) else node

    return tree.transform(swap)
