"""Resolves column names: to a column, an output alias, or an outer reference (a column of an enclosing query)."""

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
    """One item of FROM: a table, or a merged derived table.

    `table` is the table, or None for a derived table. `derived` has the outputs of the derived table as pairs of a name
    (None if not known) and an expression.
    """

    alias: str
    table: Occurrence | None = None
    derived: tuple[tuple[str | None, Tree], ...] = ()

    def column(self, name: str) -> Tree | None:
        """Return the canonical expression of the column with this name, ignoring case; None if there is no such column.

        Raise Unsupported if two columns of a derived table have the name.
        """
        if self.table is not None:
            return self.table.reference(name)
        found = [tree for label, tree in self.derived if label is not None and label.lower() == name.lower()]
        if len(found) > 1:
            raise Unsupported(
                f"{self.alias}.{name} is ambiguous, because {self.alias} has two columns of this name: rename one "
                "column"
            )
        return found[0].copy() if found else None

    def has(self, name: str) -> bool:
        """Return whether the source has a column with this name, which must be in lower case."""
        if self.table is not None:
            return self.table.column(name) is not None
        return any(label is not None and label.lower() == name for label, _ in self.derived)

    def columns(self) -> Iterator[tuple[str | None, Tree]]:
        """Yield the name (None if unknown) and the canonical expression of each column, in the order of `SELECT *`."""
        if self.table is None:
            yield from ((name, tree.copy()) for name, tree in self.derived)
            return
        for column in self.table.columns:
            yield column.name, exp.column(column.name.lower(), self.table.id)

    def answers_to(self, qualifier: tuple[str, ...]) -> bool:
        """Return whether the qualifier of a column, such as `sales` in `sales.price`, names this source.

        A qualifier is the source's alias or, for a table without an alias, the last parts of the table's full name.
        """
        if qualifier == (self.alias.lower(),):
            return True
        if self.table is None or self.alias != self.table.name.table:
            return False
        name = tuple(part.lower() for part in self.table.name.parts)
        return len(qualifier) > 1 and name[-len(qualifier) :] == qualifier


