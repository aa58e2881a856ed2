"""Finds the offsets of a statement's SELECT blocks in the statement's text, from the tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from itertools import compress, count
from operator import attrgetter
from typing import NamedTuple

from sqlglot.tokens import Token, TokenType

SET_OPERATORS = frozenset({TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT})
OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE})
CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE})

# After the last operand of a set operation, these clauses belong to the whole operation, not to that operand.
QUERY_TAIL = frozenset(
    {
        TokenType.ORDER_BY,
        TokenType.SORT_BY,
        TokenType.CLUSTER_BY,
        TokenType.DISTRIBUTE_BY,
        TokenType.LIMIT,
        TokenType.OFFSET,
        TokenType.FETCH,
        TokenType.WINDOW,
    }
)
# The tokens at which a block may begin or end; all other tokens are skipped.
_STRUCTURE = OPENING | CLOSING | SET_OPERATORS | QUERY_TAIL | {TokenType.SELECT, TokenType.SEMICOLON}
_KIND = attrgetter("token_type")
_BARE = frozenset({TokenType.FROM, TokenType.TABLE})
_QUANTIFIERS = frozenset({TokenType.ALL, TokenType.DISTINCT})
# Tokens that may precede a query without WITH; the start of the text counts as "(".
_BEFORE_QUERIES = SET_OPERATORS | _QUANTIFIERS | {TokenType.L_PAREN}


def kinds_of(tokens: Sequence[Token]) -> list[TokenType]:
    """Return the kind of each token."""
    return list(map(_KIND, tokens))


def places_of(wanted: Set[TokenType], kinds: Iterable[TokenType]) -> Iterator[int]:
    """Return an iterator over the indices at which `kinds` has one of the `wanted` kinds."""
    return compress(count(), map(wanted.__contains__, kinds))


class SelectSpan(NamedTuple):
    """The offsets of a SELECT block in a text: the first character has the offset `start`, the last `end - 1`."""

    start: int
    end: int

    def within(self, other: SelectSpan) -> bool:
        """Return whether this span lies within another span, or equals it."""
        return other.start <= self.start and self.end <= other.end


@dataclass
class _Level:
    """The state of the search for SELECT blocks at one depth of parentheses.

    - `start`: the offset of the current SELECT; None if there is none
    - `tail`: the offset of the SELECT's ORDER BY, LIMIT or a similar last clause; None if there is none
    - `operand`: true after a set operator
    - `spans`: the blocks found so far
    """

    start: int | None = None
    operand: bool = False
    tail: int | None = None
    spans: list[SelectSpan] = field(default_factory=list)

    def close(self, last: Token | None) -> None:
        if self.start is None or last is None:
            return
        end = self.tail if self.operand and self.tail is not None else last.end + 1
        self.spans.append(SelectSpan(self.start, end))
        self.start = self.tail = None


def select_spans(tokens: Sequence[Token], kinds: Sequence[TokenType]) -> tuple[SelectSpan, ...]:
    """Return the spans of all SELECT blocks in textual order, including nested ones; `kinds` are the tokens' kinds.

    >>> from rewriter.sql.dialect import tokenize
    >>> sql = "SELECT a FROM (SELECT b FROM t) UNION ALL SELECT c FROM u ORDER BY 1"
    >>> tokens = tokenize(sql)
    >>> [sql[start:end] for start, end in select_spans(tokens, kinds_of(tokens))]
    ['SELECT a FROM (SELECT b FROM t)', 'SELECT b FROM t', 'SELECT c FROM u']
    """
    levels = [_Level()]
    found: list[SelectSpan] = []
    for i in places_of(_STRUCTURE, kinds):
        kind, level, last = kinds[i], levels[-1], tokens[i - 1] if i else None
        if kind in OPENING:
            levels.append(_Level())
        elif kind in CLOSING and len(levels) > 1:
            level.close(last)
            found += levels.pop().spans
        elif kind is TokenType.SEMICOLON:
            level.close(last)
        elif kind is TokenType.SELECT and level.start is None:
            level.start = tokens[i].start
        elif kind in SET_OPERATORS and not leaves_out(last, kind):
            level.operand = True
            level.close(_before(level, last))
        elif kind in QUERY_TAIL and level.tail is None and last is not None:
            level.tail = last.end + 1
    for level in reversed(levels):
        level.close(tokens[-1] if tokens else None)
        found += level.spans
    return tuple(sorted(found))


def deepest(kinds: Iterable[TokenType]) -> int:
    """Return how many levels deep the SELECTs of a text are nested; `kinds` are the kinds of the text's tokens.

    >>> from rewriter.sql.dialect import tokenize
    >>> deepest(kinds_of(tokenize("SELECT a FROM (SELECT b FROM t) AS d WHERE EXISTS (SELECT 1 FROM (SELECT 2) AS e)")))
    3
    """
    has_select, depth, most = [False], 0, 0
    for kind in kinds:
        if kind in OPENING:
            has_select.append(False)
        elif kind in CLOSING and len(has_select) > 1:
            depth -= has_select.pop()
        elif kind is TokenType.SELECT and not has_select[-1]:
            has_select[-1] = True
            depth += 1
            most = max(most, depth)
    return most


def leaves_out(before: Token | None, kind: TokenType) -> bool:
    """Return whether a token of the type `kind` after `before` is the EXCEPT of `SELECT * EXCEPT (a)`.

    In `SELECT * EXCEPT (a)`, EXCEPT excludes columns and is no set operator.
    """
    return kind is TokenType.EXCEPT and before is not None and before.token_type is TokenType.STAR


def depth_at(tokens: Sequence[Token], place: int) -> int:
    """Return the number of parentheses that are open at an offset (`place`) of the text with these tokens.

    >>> from rewriter.sql.dialect import tokenize
    >>> depth_at(tokenize("f(a, (b))"), 6)
    2
    """
    before = [token.token_type for token in tokens if token.start < place]
    return sum((kind in OPENING) - (kind in CLOSING) for kind in before)


def _before(level: _Level, last: Token | None) -> Token | None:
    # ORDER BY or LIMIT before a set operator is a syntax error in Spark: the operand keeps the clause, and is refused.
    level.tail = None
    return last


@dataclass
class _Opened:
    """An open parenthesis in the search for bare queries, which are queries that start with FROM or TABLE.

    `begins` is true if a query may start at the next token, `definitions` if the current tokens are CTE definitions of
    a WITH.
    """

    begins: bool = True
    definitions: bool = False


def has_bare_query(kinds: Sequence[TokenType]) -> bool:
    """Return whether any query in a text, nested ones included, starts with FROM or TABLE instead of SELECT.

    `kinds` are the kinds of the text's tokens.

    A query may start at the start of the text, after an opening parenthesis or a set operator, and after the CTE
    definitions of a WITH.

    >>> from rewriter.sql.dialect import tokenize
    >>> queries = "SELECT 1 FROM a MINUS TABLE b", "WITH c AS (SELECT 1) FROM c", "SELECT extract(year FROM t) FROM a"
    >>> [has_bare_query(kinds_of(tokenize(sql))) for sql in queries]
    [True, True, False]
    """
    before = [kinds[i - 1] if i else TokenType.L_PAREN for i in places_of(_BARE, kinds)]
    if TokenType.WITH not in kinds and _BEFORE_QUERIES.isdisjoint(before):
        return False
    levels = [_Opened()]
    for kind in kinds:
        level = levels[-1]
        if kind in _BARE and level.begins:
            return True
        if kind is TokenType.L_PAREN:
            levels.append(_Opened())
        elif kind is TokenType.R_PAREN and len(levels) > 1:
            levels.pop()
            levels[-1].begins = levels[-1].definitions
        elif kind is TokenType.WITH and level.begins:
            level.begins, level.definitions = False, True
        elif kind is TokenType.SELECT:
            level.begins = level.definitions = False
        elif not (level.begins and kind in _QUANTIFIERS):
            level.begins = kind in SET_OPERATORS
    return False
