"""Finds the query in a statement that writes the query's rows to a table."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot.tokens import Token, TokenType

from rewriter.sql.blocks import CLOSING, OPENING
from rewriter.sql.dialect import tokenize

_QUERIES = frozenset({TokenType.SELECT, TokenType.WITH})
_HEADS = (("INSERT", "INTO"), ("INSERT", "OVERWRITE"))
_MAKERS = (("CREATE", "TABLE"), ("REPLACE", "TABLE"), ("CREATE", "OR", "REPLACE", "TABLE"))
# Keywords allowed between the table's name and the query of an INSERT, besides lists in parentheses.
_BETWEEN = frozenset({"PARTITION", "IF", "NOT", "EXISTS", "BY", "NAME"})


def query_of_write(tokens: Sequence[Token]) -> int | None:
    """Return the index of the first token of the query in INSERT … SELECT or CREATE [OR REPLACE] TABLE … AS SELECT.

    Return None for other statements, also for INSERT … VALUES and INSERT … TABLE.

    >>> from rewriter.sql.dialect import tokenize
    >>> filling = "INSERT INTO t (a, b) SELECT 1, 2", "CREATE TABLE t USING iceberg AS WITH x AS (SELECT 1) SELECT 2"
    >>> [query_of_write(tokenize(sql)) for sql in (*filling, "INSERT INTO t VALUES (1)", "INSERT INTO t TABLE u")]
    [8, 6, None, None]
    """
    words = [token.text.upper() for token in tokens[:4]]
    if any(words[: len(head)] == [*head] for head in _HEADS):
        return _inserted(tokens)
    maker = next((head for head in _MAKERS if words[: len(head)] == [*head]), None)
    return None if maker is None else _made(tokens, len(maker))


def read_by(sql: str) -> str:
    """Return the text of the query that a statement runs: the query whose rows a write inserts, else the whole text.

    Raise ParseError if the text cannot be split into tokens.

    >>> read_by("CREATE TABLE t AS SELECT 1"), read_by("SELECT 1")
    ('SELECT 1', 'SELECT 1')
    """
    tokens = tokenize(sql)
    begin = query_of_write(tokens)
    return sql if begin is None else sql[tokens[begin].start :]


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
