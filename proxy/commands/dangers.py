"""Which tables, columns and namespaces a statement takes away or changes, by its own words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import islice

from proxy.answering.remembering import remembered
from proxy.answering.tokens import Token, scan
from proxy.commands.writes import Parts, chains, named


class Loss(Enum):
    """What is no longer there, or no longer what it was, after a statement. SHAPE matters to storage alone."""

    RELATION = "is dropped or renamed"
    COLUMNS = "loses or changes columns"
    NAMESPACE = "is dropped with all that is in it"
    DEFINITION = "is defined anew"
    ANEW = "is made anew without what is needed of it"
    SHAPE = "gets columns, or another branch"


@dataclass(frozen=True)
class Danger:
    """A loss and the name it befalls, which is empty where it cannot be read; without `columns`, any may be lost."""

    loss: Loss
    name: Parts
    columns: tuple[str, ...] = ()


# Statements by their first words; what follows is `[IF EXISTS] name …`.
_HEADS: dict[tuple[str, ...], Callable[[Parts, Sequence[Token]], Danger | None]] = {
    ("DROP", "TABLE"): lambda name, rest: Danger(Loss.RELATION, name),
    ("DROP", "VIEW"): lambda name, rest: Danger(Loss.RELATION, name),
    **{
        ("DROP", word): lambda name, rest: Danger(Loss.NAMESPACE, name) if _has(rest, "CASCADE") else None
        for word in ("NAMESPACE", "DATABASE", "SCHEMA")
    },
    ("CREATE", "OR", "REPLACE", "TABLE"): lambda name, rest: Danger(Loss.ANEW, name),
    ("REPLACE", "TABLE"): lambda name, rest: Danger(Loss.ANEW, name),
    ("CREATE", "OR", "REPLACE", "VIEW"): lambda name, rest: Danger(Loss.DEFINITION, name),
    ("ALTER", "VIEW"): lambda name, rest: _altered_view(name, rest),
    ("ALTER", "TABLE"): lambda name, rest: _altered(name, rest),
}
VERBS = frozenset(head[0] for head in _HEADS)
_LONGEST = 200  # tokens that are looked at: lists of columns can be long, queries do not matter


@remembered
def danger(sql: str) -> Danger | None:
    """What a statement takes away; None where it takes nothing.

    >>> danger("ALTER TABLE demo.t DROP COLUMN a")
    Danger(loss=<Loss.COLUMNS: 'loses or changes columns'>, name=('demo', 't'), columns=('a',))
    >>> danger("ALTER TABLE demo.t SET TBLPROPERTIES ('a' = 'b')") is None
    True
    """
    first = next(scan(sql), None)
    if first is None or first.keyword not in VERBS:
        return None
    tokens = list(islice(scan(sql), _LONGEST))
    words = tuple(token.keyword for token in tokens[:4])
    for head, read in _HEADS.items():
        if words[: len(head)] == head:
            rest = tokens[len(head) :]
            rest = rest[2:] if _has(rest[:1], "IF") and _has(rest[1:2], "EXISTS") else rest
            return read(*named(rest))
    return None


def _has(tokens: Sequence[Token], word: str) -> bool:
    return any(token.keyword == word for token in tokens)


def _altered_view(name: Parts, rest: Sequence[Token]) -> Danger | None:
    """What follows the name in ALTER VIEW."""
    if _has(rest[:1], "RENAME"):
        return Danger(Loss.RELATION, name)
    return Danger(Loss.DEFINITION, name) if _has(rest[:1], "AS") else None


def _altered(name: Parts, rest: Sequence[Token]) -> Danger | None:
    """What follows the name in ALTER TABLE."""
    words = [token.keyword for token in rest]
    match words:
        case ["RENAME", "TO", *_]:
            return Danger(Loss.RELATION, name)
        case ["RENAME", "COLUMN", *_]:
            return Danger(Loss.COLUMNS, name, _columns(rest[2:3]))
        case ["DROP", "COLUMN" | "COLUMNS", "IF", "EXISTS", *_]:
            return Danger(Loss.COLUMNS, name, _columns(rest[4:]))
        case ["DROP", "COLUMN" | "COLUMNS", *_]:
            return Danger(Loss.COLUMNS, name, _columns(rest[2:]))
        case ["ADD", "COLUMN" | "COLUMNS", *_]:
            within = tuple(chain[0].lower() for chain in chains(rest[2:]) if len(chain) > 1)  # a field of a struct
            return Danger(Loss.COLUMNS, name, within) if within else Danger(Loss.SHAPE, name)
        case ["CREATE", "OR", "REPLACE", "BRANCH", *_] | ["REPLACE", "BRANCH", *_]:  # which can be main
            return Danger(Loss.SHAPE, name)
        case ["REPLACE", "COLUMNS", *_]:
            return Danger(Loss.COLUMNS, name)
        case ["ALTER" | "CHANGE", "COLUMN", *_]:
            return _changed(name, rest[2:], old_form=words[0] == "CHANGE")
        case ["ALTER" | "CHANGE", *_]:
            return _changed(name, rest[1:], old_form=words[0] == "CHANGE")
    return None


def _changed(name: Parts, rest: Sequence[Token], *, old_form: bool) -> Danger | None:
    """A change of a column's type; comments, places, defaults and NOT NULL take nothing away.

    `CHANGE COLUMN a b INT`, of Hive, is taken for a change of `a` whatever follows; with TYPE there can be several.
    """
    if old_form:
        return Danger(Loss.COLUMNS, name, _columns(rest[:1]))
    return Danger(Loss.COLUMNS, name, _columns(rest)) if _has(rest, "TYPE") else None


def _columns(tokens: Sequence[Token]) -> tuple[str, ...]:
    """The top-level columns in a list, with or without parentheses, in lower case."""
    return tuple(chain[0].lower() for chain in chains(tokens))
