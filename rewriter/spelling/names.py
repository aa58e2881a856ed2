"""Resolves the names and types in a SELECT, as far as they are known for certain.

Unlike the block normal form (rewriter.block), this module also finds the columns of set operations and of derived
tables with LIMIT.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp
from sqlglot.tokens import TokenType

from rewriter.block.expressions import canonical
from rewriter.block.form import Occurrence, Unsupported
from rewriter.block.from_clause import Find
from rewriter.block.resolve import common_tables, scope_of
from rewriter.block.scope import Scope, Source
from rewriter.model import Column, TableName
from rewriter.schema import Uncertain, type_of
from rewriter.sql import SelectBlock, Statement, excerpt, offering
from rewriter.sql.blocks import SET_OPERATORS

Tree = exp.Expr
_COMBINING = SET_OPERATORS | {TokenType.ALL, TokenType.DISTINCT, TokenType.L_PAREN, TokenType.R_PAREN}


@dataclass(frozen=True)
class Names:
    """A resolver of column names in the SELECTs of a statement; `find` looks up tables in FROM."""

    statement: Statement
    find: Find

    def scope(self, tree: exp.Select) -> Scope:
        """Return the relations in FROM whose columns are known, as the scope in which column names are resolved.

        The right side of a SEMI or ANTI join is left out, because the SELECT cannot name its columns.
        """
        known = scope_of(tree, self.find, common_tables(self.statement, self.find))
        sources = {source.alias.lower(): source for source in known.sources}
        found = {name: sources.get(name) or self._derived(item) for name, item in offering(tree)}
        derived = [source.table for name, source in found.items() if source and source.table and name not in sources]
        return replace(
            known, tables=(*known.tables, *derived), sources=tuple(source for source in found.values() if source)
        )

    def _derived(self, item: Tree) -> Source | None:
        """Return `item`, a derived table or CTE in FROM, as a source of columns.

        Return None if the names or types of the columns are not known.
        """
        alias = item.alias_or_name
        try:
            columns = self._columns(item.this) if isinstance(item, exp.Subquery) else self._common(item)
        except (Uncertain, Unsupported):
            return None
        renamed = item.alias_column_names
        if len(renamed) not in (0, len(columns)):
            return None
        named = [column._replace(name=name) for column, name in zip(columns, renamed or _names(columns), strict=True)]
        table = Occurrence(f"{alias.lower()} derived", TableName((alias,)), alias, tuple(named))
        return Source(alias, table)

    def _columns(self, query: Tree) -> tuple[Column, ...]:
        """Return the output columns of a query; raise Uncertain or Unsupported if names or types are not known."""
        if isinstance(query, exp.SetOperation):
            return _united([self._columns(query.this), self._columns(query.expression)])
        if isinstance(query, exp.Subquery):
            return self._columns(query.this)
        if not isinstance(query, exp.Select) or query.args.get("with_"):
            cause = "has a WITH clause" if query.args.get("with_") else "is not a SELECT"
            raise Unsupported(
                f"the columns of {excerpt(query)} are not known, because this query {cause}: write one SELECT without "
                "WITH"
            )
        scope = self.scope(query)
        if len(scope.sources) != len(list(offering(query))):
            raise Unsupported(
                f"the columns of {excerpt(query)} are not known, because the columns of a table in its FROM are not "
                "known: read a table of the catalog, or a subquery that is supported"
            )
        return tuple(column for item in query.expressions for column in _outputs(item, scope))

    def _common(self, item: Tree) -> tuple[Column, ...]:
        """Return the columns of the CTE that `item`, an item of FROM, names.

        Raise Unsupported if `item` names no CTE, or if a branch of the CTE is not supported.
        """
        named = self.statement.common_of(item) if isinstance(item, exp.Table) else None
        if named is None:
            raise Unsupported(
                f"the columns of {item.alias_or_name} are not known: FROM may have only tables, subqueries and CTEs "
                "whose query is supported"
            )
        block = named.block
        within = [b for b in self.statement.blocks if b.span.within(block.span)]
        branches = [b for b in within if not any(b is not other and b.span.within(other.span) for other in within)]
        trees = [branch.tree for branch in branches if branch.tree is not None]
        if not trees or len(trees) < len(branches) or not self._has_only(block, branches):
            raise Unsupported(
                f"a branch of the set operation in the CTE {named.name} is not supported: write each branch as a SELECT"
            )
        return _united([self._columns(tree) for tree in trees])

    def _has_only(self, block: SelectBlock, branches: Sequence[SelectBlock]) -> bool:
        """Return whether the set operation `block` consists of `branches` alone: no branch is TABLE, VALUES or FROM."""
        inside = (token for token in self.statement.tokens if block.span.start <= token.start < block.span.end)
        outside = (t for t in inside if not any(b.span.start <= t.start < b.span.end for b in branches))
        return all(token.token_type in _COMBINING for token in outside)


def _outputs(item: Tree, scope: Scope) -> Iterator[Column]:
    if isinstance(item, exp.Star) or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star)):
        if item.args.get("except_") or item.args.get("replace"):
            clause = "EXCEPT" if item.args.get("except_") else "REPLACE"
            raise Unsupported(f"* with {clause} is not supported: list the columns")
        outputs = list(scope.star(item.table or None if isinstance(item, exp.Column) else None))
    else:
        outputs = [(item.alias_or_name, canonical(item.unalias(), scope))]
    for name, tree in outputs:
        yield Column(name or "", _type(tree, scope))


def _type(tree: Tree, scope: Scope) -> str:
    def declared(column: exp.Column) -> str | None:
        known = scope.type_of(column)
        return known.type if known else None

    return type_of(tree, declared)


def _names(columns: tuple[Column, ...]) -> list[str]:
    return [column.name for column in columns]


def _united(branches: list[tuple[Column, ...]]) -> tuple[Column, ...]:
    """Return the columns of a set operation, with the first operand's names; raise Unsupported if the types differ."""
    kinds = list(dict.fromkeys(tuple(column.type for column in branch) for branch in branches))
    if len(kinds) != 1:
        raise Unsupported(
            f"the branches of the set operation have columns of different types ({', '.join(kinds[0])} and "
            f"{', '.join(kinds[1])}): cast the columns of each branch to the same types"
        )
    return branches[0]