@dataclass(frozen=True)
class Scope:
    """The sources (items of FROM) among whose columns names are resolved; case is ignored, as Spark does by default.

    - `tables`: the tables whose declared columns give the types
    - `merged`: the columns that USING made of two columns each
    - `hidden`: the (alias, name) pairs of the columns that USING merged; an unqualified name does not mean them
    - `alias`: returns the output with an alias, in clauses where output aliases are visible; None if no output has the
      alias
    - `lateral`: returns the output with an alias that stands before the expression in the same SELECT list, to which a
      name refers if it is no column of the sources; None if there is no such alias
    - `outer`: resolves a name that is certainly an outer reference (a column of an enclosing query); may be None
    - `constant`: returns the text of an uncorrelated subquery, or raises Unsupported

    A name that is no column of the sources is passed to `outer` if it must be an outer reference. A name that is
    unknown, or a column of several sources, raises Unsupported.
    """

    tables: tuple[Occurrence, ...]
    sources: tuple[Source, ...] = ()
    merged: tuple[tuple[str, Tree], ...] = ()
    hidden: frozenset[tuple[str, str]] = frozenset()
    alias: Callable[[str], Tree | None] = field(default=lambda name: None)
    outer: Callable[[exp.Column], Tree] | None = None
    constant: Callable[[Tree], str] = field(default=lambda query: _not_read(query))
    lateral: Callable[[str], Tree | None] = field(default=lambda name: None)

    def column(self, node: exp.Column) -> Tree:
        """Return the canonical expression of a column reference.

        Raise Unsupported if the reference names no column, or more than one.
        """
        *qualifier, name = [part.name.lower() for part in node.parts]
        if not qualifier and (meant := self.alias(node.name)) is not None:
            return meant
        if not isinstance(node.this, exp.Identifier):
            raise Unsupported(
                f"{node.sql('spark')} stands for several columns, which is not supported in an expression: name one "
                "column"
            )
        found = self._qualified(tuple(qualifier), name) if qualifier else self._unqualified(name)
        if not found and not qualifier and self._is_nothing(qualifier) and (meant := self.lateral(name)) is not None:
            return meant
        if not found and self.outer is not None and self._is_nothing(qualifier):
            return self.outer(node)
        if len(found) != 1:
            if not found:
                raise Unsupported(f"the column {node.sql('spark')} {self._missing(qualifier)}")
            raise Unsupported(
                f"the column {node.sql('spark')} is ambiguous, because several tables in FROM have a column of this "
                "name: qualify the column with the name of its table"
            )
        return found[0]

    def _missing(self, qualifier: Sequence[str]) -> str:
        """Return the end of an error message about a name that is not a column of the scope.

        The message says whether the name is a field of a struct column. `qualifier` has the parts before the name.
        """
        for end in range(1, len(qualifier) + 1):
            *before, column = qualifier[:end]
            found = self._qualified(tuple(before), column) if before else self._unqualified(column)
            if any((known := self.type_of(each)) and known.type.startswith("struct") for each in found):
                return "is a field of a struct, which is not supported: use a column that is not nested"
        return "is not a column of the tables in FROM: check the name"

    def source_of(self, node: exp.Column) -> Source | None:
        """Return the first source that has the column.

        Return None if no source has the column. Return None for each column if any join of the scope has USING, because
        a column that USING merges belongs to two sources.
        """
        *qualifier, name = (part.name.lower() for part in node.parts)
        if self.merged:
            return None
        return next(
            (s for s in self.sources if (not qualifier or s.answers_to(tuple(qualifier))) and s.column(name)), None
        )

    def _is_nothing(self, qualifier: list[str]) -> bool:
        """Return whether a name with this qualifier, which is not a column of the scope, must be an outer reference.

        Return False if the name may be a field of a struct column, or an output whose name is not known. `qualifier` is
        empty for an unqualified name.
        """
        named = all(label is not None for source in self.sources for label, _ in source.derived)
        return named and not (qualifier and self.has(qualifier[0]))

    def _qualified(self, qualifier: tuple[str, ...], name: str) -> list[Tree]:
        named = [source for source in self.sources if source.answers_to(qualifier)]
        return [tree for source in named if (tree := source.column(name)) is not None]

    def _unqualified(self, name: str) -> list[Tree]:
        merged = [tree.copy() for label, tree in self.merged if label.lower() == name]
        return merged + [
            tree
            for source in self.sources
            # Most names are columns of one of the tables.
            if (source.table is None or name in source.table.by_name)
            and (tree := source.column(name)) is not None
            and (source.alias, name) not in self.hidden
        ]

    def using(
        self,
        alias: Callable[[str], Tree | None] | None = None,
        outer: Callable[[exp.Column], Tree] | None = None,
        constant: Callable[[Tree], str] | None = None,
        lateral: Callable[[str], Tree | None] | None = None,
    ) -> Scope:
        """Return the scope with `alias`, `outer`, `constant` and `lateral` as its functions; None keeps the present
        function.
        """
        functions = alias or self.alias, outer or self.outer, constant or self.constant, lateral or self.lateral
        return Scope(self.tables, self.sources, self.merged, self.hidden, *functions)

    def star(self, qualifier: str | None) -> Iterator[tuple[str | None, Tree]]:
        """Yield the name (None if unknown) and the canonical expression of each column of `*` or `qualifier.*`.

        Raise Unsupported if the qualifier names no source, and for `qualifier.*` in a scope with USING.
        """
        if qualifier is not None and self.merged:
            raise Unsupported(f"{qualifier}.* is not supported in a query with USING: list the columns")
        yield from ((name, tree.copy()) for name, tree in self.merged)
        sources = [s for s in self.sources if qualifier is None or s.alias.lower() == qualifier.lower()]
        if not sources:
            raise Unsupported(f"no table in FROM has the name or alias {qualifier} of {qualifier}.*: check the name")
        for source in sources:
            for name, tree in source.columns():
                if name is None or (source.alias, name.lower()) not in self.hidden:
                    yield name, tree

    def has(self, name: str) -> bool:
        """Return whether an unqualified name is a column of at least one source."""
        name = name.lower()
        return any(label.lower() == name for label, _ in self.merged) or any(
            source.has(name) for source in self.sources
        )

    def type_of(self, node: Tree) -> Column | None:
        """Return the table column (name, type, nullability) that a canonical column reference names.

        Return None for any other expression, and if no table of the scope has the column.
        """
        if not isinstance(node, exp.Column):
            return None
        table = self._by_id.get(node.table)
        return table.column(node.name) if table is not None else None

    @cached_property
    def _by_id(self) -> Mapping[str, Occurrence]:
        return {table.id: table for table in self.tables}


def _not_read(query: Tree) -> str:
    raise Unsupported(
        f"{shown(query)} is not supported in this SELECT, which can have subqueries only in WHERE, after IN or EXISTS: "
        "write the subquery as a join"
    )
