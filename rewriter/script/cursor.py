"""A token cursor over one statement of a script."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from sqlglot.tokens import Token, TokenType

from rewriter.sql import ParseError, tokenize

_Item = TypeVar("_Item")


class ScriptError(ValueError):
    """An error in a script, or in a query over a script's tables; the message names the place and the remedy."""


class Cursor:
    """A reader of the tokens of a statement, from left to right.

    Methods raise ScriptError, with the line number, at an unexpected token.
    """

    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        self._text = text
        self._tokens = tokens
        self._at = 0

    @property
    def line(self) -> int:
        """The line, counted from 1, on which the statement starts."""
        return self._tokens[0].line

    @property
    def line_here(self) -> int:
        """The line of the next token; at the end, the line of the last token."""
        return (self.peek() or self._tokens[-1]).line

    def step(self) -> None:
        """Advance by one token."""
        self._at += 1

    def peek(self) -> Token | None:
        """Return the next token without advancing; None at the end."""
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def accept(self, *words: str) -> bool:
        """Advance past `words` (words or symbols) if they come next; return whether they came next.

        Quoted identifiers and strings never count as words.
        """
        at, wanted = self._at, list(words)
        while wanted:
            if at == len(self._tokens) or self._tokens[at].token_type in (TokenType.STRING, TokenType.IDENTIFIER):
                return False
            found = self._tokens[at].text.upper().split()
            if not found or found != wanted[: len(found)]:
                return False
            wanted = wanted[len(found) :]
            at += 1
        self._at = at
        return True

    def expect(self, *words: str) -> None:
        """Advance past `words` (words or symbols); raise ScriptError if other tokens come next."""
        if not self.accept(*words):
            raise self.wrong(f"expected {' '.join(words)}")

    def identifier(self, what: str) -> str:
        """Read one identifier and return it without backticks; `what` describes the identifier in the error message."""
        token = self.peek()
        quoted = token is not None and token.token_type is TokenType.IDENTIFIER
        if token is None or not (quoted or token.text.replace("_", "a").isalnum()):
            raise self.wrong(f"expected {what}")
        self._at += 1
        return token.text

    def name(self, what: str) -> tuple[str, ...]:
        """Read a dotted name and return its parts; `what` describes the name in the error message."""
        parts = [self.identifier(what)]
        while self.accept("."):
            parts.append(self.identifier(what))
        return tuple(parts)

    def listed(self, item: Callable[[], _Item]) -> tuple[_Item, ...]:
        """Read one or more items in parentheses, separated by commas; `item` reads one item."""
        self.expect("(")
        items = [item()]
        while self.accept(","):
            items.append(item())
        self.expect(")")
        return tuple(items)

    def skip(self, *until: str, brackets: str = "()") -> str:
        """Advance to one of the tokens in `until` outside brackets, to an unmatched closing parenthesis, or to the end.

        Return the skipped text. `brackets` are the pairs of brackets, opening and closing alternating, such as `()<>`.
        """
        start, depth = self._at, 0
        opening, closing = brackets[::2], brackets[1::2]
        while (token := self.peek()) is not None:
            word = token.text.upper() if token.token_type is not TokenType.STRING else ""
            if depth == 0 and (word in until or word == ")"):
                break
            depth += (word in tuple(opening)) - (word in tuple(closing))
            self._at += 1
        if start == self._at:
            return ""
        return self._text[self._tokens[start].start : self._tokens[self._at - 1].end + 1]

    def rest(self, what: str) -> str:
        """Advance to the end and return the remaining text; raise ScriptError if no text remains.

        `what` describes the expected text in the error message.
        """
        first = self.peek()
        if first is None:
            raise self.wrong(f"expected {what}")
        self._at = len(self._tokens)
        return self._text[first.start : self._tokens[-1].end + 1]

    def wrong(self, problem: str, shown: int = 1) -> ScriptError:
        """Return a ScriptError with `problem`, such as "expected a name", and the next `shown` tokens."""
        there = self._tokens[self._at : self._at + shown]
        found = f"`{self._text[there[0].start : there[-1].end + 1]}`" if there else "its end"
        return ScriptError(f"line {self.line_here}: {problem}, found {found}")


def statements(text: str) -> Iterator[Cursor]:
    r"""Yield a cursor for each statement of a script; semicolons separate statements.

    Raise ScriptError if the script has an unclosed quote or comment.

    >>> [cursor.line for cursor in statements("CREATE TABLE a (b INT); -- why; not\nSELECT ';'")]
    [1, 2]
    """
    try:
        tokens = tokenize(text)
    except ParseError as error:
        raise ScriptError(
            f"the script cannot be parsed: {error}; look for a quote or a comment that is not closed"
        ) from error
    current: list[Token] = []
    for token in tokens:
        if token.token_type is not TokenType.SEMICOLON:
            current.append(token)
        elif current:
            yield Cursor(text, current)
            current = []
    if current:
        yield Cursor(text, current)
