"""The blocks of a statement as rules read them."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from rewriter.block import Block, Find, Texts, Unsupported, build_block, common_tables
from rewriter.block.from_clause import Common
from rewriter.correlation import Correlation, correlation_of
from rewriter.engine.derived import branches_of, columns_of, is_union_all, query_of, text_of_table
from rewriter.freshness import Relations
from rewriter.index import Definitions
from rewriter.model import Column, Table, TableName
from rewriter.sql import SelectBlock, Statement


def finder(statement: Statement, definitions: Definitions, relations: Relations) -> Find:
    """Looks up a FROM item among the tables and materialized views at hand."""

    def find(table: exp.Table) -> tuple[TableName, tuple[Column, ...]] | None:
        name = statement.resolve(table)
        if name is None:
            return None
        relation = relations.get(name)
        if isinstance(relation, Table):
            return name, relation.columns
        view = definitions.by_name.get(name) or definitions.plain_by_name.get(name)
        if view is not None and relation == view.state:
            return name, view.columns
        return None

    return find


def unread(problem: Unsupported | RecursionError) -> str:
    """Return why a SELECT cannot be read, for the user."""
    return "it is nested too deeply" if isinstance(problem, RecursionError) else str(problem)


def block_of(
    select: SelectBlock, tree: exp.Select, statement: Statement, find: Find
) -> tuple[Block, Correlation | None]:
    """The block of a SELECT, and what it takes from the one around it; raises Unsupported."""
    correlation = correlation_of(statement, select, find)
    common = _common(select, statement, find)
    outer = correlation.column if correlation is not None else None
    block = build_block(tree, find, common, texts=_texts(select, statement, find), outer=outer)
    if correlation is not None:
        correlation.check(block)
    if all(table.text and not table.branches for table in block.tables):
        raise Unsupported("it reads derived tables alone, which are answered by themselves")
    return replace(block, decides=statement.decides_by(select)), correlation


def _common(select: SelectBlock, statement: Statement, find: Find) -> Common:
    return common_tables(statement, select, find, lambda inner: _texts(inner, statement, find))


def _texts(select: SelectBlock, statement: Statement, find: Find) -> Texts:
    """What gives the texts of the subqueries and derived tables of a block."""
    inside = statement.inside(select)

    def derive(node: exp.Expr) -> tuple[str, tuple[Column, ...], tuple[Block, ...]]:
        text = text_of_table(node, select, statement)
        query, within = node.this, inside
        if isinstance(node, exp.Table):
            named = next(t.block for t in statement.common_before(select) if t.name == node.name.lower())
            query, within = named.tree or query_of(named), [named, *statement.inside(named)]
        found = (next(b for b in within if b.tree == branch) for branch in branches_of(query))
        blocks = tuple(_inner(block, statement, find) for block in found)
        united = isinstance(query, exp.Union) and is_union_all(query)
        return text, columns_of(blocks), blocks if united else ()

    def text(tree: exp.Select) -> str:
        found = next((b.text for b in inside if b.tree == tree), None)
        if found is None:
            raise Unsupported(f"{tree.sql('spark')[:60]} is not found in the text")
        if not statement.is_clear(found):
            raise Unsupported(f"{tree.sql('spark')[:60]} stands in the text twice, and WITH may tell both apart")
        return found

    return Texts(text, derive=derive)


def _inner(select: SelectBlock, statement: Statement, find: Find) -> Block:
    """The block of a derived table: it is read as it is, so window functions may tell equal rows apart."""
    if select.tree is None:
        raise Unsupported(select.problem)
    return build_block(
        select.tree, find, _common(select, statement, find), texts=_texts(select, statement, find), ties=True
    )
