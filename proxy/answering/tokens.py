"""The tokens of any statement with their places in the text; comments and white space are left out.

They are made one by one, since a statement's first words tell what it is, and keep strings as they were written; what a
query means is read by the rewriter, from tokens of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rewriter.model import unticked

_TOKEN = re.compile(
    r"""
    (?P<string>[rR]?'(?:[^'\\]|\\.|'')*'|[rR]?"(?:[^"\\]|\\.|"")*")
    | (?P<quoted>`(?:[^`]|``)*`)
    | (?P<word>\w+)
    | (?P<symbol>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_BLANK = re.compile(r"(?:\s+|--(?:\\\n|[^\r\n])*)+")
_BRACKET = re.compile(r"/\*|\*/")
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\(.)|(['\"])\3", re.DOTALL)
_NAMED_ESCAPES = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text; `kind` is string, quoted, word or symbol."""

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def keyword(self) -> str:
        """The word in upper case; empty for what cannot be a keyword."""
        return self.text.upper() if self.kind == "word" else ""

    @property
    def identifier(self) -> str:
        """What a word or a quoted identifier names."""
        return unticked(self.text)


def scan(sql: str) -> Iterator[Token]:
    """The tokens, made as they are asked for.

    >>> [token.text for token in scan("DROP /* a /* b */ */ `x``y` -- z")]
    ['DROP', '`x``y`']
    """
    at = _skip(sql, 0)
    while at < len(sql):
        found = _TOKEN.match(sql, at)
        assert found is not None  # the last alternative takes any character
        yield Token(found.lastgroup or "symbol", found[0], at)
        at = _skip(sql, found.end())


def _skip(sql: str, at: int) -> int:
    while True:
        blank = _BLANK.match(sql, at)
        if blank:
            at = blank.end()
        elif sql.startswith("/*", at):
            at = _after_comment(sql, at)
        else:
            return at


def _after_comment(sql: str, at: int) -> int:
    """The end of a bracketed comment; Spark's may hold others."""
    depth = 0
    for bracket in _BRACKET.finditer(sql, at):
        depth += 1 if bracket[0] == "/*" else -1
        if depth == 0:
            return bracket.end()
    return len(sql)


def string_value(text: str) -> str:
    r"""What a string literal stands for.

    >>> string_value(r"'it\'s ''so'''"), string_value('r"a\\b"'), string_value(r"'a\tb'")
    ("it's 'so'", 'a\\b', 'a\tb')
    """
    if text[0] in "rR":
        return text[2:-1]
    return _ESCAPE.sub(_unescaped, text[1:-1])


def _unescaped(escape: re.Match[str]) -> str:
    if escape[1]:
        return chr(int(escape[1], 16))
    return escape[3] or _NAMED_ESCAPES.get(escape[2], escape[2])
