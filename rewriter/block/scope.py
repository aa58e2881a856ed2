"""Resolves names in a block: which column, alias or outer reference a name means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from sqlglot import exp

from rewriter.block.form import Occurrence, Unsupported
from rewriter.block.opaque import shown
from rewriter.model import Column

Tree = exp.Expr


@dataclass(frozen=True)
class Source:
    """One item of FROM in a scope: a table, or a derived table with its outputs in `derived`."""

    alias: str
    table: Occurrence | None = None
    derived: tuple[tuple[str | None, Tree], ...] = ()

    def column(self, name: str) -> Tree | None:
        """Return the column with this name, or None; raise Unsupported if a derived table has it twice."""
        if self.table is not None:
            column = self.table.column(name)
            return exp.column(column.name.lower(), self.table.id) if column is not None else None
        found = [tree for label, tree in self.derived if label is not None and label.lower() == name.lower()]
        if len(found) > 1:
            raise Unsupported(f"{self.alias}.{name} is ambiguous")
        return found[0].copy() if found else None

    def has(self, name: str) -> bool:
        """Return whether the source has a column of this lower-case name."""
        if self.table is not None:
            return self.table.column(name) is not None
        return any(label is not None and label.lower() == name for label, _ in self.derived)

    def columns(self) -> Iterator[tuple[str | None, Tree]]:
        """Yield all names with their canonical columns, in order."""
        if self.table is None:
            yield from ((name, tree.copy()) for name, tree in self.derived)
            return
        for column in self.table.columns:
            yield column.name, exp.column(column.name.lower(), self.table.id)

    def answers_to(self, qualifier: tuple[str, ...]) -> bool:
        """Return whether a qualifier names this source: by its alias or, without one, by the last parts of the table's
        name.
        """
        if qualifier == (self.alias.lower(),):
            return True
        if self.table is None or self.alias != self.table.name.table:
            return False
        name = tuple(part.lower() for part in self.table.name.parts)
        return len(qualifier) > 1 and name[-len(qualifier) :] == qualifier


@dataclass(frozen=True)
class Scope:
    """The sources in scope. Names are compared ignoring case, as Spark does by default.

    A name that is not exactly one column of these sources is refused: it may be ambiguous, or belong to an enclosing
    query. In a subquery, `outer` resolves such names in the enclosing query. `tables` provide the types. `merged` are
    the columns that USING made one of two; `hidden` are the (alias, name) pairs of the columns merged into them.
    `alias` resolves an unqualified name as an output alias, in clauses where these are visible. `constant` returns the
    text of an uncorrelated subquery.
    """

    tables: tuple[Occurrence, ...]
    sources: tuple[Source, ...] = ()
    merged: tuple[tuple[str, Tree], ...] = ()
    hidden: frozenset[tuple[str, str]] = frozenset()
    alias: Callable[[str], Tree | None] = field(default=lambda name: None)
    outer: Callable[[exp.Column], Tree] | None = None
    constant: Callable[[Tree], str] = field(default=lambda query: _not_read(query))

    def column(self, node: exp.Column) -> Tree:
        """Return the canonical tree of a column reference; raise Unsupported."""
        if len(node.parts) == 1 and (meant := self.alias(node.name)) is not None:
            return meant
        if isinstance(node.this, exp.Star) or not isinstance(node.this, exp.Identifier):
            raise Unsupported(f"{node.sql('spark')} is not a single column")
        *qualifier, name = (part.name.lower() for part in node.parts)
        found = list(self._qualified(tuple(qualifier), name) if qualifier else self._unqualified(name))
        if not found and self.outer is not None and self._is_nothing(qualifier):
            return self.outer(node)
        if len(found) != 1:
            reason = self._missing(qualifier) if not found else "is ambiguous"
            raise Unsupported(f"{node.sql('spark')} {reason}")
        return found[0]

    def _missing(self, qualifier: Sequence[str]) -> str:
        """Return the error message for a name that is not a column."""
        for end in range(1, len(qualifier) + 1):
            *before, column = qualifier[:end]
            found = self._qualified(tuple(before), column) if before else self._unqualified(column)
            if any((known := self.type_of(each)) and known.type.startswith("struct") for each in found):
                return "is a field of a struct, which is not supported"
        return "is not a column of the tables in FROM"

    def source_of(self, node: exp.Column) -> Source | None:
        """Return the source of a column reference; None if there is none or more than one."""
        *qualifier, name = (part.name.lower() for part in node.parts)
        if self.merged:
            return None
        return next(
            (s for s in self.sources if (not qualifier or s.answers_to(tuple(qualifier))) and s.column(name)), None
        )

    def _is_nothing(self, qualifier: list[str]) -> bool:
        """Return whether a name can only be an outer reference: it is no struct field and no unnamed output of these
        sources.
        """
        named = all(label is not None for source in self.sources for label, _ in source.columns())
        return named and not (qualifier and self.has(qualifier[0]))

    def _qualified(self, qualifier: tuple[str, ...], name: str) -> Iterator[Tree]:
        for source in self.sources:
            if source.answers_to(qualifier) and (tree := source.column(name)) is not None:
                yield tree

    def _unqualified(self, name: str) -> Iterator[Tree]:
        for label, tree in self.merged:
            if label.lower() == name:
                yield tree.copy()
        for source in self.sources:
            if (source.alias, name) not in self.hidden and (meant := source.column(name)) is not None:
                yield meant

    def star(self, qualifier: str | None) -> Iterator[tuple[str | None, Tree]]:
        """Yield the columns of `*` or `qualifier.*`; raise Unsupported."""
        if qualifier is not None and self.merged:
            raise Unsupported(f"{qualifier}.* is not supported with USING")
        yield from ((name, tree.copy()) for name, tree in self.merged)
        sources = [s for s in self.sources if qualifier is None or s.alias.lower() == qualifier.lower()]
        if not sources:
            raise Unsupported(f"{qualifier}.* names no table")
        for source in sources:
            for name, tree in source.columns():
                if name is None or (source.alias, name.lower()) not in self.hidden:
                    yield name, tree

    def has(self, name: str) -> bool:
        """Return whether an unqualified name is a column of some source."""
        name = name.lower()
        return any(label.lower() == name for label, _ in self.merged) or any(
            source.has(name) for source in self.sources
        )

    def type_of(self, node: Tree) -> Column | None:
        """Return the declared column of a canonical column; None for other expressions."""
        if not isinstance(node, exp.Column):
            return None
        table = self._by_id.get(node.table)
        return table.column(node.name) if table is not None else None

    @cached_property
    def _by_id(self) -> Mapping[str, Occurrence]:
        return {table.id: table for table in self.tables}


def _not_read(query: Tree) -> str:
    raise Unsupported(f"{shown(query)} is not supported here")
