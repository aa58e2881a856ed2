"""Determines the session effect of a statement: which settings, namespace, temporary names or variables it changes."""

from __future__ import annotations

import re
from enum import Enum
from itertools import islice
from typing import NamedTuple

from proxy.statements.lexer import scan, string_value, unclosed


class Effect(Enum):
    """The kinds of session state that a statement may change."""

    NONE = "changes nothing that a name or a value depends on"
    SETTINGS = "changes settings or the current namespace, which can be read again"
    VARIABLE = "declares a variable of the session, which no name of a table depends on"
    NAME = "puts a temporary view before a table of the same name"
    BARE = "drops the temporary view of a name, if there is one"
    UNKNOWN = "may have changed anything"


class Replay(Enum):
    """The ways to reproduce a statement's session effect in a new upstream session (session replay)."""

    NEEDLESS = "the statement has no effect on the session"
    REPEAT = "by the same statement, if it succeeded"
    IMPOSSIBLE = "not at all, if the statement succeeded"
    DOUBTFUL = "the effect is uncertain, also after a failure"


_REPLAYS = {
    Effect.NONE: Replay.NEEDLESS,
    Effect.SETTINGS: Replay.REPEAT,
    Effect.VARIABLE: Replay.IMPOSSIBLE,
    Effect.NAME: Replay.IMPOSSIBLE,
    Effect.BARE: Replay.NEEDLESS,
    Effect.UNKNOWN: Replay.DOUBTFUL,
}


class SessionEffect(NamedTuple):
    """The session state that a statement may change.

    - `effect`: the kind of session state
    - `name`: the temporary view that the statement creates or drops
    - `of`: the old name of the view that the statement renames; there is an effect only if `of` is a temporary view
    - `needs_success`: true if an UNKNOWN effect occurs only if the statement succeeds
    - `resets_all`: true if the statement resets all settings to their defaults
    - `replay`: how a session replay reproduces the effect in a new upstream session
    """

    effect: Effect = Effect.NONE
    name: str = ""
    of: str = ""
    needs_success: bool = False
    resets_all: bool = False
    replay: Replay = Replay.NEEDLESS


NO_EFFECT = SessionEffect()
_UNKNOWN = SessionEffect(Effect.UNKNOWN)
_COMPUTED = ["IDENTIFIER", "("]  # a name that Spark computes from an expression

# Statements that begin with these words do not change the session. A statement that begins with an unknown word may
# change anything.
_HARMLESS = frozenset(
    {
        "", "SELECT", "WITH", "(", "VALUES", "FROM", "TABLE", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "INSERT",
        "UPDATE", "DELETE", "MERGE", "TRUNCATE", "ALTER", "DROP", "REFRESH", "ANALYZE", "COMMENT", "UNCACHE", "CLEAR",
        "LOAD", "MSCK", "REPAIR", "LIST", "GRANT", "REVOKE", ";",
    }
)  # fmt: skip
_READ_AGAIN = frozenset({"SET", "RESET", "USE"})
# If a statement with none of these words fails, Spark did not start to execute it: it was not valid SQL.
_BEGINNING = frozenset({"ADD", "BEGIN", "CACHE", "CALL", "CREATE", "EXECUTE", "REPLACE"})


def session_effect(verb: str, sql: str) -> SessionEffect:
    """Return the effect that a statement may have on the session; `verb` is the statement's first keyword.

    >>> [session_effect(sql.split()[0], sql).effect.name for sql in ("USE demo", "CREATE TEMP VIEW v AS SELECT 1")]
    ['SETTINGS', 'NAME']
    >>> [session_effect(sql.split()[0], sql).replay.name for sql in ("DECLARE x INT", "SELEKT", "ADD JAR 'x'")]
    ['IMPOSSIBLE', 'IMPOSSIBLE', 'DOUBTFUL']
    """
    effect = _effect(verb, sql)
    if effect.effect is Effect.UNKNOWN and _changes_nothing_failed(sql):
        return effect._replace(needs_success=True, replay=Replay.IMPOSSIBLE)
    return effect._replace(replay=_REPLAYS[effect.effect])


