"""The tables that a statement may write to, by its own words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from proxy.statements.lexer import Parts, Token, leading_name, mentioned, scan


@dataclass(frozen=True)
class Written:
    """The tables that a statement writes to, by their names in its text.

    Where `certain` is False, the names are all that the text mentions, and any of them may be written to.
    """

    names: tuple[Parts, ...]
    certain: bool = True


# The keywords between a statement's beginning and the name of the table that it writes to.
TARGETS: dict[str, tuple[str, ...]] = {
    "INSERT": ("INTO", "OVERWRITE"),
    "MERGE": ("INTO",),
    "UPDATE": ("UPDATE",),
    "DELETE": ("FROM",),
    "TRUNCATE": ("TABLE",),
    "LOAD": ("TABLE",),
    "CREATE": ("TABLE",),
    "REPLACE": ("TABLE",),
}
# Procedures, scripts and changes of a table may write to any table that they mention.
_UNCERTAIN = frozenset({"ALTER", "BEGIN", "CALL", "EXECUTE"})
# Queries begin with these words, and writes do too.
PREFIXES = frozenset({"FROM", "WITH"})
# Statements of these verbs leave tables, views and files as they are.
_READS = frozenset(
    {"", "SELECT", "(", "VALUES", "TABLE", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "LIST", "SET", "RESET", "USE"}
)
_BEFORE_NAMES = frozenset({"TABLE", "IF", "NOT", "EXISTS"})
_BRANCH = "branch_"
_HEAD = 24  # tokens in which a statement has named what it writes to


def written(verb: str, sql: str) -> Written | None:
    """Return the tables that a statement of a verb may write to; None if it writes to no table.

    >>> written("INSERT", "INSERT OVERWRITE TABLE demo.`my t` SELECT 1")
    Written(names=(('demo', 'my t'),), certain=True)
    >>> written("CALL", "CALL lake.system.rollback_to_snapshot('demo.t', 7)").certain
    False
    >>> written("SELECT", "SELECT * FROM t") is None
    True
    """
    if verb in PREFIXES:
        return _prefixed(list(scan(sql)))
    if verb in TARGETS:
        return _written(list(islice(scan(sql), _HEAD)), sql)
    return uncertain(sql) if verb in _UNCERTAIN else None


def may_write(verb: str, sql: str) -> bool:
    """Return whether running a statement twice may differ from running it once.

    >>> may_write("WITH", "WITH a AS (SELECT 1) SELECT * FROM a"), may_write("SET", "SET x = 1")
    (False, False)
    >>> may_write("WITH", "WITH a AS (SELECT 1) INSERT INTO t FROM a"), may_write("FROM", "FROM ${x}")
    (True, True)
    """
    if verb in PREFIXES:
        return "${" in sql or written(verb, sql) is not None
    return verb not in _READS


def uncertain(sql: str) -> Written:
    """Return all names of a text as tables that it may write to."""
    return Written(tuple(mentioned(sql)), certain=False)


def _written(head: Sequence[Token], sql: str) -> Written | None:
    """Return the target of a statement that begins with its verb."""
    if head[0].keyword in ("CREATE", "REPLACE") and not any(token.keyword == "TABLE" for token in head[1:4]):
        return None
    name = _target(head)
    if name is None:
        return uncertain(sql)
    return Written((name,)) if name else None


def _prefixed(tokens: Sequence[Token]) -> Written | None:
    """Return the targets of `FROM … INSERT INTO … INSERT INTO …`, or of the write behind WITH's definitions."""
    targets, depth = [], 0
    for at, token in enumerate(tokens):
        depth += (token.text == "(") - (token.text == ")")
        if depth == 0 and token.keyword in ("INSERT", "MERGE", "UPDATE", "DELETE"):
            name = _target(tokens[at : at + _HEAD])
            if name is not None:
                targets.append(name)
    return Written(tuple(filter(None, targets))) if targets else None


def _target(head: Sequence[Token]) -> Parts | None:
    """Return the name behind the verb's keyword; an empty one for a directory, None where no name can be read."""
    announced = TARGETS[head[0].keyword]
    at = next((i for i, token in enumerate(head) if token.keyword in announced), len(head)) + 1
    while at < len(head) and head[at].keyword in _BEFORE_NAMES:
        at += 1
    if at < len(head) and head[at].keyword in ("DIRECTORY", "LOCAL"):
        return ()
    return _table(leading_name(head[at:])[0]) or None


def _table(name: Parts) -> Parts:
    """Return the table of a name in which a branch may follow the table, where a namespace stands before it."""
    return name[:-1] if len(name) > 2 and name[-1].startswith(_BRANCH) else name
