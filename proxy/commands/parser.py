"""A cursor over a statement's tokens, with methods for the common parts of Viewgate's statements."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from proxy.hs2 import SqlError
from proxy.statements import Token, scan, string_value

_Item = TypeVar("_Item")


def alone(command: _Item) -> Callable[[Parser], _Item]:
    """Return a parse function for a statement that consists only of keywords, such as `RESTART VIEWGATE WORKERS`.

    The parse function is called after the keywords; it returns `command`, and raises SqlError 42601 if more text
    follows.
    """

    def parse(parser: Parser) -> _Item:
        parser.end()
        return command

    return parse


class Parser:
    """A parser of one statement, from left to right.

    Unexpected text raises SqlError 42601 with the position, the expected text, and an example. The parameter `what` of
    a method describes the expected text for this error.
    """

    def __init__(self, sql: str, example: str) -> None:
        self._sql = sql
        self._example = example
        self._tokens = list(scan(sql))
        while self._tokens and self._tokens[-1].text == ";":
            self._tokens.pop()
        self._at = 0

    def peek(self, ahead: int = 0) -> Token | None:
        """Return the token that is `ahead` tokens after the next token, without advancing; None after the statement's
        end.
        """
        at = self._at + ahead
        return self._tokens[at] if at < len(self._tokens) else None

    def accept(self, *words: str) -> bool:
        """Advance past these keywords or symbols and return True if the next tokens are exactly these; otherwise return
        False.
        """
        for ahead, word in enumerate(words):
            token = self.peek(ahead)
            if token is None or word not in (token.keyword, token.text if token.kind == "symbol" else ""):
                return False
        self._at += len(words)
        return True

    def expect(self, *words: str) -> None:
        """Advance past these keywords or symbols; raise SqlError 42601 if other tokens come next."""
        for word in words:
            if not self.accept(word):
                raise self.wrong(f"expected {' '.join(words)}")

    def identifier(self, what: str) -> str:
        """Read one identifier; raise SqlError 42601 if the next token is not an identifier.

        `what` describes the expected text for the error.
        """
        token = self.peek()
        if token is None or token.kind not in ("word", "quoted"):
            raise self.wrong(f"expected {what}")
        self._at += 1
        return token.identifier

    def name(self, what: str) -> tuple[str, ...]:
        """Read a dotted name, and return its identifiers; raise SqlError 42601 if no name follows.

        `what` describes the expected text for the error.
        """
        parts = [self.identifier(what)]
        while self.accept("."):
            parts.append(self.identifier(what))
        return tuple(parts)

    def string(self, what: str) -> str:
        """Read a string literal, and return its value; raise SqlError 42601 if the next token is not a string literal.

        `what` describes the expected text for the error.
        """
        token = self.peek()
        if token is None or token.kind != "string":
            raise self.wrong(f"expected {what}")
        self._at += 1
        return string_value(token.text)

    def listed(self, item: Callable[[], _Item]) -> tuple[_Item, ...]:
        """Parse a list of one or more items in parentheses, separated by commas; `item` parses one item.

        Raise SqlError 42601 if no such list follows.
        """
        self.expect("(")
        items = [item()]
        while self.accept(","):
            items.append(item())
        if not self.accept(")"):
            raise self.wrong("expected `,` or `)`")
        return tuple(items)

    def properties(self) -> dict[str, str]:
        """Parse a list `('key' = 'value', …)`, and return the values by key; a key may also be a dotted name without
        quotes.

        Raise SqlError 42601 if no such list follows.
        """
        return dict(self.listed(self._property))

    def key(self) -> str:
        """Read the key of a property, in quotes or as a dotted name; raise SqlError 42601 if no key follows."""
        token = self.peek()
        quoted = token is not None and token.kind == "string"
        return self.string("a property's key") if quoted else ".".join(self.name("a property's key"))

    def _property(self) -> tuple[str, str]:
        key = self.key()
        self.accept("=")
        token = self.peek()
        if token is not None and token.kind == "word":
            self._at += 1
            return key, token.text
        return key, self.string("the value of the property, in quotes")

    def parenthesized(self) -> str:
        """Read a text in parentheses, which may contain nested parentheses; return the text without the outer
        parentheses.

        Raise SqlError 42601 if the outer parentheses are missing or not closed.
        """
        opening = self.peek()
        self.expect("(")
        assert opening is not None
        depth = 1
        while token := self.peek():
            depth += {"(": 1, ")": -1}.get(token.text, 0)
            self._at += 1
            if depth == 0:
                return self._sql[opening.end : token.start].strip()
        raise self.wrong("expected `)`")

    def rest(self, what: str) -> str:
        """Read the rest of the statement, and return its text without the closing semicolon.

        Raise SqlError 42601 if nothing is left. `what` describes the expected text for the error.
        """
        if (first := self.peek()) is None:
            raise self.wrong(f"expected {what}")
        self._at = len(self._tokens)
        return self._sql[first.start : self._tokens[-1].end]

    def end(self) -> None:
        """Raise SqlError 42601 unless the end of the statement is reached."""
        if self.peek() is not None:
            raise self.wrong("expected the end of the statement")

    def wrong(self, expected: str) -> SqlError:
        """Return the syntax error at the next token: the text found, its position, what was expected, and an example.

        `expected` is a part of the message, such as `expected a query`.
        """
        token = self.peek()
        start = token.start if token else len(self._sql.rstrip())
        line = self._sql.count("\n", 0, start) + 1
        column = start - (self._sql.rfind("\n", 0, start) + 1)
        found = f"`{token.text}`" if token else "the end of the statement"
        return SqlError(
            f"[PARSE_SYNTAX_ERROR] Syntax error at {found} (line {line}, pos {column}): {expected}. "
            f"Example: {self._example}",
            "42601",
        )
