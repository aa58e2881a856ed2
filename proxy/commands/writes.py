"""Which tables a statement may write to, by its own words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice

from proxy.answering.remembering import remembered
from proxy.answering.tokens import Token, scan, string_value
from rewriter.model import split_name

Parts = tuple[str, ...]


@dataclass(frozen=True)
class Written:
    """The names of tables as they stand in the text.

    `certain` is False where they merely occur in it, and nobody knows which of them are written to.
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
# These may write to anything that they name: procedures, scripts, changes of a table.
UNCERTAIN = frozenset({"ALTER", "BEGIN", "CALL", "EXECUTE"})
# Other statements begin with these and may be writes all the same.
PREFIXES = frozenset({"FROM", "WITH"})
# These leave tables, views and files as they are.
_READS = frozenset(
    {"SELECT", "(", "VALUES", "TABLE", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "LIST", "SET", "RESET", "USE"}
)
_BEFORE_NAMES = frozenset({"TABLE", "IF", "NOT", "EXISTS"})
_BRANCH = "branch_"
_HEAD = 24  # tokens in which a statement has named what it writes to


@remembered
def written(sql: str) -> Written | None:
    """What a statement may write to; None for one that does not write.

    >>> written("INSERT OVERWRITE TABLE demo.`my t` SELECT 1")
    Written(names=(('demo', 'my t'),), certain=True)
    >>> written("CALL lake.system.rollback_to_snapshot('demo.t', 7)").certain
    False
    >>> written("SELECT * FROM t") is None
    True
    """
    first = next(scan(sql), None)
    verb = first.keyword if first else ""
    if verb in PREFIXES:
        return _prefixed(list(scan(sql)))
    if verb in TARGETS:
        return _written(list(islice(scan(sql), _HEAD)), sql)
    return uncertain(sql) if verb in UNCERTAIN else None


@remembered
def may_write(sql: str) -> bool:
    """Return whether running a statement twice may differ from running it once.

    >>> [may_write(sql) for sql in ("SELECT 1", "(SELECT 1)", "WITH a AS (SELECT 1) SELECT * FROM a", "SET x = 1")]
    [False, False, False, False]
    >>> [may_write(sql) for sql in ("WITH a AS (SELECT 1) INSERT INTO t FROM a", "DROP TABLE t", "FROM ${x}")]
    [True, True, True]
    """
    first = next(scan(sql), None)
    verb = (first.keyword or first.text) if first else "("
    if verb in PREFIXES:
        return "${" in sql or written(sql) is not None
    return verb not in _READS


def uncertain(sql: str) -> Written:
    """Whatever a text names."""
    return Written(tuple(mentioned(sql)), certain=False)


def _written(head: Sequence[Token], sql: str) -> Written | None:
    """By the target of a statement that begins with its verb."""
    if head[0].keyword in ("CREATE", "REPLACE") and not any(token.keyword == "TABLE" for token in head[1:4]):
        return None
    name = _target(head)
    if name is None:
        return uncertain(sql)
    return Written((name,)) if name else None


def _prefixed(tokens: Sequence[Token]) -> Written | None:
    """Every INSERT of `FROM … INSERT INTO … INSERT INTO …`, and the write that follows WITH's definitions."""
    names, depth = [], 0
    for at, token in enumerate(tokens):
        depth += (token.text == "(") - (token.text == ")")
        if depth == 0 and token.keyword in ("INSERT", "MERGE", "UPDATE", "DELETE"):
            name = _target(tokens[at : at + _HEAD])
            if name is not None:
                names.append(name)
    return Written(tuple(filter(None, names))) if names else None


def _target(head: Sequence[Token]) -> Parts | None:
    """The name behind the verb's keyword; empty for a directory, None where no name can be read."""
    announced = TARGETS[head[0].keyword]
    at = next((i for i, token in enumerate(head) if token.keyword in announced), len(head)) + 1
    while at < len(head) and head[at].keyword in _BEFORE_NAMES:
        at += 1
    if at < len(head) and head[at].keyword in ("DIRECTORY", "LOCAL"):
        return ()
    return _table(named(head[at:])[0]) or None


def _table(name: Parts) -> Parts:
    """A table as a write names it: with a branch behind, behind a namespace at least."""
    return name[:-1] if len(name) > 2 and name[-1].startswith(_BRANCH) else name


def named(tokens: Sequence[Token]) -> tuple[Parts, Sequence[Token]]:
    """The name with which tokens begin, and those behind it; the name is empty where only Spark can tell it.

    >>> named(list(scan("IDENTIFIER('d.' || '`t`')")))
    (('d', 't'), [])
    """
    if [token.text.upper() for token in tokens[:2]] == ["IDENTIFIER", "("]:
        depths = accumulate((token.text == "(") - (token.text == ")") for token in tokens[1:])
        closing = next((at for at, depth in enumerate(depths, 1) if depth == 0), len(tokens))
        inside = tokens[2:closing]
        plain = inside and all(token.kind == "string" or token.text == "|" for token in inside)
        text = "".join(string_value(token.text) for token in inside if token.kind == "string")
        return split_name(text) if plain else (), tokens[closing + 1 :]
    name = next(chains(tokens)) if tokens and tokens[0].kind in ("word", "quoted") else ()
    return name, tokens[max(2 * len(name) - 1, 0) :]


def mentioned(sql: str) -> Iterator[Parts]:
    """Every word that could be a name in a text, and in the texts of its string literals.

    >>> list(mentioned("CALL a.p('b.`t`', 7)"))
    [('CALL',), ('a', 'p'), ('7',), ('b', 't')]
    """
    tokens = list(scan(sql))
    yield from chains(tokens)
    for token in tokens:
        if token.kind == "string":
            yield from mentioned(string_value(token.text))


def chains(tokens: Sequence[Token]) -> Iterator[Parts]:
    """The identifiers with dots between them, from left to right."""
    at = 0
    while at < len(tokens):
        if tokens[at].kind not in ("word", "quoted"):
            at += 1
            continue
        parts = [tokens[at].identifier]
        at += 1
        while at + 1 < len(tokens) and tokens[at].text == "." and tokens[at + 1].kind in ("word", "quoted"):
            parts.append(tokens[at + 1].identifier)
            at += 2
        yield tuple(parts)
