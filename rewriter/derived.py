"""Describes derived tables that cannot be merged into a block: their SQL text, columns and blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from sqlglot import exp
from sqlglot.tokens import TokenType

from rewriter.block import Block, Derived, Find, Texts, Unsupported, build_block, common_tables
from rewriter.block.expressions import canonical
from rewriter.block.from_clause import Common
from rewriter.block.scope import Scope
from rewriter.block.words import words
from rewriter.functions.types import INTEGERS, UNKNOWN, VOID
from rewriter.model import Column, quoted
from rewriter.schema import expression_type, output_names, output_types
from rewriter.sql import ParseError, SelectBlock, Statement, excerpt, is_shadowed, parse_select, tokenize
from rewriter.timeseries.bucket import TEMPORAL


def common_of(statement: Statement, find: Find) -> Common:
    """Return a function by which `build_block` looks up the CTEs of a statement.

    `find` looks up a table or view that a FROM clause names. The CTEs may have subqueries and derived tables.
    """
    return common_tables(statement, find, lambda inner: texts_of(inner, statement, find))


def texts_of(select: SelectBlock, statement: Statement, find: Find) -> Texts:
    """Return the functions that give `build_block` the SQL text of each subquery and derived table in a block.

    For a derived table, the functions also give its columns and blocks. Each function raises Unsupported if a text
    cannot be located in the statement or is ambiguous. `find` looks up a table or view that a FROM clause names.
    """
    inside = statement.inside(select)

    def derive(node: exp.Expr) -> Derived:
        text = _text_of_table(node, select, statement)
        query, within = node.this, inside
        if isinstance(node, exp.Table):
            named = statement.common_of(node)
            assert named is not None
            query = named.block.tree or _query_of(named.block)
            within = [named.block, *statement.inside(named.block)]
        if isinstance(query, exp.Select) and (series := _series_of(query)) is not None:
            return Derived(text, (series,))
        blocks = tuple(_inner(_among(within, branch), statement, find) for branch in _branches_of(query))
        united = isinstance(query, exp.Union) and _is_union_all(query)
        alone = blocks[0] if isinstance(query, exp.Select) else None
        return Derived(text, _columns_of(blocks), blocks if united else (), alone)

    def text(tree: exp.Select) -> str:
        found = next((b for b in inside if b.tree == tree), None)
        if found is None:
            raise Unsupported(
                f"the subquery {excerpt(tree)} cannot be parsed separately from the statement: define the subquery in "
                "a WITH clause at the start of the statement"
            )
        if not set(statement.common_before(found)).issubset(statement.common_before(select)):
            raise Unsupported(
                f"the subquery {excerpt(tree)} has a WITH clause, which is not supported: move this WITH clause "
                "to the start of the statement"
            )
        if (table := _shadowed(tree)) is not None:
            raise Unsupported(
                f"the subquery {excerpt(tree)} reads the table {table.name}, and a CTE has the same name: rename the "
                "CTE"
            )
        if not statement.is_clear(found.text):
            raise Unsupported(
                f"the subquery {excerpt(tree)} occurs twice in the statement, and a name in its FROM may refer to "
                "two different CTEs of this name: rename one of these two CTEs"
            )
        return found.text

    def names(tree: exp.Select, block: Block) -> tuple[str | None, ...]:
        found = next((each for each in (select, *inside) if each.tree == tree), None)
        return block.names if found is None else output_names(block, tree, found.text)

    return Texts(text, derive=derive, names=names)


def subquery_types(select: SelectBlock, statement: Statement, find: Find) -> Mapping[str, str]:
    """Return the type of the first output of each supported subquery within a block, by the subquery's SQL text.

    `find` looks up a table or view that a FROM clause names.
    """
    read = ((inner.text, _read(inner, statement, find)) for inner in statement.inside(select))
    return {text: output_types(block)[0] for text, block in read if isinstance(block, Block)}


def _series_of(query: exp.Select) -> Column | None:
    """Return the column of a derived table that is a series of numbers or times and reads no table.

    Return None for other derived tables, and if the type of the column is not certain.

    query:  SELECT explode(sequence(DATE '2024-01-01', DATE '2024-01-31', INTERVAL 1 DAY)) AS day
    """
    if len(query.expressions) != 1 or any(value for clause, value in query.args.items() if clause != "expressions"):
        return None
    (output,) = query.expressions
    exploded = _arguments(output.unalias(), "explode")
    bounds = _arguments(exploded[0], "sequence")[:2] if len(exploded) == 1 else []
    if len(bounds) < 2:
        return None
    try:
        kinds = {expression_type(canonical(bound, Scope(())), Block((), (), (), ())) for bound in bounds}
    except Unsupported:
        return None
    known = len(kinds) == 1 and kinds <= {*TEMPORAL, *INTEGERS}
    return Column(output.alias or "col", kinds.pop()) if known else None


def _arguments(tree: exp.Expr, name: str) -> list[exp.Expr]:
    """Return the arguments of a call of the function `name`; an empty list for other expressions."""
    return tree.expressions if isinstance(tree, exp.Anonymous) and tree.name.lower() == name else []


def _among(blocks: Sequence[SelectBlock], tree: exp.Select) -> SelectBlock:
    """Return the block whose tree is this SELECT.

    Raise Unsupported if no block has this tree, as for VALUES, which the parser turns into a SELECT.
    """
    found = next((block for block in blocks if block.tree == tree), None)
    if found is None:
        raise Unsupported(
            f"the derived table {excerpt(tree)} cannot be parsed separately from the statement: define the derived "
            "table in a WITH clause at the start of the statement"
        )
    return found


def _inner(select: SelectBlock, statement: Statement, find: Find) -> Block:
    """Return the block of a derived table; raise Unsupported if the derived table is not supported as a block.

    The outer query keeps the derived table in FROM as SQL text; the block only describes this table's columns and rows.
    So window functions whose result depends on the order of equal rows, such as row_number(), are supported: Spark
    still computes them. `find` looks up a table or view that a FROM clause names.
    """
    found = _read(select, statement, find)
    if isinstance(found, Unsupported):
        raise type(found)(*found.args)
    return found


# Cached, because CTEs that each read the previous one twice would take three times as long with each level.
@lru_cache(maxsize=64)
def _read(select: SelectBlock, statement: Statement, find: Find) -> Block | Unsupported:
    """Return the block of a derived table, or the Unsupported exception if the derived table is not supported.

    The exception is returned, not raised, so that it is cached like a block. `find` looks up a table or view that a
    FROM clause names.
    """
    if select.tree is None:
        return Unsupported(select.problem)
    texts = texts_of(select, statement, find)
    try:
        block = build_block(select.tree, find, common_of(statement, find), texts=texts, ties=True)
    except Unsupported as problem:
        return problem
    return replace(block, names=output_names(block, select.tree, select.text)) if None in block.names else block


def _text_of_table(node: exp.Expr, select: SelectBlock, statement: Statement) -> str:
    """Return the text of `node`, a derived table or CTE in the FROM of `select`: its SQL, or the name of the CTE.

    Raise Unsupported if the text cannot be located in the statement, or if the same text occurs again where a name in
    it may refer to another CTE.
    """
    if isinstance(node, exp.Table):
        named = statement.common_of(node)
        if named is None or named not in statement.common_before(select):
            raise Unsupported(
                f"the CTE {node.name} is defined within a derived table and cannot be merged into the query that "
                "reads it: define the CTE in the WITH clause of the outer query"
            )
        return quoted(node.name)
    alias = node.alias or excerpt(node)
    within = next((clause for each in node.this.find_all(exp.Query) if (clause := each.args.get("with_"))), None)
    if within is not None:
        raise Unsupported(
            f"the WITH clause of the derived table {alias} is recursive, which is not supported: write the derived "
            "table without WITH RECURSIVE"
            if within.args.get("recursive")
            else f"the WITH clause of the derived table {alias} defines a name that another WITH clause also defines: "
            "rename the CTE"
        )
    if (table := _shadowed(node.this)) is not None:
        raise Unsupported(
            f"the derived table {alias} reads the table {table.name}, and a CTE has the same name: rename the CTE"
        )
    # The identifiers of a derived table lie within the innermost parentheses around all of them.
    places = [name.meta["start"] for name in node.this.find_all(exp.Identifier) if "start" in name.meta]
    start, end = min(places, default=0), max(places, default=0)
    text = next((statement.sql[i:j] for i, j in _parentheses(select, statement) if i < start and end < j), "")
    if not text or _reads(text) != node.this:
        raise Unsupported(
            f"the derived table {alias} cannot be parsed separately from the statement: define the derived table in a "
            "WITH clause at the start of the statement"
        )
    if not statement.is_clear(text):
        raise Unsupported(
            f"the derived table {alias} occurs twice in the statement, and a name in its FROM may refer to two "
            "different CTEs of this name: rename one of these two CTEs"
        )
    return text


def _shadowed(query: exp.Expr) -> exp.Table | None:
    """Return a table in a query for which `is_shadowed` is true; None if there is none.

    The query's text may be moved to another place in the statement, where the name of this table may mean a CTE.
    """
    return next(filter(is_shadowed, query.find_all(exp.Table)), None)


def _parentheses(select: SelectBlock, statement: Statement) -> Iterator[tuple[int, int]]:
    """Yield the start and end offsets of each pair of parentheses in a block's text, inner pairs first."""
    opened: list[int] = []
    start = select.span.start
    for token in tokenize(statement.sql[start : select.span.end]):
        if token.token_type is TokenType.L_PAREN:
            opened.append(token.start)
        elif token.token_type is TokenType.R_PAREN and opened:
            yield start + opened.pop(), start + token.end + 1