def _effect(verb: str, sql: str) -> SessionEffect:
    if verb in _READ_AGAIN:
        return SessionEffect(Effect.SETTINGS, resets_all=_resets_all(sql))
    if verb == "DECLARE":
        return SessionEffect(Effect.VARIABLE)
    if verb == "EXECUTE":
        return _executed(sql)
    if verb in _BY_WORDS:
        return _by_words(verb, sql)
    return NO_EFFECT if verb in _HARMLESS else _UNKNOWN


def _executed(sql: str) -> SessionEffect:
    """Return the session effect of EXECUTE IMMEDIATE: the effect of the text that the statement executes.

    With INTO, a query has the effect VARIABLE, because INTO assigns variables of the session. Parameters (USING) are
    ignored.

    The effect is UNKNOWN unless the text is a literal in single quotation marks: the text may also be computed, be in a
    variable, or be in double quotation marks, which may enclose the name of a variable. The effect is also UNKNOWN if
    the literal has a backslash, which Spark reads in two ways (`spark.sql.parser.escapedStringLiterals`).

    >>> _executed("EXECUTE IMMEDIATE 'SELECT ?' USING 1").effect, _executed("EXECUTE IMMEDIATE x").effect
    (<Effect.NONE: 'changes nothing that a name or a value depends on'>, <Effect.UNKNOWN: 'may have changed anything'>)
    """
    tokens = list(scan(sql))
    texts = [token.text.upper() for token in tokens]
    literal = "".join(token.text for token in tokens[2:3] if token.kind == "string")
    after = "".join(texts[3:4])
    plain = literal.startswith(("'", "r'", "R'")) and "\\" not in literal and "${" not in sql and not unclosed(tokens)
    if texts[1:2] != ["IMMEDIATE"] or not plain or after not in ("", ";", "USING", "INTO"):
        return _UNKNOWN
    executed = string_value(literal)
    first = next(scan(executed), None)
    effect = _effect((first.keyword or first.text) if first else "", executed)
    if after == "INTO":
        return SessionEffect(Effect.VARIABLE) if effect == NO_EFFECT else _UNKNOWN
    return effect


def _by_words(verb: str, sql: str) -> SessionEffect:
    tokens = list(scan(sql))
    if unclosed(tokens) or "${" in sql:
        return _UNKNOWN
    words = [token.value for token in tokens]
    return _BY_WORDS[verb](words, [word.upper() for word in words])


def _resets_all(sql: str) -> bool:
    """Return whether a statement resets all settings of its session to their defaults.

    >>> _resets_all("RESET;"), _resets_all("RESET spark.sql.ansi.enabled")
    (True, False)
    """
    return [token.text.upper() for token in islice(scan(sql), 2)] in (["RESET"], ["RESET", ";"])


def _changes_nothing_failed(sql: str) -> bool:
    """Return whether the statement has no effect on the session if the statement fails.

    A statement without the words ADD, BEGIN, CACHE, CALL, CREATE, EXECUTE and REPLACE fails only if it is not valid
    SQL, and then has no effect. A script (BEGIN … END), for example, may fail after some of its statements have had an
    effect.

    >>> _changes_nothing_failed("SELEKT 1"), _changes_nothing_failed("BEGIN CREATE TEMP VIEW v AS SELECT 1; x; END")
    (True, False)
    """
    return _BEGINNING.isdisjoint(re.findall(r"\w+", sql.upper()))


def _created(words: list[str], upper: list[str]) -> SessionEffect:
    """Return the session effect of a CREATE or REPLACE; `upper` are the tokens `words` in upper case.

    `CREATE TEMP VIEW v …` has the effect NAME, because a temporary view hides the table of the same name. A temporary
    object of another kind has the effect UNKNOWN, because a function, for example, may hide a built-in function.
    Objects that are not temporary have no session effect.
    """
    head = upper[: upper.index("AS")] if "AS" in upper else upper
    if not {"TEMP", "TEMPORARY"} & set(head):
        return NO_EFFECT
    if "VIEW" not in head:
        return _UNKNOWN
    after = head.index("VIEW") + 1
    if head[after : after + 3] == ["IF", "NOT", "EXISTS"]:
        after += 3
    if upper[after : after + 2] == _COMPUTED:
        return _UNKNOWN
    return SessionEffect(Effect.NAME, words[after].lower()) if after < len(words) else _UNKNOWN


