"""Finds the statements inside SQL scripts and EXECUTE IMMEDIATE, and substitutes `${…}` variables."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator, Mapping
from itertools import pairwise

from proxy.statements.destructive import VERBS
from proxy.statements.lexer import scan, string_value
from proxy.statements.writes import PREFIXES, TARGETS

# In a script, a statement may begin after one of these tokens. Only statements that begin with one of the words in
# _BEGINNINGS can affect a view.
_BEFORE = frozenset({";", "BEGIN", "THEN", "ELSE", "DO", "LOOP", "REPEAT"})
_BEGINNINGS = VERBS | PREFIXES | TARGETS.keys()
_VARIABLE = re.compile(r"\$\{(?:(?:spark|sparkconf|hivevar|hiveconf):)?(?=[^\s:}])")
_NAME_END = re.compile(r"[\s:}]")
_DEPTH = 8  # levels of variables whose values contain variables
_LONGEST = 1_000_000  # characters of the text after substitution


def statements_in(sql: str) -> tuple[str, ...]:
    """Return the statements that a text may run: the text itself or, for a script, the statements in the script.

    Statements of a script that cannot affect a view are left out. If the text has an EXECUTE IMMEDIATE, each string
    literal in the text is returned as a statement, too.

    >>> statements_in("BEGIN IF a THEN DROP TABLE t; END IF; EXECUTE IMMEDIATE 'DROP TABLE u'; END")
    ('DROP TABLE t', 'DROP TABLE u')
    """
    first = next(scan(sql), None)
    return tuple(_within(sql)) if first is not None and first.keyword in ("BEGIN", "EXECUTE") else (sql,)


def _within(sql: str) -> Iterator[str]:
    tokens = list(scan(sql))
    ends = [token.start for token in tokens if token.text == ";"] + [len(sql)]
    for before, token in pairwise(tokens):
        if before.text.upper() in _BEFORE and token.keyword in _BEGINNINGS:
            yield sql[token.start : ends[bisect(ends, token.start)]]
    if any(token.keyword == "EXECUTE" for token in tokens):
        for token in tokens:
            if token.kind == "string":
                yield from statements_in(string_value(token.text))


def substituted(sql: str, settings: Mapping[str, str]) -> str:
    """Return a text with its `${…}` variables replaced by values from the settings, as Spark substitutes them.

    Variables without a setting stay in the text.

    >>> substituted("DROP TABLE ${hiveconf:a}${b}", {"a": "d.${c}", "c": "t"})
    'DROP TABLE d.t${b}'
    """
    for _ in range(_DEPTH):
        before, sql = sql, _replaced(sql, settings)
        if sql == before or len(sql) > _LONGEST:
            break
    return sql


def _replaced(sql: str, settings: Mapping[str, str]) -> str:
    """Return the text with each variable replaced once by its value; unknown variables stay in the text.

    Each closing brace is searched for only once, even if several variables start before it: otherwise a text such as
    `${${${` would take quadratic time.
    """
    parts, at, end = [], 0, -1
    for begun in _VARIABLE.finditer(sql):
        if begun.start() < at:
            continue
        if begun.end() > end:
            found = _NAME_END.search(sql, begun.end())
            if found is None:
                break
            end = found.start()
        if sql[end] == "}":
            whole = sql[begun.start() : end + 1]
            parts += [sql[at : begun.start()], settings.get(sql[begun.end() : end], whole)]
            at = end + 1
    return "".join((*parts, sql[at:]))
