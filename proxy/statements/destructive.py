"""Destructive DDL: the tables, columns and namespaces that a statement drops or alters, according to its text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import islice

from proxy.statements.lexer import Parts, Token, leading_name, names, scan


class Loss(Enum):
    """The kinds of destructive changes; the values are the words that follow the object's name in messages.

    SHAPE (added columns, or an Iceberg branch that is created or replaced) is destructive only for the storage tables
    of materialized views.
    """

    RELATION = "is dropped or renamed"
    COLUMNS = "loses or changes columns"
    NAMESPACE = "is dropped with its contents"
    DEFINITION = "is redefined"
    REPLACED = "is replaced without columns that views need"
    SHAPE = "gets columns, or another branch"


@dataclass(frozen=True)
class Destruction:
    """A destructive change of an object.

    `name` is the object's name, empty if the name cannot be parsed. `columns` are the columns that are dropped or
    changed; empty if the change may concern any column.
    """

    loss: Loss
    name: Parts
    columns: tuple[str, ...] = ()


# Statements by their first words; `[IF EXISTS] name …` follows.
_HEADS: dict[tuple[str, ...], Callable[[Parts, Sequence[Token]], Destruction | None]] = {
    ("DROP", "TABLE"): lambda name, rest: Destruction(Loss.RELATION, name),
    ("DROP", "VIEW"): lambda name, rest: Destruction(Loss.RELATION, name),
    **{
        ("DROP", word): lambda name, rest: Destruction(Loss.NAMESPACE, name) if _has(rest, "CASCADE") else None
        for word in ("NAMESPACE", "DATABASE", "SCHEMA")
    },
    ("CREATE", "OR", "REPLACE", "TABLE"): lambda name, rest: Destruction(Loss.REPLACED, name),
    ("REPLACE", "TABLE"): lambda name, rest: Destruction(Loss.REPLACED, name),
    ("CREATE", "OR", "REPLACE", "VIEW"): lambda name, rest: Destruction(Loss.DEFINITION, name),
    ("ALTER", "VIEW"): lambda name, rest: _altered_view(name, rest),
    ("ALTER", "TABLE"): lambda name, rest: _altered(name, rest),
}
VERBS = frozenset(head[0] for head in _HEADS)
_LONGEST = 200  # tokens that are examined: column lists can be long, and queries do not matter


def destruction(sql: str) -> Destruction | None:
    """Return the destructive change that a statement makes; None if the statement makes none.

    >>> destruction("ALTER TABLE demo.t DROP COLUMN a")
    Destruction(loss=<Loss.COLUMNS: 'loses or changes columns'>, name=('demo', 't'), columns=('a',))
    >>> destruction("ALTER TABLE demo.t SET TBLPROPERTIES ('a' = 'b')") is None
    True
    """
    tokens = list(islice(scan(sql), _LONGEST))
    words = tuple(token.keyword for token in tokens[:4])
    for head, read in _HEADS.items():
        if words[: len(head)] == head:
            rest = tokens[len(head) :]
            rest = rest[2:] if _has(rest[:1], "IF") and _has(rest[1:2], "EXISTS") else rest
            return read(*leading_name(rest))
    return None


def _has(tokens: Sequence[Token], word: str) -> bool:
    return any(token.keyword == word for token in tokens)


def _altered_view(name: Parts, rest: Sequence[Token]) -> Destruction | None:
    """Return the destructive change that an ALTER VIEW of the view `name` makes; None if the statement makes none.

    `rest` are the tokens after the view's name.
    """
    if _has(rest[:1], "RENAME"):
        return Destruction(Loss.RELATION, name)
    return Destruction(Loss.DEFINITION, name) if _has(rest[:1], "AS") else None


def _altered(name: Parts, rest: Sequence[Token]) -> Destruction | None:
    """Return the destructive change that an ALTER TABLE of the table `name` makes; None if the statement makes none.

    `rest` are the tokens after the table's name.
    """
    words = [token.keyword for token in rest]
    match words:
        case ["RENAME", "TO", *_]:
            return Destruction(Loss.RELATION, name)
        case ["RENAME", "COLUMN", *_]:
            return Destruction(Loss.COLUMNS, name, _columns(rest[2:3]))
        case ["DROP", "COLUMN" | "COLUMNS", "IF", "EXISTS", *_]:
            return Destruction(Loss.COLUMNS, name, _columns(rest[4:]))
        case ["DROP", "COLUMN" | "COLUMNS", *_]:
            return Destruction(Loss.COLUMNS, name, _columns(rest[2:]))
        case ["ADD", "COLUMN" | "COLUMNS", *_]:
            within = tuple(chain[0].lower() for chain in names(rest[2:]) if len(chain) > 1)  # a field of a struct
            return Destruction(Loss.COLUMNS, name, within) if within else Destruction(Loss.SHAPE, name)
        case ["CREATE", "OR", "REPLACE", "BRANCH", *_] | ["REPLACE", "BRANCH", *_]:  # the branch can be main
            return Destruction(Loss.SHAPE, name)
        case ["REPLACE", "COLUMNS", *_]:
            return Destruction(Loss.COLUMNS, name)
        case ["ALTER" | "CHANGE", "COLUMN", *_]:
            return _changed(name, rest[2:], old_form=words[0] == "CHANGE")
        case ["ALTER" | "CHANGE", *_]:
            return _changed(name, rest[1:], old_form=words[0] == "CHANGE")
    return None


def _changed(name: Parts, rest: Sequence[Token], *, old_form: bool) -> Destruction | None:
    """Return the change of columns that an ALTER COLUMN of the table `name` makes; None if no column's type may change.

    `rest` are the tokens from the column's name on. A changed comment, position, default or NOT NULL is not
    destructive. Hive's `CHANGE COLUMN a b INT` (`old_form`) is always regarded as a change of `a`. An ALTER COLUMN
    with TYPE can change several columns.
    """
    if old_form:
        return Destruction(Loss.COLUMNS, name, _columns(rest[:1]))
    return Destruction(Loss.COLUMNS, name, _columns(rest)) if _has(rest, "TYPE") else None


def _columns(tokens: Sequence[Token]) -> tuple[str, ...]:
    """Return the top-level column names in a list of columns, in lower case: `(a.b, C)` gives a and c."""
    return tuple(chain[0].lower() for chain in names(tokens))
