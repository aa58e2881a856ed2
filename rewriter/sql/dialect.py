"""Spark's SQL dialect on top of sqlglot, with every function call kept under its typed name.

sqlglot translates many functions to nodes of its own, and prints some of these with another meaning (`log10`,
`to_char`, `percentile_cont`). In this dialect, a call is a name with arguments and prints as it was typed. Of the calls
with special syntax only `extract(year FROM x)` is supported, as `extract('year', x)`; a block with any other call of
this kind cannot be parsed. A doubled quote in a string literal is one quote, as in Spark 4.

sqlglot's parser and generator cannot be subclassed if they are compiled. Therefore a mark (a character of code 0) is
appended to the function names that the parser would translate, and is removed again from the tree.

The parser tries some syntax in two ways, and so parses nested parts four times, eight times and so on: 28 joins without
conditions, or 14 nested calls of `int`, would hold Python's lock for minutes. The marks prevent the second try:

* The parser reads `a JOIN b JOIN c ON x` first as `a JOIN (b JOIN c ON x)`, unless the join has a method such as
  NATURAL. In Spark a condition belongs to the join before it, so every join gets the mark as its method.
* The parser reads `int(a)` and `int[a]` first as types. In Spark only numbers stand in the parentheses of a type; with
  anything else, the name is that of a function or a column.

The parser also reads the expression of a LIMIT or OFFSET twice, to tell these words from aliases. A text in which two
of these expressions might be nested is refused: Spark takes only constants.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import ClassVar

from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.errors import SqlglotError
from sqlglot.tokens import Token, TokenType

from rewriter.model.names import RESERVED
from rewriter.sql.blocks import CLOSING, OPENING, kinds_of, places_of
from rewriter.sql.mistakes import left_open, unexpected
from rewriter.sql.search import LEAVES

Tree = exp.Expr

_MARK = "\0"
_WINDOW, _WINDOWS = "window", ("window", "session_window")
_KEPT = frozenset({"CASE", "CAST", "TRY_CAST"})
# Calls that sqlglot's parser would translate, and names that it reads as calls without parentheses.
_CALLS = frozenset({*Spark.Parser.FUNCTIONS, *Spark.Parser.FUNCTION_PARSERS}) - _KEPT
_WORDS = frozenset(Spark.Parser.NO_PAREN_FUNCTION_PARSERS) - _KEPT
_TAKES_UNIT = re.compile(r"(?:date_?|time|timestamp)(?:add|diff)", re.IGNORECASE)
_CALLABLE = frozenset(Spark.Parser.FUNC_TOKENS)
_TYPES = frozenset(Spark.Parser.TYPE_TOKENS)
# Words that sqlglot counts among the types, but that are keywords if the parentheses after them begin with these.
_NO_TYPES = {
    TokenType.INTERVAL: frozenset(TokenType),
    TokenType.UNION: frozenset(
        {
            *(TokenType.SELECT, TokenType.WITH, TokenType.VALUES, TokenType.FROM, TokenType.TABLE),
            TokenType.L_PAREN,
        }
    ),
}
# Operators that the parser also has as functions: their text is not in the tree.
_NO_NAMES = frozenset({TokenType.AND, TokenType.OR, TokenType.EXISTS})
_AFTER_NAMES = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET})
_MARKED = frozenset({exp.Anonymous, exp.Identifier, exp.Join})
_NO_COMPOUNDS = LEAVES | {str, bool, type(None)}
_SIZES = frozenset({TokenType.NUMBER, TokenType.COMMA})
# The words that may stand before JOIN, except the methods.
_BEFORE_JOIN = frozenset({*Spark.Parser.JOIN_SIDES, *Spark.Parser.JOIN_KINDS})
_METHODS = frozenset(Spark.Parser.JOIN_METHODS)
_BEFORE_NAMES = frozenset(
    {
        *(TokenType.FROM, TokenType.JOIN, TokenType.COMMA, TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.DOT),
        *(TokenType.ALIAS, TokenType.LATERAL, TokenType.TABLE),
    }
)
_AROUND_JOINS = OPENING | CLOSING | {TokenType.SELECT, TokenType.FROM, TokenType.JOIN}
_LIMITS = frozenset({TokenType.LIMIT, TokenType.OFFSET})
# The tokens that may follow LIMIT if its operand is a constant, or if `limit` is a name.
_NO_EXPRESSION = frozenset(
    {
        *(TokenType.NUMBER, TokenType.ALL, TokenType.FROM, TokenType.COMMA, TokenType.R_PAREN, TokenType.DOT),
        *(TokenType.EQ, TokenType.ALIAS),
    }
)
_QUOTED = frozenset(word.lower() for word in RESERVED)


class ParseError(ValueError):
    """The error for a text that Viewgate cannot parse, although Spark may accept it; the message says where or why."""


class Dialect(Spark):
    """Spark's dialect of sqlglot, with doubled quotes in strings, and with backticks around reserved words."""

    class Tokenizer(Spark.Tokenizer):
        """A tokenizer that reads a doubled quote in a string as one quote, and some words as names.

        These words are ISNULL, NOTNULL and STRAIGHT_JOIN, which are keywords in sqlglot, but not in Spark.
        """

        STRING_ESCAPES: ClassVar[list[str]] = ["\\", "'", '"']
        KEYWORDS: ClassVar[dict[str, TokenType]] = {
            word: kind
            for word, kind in Spark.Tokenizer.KEYWORDS.items()
            if kind not in (TokenType.ISNULL, TokenType.NOTNULL, TokenType.STRAIGHT_JOIN)
        }

    def can_quote(self, identifier: exp.Identifier, identify: str | bool = "safe") -> bool:
        """Return whether an identifier is printed in backticks.

        The result is True for reserved words; for other names sqlglot decides.
        """
        return identifier.name.lower() in _QUOTED or bool(super().can_quote(identifier, identify))


