"""Determines from a statement's text to which tables the statement may write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from proxy.statements.lexer import Parts, Token, leading_name, mentioned, scan


@dataclass(frozen=True)
class Written:
    """The tables that a statement writes to, named as in the statement's text.

    If `certain` is False, `names` are all names that the text mentions, and the statement may write to any of these
    tables.
    """

    names: tuple[Parts, ...]
    certain: bool = True


# The keywords between the beginning of a statement and the name of the table that it writes to.
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
# Procedures, scripts and ALTER may write to any table that they mention.
_UNCERTAIN = frozenset({"ALTER", "BEGIN", "CALL", "EXECUTE"})
# Both queries and writes can begin with these words.
PREFIXES = frozenset({"FROM", "WITH"})
# Statements that begin with these words change no tables, views or files.
_READS = frozenset(
    {"", "SELECT", "(", "VALUES", "TABLE", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "LIST", "SET", "RESET", "USE"}
)
_BEFORE_NAMES = frozenset({"TABLE", "IF", "NOT", "EXISTS"})
_BRANCH = "branch_"
_HEAD = 24  # tokens within which a statement names the table that it writes to


def written(verb: str, sql: str) -> Written | None:
    """Return the tables that a statement may write to; None if the statement writes to no table.

    `verb` is the statement's first keyword.

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
    """Return whether a statement may write, so that running it twice may have a different effect from running it once.

    `verb` is the statement's first keyword.

    >>> may_write("WITH", "WITH a AS (SELECT 1) SELECT * FROM a"), may_write("SET", "SET x = 1")
    (False, False)
    >>> may_write("WITH", "WITH a AS (SELECT 1) INSERT INTO t FROM a"), may_write("FROM", "FROM ${x}")
    (True, True)
    """
    if verb in PREFIXES:
        return "${" in sql or written(verb, sql) is not None
    return verb not in _READS


def uncertain(sql: str) -> Written:
    """Return all names in a text as possible targets of a write, for statements whose targets cannot be determined."""
    return Written(tuple(mentioned(sql)), certain=False)


def _written(head: Sequence[Token], sql: str) -> Written | None:
    """Return the table that a statement writes to; `head` are the first tokens of the statement `sql`.

    Return None for a CREATE or REPLACE without TABLE, and for a write to a directory. If the name of the table cannot
    be parsed, return all names in the text as possible targets.
    """
    if head[0].keyword in ("CREATE", "REPLACE") and not any(token.keyword == "TABLE" for token in head[1:4]):
        return None
    name = _target(head)
    if name is None:
        return uncertain(sql)
    return Written((name,)) if name else None


def _prefixed(tokens: Sequence[Token]) -> Written | None:
    """Return the tables that a statement with the first word FROM or WITH writes to; None for a query.

    `FROM s INSERT INTO t SELECT a INSERT INTO u SELECT b` gives t and u. A write to a directory gives no name.
    """
    targets, depth = [], 0
    for at, token in enumerate(tokens):
        depth += (token.text == "(") - (token.text == ")")
        if depth == 0 and token.keyword in ("INSERT", "MERGE", "UPDATE", "DELETE"):
            name = _target(tokens[at : at + _HEAD])
            if name is not None:
                targets.append(name)
    return Written(tuple(filter(None, targets))) if targets else None


def _target(head: Sequence[Token]) -> Parts | None:
    """Return the name of the table that a write names; `head` are tokens that start with the write's verb.

    `INSERT INTO TABLE a.t SELECT 1` gives ("a", "t"). Return an empty name for a directory, and None if no name can be
    parsed.
    """
    announced = TARGETS[head[0].keyword]
    at = next((i for i, token in enumerate(head) if token.keyword in announced), len(head)) + 1
    while at < len(head) and head[at].keyword in _BEFORE_NAMES:
        at += 1
    if at < len(head) and head[at].keyword in ("DIRECTORY", "LOCAL"):
        return ()
    return _table(leading_name(head[at:])[0]) or None


def _table(name: Parts) -> Parts:
    """Return a table's name without the Iceberg branch that may follow the name (`ns.table.branch_x`).

    A branch is recognized only after a name with a namespace.
    """
    return name[:-1] if len(name) > 2 and name[-1].startswith(_BRANCH) else name
