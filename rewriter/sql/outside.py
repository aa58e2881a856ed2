"""Finds relations that a statement names outside any SELECT.

UPDATE, DELETE, MERGE, and queries that start with FROM name such relations.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot.tokens import Token, TokenType

from rewriter.sql.blocks import CLOSING, OPENING, SET_OPERATORS, SelectSpan

# By first keyword of the statement: the keywords before its relations, and the keywords that end a list of relations.
_CLAUSES = {"UPDATE": ("UPDATE",), "DELETE": ("FROM",), "MERGE": ("INTO", "USING"), "FROM": ("FROM",)}
_ENDS = {"UPDATE": {"SET"}, "DELETE": {"WHERE"}, "MERGE": {"USING", "ON"}, "FROM": {"SELECT", "INSERT"}}
_BEFORE = frozenset({"WITH", "INSERT", "CREATE", "REPLACE"})


def outside(sql: str, tokens: Sequence[Token]) -> tuple[SelectSpan, str] | None:
    """Return the span of the text that names relations outside any SELECT, and a SELECT * FROM these relations as text.

    `tokens` are the tokens of the text `sql`. The span reaches from the first keyword (MERGE, FROM …) to the end of the
    text. Return None if no relations are named outside a SELECT, or if the text does not tell for certain which
    relations are named.

    >>> from rewriter.sql.dialect import tokenize
    >>> texts = "MERGE INTO a AS x USING b ON x.k = b.k WHEN MATCHED THEN DELETE", "FROM a JOIN b USING (k) SELECT c"
    >>> [outside(sql, tokenize(sql))[1] for sql in texts]
    ['SELECT * FROM a AS x, b', 'SELECT * FROM a JOIN b USING (k)']
    """
    words = [_word(token, depth) for token, depth in zip(tokens, depths(tokens), strict=True)]
    begin = _begin(words)
    if begin is None or any(token.token_type is TokenType.PIPE_GT for token in tokens):
        return None
    verb, texts, at = words[begin], [], begin
    if verb == "FROM" and any(token.token_type in SET_OPERATORS for token in tokens):
        return None  # each operand may have a FROM of its own
    for opening in _CLAUSES[verb]:
        at = words.index(opening, at) + 1 if opening in words[at:] else len(words)
        end = next((i for i in range(at, len(words)) if words[i] in _ENDS[verb]), len(words))
        if end == at:
            return None
        texts.append(sql[tokens[at].start : tokens[end - 1].end + 1])
        at = end
    return SelectSpan(tokens[begin].start, tokens[-1].end + 1), f"SELECT * FROM {', '.join(texts)}"


def depths(tokens: Sequence[Token]) -> list[int]:
    """Return, for each token, the number of parentheses that are open after the token."""
    found, depth = [], 0
    for token in tokens:
        depth += (token.token_type in OPENING) - (token.token_type in CLOSING)
        found.append(depth)
    return found


def _word(token: Token, depth: int) -> str:
    """Return a token in upper case; the empty string if the token is quoted or in parentheses (`depth` is not 0)."""
    return token.text.upper() if depth == 0 and token.token_type not in (TokenType.IDENTIFIER, TokenType.STRING) else ""


def _begin(words: Sequence[str]) -> int | None:
    """Return the index of the first UPDATE, DELETE, MERGE or FROM before any SELECT; None if there is no such word."""
    if not words or words[0] not in _CLAUSES.keys() | _BEFORE:
        return None
    return next((i for i, word in enumerate(words) if word in _CLAUSES and "SELECT" not in words[:i]), None)
