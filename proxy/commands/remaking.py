"""What columns a table has once CREATE OR REPLACE TABLE, or REPLACE TABLE, has made it anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from proxy.statements.lexer import Token, leading_name, scan

_DEPTH = {"(": 1, "<": 1, ")": -1, ">": -1}
_AFTER_TYPE = frozenset({"NOT", "NULL", "DEFAULT", "COMMENT", "GENERATED"})


def columns_query(sql: str) -> str:
    """Return a query with the new table's columns; empty where none is plain to see.

    >>> columns_query("REPLACE TABLE t (a INT NOT NULL, b DATE) USING iceberg")
    'SELECT CAST(NULL AS INT) AS a, CAST(NULL AS DATE) AS b'
    >>> columns_query("CREATE OR REPLACE TABLE t USING iceberg AS SELECT 1 AS a")
    'SELECT 1 AS a'
    """
    tokens = list(scan(sql))
    table = next(at for at, token in enumerate(tokens) if token.keyword == "TABLE")
    _, rest = leading_name(tokens[table + 1 :])
    for token, depth in zip(rest, _depths(rest), strict=True):
        if depth == 0 and token.keyword == "AS":
            return sql[token.end :].strip()
    columns = [_column(sql, item) for item in _items(rest)] if rest and rest[0].text == "(" else []
    return "SELECT " + ", ".join(columns) if columns else ""


def _depths(tokens: Sequence[Token]) -> Iterator[int]:
    return accumulate(_DEPTH.get(token.text, 0) for token in tokens)


def _items(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Yield the items of the list with which tokens begin."""
    begin = 1
    for at, (token, depth) in enumerate(zip(tokens, _depths(tokens), strict=True)):
        if depth == 0 or (depth == 1 and token.text == ","):
            yield tokens[begin:at]
            begin = at + 1
        if depth == 0:
            return


def _column(sql: str, item: Sequence[Token]) -> str:
    """Return the column of one item of a list; empty for an item that Spark will refuse."""
    ends = (at for at, depth in enumerate(_depths(item)) if depth == 0 and item[at].keyword in _AFTER_TYPE)
    of_type = item[1 : next(ends, len(item))]
    return f"CAST(NULL AS {sql[of_type[0].start : of_type[-1].end]}) AS {item[0].text}" if of_type else ""
