"""What a statement may change about its session: names and settings on which later statements depend."""

from __future__ import annotations

import re
from enum import Enum
from itertools import islice
from typing import NamedTuple

from proxy.answering.remembering import remembered
from proxy.answering.tokens import scan
from proxy.session import Trace
from rewriter import ParseError, tokenize


class Effect(Enum):
    """How far a statement reaches into its session."""

    NONE = "changes nothing that a name or a value depends on"
    SETTINGS = "changes settings or the current namespace, which can be read again"
    VARIABLE = "declares a variable of the session, which no name of a table depends on"
    NAME = "puts a temporary view before a table of the same name"
    BARE = "takes away the temporary view of a name, if there is one"
    UNKNOWN = "may have changed anything"


# What each leaves in the session, where it goes well and where it fails.
TRACES = {
    Effect.NONE: Trace.NOTHING,
    Effect.SETTINGS: Trace.REPEATABLE,
    Effect.VARIABLE: Trace.LASTING,
    Effect.NAME: Trace.LASTING,
    Effect.BARE: Trace.NOTHING,
    Effect.UNKNOWN: Trace.DOUBTFUL,
}


class Change(NamedTuple):
    """An effect, and the name that it concerns; `of` is the name that a temporary view must have had for that."""

    effect: Effect
    name: str = ""
    of: str = ""


_NOTHING = Change(Effect.NONE)
_UNKNOWN = Change(Effect.UNKNOWN)
_COMPUTED = ["IDENTIFIER", "("]  # a name that Spark computes from an expression

# Statements of these verbs leave the session as it is. A verb that is not known changes anything.
HARMLESS = frozenset(
    {
        "SELECT", "WITH", "(", "VALUES", "FROM", "TABLE", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "INSERT", "UPDATE",
        "DELETE", "MERGE", "TRUNCATE", "ALTER", "DROP", "REFRESH", "ANALYZE", "COMMENT", "UNCACHE", "CLEAR", "LOAD",
        "MSCK", "REPAIR", "LIST", "GRANT", "REVOKE",
    }
)  # fmt: skip
READ_AGAIN = frozenset({"SET", "RESET", "USE"})
# Without one of these words, a statement that has failed was never begun: it is no statement of Spark's at all.
BEGINNING = frozenset({"ADD", "BEGIN", "CACHE", "CALL", "CREATE", "EXECUTE", "REPLACE"})


@remembered
def change_of(sql: str) -> Change:
    """The change that a statement may make to its session.

    >>> [change_of(sql).effect.name for sql in ("USE demo", "CREATE TEMP VIEW v AS SELECT 1", "BEGIN", "SHOW TABLES")]
    ['SETTINGS', 'NAME', 'UNKNOWN', 'NONE']
    """
    first = next(scan(sql), None)
    verb = (first.keyword or first.text) if first is not None else ";"
    if verb in READ_AGAIN:
        return Change(Effect.SETTINGS)
    if verb == "DECLARE":
        return Change(Effect.VARIABLE)
    if verb not in _BY_WORDS:
        return _NOTHING if verb in HARMLESS or verb == ";" else _UNKNOWN
    try:
        words = [token.text for token in tokenize(sql)]
    except ParseError:
        return _UNKNOWN
    return _UNKNOWN if "${" in sql else _BY_WORDS[verb](words, [word.upper() for word in words])


def resets_all(sql: str) -> bool:
    """Whether a statement puts every setting of its session back to its default.

    >>> resets_all("RESET;"), resets_all("RESET spark.sql.ansi.enabled")
    (True, False)
    """
    return [token.text.upper() for token in islice(scan(sql), 2)] in (["RESET"], ["RESET", ";"])


