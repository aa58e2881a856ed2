"""Compares queries as texts, token by token, ignoring case, whitespace, comments, and how table names are qualified.

So a view can answer a query of the same text even if the query is not supported as a block, for example because of
window functions, LIMIT or struct fields. Each table name must resolve to the same table in both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sqlglot import exp
from sqlglot.tokens import Token, TokenType

from rewriter.block import Ordering
from rewriter.functions.types import FRACTIONS
from rewriter.match.rewriting import Rewriting
from rewriter.model import Column, Table, TableName
from rewriter.schema import UNKNOWN
from rewriter.sql import (
    Edit,
    ParseError,
    SelectBlock,
    SelectSpan,
    Statement,
    parse_select,
    place_of,
    splice_within,
    tokenize,
)
from rewriter.sql.blocks import CLOSING, OPENING, QUERY_TAIL

LIMITS = (TokenType.LIMIT, TokenType.OFFSET, TokenType.FETCH)
QUERY_STARTS = (TokenType.SELECT, TokenType.WITH)
_SPELLED_EXACTLY = (TokenType.STRING, TokenType.RAW_STRING, TokenType.HEX_STRING, TokenType.BYTE_STRING)


class Text(NamedTuple):
    """A query as comparable tokens, with full table names, and its tables in order (None for an unresolved name)."""

    tokens: tuple[tuple[TokenType, str], ...]
    tables: tuple[TableName | None, ...]


class WholeQuery(NamedTuple):
    """A query within a statement, to be compared as a text.

    - `span`: the query's offsets in the statement
    - `sql`: the query's SQL
    - `text`: all tokens of the query
    - `body`: the tokens without the final ORDER BY, LIMIT and OFFSET; `tail`: the SQL of these clauses
    - `names`: the output names; empty for a query that starts with WITH
    """

    span: SelectSpan
    sql: str
    text: Text
    body: Text
    tail: str
    names: tuple[str, ...]


class TextQuestion(NamedTuple):
    """A query whose text equals the text of a view's query.

    `whole` is true if the query's ORDER BY, LIMIT and OFFSET are part of the equal text.
    """

    query: WholeQuery
    whole: bool
    statement: Statement


def whole_queries(statement: Statement, spelled: Sequence[Edit]) -> Iterator[WholeQuery]:
    """Yield the queries of a statement, outer queries first: the statement, its SELECTs, and parenthesized queries.

    `spelled` are edits to apply to the statement's SQL first. Yield nothing if a part of the statement was not parsed.
    """
    if not statement.complete or any(block.tree is None for block in statement.blocks):
        return  # its names cannot be resolved
    spans = {block.span for block in statement.blocks} | set(_enclosed(statement.tokens))
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        blocks = [block for block in statement.blocks if block.span.within(span)]
        yield _whole_query(statement, span, spelled, blocks)


def texts_of(statement: Statement) -> Iterator[tuple[Text, bool]]:
    """Yield the texts of queries that a view can answer, each with a flag: whether the text is the view's whole query.

    `statement` is the view's query. The first text is the whole query; if the query has no LIMIT, a second text lacks
    the query's final ORDER BY.
    """
    whole = next(whole_queries(statement, ()), None)
    if whole is None:
        return
    yield whole.text, True
    if not any(token.token_type in LIMITS for token in tokenize(whole.tail)):
        yield whole.body, False


def _enclosed(tokens: Sequence[Token]) -> Iterator[SelectSpan]:
    """Yield the spans (offsets) of the statement and of each parenthesized query."""
    opened: list[int] = []
    last = tokens[-2] if tokens[-1].token_type is TokenType.SEMICOLON and len(tokens) > 1 else tokens[-1]
    yield SelectSpan(tokens[0].start, last.end + 1)
    for i, token in enumerate(tokens):
        if token.token_type in OPENING:
            opened.append(i)
        elif token.token_type in CLOSING and opened:
            first = opened.pop() + 1
            if tokens[first].token_type in QUERY_STARTS:
                yield SelectSpan(tokens[first].start, tokens[i - 1].end + 1)


def _whole_query(
    statement: Statement, span: SelectSpan, spelled: Sequence[Edit], blocks: Sequence[SelectBlock]
) -> WholeQuery:
    """Return the query at `span` of a statement; `blocks` are the SELECTs within the span, outer SELECTs first.

    `spelled` are edits to apply to the statement's SQL first.
    """
    sql = splice_within(statement.sql, span, spelled)
    tokens = tokenize(sql)
    tail = _tail(tokens)
    named = [(table, statement.resolve(table)) for block in blocks for table in block.tables]
    tables = tuple(name for _, name in named)
    # `sales` and `lake.demo.sales` may name the same table: full names are compared.
    full_names = [Edit(*place_of(table), name.sql()) for table, name in named if name is not None]
    qualified = tokenize(splice_within(statement.sql, span, (*spelled, *full_names)))
    compared = tuple((token.token_type, _compared(token)) for token in qualified)
    ends = tokens[tail].start if tail < len(tokens) else len(sql)
    # After WITH, the first block is a CTE and not the query itself; ORDER BY is then read by ordinals only.
    first = blocks[0].tree if blocks and tokens[0].token_type is TokenType.SELECT else None
    names = tuple(output.alias_or_name for output in first.expressions) if first is not None else ()
    body = compared[: _tail(qualified)]
    return WholeQuery(span, sql, Text(compared, tables), Text(body, tables), sql[ends:], names)


def _compared(token: Token) -> str:
    return token.text if token.token_type in _SPELLED_EXACTLY else token.text.lower()


def _tail(tokens: Sequence[Token]) -> int:
    """Return the index of the token at which a query's own ORDER BY, LIMIT or OFFSET begins.

    Without these clauses, return the number of tokens.
    """
    depth = 0
    for i, token in enumerate(tokens):
        depth += (token.token_type in OPENING) - (token.token_type in CLOSING)
        if depth == 0 and token.token_type in QUERY_TAIL:
            return i
    return len(tokens)


def decides_by_floats(query: WholeQuery, statement: Statement, storage: Table) -> Column | None:
    """Return a floating-point output of a query by which an outer query may select rows; None if there is none.

    Over the storage table, the outer query might select other rows, for two reasons. Spark pushes the outer query's
    filter down to the table that is read, and Iceberg skips files by statistics that treat NaN and -0.0 differently
    from Spark. And the last bits of a floating-point sum depend on the order of rows. A statement that writes the
    query's rows counts as an outer query.
    """
    within = [block for block in statement.blocks if block.span.within(query.span)]
    alone = len(within) == len(statement.blocks)
    if not (statement.fills or (within and not alone and statement.decides_by(within[0]))):
        return None
    return next((c for c in storage.columns if any(kind in c.type for kind in (*FRACTIONS, UNKNOWN))), None)


def rewriting_of(
    query: WholeQuery, whole: bool, storage: Table, outputs: tuple[exp.Expr, ...], where: tuple[exp.Expr, ...] = ()
) -> Rewriting | None:
    """Return a query as a read of the storage table with `outputs` and `where`, and with its final clauses.

    The final clauses are the query's ORDER BY, LIMIT and OFFSET. With `whole`, LIMIT and OFFSET are already applied in
    the storage table, and only the order is restored. Return None if an ORDER BY item is not an output, or if the
    clauses are not supported.
    """
    if not query.tail:
        return Rewriting(storage, (), outputs, where)
    try:
        tail = parse_select(f"SELECT 1 {query.tail}")
    except ParseError:
        return None
    limits = [tail.args.get(clause) for clause in ("limit", "offset")]
    others = {arg for arg, value in tail.args.items() if value} - {"expressions", "order", "limit", "offset"}
    counts = [limit.expression.name if limit is not None else None for limit in limits]
    if others or any(count is not None and not count.isdigit() for count in counts):
        return None
    order = [_ordering(item, query.names, outputs) for item in (tail.args.get("order") or exp.Order()).expressions]
    keys = tuple(item for item in order if item is not None)
    if len(keys) < len(order):
        return None
    limit, offset = (None, None) if whole else counts
    return Rewriting(storage, (), outputs, where, order=keys, limit=limit, offset=offset)


def _ordering(item: exp.Expr, names: Sequence[str], outputs: Sequence[exp.Expr]) -> Ordering | None:
    """Return the ordering of storage rows for an ORDER BY item that is the name or the position of an output.

    `outputs` are the outputs over storage columns, and `names` their names. Return None for other items.
    """
    key = item.this if isinstance(item, exp.Ordered) and not item.args.get("with_fill") else None
    place = None
    if isinstance(key, exp.Literal) and not key.is_string and key.name.isdigit():
        place = int(key.name) - 1
    elif isinstance(key, exp.Column) and len(key.parts) == 1:
        found = [i for i, name in enumerate(names) if name.lower() == key.name.lower()]
        place = found[0] if len(found) == 1 else None
    if place is None or not 0 <= place < len(outputs):
        return None
    return Ordering(outputs[place], bool(item.args.get("desc")), bool(item.args.get("nulls_first")))
