"""What a statement may change about its session: names and settings on which later statements depend."""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

from rewriter.sql import ParseError, tokenize


class Effect(Enum):
    """How far a statement reaches into its session."""

    NONE = "changes nothing that a name or a value depends on"
    SETTINGS = "changes settings or the current namespace, which can be read again"
    NAME = "puts a temporary view before a table of the same name"
    BARE = "takes away the temporary view of a name, if there is one"
    UNKNOWN = "may have changed anything"


class Change(NamedTuple):
    """An effect, and the name that it concerns."""

    effect: Effect
    name: str = ""


_NOTHING = Change(Effect.NONE)
_UNKNOWN = Change(Effect.UNKNOWN)

# Statements of these verbs leave the session as it is. A verb that is not known changes anything.
HARMLESS = frozenset(
    {
        "SELECT", "WITH", "(", "VALUES", "FROM", "TABLE", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "INSERT", "UPDATE",
        "DELETE", "MERGE", "TRUNCATE", "ALTER", "DROP", "REFRESH", "ANALYZE", "COMMENT", "UNCACHE", "CLEAR", "LOAD",
        "MSCK", "REPAIR", "LIST", "DECLARE", "GRANT", "REVOKE",
    }
)  # fmt: skip
READ_AGAIN = frozenset({"SET", "RESET", "USE"})
# Without one of these words, a statement that has failed was never begun: it is no statement of Spark's at all.
BEGINNING = frozenset({"ADD", "BEGIN", "CACHE", "CALL", "CREATE", "EXECUTE", "REPLACE"})


def change_of(sql: str) -> Change:
    """The change that a statement may make to its session.

    >>> [change_of(sql).effect.name for sql in ("USE demo", "CREATE TEMP VIEW v AS SELECT 1", "BEGIN", "SHOW TABLES")]
    ['SETTINGS', 'NAME', 'UNKNOWN', 'NONE']
    """
    try:
        words = [token.text for token in tokenize(sql)]
    except ParseError:
        return _UNKNOWN
    upper = [word.upper() for word in words]
    verb = upper[0].split()[0] if upper else ";"
    if verb in READ_AGAIN:
        return Change(Effect.SETTINGS)
    if verb in _OF_NAMES:
        return _OF_NAMES[verb](words, upper)
    if verb == "CALL":
        return _UNKNOWN if any("CHANGELOG" in word for word in upper) else _NOTHING
    return _NOTHING if verb in HARMLESS or verb == ";" else _UNKNOWN


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
    return Change(Effect.NAME, words[after].lower()) if after < len(words) else _UNKNOWN


def _cached(words: list[str], upper: list[str]) -> Change:
    """CACHE TABLE name AS query makes a temporary view of that name."""
    rest = [i for i, word in enumerate(upper) if word not in ("CACHE", "LAZY", "TABLE")]
    return Change(Effect.NAME, words[rest[0]].lower()) if rest and "SELECT" in upper else _NOTHING


def _dropped(words: list[str], upper: list[str]) -> Change:
    """DROP VIEW of a name without a namespace drops the temporary view, where there is one."""
    rest = [word for word, keyword in zip(words[1:], upper[1:], strict=True) if keyword not in ("IF", "EXISTS", ";")]
    if len(rest) == 2 and rest[0].upper() == "VIEW":
        return Change(Effect.BARE, rest[1].lower())
    return _NOTHING


def _renamed(words: list[str], upper: list[str]) -> Change:
    """ALTER VIEW … RENAME TO gives a temporary view another name."""
    if "VIEW" not in upper[:2] or "RENAME" not in upper:
        return _NOTHING
    rest = [word for word in words[upper.index("RENAME") + 1 :] if word.upper() not in ("TO", ";")]
    return Change(Effect.NAME, rest[0].lower()) if len(rest) == 1 else _NOTHING


_OF_NAMES = {"CREATE": _created, "REPLACE": _created, "CACHE": _cached, "DROP": _dropped, "ALTER": _renamed}
