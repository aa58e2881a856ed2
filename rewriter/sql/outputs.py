"""Appends outputs to the SELECT list of a query's text, and reads the names of outputs."""

from __future__ import annotations

from itertools import pairwise

from sqlglot import exp
from sqlglot.tokens import TokenType

from rewriter.sql.blocks import CLOSING, OPENING
from rewriter.sql.dialect import ParseError, parse_select, tokenize


def with_outputs(query: str, outputs: str) -> str | None:
    r"""Return a query with `outputs` appended to the SELECT list; None if the query is not a single SELECT … FROM.

    >>> with_outputs("SELECT a, sum(x) FROM t -- of all\nGROUP BY a", "max(x) AS top")
    'SELECT a, sum(x), max(x) AS top FROM t -- of all\nGROUP BY a'
    """
    try:
        parse_select(query)
    except ParseError:
        return None
    depth, tokens = 0, tokenize(query)
    for before, token in pairwise(tokens):
        depth += (before.token_type in OPENING) - (before.token_type in CLOSING)
        if depth == 0 and token.token_type is TokenType.FROM:
            return f"{query[: before.end + 1]}, {outputs}{query[before.end + 1 :]}"
    return None


def output_names(outputs: str) -> tuple[str, ...]:
    """Return the names of the outputs in a SELECT list: the alias, the column's name, or '' for any other output.

    Raise ParseError if the list cannot be parsed.

    >>> output_names("max(x) AS top, x, count(*)")
    ('top', 'x', '')
    """
    return tuple(str(output.alias_or_name) if _is_named(output) else "" for output in _parsed(outputs))


def _parsed(outputs: str) -> list[exp.Expr]:
    found: list[exp.Expr] = parse_select(f"SELECT {outputs}\nFROM t").expressions
    return found


def _is_named(output: exp.Expr) -> bool:
    return isinstance(output, (exp.Alias, exp.Column))
