"""What a name in a block means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sqlglot import exp

from rewriter.block.form import Occurrence, Unsupported
from rewriter.model import Column

Tree = exp.Expr


@dataclass(frozen=True)
class Scope:
    """The tables in scope. Names are compared without case, as Spark does by default.

    A name that is not exactly one column of these tables is refused: it may be ambiguous, or a column
    of an enclosing query. `alias` gives what an unqualified name means as an output's alias, where
    the clause at hand sees those.
    """

    tables: tuple[Occurrence, ...]
    alias: Callable[[str], Tree | None] = field(default=lambda name: None)

    def column(self, node: exp.Column) -> Tree:
        """The canonical tree that a reference means; raises Unsupported."""
        if len(node.parts) == 1 and (meant := self.alias(node.name)) is not None:
            return meant
        if isinstance(node.this, exp.Star) or not isinstance(node.this, exp.Identifier):
            raise Unsupported(f"{node.sql('spark')} is not one column")
        parts = tuple(part.name.lower() for part in node.parts)
        found = [
            (table, column)
            for table in self.tables
            if self._qualifies(parts[:-1], table) and (column := table.column(parts[-1])) is not None
        ]
        if len(found) != 1:
            reason = "is not a column of the block's tables" if not found else "is ambiguous"
            raise Unsupported(f"{node.sql('spark')} {reason}")
        table, column = found[0]
        return exp.column(column.name.lower(), table.id)

    def has(self, name: str) -> bool:
        """Whether an unqualified name is a column of some table here."""
        return any(table.column(name) is not None for table in self.tables)

    def type_of(self, node: Tree) -> Column | None:
        """The declaration behind a canonical column."""
        if not isinstance(node, exp.Column):
            return None
        table = next((t for t in self.tables if t.id == node.table), None)
        return table.column(node.name) if table else None

    @staticmethod
    def _qualifies(qualifier: tuple[str, ...], table: Occurrence) -> bool:
        if not qualifier:
            return True
        if qualifier == (table.alias.lower(),):
            return True
        # A table without an alias of its own can be qualified by the tail of its name.
        name = tuple(part.lower() for part in table.name.parts)
        return table.alias == table.name.table and len(qualifier) > 1 and name[-len(qualifier) :] == qualifier