def _reads(text: str) -> exp.Expr | None:
    """Return the query of a derived table, given as text in parentheses; None if the text cannot be parsed."""
    try:
        query: exp.Expr = parse_select(f"SELECT 1 FROM {text} AS derived").args["from_"].this.this
    except ParseError:
        return None
    for each in query.find_all(exp.Query):
        each.set("with_", None)  # as in the statement's own trees
    return query


def _query_of(block: SelectBlock) -> exp.Expr:
    """Return the query of a CTE that is not a single SELECT; raise Unsupported if the CTE's text cannot be parsed."""
    query = _reads(f"({block.text})")
    if query is None:
        raise Unsupported(block.problem)
    return query


def _branches_of(query: exp.Expr) -> Iterator[exp.Select]:
    """Yield the SELECTs of a query: the query itself if it is a SELECT, or all SELECTs of a set operation.

    Raise Unsupported for UNION BY NAME, and for a query without SELECT, such as VALUES.
    """
    if isinstance(query, exp.Select):
        yield query
    elif isinstance(query, exp.SetOperation) and not query.args.get("by_name"):
        yield from _branches_of(query.this)
        yield from _branches_of(query.expression)
    elif isinstance(query, exp.Subquery):
        yield from _branches_of(query.this)
    elif isinstance(query, exp.SetOperation):
        raise Unsupported(
            f"{excerpt(query)} matches columns by name, which is not supported: list the columns of all branches in "
            "the same order, and leave out BY NAME"
        )
    else:
        raise Unsupported(f"{excerpt(query)} is neither a SELECT nor a set operation: write it as a SELECT")


