"""Writes error messages for texts that cannot be parsed, with line and column."""

from __future__ import annotations

import re

from sqlglot.errors import SqlglotError

# A closed quote or comment, or other text; text that does not match begins with a quote or comment that is not closed.
_CLOSED = re.compile(
    r"""'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`(?:[^`]|``)*`|--[^\n]*|/\*.*?\*/|[^'"`/-]+|[/-](?![*-])""", re.DOTALL
)


def unexpected(error: SqlglotError) -> str:
    """Return a message about the token at which the parser failed, with line and column.

    If the error does not name a token, return a general message.
    """
    first = next(iter(getattr(error, "errors", ())), None)
    if first is None or not first.get("highlight"):
        return "the statement contains SQL that is not supported"
    word = first["highlight"]
    place = f"line {first['line']}, column {first['col'] - len(word) + 1}"
    wanted = re.match(r"Expecting (\S+)$", first["description"])
    if not first["end_context"].strip() and not first["description"].startswith("Invalid"):
        return f"{place}: the SQL text ends after `{word}`, where more is expected"
    if wanted is not None:
        return f"{place}: `{word}` was found where `{wanted[1]}` is expected"
    return f"{place}: `{word}` is not expected here"


def left_open(sql: str) -> str:
    r"""Return a message about the first quote or comment that is not closed, with line and column.

    If each is closed, the message says that the text cannot be split into tokens.

    >>> left_open("SELECT 'a''b',\n  `c d FROM t")
    'line 2, column 3: ` is not closed'
    """
    at = 0
    while (closed := _CLOSED.match(sql, at)) is not None:
        at = closed.end()
    if at == len(sql):
        return "the SQL text cannot be split into tokens"
    line = sql.count("\n", 0, at) + 1
    opening = "/*" if sql[at] == "/" else sql[at]
    return f"line {line}, column {at - sql.rfind(chr(10), 0, at)}: {opening} is not closed"
