"""Matches the name patterns of metadata calls (GetTables, GetColumns …): JDBC's patterns, as HiveServer2 reads them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_ANY_TEXT, _ANY_CHARACTER = frozenset("%*"), "_"
_WILD = _ANY_TEXT | {_ANY_CHARACTER}
_ANY_REGEX = ".*"
_TOKEN = re.compile(r"\\(.)|(.)", re.DOTALL)


def matcher(pattern: str | None) -> Callable[[str], bool]:
    r"""Return a function that tests a name: `%` (or Hive's `*`) matches any text, `_` one character; `\` escapes.

    Names are compared ignoring case, as in Spark. A pattern that is None, empty, or impyla's `.*` matches every name.

    >>> [matcher(pattern)("sales_2024") for pattern in (None, "", ".*", "SALES%", r"sales\_2024")]
    [True, True, True, True, True]
    >>> [matcher(pattern)("sales_2024") for pattern in (r"sales\%", "sales-2024")]
    [False, False]
    """
    if not pattern or pattern == _ANY_REGEX:
        return lambda name: True
    fits = re.compile(_regex(pattern), re.IGNORECASE | re.DOTALL)
    return lambda name: fits.fullmatch(name) is not None


def is_exact(pattern: str | None) -> bool:
    r"""Return whether a pattern has no wildcard, and so matches one name only (ignoring case).

    Return False for a pattern that is None, empty, or impyla's `.*`, because such a pattern matches every name.

    >>> [is_exact(pattern) for pattern in (None, ".*", "sales", "sales_2024", r"sales\_2024")]
    [False, False, True, False, True]
    """
    return bool(pattern) and not any(plain in _WILD for _, plain in _TOKEN.findall(pattern or ""))


def any_text_between(pieces: Sequence[str]) -> str:
    """Return a regular expression that matches the `pieces` in order, with any text between two pieces.

    The pieces are regular expressions, too; an empty piece matches the empty text. Atomic groups prevent backtracking.

    >>> any_text_between(["a", "b", "", "c", "d"])
    'a(?>.*?b)(?>.*?c).*d'
    """
    if len(pieces) == 1:
        return pieces[0]
    first, *between, last = pieces
    return first + "".join(f"(?>.*?{piece})" for piece in between if piece) + ".*" + last


def _regex(pattern: str) -> str:
    pieces = [""]
    for escaped, plain in _TOKEN.findall(pattern):
        if plain in _ANY_TEXT:
            pieces.append("")
        else:
            pieces[-1] += "." if plain == _ANY_CHARACTER else re.escape(escaped or plain)
    return any_text_between(pieces)
