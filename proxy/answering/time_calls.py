"""Finds `timeseries` calls in a statement, and in the string literals that EXECUTE IMMEDIATE runs as statements.

Spark does not have the function `timeseries`: Viewgate translates its calls to Spark's functions. So a statement that
calls `timeseries` cannot go to Spark unchanged (`calls_time`). Viewgate can translate a call in a literal of EXECUTE
IMMEDIATE (`immediate_text`), but not a call in a text that Spark computes when it runs the statement
(`told_of_immediate`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from proxy.hs2 import SqlError
from proxy.hs2.status import reported
from proxy.statements import Token, scan

_NAME = "timeseries"
# EXECUTE IMMEDIATE text [INTO variables] [USING values]; a semicolon ends the text in a script.
_BEHIND_TEXT = frozenset({"INTO", "USING", ";"})
_REMEDY = (
    "write the statement as one string literal after EXECUTE IMMEDIATE, run it without EXECUTE IMMEDIATE, or use "
    "Spark's date_trunc()"
)


def spells_time(sql: str) -> bool:
    """Return whether a text may call `timeseries`: whether it contains this word, even in a comment or a literal."""
    return _NAME in sql.lower()


def calls_time(sql: str) -> bool:
    """Return whether a statement calls `timeseries`; a name in a comment, a literal or a table's name is no call.

    >>> calls_time("SELECT timeseries (ts, 'day') FROM t"), calls_time("SELECT 1 FROM timeseries -- timeseries(")
    (True, False)
    """
    if not spells_time(sql):
        return False
    tokens = list(scan(sql))
    return any(
        name.kind in ("word", "quoted") and name.identifier.lower() == _NAME and opening.text == "("
        for name, opening in pairwise(tokens)
    )


def immediate_text(sql: str) -> Token | None:
    """Return the string literal after EXECUTE IMMEDIATE if it may contain `timeseries` calls, else None.

    Raise SqlError 0A000 if such a literal is a part of an expression, or if EXECUTE IMMEDIATE is within a script.

    >>> immediate_text("EXECUTE IMMEDIATE 'SELECT timeseries(?, ''day'')' USING now()").start
    18
    >>> immediate_text("EXECUTE IMMEDIATE q")
    """
    tokens = list(scan(sql))
    found = [text for text in _texts(tokens) if any(t.kind == "string" and spells_time(t.text) for t in text)]
    if not found:
        return None
    alone = len(found) == 1 and len(found[0]) == 1
    if not alone or tokens[0].keyword != "EXECUTE":
        raise SqlError(
            "timeseries() in EXECUTE IMMEDIATE is translated only in a single string literal, and not within a script: "
            f"{_REMEDY}",
            "0A000",
        )
    return found[0][0]


def _texts(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Yield, for each EXECUTE IMMEDIATE, the tokens of the text to run: a string literal, or an expression."""
    for at in range(len(tokens) - 1):
        if [token.keyword for token in tokens[at : at + 2]] == ["EXECUTE", "IMMEDIATE"]:
            begin = at + 2
            ends = (i for i in range(begin, len(tokens)) if tokens[i].text.upper() in _BEHIND_TEXT)
            yield tokens[begin : next(ends, len(tokens))]


def told_of_immediate(error: SqlError) -> SqlError:
    """Return an error of Spark's about EXECUTE IMMEDIATE, with a remedy if the error is that `timeseries` is unknown.

    >>> print(told_of_immediate(SqlError("[UNRESOLVED_ROUTINE] Cannot resolve routine `timeseries`")))
    [UNRESOLVED_ROUTINE] Cannot resolve routine `timeseries`. Viewgate does not see the text that EXECUTE IMMEDIATE takes from a variable: write the statement as one string literal after EXECUTE IMMEDIATE, run it without EXECUTE IMMEDIATE, or use Spark's date_trunc()
    """  # noqa: E501
    if "UNRESOLVED_ROUTINE" not in error.message or f"`{_NAME}`" not in error.message.lower():
        return error
    why = f"Viewgate does not see the text that EXECUTE IMMEDIATE takes from a variable: {_REMEDY}"
    head = error.message.split("\n", 1)[0].rstrip(". ")
    return reported(f"{head}. {why}", error.sql_state, error.error_code)