def _is_union_all(query: exp.Expr) -> bool:
    """Return whether a query is one SELECT, or a chain of UNION ALL without ORDER BY, LIMIT and OFFSET.

    Parentheses do not matter: `a UNION ALL (b UNION ALL c)`.
    """
    if any(query.args.get(clause) for clause in ("order", "limit", "offset")):
        return False
    if isinstance(query, exp.Union):
        return query.args.get("distinct") is False and all(map(_is_union_all, (query.this, query.expression)))
    if isinstance(query, exp.Subquery):
        return _is_union_all(query.this)
    return isinstance(query, exp.Select)


def _columns_of(blocks: Sequence[Block]) -> tuple[Column, ...]:
    """Return the columns of a set operation: the names of the first branch, and the types on which all branches agree.

    Raise Unsupported if the numbers of columns differ, if a name is unknown, or if a type is unknown or differs.
    `blocks` are the branches.
    """
    first = blocks[0]
    other = next((len(block.outputs) for block in blocks if len(block.outputs) != len(first.outputs)), None)
    if other is not None:
        raise Unsupported(
            f"the branches of a set operation in a derived table have {len(first.outputs)} and {other} columns: select "
            "the same number of columns in each branch"
        )
    columns = []
    for output, name, *types in zip(first.outputs, first.names, *map(output_types, blocks), strict=True):
        kinds = set(types) - {VOID}
        if name is None:
            raise Unsupported(
                f"the name of the column {words(output)} of a derived table is not known for certain: add an alias"
            )
        if len(kinds) > 1:
            raise Unsupported(
                f"the column {name} of a set operation has the types {' and '.join(sorted(kinds))} in its branches: "
                "cast the column to the same type in each branch"
            )
        if kinds in (set(), {UNKNOWN}):
            raise Unsupported(
                f"the type of the column {name} of a derived table is not known for certain: cast the column to the "
                "type that Spark's typeof() shows for it"
            )
        columns.append(Column(name, kinds.pop()))
    return tuple(columns)
