"""Spark's SQL as we read it: sqlglot's Spark dialect with every function kept by the name that was typed.

sqlglot turns functions into its own nodes and prints those, which changes what some of them mean
(`log10`, `to_char`, `percentile_cont`). Here a call is a name and arguments, so what is printed is
what was read; a call with a syntax of its own (`extract(year FROM x)`) does not parse and its block
is left alone. In Spark 4 a doubled quote in a string literal is that quote.
"""

from __future__ import annotations

from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.errors import SqlglotError
from sqlglot.tokens import Token

from rewriter.model.names import RESERVED

Tree = exp.Expr


class ParseError(ValueError):
    """A text that we do not read; Spark may."""


class Dialect(Spark):
    """Spark without sqlglot's translations."""

    class Tokenizer(Spark.Tokenizer):
        """Reads a doubled quote as an escaped one."""

        STRING_ESCAPES: ClassVar[list[str]] = ["\\", "'", '"']

    class Parser(Spark.Parser):  # type: ignore[misc, valid-type]
        """Keeps calls as names and arguments."""

        FUNCTIONS: ClassVar[dict[str, Any]] = {}
        FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {
            k: v for k, v in Spark.Parser.FUNCTION_PARSERS.items() if k in ("CAST", "TRY_CAST")
        }
        NO_PAREN_FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {
            k: v for k, v in Spark.Parser.NO_PAREN_FUNCTION_PARSERS.items() if k == "CASE"
        }

    class Generator(Spark.Generator):  # type: ignore[misc, valid-type]
        """Quotes what Spark, or we, would not read as a name."""

        RESERVED_KEYWORDS: ClassVar[set[str]] = {word.lower() for word in RESERVED}


_DIALECT = Dialect()


def tokenize(sql: str) -> list[Token]:
    """The tokens of a text with their offsets (`start` and `end`, both inclusive); raises ParseError."""
    try:
        return list(_DIALECT.tokenize(sql))
    except SqlglotError as error:
        raise ParseError(_plain(error)) from error


def parse_select(sql: str) -> exp.Select:
    """The tree of one SELECT without WITH and set operations; raises ParseError for all else.

    >>> parse_select("SELECT log10(x) FROM t").expressions[0].name
    'log10'
    """
    try:
        trees = _DIALECT.parse(sql)
    except RecursionError as error:
        raise ParseError("it is nested too deeply") from error
    except SqlglotError as error:
        raise ParseError(_plain(error)) from error
    if len(trees) != 1 or not isinstance(trees[0], exp.Select) or trees[0].args.get("with_"):
        raise ParseError("not a single SELECT")
    return trees[0]


def _plain(error: SqlglotError) -> str:
    """What is wrong, without the colours that a terminal would show."""
    first = next(iter(getattr(error, "errors", ())), None)
    if first is None:
        return str(error).splitlines()[0]
    return f"{first['description']} line {first['line']}, column {first['col']}"


def render(tree: Tree) -> str:
    """The text of a tree, calls as typed but in lower case.

    >>> render(parse_select("select COUNT(*) from t").expressions[0])
    'count(*)'
    """
    return str(tree.sql(dialect=_DIALECT, normalize_functions="lower", comments=False))