_DIALECT = Dialect()


def tokenize(sql: str) -> list[Token]:
    """Return the tokens of a text; raise ParseError if a quote or comment is not closed.

    `start` and `end` of a token are the offsets of the token's first and last character.
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
    """Return whether `text`, whose tokens are `tokens`, contains a call of window() or session_window()."""
    return _WINDOW in text.lower() and any(
        one.token_type is TokenType.VAR and one.text.lower() in _WINDOWS and other.token_type is TokenType.L_PAREN
        for one, other in pairwise(tokens)
    )


def parse_select(sql: str, tokens: Sequence[Token] | None = None) -> exp.Select:
    """Return the tree of a text that is one SELECT, without WITH and set operators; raise ParseError for other texts.

    With `tokens`, which are some of the text's tokens, only this part of the text is parsed, but the offsets in the
    tree refer to the whole text.

    >>> parse_select("SELECT log10(x) FROM t").expressions[0].name
    'log10'
    """
    if _MARK in sql:
        raise ParseError("the statement contains the character U+0000: remove this character")
    marked, kinds, names = _marked(sql, tokenize(sql) if tokens is None else tokens)
    if not _LIMITS.isdisjoint(kinds) and _expressions_in_limits(kinds) > 1:
        raise ParseError("several LIMIT or OFFSET clauses have expressions, not integers: write integer constants")
    joins = _mark_joins(marked, kinds) if TokenType.JOIN in kinds else 0
    try:
        trees = _DIALECT.parser().parse(marked, sql)
    except RecursionError as error:
        raise ParseError("the statement is nested too deeply: reduce the nesting of its subqueries") from error
    except SqlglotError as error:
        raise ParseError(unexpected(error).replace(_MARK, "")) from error
    if len(trees) != 1 or not isinstance(trees[0], exp.Select) or trees[0].args.get("with_"):
        raise ParseError("the text is not a single SELECT without WITH and set operators: write one SELECT")
    restored, joined, calls = _restore(_compounds(trees[0]))
    if restored < names:  # a column's name, or a name in `* REPLACE (…)`
        _, more, calls = _restore(trees[0].find_all(exp.Anonymous, exp.Identifier, exp.Join))
        joined += more
    _put_units(calls)
    if joined != joins:
        raise ParseError("JOIN is used as a name: put the name in backticks")
    return trees[0]


def _expressions_in_limits(kinds: Sequence[TokenType]) -> int:
    """Return how many LIMIT and OFFSET clauses may have an expression, and not a constant, as operand.

    `kinds` are the kinds of the text's tokens.
    """
    return sum(kind in _LIMITS and after not in _NO_EXPRESSION for kind, after in pairwise(kinds))


def _marked(sql: str, tokens: Sequence[Token]) -> tuple[list[Token], list[TokenType], int]:
    """Return the tokens, with a character of code 0 appended to each name that sqlglot's parser would translate.

    Also return the tokens' kinds and the number of these names, which are names of functions, and names of columns that
    are also names of types. `tokens` are the tokens of the text `sql`. Raise ParseError if NULL is used as a name.
    """
    marked, kinds, names = list(tokens), kinds_of(tokens), 0

    def put(i: int, kind: TokenType, text: str) -> None:
        marked[i], kinds[i] = _other(marked[i], kind, text), kind

    # A name is marked only before a parenthesis or bracket, except for the words.
    places = [i - 1 for i in places_of(_AFTER_NAMES, kinds) if i]
    if any(map(sql.upper().__contains__, _WORDS)):
        places = sorted({*places, *(i for i, token in enumerate(tokens) if token.text.upper() in _WORDS)})
    for i in places:
        token = tokens[i]
        called = i + 1 < len(tokens) and tokens[i + 1].token_type is TokenType.L_PAREN
        word = token.text.upper() if token.token_type in _CALLABLE else ""
        if word == "EXTRACT" and called and _of_unit(tokens[i + 2 : i + 4]):
            put(i + 2, TokenType.STRING, tokens[i + 2].text)
            put(i + 3, TokenType.COMMA, tokens[i + 3].text)
        named = token.token_type in _TYPES and _is_name(tokens, i)
        if (called and word in _CALLS) or word in _WORDS:
            put(i, TokenType.VAR if named else token.token_type, token.text + _MARK)
            names += token.token_type not in _NO_NAMES
        elif named:
            if token.token_type is TokenType.NULL:
                raise ParseError("NULL is used as a name: put the name in backticks")
            put(i, TokenType.VAR, token.text + _MARK)
            names += 1
    return marked, kinds, names


def _is_name(tokens: Sequence[Token], i: int) -> bool:
    """Return whether the word at index `i`, which may be a type, is the name of a function or a column.

    In Spark only numbers stand in the parentheses of a type, as in DECIMAL(10, 2).
    """
    opening = tokens[i + 1].token_type if i + 1 < len(tokens) else None
    if opening is not TokenType.L_PAREN:
        return opening is TokenType.L_BRACKET
    kind, i = tokens[i].token_type, i + 2
    if i < len(tokens) and kind in _NO_TYPES and tokens[i].token_type in _NO_TYPES[kind]:
        return False
    while i < len(tokens) and tokens[i].token_type in _SIZES:
        i += 1
    return i == len(tokens) or tokens[i].token_type is not TokenType.R_PAREN


def _mark_joins(tokens: list[Token], kinds: Sequence[TokenType]) -> int:
    """Insert a mark, the character U+0000, before each JOIN that has no method such as NATURAL; return how many.

    A JOIN whose mark is missing from the syntax tree was parsed as a name. `kinds` are the types of the tokens. Raise
    ParseError where the parser would take the word before JOIN, or the mark, for the name of a relation or an output.
    """
    places: list[int] = []
    joinable = [False]  # by depth: whether relations precede, not outputs
    for i in places_of(_AROUND_JOINS, kinds):
        kind = kinds[i]
        if kind is TokenType.JOIN:
            _mark_join(kinds, i, places, joinable=joinable[-1])
        elif kind in OPENING:
            joinable.append(True)
        elif kind in CLOSING and len(joinable) > 1:
            joinable.pop()
        elif kind is TokenType.SELECT:
            joinable[-1] = False
        elif kind is TokenType.FROM:
            joinable[-1] |= kinds[i - 1] is not TokenType.DISTINCT  # IS DISTINCT FROM
    for i in reversed(places):
        tokens.insert(i, _other(tokens[i], TokenType.NATURAL, _MARK))
    return len(places)


def _mark_join(kinds: Sequence[TokenType], i: int, places: list[int], *, joinable: bool) -> None:
    """Append to `places` the index at which to insert a mark for the JOIN at index `i`, unless the join has a method.

    A method is a word such as NATURAL before JOIN; the mark, the character U+0000, is inserted in its place. `kinds`
    are the types of the statement's tokens. Raise ParseError if JOIN is used as a name, which is certain if `joinable`
    is false, because no relation precedes the JOIN.
    """
    while i and kinds[i - 1] in _BEFORE_JOIN:
        i -= 1
    has_method = i > 0 and kinds[i - 1] in _METHODS
    if not joinable or kinds[i - 2 if has_method else i - 1] in _BEFORE_NAMES:
        raise ParseError("JOIN is used as a name: put the name in backticks")
    if not has_method:
        places.append(i)


def _of_unit(tokens: Sequence[Token]) -> bool:
    """Return whether the tokens are a time unit and FROM, as in EXTRACT(YEAR FROM t)."""
    kinds = [token.token_type for token in tokens]
    return kinds[1:] == [TokenType.FROM] and kinds[0] not in (TokenType.IDENTIFIER, TokenType.STRING)


def _other(token: Token, kind: TokenType, text: str) -> Token:
    return Token(kind, text, token.line, token.col, token.start, token.end, token.comments)


def _compounds(tree: Tree) -> list[Tree]:
    """Return all nodes of a tree except columns, literals and other leaves, outer nodes first."""
    found = [tree]
    for node in found:
        for value in node.args.values():
            kind = type(value)
            if kind in _NO_COMPOUNDS:
                continue
            if kind is list:
                found += [item for item in value if type(item) not in _NO_COMPOUNDS and isinstance(item, Tree)]
            elif isinstance(value, Tree):
                found.append(value)
    return found


def _restore(nodes: Iterable[Tree]) -> tuple[int, int, list[exp.Anonymous]]:
    """Remove the marks (characters of code 0) from names and joins of a parsed tree, in place.

    Return the number of marked names, the number of marked joins, and the calls with three arguments, which may have a
    time unit as the first argument.
    """
    names, joins = 0, 0
    calls: list[exp.Anonymous] = []
    for node in nodes:
        if type(node) not in _MARKED:
            continue
        if isinstance(node, exp.Join):
            joins += _restore_join(node)
            continue
        name = node.args["this"]
        if isinstance(name, str) and name.endswith(_MARK):
            node.set("this", name.removesuffix(_MARK))
            names += 1
        if isinstance(node, exp.Anonymous) and len(node.expressions) == 3:
            calls.append(node)
    return names, joins, calls


def _put_units(calls: Iterable[exp.Anonymous]) -> None:
    """In calls such as dateadd(), replace a first argument that was parsed as a column by a time unit, in place.

    `dateadd(DAY, 7, t)` gets the unit DAY. `calls` have three arguments each.
    """
    for call in calls:
        unit = call.expressions[0] if _TAKES_UNIT.fullmatch(call.name) else None
        if isinstance(unit, exp.Column) and not unit.table and not unit.this.args.get("quoted"):
            unit.replace(exp.Var(this=unit.name.upper()))


def _restore_join(join: exp.Join) -> bool:
    """Remove from a join, in place, the mark (U+0000) that was inserted as its method; return whether there was one.

    The join then is as sqlglot would have parsed the text without the mark.
    """
    if join.args.get("method") != _MARK:
        return False
    join.set("method", None)
    if not join.args.get("on") and not join.args.get("using") and join.kind in ("", "INNER", "OUTER"):
        join.set("on", exp.true())
    return True


def excerpt(sql: Tree | str) -> str:
    """Return SQL as text for a message: its first 80 characters, followed by `…` if it is longer.

    >>> excerpt(exp.column("price")), len(excerpt("x" * 81))
    ('price', 81)
    """
    text = (sql if isinstance(sql, str) else sql.sql("spark")).strip()
    return text if len(text) <= 80 else f"{text[:80]}…"


def render(tree: Tree) -> str:
    """Return the SQL text of a tree, without comments; functions keep their typed names, in lower case.

    >>> render(parse_select("select COUNT(*) from t").expressions[0])
    'count(*)'
    """
    return str(tree.sql(dialect=_DIALECT, normalize_functions="lower", comments=False))
