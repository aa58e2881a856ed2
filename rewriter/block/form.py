"""The normal form itself."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from rewriter.model import Column, TableName

Tree = exp.Expr


class Unsupported(ValueError):
    """Something that has no place in a block; the message says what, in the user's words."""


@dataclass(frozen=True)
class Occurrence:
    """One table of a block. `id` names it in canonical columns, `alias` in the user's text."""

    id: str
    name: TableName
    alias: str
    columns: tuple[Column, ...]

    def column(self, name: str) -> Column | None:
        """The column of that name, compared without case."""
        return next((c for c in self.columns if c.name.lower() == name.lower()), None)


@dataclass(frozen=True)
class Ordering:
    """One item of ORDER BY."""

    key: Tree
    descending: bool
    nulls_first: bool


@dataclass(frozen=True)
class Block:
    """A SELECT over inner-joined tables.

    `keys` is None for a block that does not group, and empty for one aggregate over all rows.
    `distinct` blocks without aggregates are blocks grouped by all their outputs.
    `names` holds an output's name where the text settles it: an alias, or a plain column.
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

    @property
    def expressions(self) -> tuple[Tree, ...]:
        """Every expression of the block."""
        return (*self.outputs, *self.where, *(self.keys or ()), *self.having, *(item.key for item in self.order))

    def type_of(self, column: Tree) -> Column | None:
        """The declaration of a canonical column; None for any other expression."""
        if not isinstance(column, exp.Column):
            return None
        table = next((t for t in self.tables if t.id == column.table), None)
        return table.column(column.name) if table else None
