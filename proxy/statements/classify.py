"""Classifies the text of a statement in one pass, and caches the result by text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import islice, pairwise

from proxy.statements.destructive import VERBS, Destruction, destruction
from proxy.statements.effects import NO_EFFECT, SessionEffect, session_effect
from proxy.statements.lexer import Token, scan, unclosed
from proxy.statements.scripts import statements_in
from proxy.statements.writes import Written, may_write, written

_TEXTS, _LONGEST_KEPT = 1024, 8192  # texts that are cached, and the characters of the longest of them
_KEYWORDS = 5  # keywords at the beginning, as many as in the longest beginning of a Viewgate statement

# Statements with these verbs only read; their words matter only for their cost.
_PURE_QUERIES = frozenset({"SELECT", "VALUES", "TABLE"})
_QUERIES = _PURE_QUERIES | {"WITH", "FROM"}
_SCRIPTS = frozenset({"BEGIN", "EXECUTE"})

_BRIEF = frozenset({"SELECT", "SET", "USE"})
_BRIEF_FUNCTIONS = frozenset({"CURRENT_CATALOG", "CURRENT_DATABASE", "CURRENT_SCHEMA", "CURRENT_USER", "VERSION"})
# These words precede a table (after `|>`, only JOIN does), or the output of a transformation script.
_READING = frozenset({"FROM", "JOIN", "TABLE", "USING"})
_LONGEST_BRIEF = 1000
_NUMBER = r"\d{1,9}(?: (?:AS )?(?:[A-Z_]\w*|`[^`]*`))?"  # ten digits may have another type
_NUMBERS = re.compile(f"SELECT {_NUMBER}(?: , {_NUMBER})*(?: ;)?", re.ASCII | re.IGNORECASE)


class Kind(StrEnum):
    """The kinds of statements, which the statistics count separately."""

    QUERY = "query"
    WRITE = "write"
    DEFINITION = "definition"
    SESSION = "session"
    METADATA = "metadata"
    OTHER = "other"


_VERBS: Mapping[Kind, str] = {
    Kind.WRITE: "INSERT UPDATE DELETE MERGE TRUNCATE LOAD CALL COPY",
    Kind.DEFINITION: "CREATE ALTER DROP REPLACE COMMENT REFRESH MSCK REPAIR ANALYZE GRANT REVOKE UNDROP",
    Kind.SESSION: "SET RESET USE ADD DECLARE CACHE UNCACHE CLEAR",
    Kind.METADATA: "SHOW DESCRIBE DESC EXPLAIN LIST",
}
_KINDS = {verb: kind for kind, verbs in _VERBS.items() for verb in verbs.split()}


@dataclass(frozen=True, slots=True)
class StatementInfo:
    """The classification of a statement's text.

    - `verb`: the first keyword or symbol
    - `keywords`: the first five tokens in upper case, empty for tokens that are not words
    - `statements`: the statements that the text may run: the text itself, or the statements of a script
    - `query`: true if the statement starts like a query, after any parentheses; the statement may still write, as `WITH
      … INSERT` does
    - `brief`: true if the statement ends quickly whatever the data, so that no client needs to cancel it or see its
      progress
    - `constant`: true if the statement is brief and its result always has the same columns
    - `may_write`: true if running the statement twice may have a different effect from running it once
    - `writes`: the tables that the statement may write to; None if there are none
    - `destroys`: the object that the statement drops or alters; None if there is none
    - `effect`: the statement's effect on the session
    """

    kind: Kind
    verb: str
    keywords: tuple[str, ...]
    statements: tuple[str, ...]
    query: bool = False
    brief: bool = False
    constant: bool = False
    may_write: bool = False
    writes: Written | None = None
    destroys: Destruction | None = None
    effect: SessionEffect = NO_EFFECT

    @property
    def only_reads(self) -> bool:
        """Whether the statement neither writes to, drops nor alters a table or view."""
        return self.writes is None and self.destroys is None


def classify(sql: str) -> StatementInfo:
    """Return the classification of a statement's text; the results for up to 1024 texts are cached.

    Texts of more than 8192 characters are not cached.

    >>> info = classify("WITH a AS (SELECT 1) INSERT INTO demo.t SELECT * FROM a")
    >>> str(info.kind), info.verb, info.query, info.writes.names, info.effect.effect.name
    ('write', 'WITH', True, (('demo', 't'),), 'NONE')
    >>> [str(classify(sql).kind) for sql in ("/* a */ (select 1)", "merge INTO t", "USE demo", "KILL VIEWGATE", "")]
    ['query', 'write', 'session', 'other', 'other']
    >>> classify("SELECT 1").constant
    True
    """
    return _remembered(sql) if len(sql) <= _LONGEST_KEPT else _read(sql)


def _read(sql: str) -> StatementInfo:
    head = list(islice(scan(sql), _KEYWORDS))
    verb = (head[0].keyword or head[0].text) if head else ""
    keywords = tuple(token.keyword for token in head)
    query = verb in _QUERIES or (verb == "(" and _is_query(sql))
    brief = verb in _BRIEF and _is_brief(sql)
    constant = brief and _is_constant(sql)
    if verb in _PURE_QUERIES:
        return StatementInfo(Kind.QUERY, verb, keywords, (sql,), query, brief, constant)
    writes = written(verb, sql)
    kind = _KINDS.get(verb, Kind.OTHER)
    if query:
        kind = Kind.QUERY if writes is None else Kind.WRITE
    return StatementInfo(
        kind,
        verb,
        keywords,
        statements_in(sql) if verb in _SCRIPTS else (sql,),
        query,
        brief,
        constant,
        may_write(verb, sql),
        writes,
        destruction(sql) if verb in VERBS else None,
        session_effect(verb, sql),
    )


_remembered = lru_cache(_TEXTS)(_read)


def _is_query(sql: str) -> bool:
    """Return whether the first keyword of a statement, after comments and parentheses, is the keyword of a query.

    >>> [_is_query(sql) for sql in ("/* a /* b */ */ (SELECT 1)", "-- SELECT", "/**/" * 1000 + "MERGE INTO t", "")]
    [True, False, False, False]
    """
    first = next((token for token in scan(sql) if token.text != "("), None)
    return first is not None and first.keyword in _QUERIES


def _is_brief(sql: str) -> bool:
    """Return whether a SELECT, SET or USE reads no table and calls no functions, except some such as current_user().

    These functions return at once.

    >>> [_is_brief(sql) for sql in ("SELECT 1 AS one", "SELECT current_database()", "USE demo", "SET a.b = 1")]
    [True, True, True, True]
    >>> [_is_brief(sql) for sql in ("SELECT a FROM t", "SELECT 1 UNION TABLE t", "SET VAR n = (TABLE t)")]
    [False, False, False]
    >>> [_is_brief(sql) for sql in ("SELECT 1 |> JOIN t", "SELECT 1 UNION ALL MAP 1 USING 'x'", "SELECT a.version()")]
    [False, False, False]
    >>> [_is_brief(sql) for sql in ("SELECT f(1)", "SELECT ${x}", "SELECT 'a", "SELECT /*+ REPARTITION */ 1")]
    [False, False, False, False]
    """
    if len(sql) > _LONGEST_BRIEF or "${" in sql or "/*+" in sql:
        return False
    tokens: list[Token] = []
    for token in scan(sql):  # up to the first decisive word: a query's FROM comes early
        if token.keyword in _READING or (token.text == "(" and not _may_open(tokens)):
            return False
        tokens.append(token)
    closed = all(behind.text == ")" for token, behind in pairwise(tokens) if token.text == "(")
    return closed and tokens[-1].text != "(" and not unclosed(tokens)


def _may_open(before: Sequence[Token]) -> bool:
    """Return whether a parenthesis after the tokens `before` opens a call of a built-in function that returns at once.

    Examples of these functions are `version` and `current_user`. A function with a qualified name does not count,
    because a user may have defined it.

    >>> [_may_open(list(scan(sql))) for sql in ("SELECT version", "SELECT a.version", "version", "SELECT f")]
    [True, False, False, False]
    """
    return len(before) > 1 and before[-2].text != "." and before[-1].value.upper() in _BRIEF_FUNCTIONS


def _is_constant(sql: str) -> bool:
    """Return whether a statement selects only integer literals, without a FROM clause.

    >>> _is_constant("/* ping */ select 1;"), _is_constant("SELECT 1 AS one, 2 `two`")
    (True, True)
    >>> [_is_constant(sql) for sql in ("SELECT 1.0", "SELECT 1 + '1'", "SELECT f()", "SELECT 1 UNION ALL SELECT 2.0")]
    [False, False, False, False]
    """
    return _NUMBERS.fullmatch(" ".join(token.text for token in scan(sql))) is not None
