"""Spark's SQL dialect on top of sqlglot, with every function call kept under its typed name.

sqlglot translates many functions to nodes of its own, and prints some of these with another meaning (`log10`,
`to_char`, `percentile_cont`). In this dialect, a call is a name with arguments and prints as it was typed. Of the calls
with special syntax only `extract(year FROM x)` is supported, as `extract('year', x)`; a block with any other one cannot
be parsed. A doubled quote in a string literal is one quote, as in Spark 4.

sqlglot's parser and generator cannot be subclassed if they are compiled. Therefore a mark (a character of code 0) is
appended to the function names that the parser would translate, and is removed again from the tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import ClassVar

from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.errors import SqlglotError
from sqlglot.tokens import Token, TokenType

from rewriter.model.names import RESERVED
from rewriter.sql.mistakes import left_open, unexpected

Tree = exp.Expr

_MARK = "\0"
_WINDOW = "window"
_KEPT = frozenset({"CASE", "CAST", "TRY_CAST"})
# Calls that sqlglot's parser would translate, and names that it reads as calls without parentheses.
_CALLS = frozenset({*Spark.Parser.FUNCTIONS, *Spark.Parser.FUNCTION_PARSERS}) - _KEPT
_WORDS = frozenset(Spark.Parser.NO_PAREN_FUNCTION_PARSERS) - _KEPT
_TAKES_UNIT = re.compile(r"(?:date_?|time|timestamp)(?:add|diff)", re.IGNORECASE)
_CALLABLE = frozenset(Spark.Parser.FUNC_TOKENS)
_QUOTED = frozenset(word.lower() for word in RESERVED)


class ParseError(ValueError):
    """A text that Viewgate cannot parse, although Spark may accept it; the message says where or why."""


class Dialect(Spark):
    """Spark's dialect of sqlglot, with doubled quotes in strings, and with backticks around reserved words."""

    class Tokenizer(Spark.Tokenizer):
        """Reads a doubled quote in a string as one quote, and ISNULL and NOTNULL as names, not as operators."""

        STRING_ESCAPES: ClassVar[list[str]] = ["\\", "'", '"']
        KEYWORDS: ClassVar[dict[str, TokenType]] = {
            word: kind
            for word, kind in Spark.Tokenizer.KEYWORDS.items()
            if kind not in (TokenType.ISNULL, TokenType.NOTNULL)
        }

    def can_quote(self, identifier: exp.Identifier, identify: str | bool = "safe") -> bool:
        """Return whether an identifier is printed in backticks: always if it is a reserved word."""
        return identifier.name.lower() in _QUOTED or bool(super().can_quote(identifier, identify))


_DIALECT = Dialect()


def tokenize(sql: str) -> list[Token]:
    """Return the tokens of a text; raise ParseError if a quote or comment is not closed.

    The offsets `start` and `end` of a token are both inclusive.
    """
    try:
        tokens = list(_DIALECT.tokenize(sql))
    except SqlglotError as error:
        raise ParseError(left_open(sql)) from error
    return list(_with_time_windows(tokens)) if _WINDOW in sql.lower() else tokens


def _with_time_windows(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens, with the keyword `window` turned into a name except in the clause `WINDOW w AS (…)`."""
    for i, token in enumerate(tokens):
        clause = [after.text.upper() for after in tokens[i + 2 : i + 3]] == ["AS"]
        named = token.token_type is TokenType.WINDOW and not clause
        yield _other(token, TokenType.VAR, token.text) if named else token


def calls_window(text: str, tokens: Sequence[Token]) -> bool:
    """Return whether the tokens of `text` contain a call of `window`."""
    return _WINDOW in text.lower() and any(
        one.token_type is TokenType.VAR and one.text.lower() == _WINDOW and other.token_type is TokenType.L_PAREN
        for one, other in pairwise(tokens)
    )


def parse_select(sql: str, tokens: Sequence[Token] | None = None) -> exp.Select:
    """Return the tree of a text that is one SELECT, without WITH and set operators; raise ParseError otherwise.

    With `tokens`, only this part of the text is parsed, but the offsets in the tree refer to the whole text.

    >>> parse_select("SELECT log10(x) FROM t").expressions[0].name
    'log10'
    """
    if _MARK in sql:
        raise ParseError("it contains the character with code 0")
    marked = list(_marked(tokenize(sql) if tokens is None else tokens))
    try:
        trees = _DIALECT.parser().parse(marked, sql)
    except RecursionError as error:
        raise ParseError("it is nested too deeply") from error
    except SqlglotError as error:
        raise ParseError(unexpected(error).replace(_MARK, "")) from error
    if len(trees) != 1 or not isinstance(trees[0], exp.Select) or trees[0].args.get("with_"):
        raise ParseError("not a single SELECT")
    _restore(trees[0])
    return trees[0]


def _marked(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens, with the mark appended to each function name that the parser would translate."""
    listed: dict[int, TokenType] = {}
    for i, token in enumerate(tokens):
        if token.token_type in _CALLABLE:
            word = token.text.upper()
            called = i + 1 < len(tokens) and tokens[i + 1].token_type is TokenType.L_PAREN
            if word == "EXTRACT" and called and _of_unit(tokens[i + 2 : i + 4]):
                listed |= {i + 2: TokenType.STRING, i + 3: TokenType.COMMA}
            if (called and word in _CALLS) or word in _WORDS:
                yield _other(token, token.token_type, token.text + _MARK)
                continue
        if listed and i in listed:
            yield _other(token, listed[i], token.text)
            continue
        yield token


def _of_unit(tokens: Sequence[Token]) -> bool:
    """Return whether the tokens are a unit of time and FROM, as in EXTRACT(YEAR FROM t)."""
    kinds = [token.token_type for token in tokens]
    return kinds[1:] == [TokenType.FROM] and kinds[0] not in (TokenType.IDENTIFIER, TokenType.STRING)


def _other(token: Token, kind: TokenType, text: str) -> Token:
    return Token(kind, text, token.line, token.col, token.start, token.end, token.comments)


def _restore(tree: Tree) -> None:
    """Remove the mark from the names in a tree, and turn column references that are units of time into units.

    `DAY` is a unit in `dateadd(DAY, 7, t)`, which has three arguments, but a column in `datediff(day, other)`.
    """
    calls = []
    for node in tree.find_all(exp.Anonymous, exp.Identifier):
        name = node.args["this"]
        if isinstance(name, str) and name.endswith(_MARK):
            node.set("this", name.removesuffix(_MARK))
        if isinstance(node, exp.Anonymous) and len(node.expressions) == 3:
            calls.append(node)
    for call in calls:
        unit = call.expressions[0] if _TAKES_UNIT.fullmatch(call.name) else None
        if isinstance(unit, exp.Column) and not unit.table and not unit.this.args.get("quoted"):
            unit.replace(exp.Var(this=unit.name.upper()))


def render(tree: Tree) -> str:
    """Return the text of a tree, without comments; function names are printed as typed, but in lower case.

    >>> render(parse_select("select COUNT(*) from t").expressions[0])
    'count(*)'
    """
    return str(tree.sql(dialect=_DIALECT, normalize_functions="lower", comments=False))
