"""Finds the query in a statement that writes the query's rows to a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlglot.tokens import Token, TokenType

from rewriter.sql.blocks import CLOSING, OPENING
from rewriter.sql.dialect import tokenize

_QUERIES = frozenset({TokenType.SELECT, TokenType.WITH})
_HEADS = (("INSERT", "INTO"), ("INSERT", "OVERWRITE"))
_MAKERS = (("CREATE", "TABLE"), ("REPLACE", "TABLE"), ("CREATE", "OR", "REPLACE", "TABLE"))
# Keywords allowed between the table's name and the query of an INSERT, besides lists in parentheses.
_BETWEEN = frozenset({"PARTITION", "IF", "NOT", "EXISTS", "BY", "NAME"})


class Filling(NamedTuple):
    """The place of the write and of the query in the tokens of a statement that writes a query's rows.

    `write` is the index of the write's first token, and `query` the index of the query's first token. Tokens before the
    write are the query's WITH.
    """

    write: int
    query: int


def query_of_write(tokens: Sequence[Token]) -> Filling | None:
    """Return where the query starts in [WITH …] INSERT … SELECT or CREATE [OR REPLACE] TABLE … AS SELECT.

    Return None for other statements, also for INSERT … VALUES and INSERT … TABLE.

    >>> from rewriter.sql.dialect import tokenize
    >>> filling = "INSERT INTO t (a, b) SELECT 1, 2", "CREATE TABLE t USING iceberg AS WITH x AS (SELECT 1) SELECT 2"
    >>> [query_of_write(tokenize(sql)).query for sql in filling]
    [8, 6]
    >>> query_of_write(tokenize("WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x"))
    Filling(write=7, query=10)
    >>> [query_of_write(tokenize(sql)) for sql in ("INSERT INTO t VALUES (1)", "INSERT INTO t TABLE u")]
    [None, None]
    """
    write = _behind_with(tokens) if tokens[:1] and tokens[0].token_type is TokenType.WITH else 0
    words = [token.text.upper() for token in tokens[write : write + 4]]
    if any(words[: len(head)] == [*head] for head in _HEADS):
        query = _inserted(tokens[write:])
        # Two WITHs, of the INSERT and of its query, could define the same name.
        if query is None or (write and tokens[write + query].token_type is TokenType.WITH):
            return None
        return Filling(write, write + query)
    maker = next((head for head in _MAKERS if words[: len(head)] == [*head]), None)
    query = _made(tokens, len(maker)) if maker is not None and not write else None
    return None if query is None else Filling(0, query)


def read_by(sql: str) -> str:
    """Return the text of the query that a statement runs: the query whose rows a write inserts, else the whole text.

    Raise ParseError if the text cannot be split into tokens.

    >>> read_by("CREATE TABLE t AS SELECT 1"), read_by("SELECT 1")
    ('SELECT 1', 'SELECT 1')
    >>> read_by("WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x")
    'WITH x AS (SELECT 1) SELECT * FROM x'
    """
    tokens = tokenize(sql)
    filling = query_of_write(tokens)
    if filling is None:
        return sql
    with_ = sql[: tokens[filling.write].start] if filling.write else ""
    return with_ + sql[tokens[filling.query].start :]


def _behind_with(tokens: Sequence[Token]) -> int:
    """Return the index of the token after `WITH name [(columns)] [AS] (query), …` at the start of a text.

    Return 0 if the WITH has another form, such as WITH RECURSIVE.
    """
    at = 1
    while at < len(tokens):
        at += 1  # the name
        for _ in range(2):  # a list of columns, and the query
            at += bool(tokens[at : at + 1]) and tokens[at].token_type is TokenType.ALIAS
            at = _behind_list(tokens, at) if tokens[at : at + 1] and tokens[at].token_type is TokenType.L_PAREN else at
        if not tokens[at : at + 1] or tokens[at].token_type is not TokenType.COMMA:
            break
        at += 1
    return at if at < len(tokens) and tokens[at - 1].token_type is TokenType.R_PAREN else 0


def _inserted(tokens: Sequence[Token]) -> int | None:
    at = _behind_name(tokens, 3 if tokens[2:3] and tokens[2].token_type is TokenType.TABLE else 2)
    while at < len(tokens):
        if tokens[at].token_type in _QUERIES:
            return at
        if tokens[at].token_type is TokenType.L_PAREN:
            at = _behind_list(tokens, at)
        elif tokens[at].text.upper() in _BETWEEN:
            at += 1
        else:
            return None
    return None


def _made(tokens: Sequence[Token], at: int) -> int | None:
    while at < len(tokens):
        kind = tokens[at].token_type
        if kind in _QUERIES:
            return at if tokens[at - 1].token_type is TokenType.ALIAS else None
        at = _behind_list(tokens, at) if kind in OPENING else at + 1
    return None


def _behind_name(tokens: Sequence[Token], at: int) -> int:
    """Return the index of the token after a dotted name that starts at index `at`."""
    while at + 1 < len(tokens) and tokens[at + 1].token_type is TokenType.DOT:
        at += 2
    return at + 1


def _behind_list(tokens: Sequence[Token], at: int) -> int:
    depth = 0
    while at < len(tokens):
        depth += (tokens[at].token_type in OPENING) - (tokens[at].token_type in CLOSING)
        at += 1
        if depth == 0:
            break
    return at