def _cached(words: list[str], upper: list[str]) -> SessionEffect:
    """Return the session effect of CACHE TABLE; `upper` are the tokens `words` in upper case.

    `CACHE TABLE v AS SELECT 1` creates a temporary view and so has the effect NAME; `CACHE TABLE t`, with the name of
    an existing table, has no session effect. A CACHE without TABLE, or with a computed name such as IDENTIFIER('v'),
    has the effect UNKNOWN.
    """
    at = 3 if upper[1:2] == ["LAZY"] else 2
    if upper[at - 1 : at] != ["TABLE"] or upper[at : at + 2] == _COMPUTED:
        return _UNKNOWN
    after = _after_options(upper, at + 1)
    # an existing table; the name of a view that CACHE creates has no namespace
    caches = not upper[after:] or upper[after] in (";", ".")
    return NO_EFFECT if caches else SessionEffect(Effect.NAME, words[at].lower())


def _after_options(upper: list[str], at: int) -> int:
    """Return the index of the token after `OPTIONS (…)`, or `at` if no options start at the index `at`.

    `upper` are the tokens of the statement in upper case.
    """
    if upper[at : at + 2] == ["OPTIONS", "("] and ")" in upper[at:]:
        return upper.index(")", at) + 1
    return at


def _dropped(words: list[str], upper: list[str]) -> SessionEffect:
    """Return the session effect of DROP; `upper` are the tokens `words` in upper case.

    `DROP VIEW v` has the effect BARE (drops the temporary view v, if there is one). `DROP VIEW a.v`, and DROP of other
    objects, have no effect on the session, because temporary views have no namespace.
    """
    rest = [word for word, keyword in zip(words[1:], upper[1:], strict=True) if keyword not in ("IF", "EXISTS", ";")]
    if len(rest) == 2 and rest[0].upper() == "VIEW":
        return SessionEffect(Effect.BARE, rest[1].lower())
    return NO_EFFECT


def _renamed(words: list[str], upper: list[str]) -> SessionEffect:
    """Return the session effect of ALTER VIEW (or TABLE) … RENAME TO; `upper` are the tokens `words` in upper case.

    `ALTER VIEW v RENAME TO w` has the effect NAME with the name w; `of` is v, because there is an effect only if v is a
    temporary view. `ALTER VIEW a.v RENAME TO a.w` has no effect, because temporary views have no namespace. Names in
    another form, such as IDENTIFIER('v'), give the effect UNKNOWN. An ALTER without RENAME TO has no effect.
    """
    at = next((i for i in range(len(upper) - 2, 0, -1) if upper[i : i + 2] == ["RENAME", "TO"]), None)
    if at is None:
        return NO_EFFECT
    before = [word.lower() for word in words[2:at]]
    after = [word.lower() for word in words[at + 2 :] if word != ";"]
    if "." in (*after[1:2], *before[1:2]):
        return NO_EFFECT  # a table, or a view that is not a temporary one
    plain = len(after) == len(before) == 1
    return SessionEffect(Effect.NAME, after[0], of=before[0]) if plain else _UNKNOWN


def _called(_words: list[str], upper: list[str]) -> SessionEffect:
    """Return the session effect of CALL: UNKNOWN if a token names the procedure create_changelog_view, otherwise none.

    The procedure create_changelog_view creates a temporary view. `upper` are the tokens of the statement in upper case.
    """
    return _UNKNOWN if any("CHANGELOG" in word for word in upper) else NO_EFFECT


_BY_WORDS = {
    "CREATE": _created,
    "REPLACE": _created,
    "CACHE": _cached,
    "DROP": _dropped,
    "ALTER": _renamed,
    "CALL": _called,
}
