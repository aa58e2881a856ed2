"""Splits SQL text into tokens with their offsets, and reads dotted names from tokens.

Comments and white space are left out; string tokens keep their quotes and escapes. Tokens are produced one at a time as
the caller needs them, because a few tokens suffice to classify a statement, and a statement may be megabytes long.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from rewriter.model import split_name, unticked

# The identifiers of a dotted name.
Parts = tuple[str, ...]

_TOKEN = re.compile(
    r"""
    (?P<string>'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|[rR](?:'[^']*'|"[^"]*"))
    | (?P<quoted>`(?:[^`]|``)*`)
    | (?P<word>\w+)
    | (?P<symbol>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_BLANK = re.compile(r"(?:\s+|--(?:\\\n|[^\r\n])*)+")
_BRACKET = re.compile(r"/\*|\*/")
_ESCAPE = re.compile(r"((?:\\u[0-9a-fA-F]{4})+)|\\(.)|(['\"])\3", re.DOTALL)
_QUOTES = frozenset("'\"`")
_NAMED_ESCAPES = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}


@dataclass(frozen=True, slots=True)
class Token:
    """A token of SQL text: its kind, its text, and its offset `start` in the SQL text.

    `kind` is "string", "quoted" (an identifier in backticks), "word" (an identifier, keyword or number) or "symbol"
    (any other character). Comments and white space are not tokens.
    """

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        """The offset after the token's last character, in the SQL text."""
        return self.start + len(self.text)

    @property
    def keyword(self) -> str:
        """The token in upper case if it is a word; empty for tokens of other kinds."""
        return self.text.upper() if self.kind == "word" else ""

    @property
    def identifier(self) -> str:
        """The identifier that the token denotes: a word unchanged, a quoted identifier without its backticks."""
        return unticked(self.text)

    @property
    def value(self) -> str:
        """The value of a string token without its quotes, or the text of any other token without backticks."""
        return string_value(self.text) if self.kind == "string" else self.identifier


def scan(sql: str) -> Iterator[Token]:
    """Yield the tokens of a SQL text, without comments and white space.

    >>> [token.text for token in scan("DROP /* a /* b */ */ `x``y` -- z")]
    ['DROP', '`x``y`']
    """
    at = _skip(sql, 0)
    while at < len(sql):
        found = _TOKEN.match(sql, at)
        assert found is not None  # the last alternative matches any character
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
    """Return the offset after the bracketed comment that starts at the offset `at` of a text.

    In Spark's SQL, bracketed comments may be nested. An unclosed comment extends to the end of the text.
    """
    depth = 0
    for bracket in _BRACKET.finditer(sql, at):
        depth += 1 if bracket[0] == "/*" else -1
        if depth == 0:
            return bracket.end()
    return len(sql)


def string_value(text: str) -> str:
    r"""Return the value of a string literal, without its quotes and with its escapes replaced.

    A `\u` escape is a UTF-16 code unit. As in Spark, a surrogate that is not in a pair becomes `?`.

    >>> string_value(r"'it\'s ''so'''"), string_value('r"a\\b"'), string_value(r"'a\tb'")
    ("it's 'so'", 'a\\b', 'a\tb')
    """
    if text[0] in "rR":
        return text[2:-1]
    return _ESCAPE.sub(_unescaped, text[1:-1])


def _unescaped(escape: re.Match[str]) -> str:
    if escape[1]:
        units = bytes.fromhex(escape[1].replace("\\u", ""))
        return units.decode("utf-16-be", "surrogatepass").encode(errors="replace").decode()
    return escape[3] or _NAMED_ESCAPES.get(escape[2], escape[2])


def unclosed(tokens: Iterable[Token]) -> bool:
    """Return whether a token is an unmatched quotation mark, so that the text is not a valid statement.

    >>> unclosed(scan("SELECT 'a")), unclosed(scan("SELECT 'a'"))
    (True, False)
    """
    return any(token.text in _QUOTES for token in tokens)


def leading_name(tokens: Sequence[Token]) -> tuple[Parts, Sequence[Token]]:
    """Return the dotted name at the start of the tokens, and the tokens after the name.

    The name is empty if the tokens start with no name, or with IDENTIFIER(…) that contains more than string literals.

    >>> leading_name(list(scan("IDENTIFIER('d.' || '`t`')")))
    (('d', 't'), [])
    """
    if [token.text.upper() for token in tokens[:2]] == ["IDENTIFIER", "("]:
        depths = accumulate((token.text == "(") - (token.text == ")") for token in tokens[1:])
        closing = next((at for at, depth in enumerate(depths, 1) if depth == 0), len(tokens))
        inside = tokens[2:closing]
        plain = inside and all(token.kind == "string" or token.text == "|" for token in inside)
        text = "".join(string_value(token.text) for token in inside if token.kind == "string")
        return split_name(text) if plain else (), tokens[closing + 1 :]
    name = next(names(tokens)) if tokens and tokens[0].kind in ("word", "quoted") else ()
    return name, tokens[max(2 * len(name) - 1, 0) :]


def mentioned(sql: str) -> Iterator[Parts]:
    """Yield every dotted word of a SQL text that could be a name, then the words inside the text's string literals.

    >>> list(mentioned("CALL a.p('b.`t`', 7)"))
    [('CALL',), ('a', 'p'), ('7',), ('b', 't')]
    """
    tokens = list(scan(sql))
    yield from names(tokens)
    for token in tokens:
        if token.kind == "string":
            yield from mentioned(string_value(token.text))


def names(tokens: Sequence[Token]) -> Iterator[Parts]:
    """Yield the dotted names among the tokens, from left to right, each as a tuple of identifiers.

    Keywords and numbers are yielded like names: `DROP a.b` gives ("DROP",) and ("a", "b").
    """
    at = 0
    while at < len(tokens):
        if tokens[at].kind not in ("word", "quoted"):
            at += 1
            continue
        parts = [tokens[at].identifier]
        at += 1
        while at + 1 < len(tokens) and tokens[at].text == "." and tokens[at + 1].kind in ("word", "quoted"):
            parts.append(tokens[at + 1].identifier)
            at += 2
        yield tuple(parts)
