"""Statements that end at once whatever the data: nobody will want to stop them, or to know how far they are."""

from __future__ import annotations

import re
from collections.abc import Sequence

from proxy.answering.remembering import remembered
from proxy.answering.tokens import scan
from rewriter import ParseError, tokenize

_VERBS = frozenset({"SELECT", "SET", "USE"})
_FUNCTIONS = frozenset({"CURRENT_CATALOG", "CURRENT_DATABASE", "CURRENT_SCHEMA", "CURRENT_USER", "VERSION"})
_READING = frozenset({"FROM", "JOIN", "TABLE", "USING"})  # a table (behind |> there may be but JOIN), or from a script
_LONGEST = 1000
_NUMBER = r"\d{1,9}(?: (?:AS )?(?:[A-Z_]\w*|`[^`]*`))?"  # more digits would be another type
_NUMBERS = re.compile(f"SELECT {_NUMBER}(?: , {_NUMBER})*(?: ;)?", re.ASCII | re.IGNORECASE)


@remembered
def is_brief(sql: str) -> bool:
    """Whether a statement reads no table and calls nothing that could take long.

    >>> [is_brief(sql) for sql in ("SELECT 1 AS one", "SELECT current_database()", "USE demo", "SET a.b = 1")]
    [True, True, True, True]
    >>> [is_brief(sql) for sql in ("SELECT a FROM t", "SELECT 1 UNION TABLE t", "SET VAR n = (TABLE t)", "SELECT f(1)")]
    [False, False, False, False]
    >>> [is_brief(sql) for sql in ("SELECT 1 |> JOIN t", "SELECT 1 UNION ALL MAP 1 USING 'x'", "SELECT a.version()")]
    [False, False, False]
    >>> is_brief("SELECT ${x}"), is_brief("DROP x")
    (False, False)
    """
    if "${" in sql or len(sql) > _LONGEST:
        return False
    try:
        words = [token.text.upper() for token in tokenize(sql)]
    except ParseError:
        return False
    calls = [at for at, word in enumerate(words) if word == "("]
    known = all(_is_known(words[at - 2 : at + 2]) for at in calls)
    return bool(words) and words[0] in _VERBS and known and not _READING.intersection(words)


def _is_known(call: Sequence[str]) -> bool:
    """Whether a call is one of Spark's own functions: with a prefix, it may be anybody's.

    >>> _is_known(["SELECT", "VERSION", "(", ")"]), _is_known([".", "VERSION", "(", ")"])
    (True, False)
    """
    return len(call) == 4 and call[0] != "." and call[1] in _FUNCTIONS and call[3] == ")"


@remembered
def is_constant(sql: str) -> bool:
    """Whether a statement selects whole numbers: whatever is stored or set, its columns are the same.

    >>> is_constant("/* ping */ select 1;"), is_constant("SELECT 1 AS one, 2 `two`")
    (True, True)
    >>> [is_constant(sql) for sql in ("SELECT 1.0", "SELECT 1 + '1'", "SELECT f()", "SELECT 1 UNION ALL SELECT 2.0")]
    [False, False, False, False]
    """
    # Of tokens as they are written: to the rewriter, '1' and 1 have the same text.
    return is_brief(sql) and _NUMBERS.fullmatch(" ".join(token.text for token in scan(sql))) is not None
