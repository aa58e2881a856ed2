"""Finds the `timeseries(…)` calls in a SQL text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sqlglot.tokens import Token, TokenType

from rewriter.block import Unsupported
from rewriter.sql import Edit, splice, tokenize
from rewriter.sql.blocks import CLOSING, OPENING

NAME = "timeseries"
# After these tokens, a name before parentheses is not a function: `INSERT INTO timeseries (a, b)`.
_NAMING = frozenset(
    {
        TokenType.DOT, TokenType.INTO, TokenType.OVERWRITE, TokenType.TABLE, TokenType.VIEW, TokenType.FUNCTION,
        TokenType.WITH, TokenType.ALIAS, TokenType.EXISTS,
    }
)  # fmt: skip


class Call(NamedTuple):
    """A `timeseries` call in a text: its start and end offsets, and the texts of its arguments."""

    start: int
    end: int
    arguments: tuple[str, ...]


def calls(sql: str, tokens: Sequence[Token]) -> Iterator[Call]:
    """Yield the outermost `timeseries` calls in the text `sql`, whose tokens are `tokens`, in textual order.

    Raise Unsupported if a call is not closed.
    """
    i = 0
    while i + 1 < len(tokens):
        token = tokens[i]
        if token.text.lower() != NAME or tokens[i + 1].token_type is not TokenType.L_PAREN or _is_named(tokens[:i]):
            i += 1
            continue
        arguments, last = _arguments(sql, tokens, i + 1)
        if [after.token_type for after in tokens[last + 1 : last + 3]] != [TokenType.ALIAS, TokenType.L_PAREN]:
            yield Call(token.start, tokens[last].end + 1, arguments)
        i = last + 1


def _is_named(before: Sequence[Token]) -> bool:
    """Return whether the last of the tokens `before` shows that the next name is not a function call.

    After INTO, VIEW, AS or a dot, for example, a name before parentheses is a table, a view or an alias, or is
    qualified.
    """
    return bool(before) and before[-1].token_type in _NAMING


def _arguments(sql: str, tokens: Sequence[Token], opening: int) -> tuple[tuple[str, ...], int]:
    depth, start, found = 0, tokens[opening].end + 1, []
    for i in range(opening, len(tokens)):
        kind = tokens[i].token_type
        depth += (kind in OPENING) - (kind in CLOSING)
        if depth == 0 or (depth == 1 and kind is TokenType.COMMA):
            found.append(sql[start : tokens[i].start].strip())
            start = tokens[i].end + 1
        if depth == 0:
            return tuple(found), i
    raise Unsupported(
        "the call of timeseries() has no closing parenthesis: write the parenthesis after the granularity"
    )


def blanked(sql: str) -> str:
    """Return the text with each `timeseries` call replaced by its first argument and blanks; no offset changes.

    Spark can parse the result, and its error messages give the right positions.

    >>> blanked("SELECT timeseries(x, 'day') FROM nowhere")
    'SELECT           (x       ) FROM nowhere'
    """
    edits = []
    for call in calls(sql, tokenize(sql)):
        text = sql[call.start : call.end]
        opening = text.index("(")
        end = text.index(call.arguments[0], opening) + len(call.arguments[0])
        source = blanked(text[opening:end] + ")")[:-1]
        edits.append(Edit(call.start, call.end, f"{' ' * opening}{source}{' ' * (len(text) - end - 1)})"))
    return splice(sql, edits)
