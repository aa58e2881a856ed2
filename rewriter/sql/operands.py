"""Finds the SELECTs that are operands of set operators which drop duplicate rows."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from sqlglot.tokens import Token, TokenType

from rewriter.sql.blocks import SET_OPERATORS, SelectSpan

# Whether an operator keeps duplicate rows; None if there is no set operator.
_Keeps = bool | None


def is_merged(span: SelectSpan, tokens: Sequence[Token]) -> bool:
    """Return whether the SELECT at a span is an operand of UNION, INTERSECT or EXCEPT without ALL.

    Return False if the set operator before or after the SELECT has ALL. A SELECT's operator is always one of these two,
    so that precedence does not matter.

    >>> from rewriter.sql.dialect import tokenize
    >>> sql = "SELECT a FROM t UNION SELECT b FROM u UNION ALL SELECT c FROM v"
    >>> found = [SelectSpan(0, 15), SelectSpan(22, 37), SelectSpan(48, 63)]
    >>> [sql[slice(*span)] for span in found if is_merged(span, tokenize(sql))]
    ['SELECT a FROM t']
    """
    left = bisect_left(tokens, span.start, key=lambda token: token.start) - 1
    right = bisect_left(tokens, span.end, key=lambda token: token.start)
    stripped = False
    while _kind(tokens, left) is TokenType.L_PAREN and _kind(tokens, right) is TokenType.R_PAREN:
        left, right, stripped = left - 1, right + 1, True
    before, after = _before(tokens, left), _after(tokens, right)
    if stripped and before is None and _kind(tokens, left) not in (None, TokenType.L_PAREN):
        return False  # a derived table, as in `FROM (SELECT …) UNION …`, or another subquery
    return {before, after} in ({False}, {False, None})


def _kind(tokens: Sequence[Token], place: int) -> TokenType | None:
    return tokens[place].token_type if 0 <= place < len(tokens) else None


def _before(tokens: Sequence[Token], place: int) -> _Keeps:
    """Return whether the set operator whose last token has the index `place` keeps duplicate rows.

    Return None if the token is not the end of a set operator.
    """
    if _kind(tokens, place) in (TokenType.ALL, TokenType.DISTINCT):
        operator = _kind(tokens, place - 1) in SET_OPERATORS
        return tokens[place].token_type is TokenType.ALL if operator else None
    return False if _kind(tokens, place) in SET_OPERATORS else None


def _after(tokens: Sequence[Token], place: int) -> _Keeps:
    """Return whether the set operator whose first token has the index `place` keeps duplicate rows.

    Return None if the token is not the start of a set operator.
    """
    if _kind(tokens, place) not in SET_OPERATORS:
        return None
    return _kind(tokens, place + 1) is TokenType.ALL