def trace_of(sql: str) -> Trace:
    """What a statement leaves in its session for good.

    >>> [trace_of(sql).name for sql in ("USE demo", "DECLARE x INT", "SELEKT", "ADD JAR 'x'", "SHOW TABLES")]
    ['REPEATABLE', 'LASTING', 'LASTING', 'DOUBTFUL', 'NOTHING']
    """
    trace = TRACES[change_of(sql).effect]
    return Trace.LASTING if trace is Trace.DOUBTFUL and changes_nothing_failed(sql) else trace


def changes_nothing_failed(sql: str) -> bool:
    """Whether a failure shows that a statement of unknown effect had none: a slip of the pen, not a broken script.

    >>> changes_nothing_failed("SELEKT 1"), changes_nothing_failed("BEGIN CREATE TEMP VIEW v AS SELECT 1; x; END")
    (True, False)
    """
    return BEGINNING.isdisjoint(re.findall(r"\w+", sql.upper()))


def _created(words: list[str], upper: list[str]) -> Change:
    """A temporary view has its name behind VIEW; a temporary function may stand before one of Spark's own."""
    head = upper[: upper.index("AS")] if "AS" in upper else upper
    if not {"TEMP", "TEMPORARY"} & set(head):
        return _NOTHING
    if "VIEW" not in head:
        return _UNKNOWN
    after = head.index("VIEW") + 1
    if head[after : after + 3] == ["IF", "NOT", "EXISTS"]:
        after += 3
    if upper[after : after + 2] == _COMPUTED:
        return _UNKNOWN
    return Change(Effect.NAME, words[after].lower()) if after < len(words) else _UNKNOWN


def _cached(words: list[str], upper: list[str]) -> Change:
    """CACHE TABLE name AS query makes a temporary view of that name; AS may be left out."""
    at = 3 if upper[1:2] == ["LAZY"] else 2
    if upper[at - 1 : at] != ["TABLE"] or upper[at : at + 2] == _COMPUTED:
        return _UNKNOWN
    after = _after_options(upper, at + 1)
    caches = not upper[after:] or upper[after] in (";", ".")  # a table that is there; views of a query bear no prefix
    return _NOTHING if caches else Change(Effect.NAME, words[at].lower())


def _after_options(upper: list[str], at: int) -> int:
    """Where a statement goes on behind `OPTIONS (…)`."""
    if upper[at : at + 2] == ["OPTIONS", "("] and ")" in upper[at:]:
        return upper.index(")", at) + 1
    return at


def _dropped(words: list[str], upper: list[str]) -> Change:
    """DROP VIEW of a name without a namespace drops the temporary view, where there is one."""
    rest = [word for word, keyword in zip(words[1:], upper[1:], strict=True) if keyword not in ("IF", "EXISTS", ";")]
    if len(rest) == 2 and rest[0].upper() == "VIEW":
        return Change(Effect.BARE, rest[1].lower())
    return _NOTHING


def _renamed(words: list[str], upper: list[str]) -> Change:
    """ALTER VIEW (or TABLE) … RENAME TO gives a temporary view another name, which bears no prefix."""
    at = next((i for i in range(len(upper) - 2, 0, -1) if upper[i : i + 2] == ["RENAME", "TO"]), None)
    if at is None:
        return _NOTHING
    before = [word.lower() for word in words[2:at]]
    after = [word.lower() for word in words[at + 2 :] if word != ";"]
    if "." in (*after[1:2], *before[1:2]):
        return _NOTHING  # a table, or a view that is none of the session's own
    plain = len(after) == len(before) == 1
    return Change(Effect.NAME, after[0], of=before[0]) if plain else _UNKNOWN


def _called(_words: list[str], upper: list[str]) -> Change:
    """CALL … create_changelog_view makes a temporary view."""
    return _UNKNOWN if any("CHANGELOG" in word for word in upper) else _NOTHING


_BY_WORDS = {
    "CREATE": _created,
    "REPLACE": _created,
    "CACHE": _cached,
    "DROP": _dropped,
    "ALTER": _renamed,
    "CALL": _called,
}
