"""Digests: texts of statements without their literals, equal for statements that differ in nothing else."""

from __future__ import annotations

import re
from functools import lru_cache

from proxy.statements import Token, scan

# 2.5 and lists of literals; lists of such lists.
_LISTED, _ROWS = re.compile(r"\?(?:\.\?|\s*,\s*\?)+"), re.compile(r"\(\?\)(?:\s*,\s*\(\?\))+")
_QUOTES = frozenset("'\"")


@lru_cache(1024)
def digest(sql: str) -> str:
    r"""Return a statement on one line without comments, and with `?` in the place of each literal.

    A list of literals becomes one literal, so that statements which differ in a list's length are alike.

    >>> digest("SELECT a -- now\n FROM `t` WHERE b IN (1, 2.5, 'x') AND c = DATE '2024-01-01'")
    'SELECT a FROM `t` WHERE b IN (?) AND c = DATE ?'
    >>> digest("SELECT a FROM t WHERE b = 'secr…")
    'SELECT a FROM t WHERE b = ?'
    """
    pieces, end = "", 0
    for token in scan(sql):
        gap = " " if pieces and token.start > end else ""
        if token.text in _QUOTES:  # a string without an end, as where the text was cut
            pieces += f"{gap}?"
            break
        pieces, end = pieces + gap + ("?" if _is_literal(token) else token.text), token.end
    return _ROWS.sub("(?)", _LISTED.sub("?", pieces))


def _is_literal(token: Token) -> bool:
    return token.kind == "string" or (token.kind == "word" and token.text[0].isdigit())
