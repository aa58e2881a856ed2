"""Calls that maintain a table's files, and the same for the storage of views over it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat

from proxy.pipeline.statements import call
from proxy.statements import Token, scan
from rewriter.model import TableName

# The arguments of each procedure in their order; and which of them mean the same for another table.
_ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "rewrite_data_files": ("table", "strategy", "sort_order", "options", "where"),
    "expire_snapshots": (
        "table",
        "older_than",
        "retain_last",
        "max_concurrent_deletes",
        "stream_results",
        "snapshot_ids",
    ),
}
_FOLLOWED = frozenset({"options", "older_than", "retain_last"})


@dataclass(frozen=True)
class Maintenance:
    """A procedure and those of its arguments that are followed, each with its text."""

    procedure: str
    arguments: tuple[tuple[str, str], ...]

    def of(self, table: TableName) -> str:
        """Return the same call for another table of the catalog."""
        return call(self.procedure, table, self.arguments)


def maintenance(sql: str) -> Maintenance | None:
    """Return the maintenance of a table's files that a statement calls; None for other statements.

    >>> maintenance("CALL lake.system.rewrite_data_files('a.t', options => map('rewrite-all', 'true'))").arguments
    (('options', "map('rewrite-all', 'true')"),)
    >>> maintenance("CALL lake.system.rollback_to_snapshot('a.t', 7)") is None
    True
    """
    found = called(sql)
    if found is None:
        return None
    procedure, given = found
    followed = tuple((name, text) for name, text in given if name in _FOLLOWED)
    if not followed and any(name == "snapshot_ids" for name, _ in given):  # what is left would expire by age
        return None
    return Maintenance(procedure, followed)


def called(sql: str) -> tuple[str, Sequence[tuple[str, str]]] | None:
    """Return the procedure that a CALL runs and its arguments, each with its text; None for all but maintenance.

    >>> called("CALL lake.system.expire_snapshots('a.t', retain_last => 5)")
    ('expire_snapshots', [('table', "'a.t'"), ('retain_last', '5')])
    """
    first = next(scan(sql), None)
    if first is None or first.keyword != "CALL":
        return None
    tokens = [token for token in scan(sql) if token.text != ";"]
    opening = next((at for at, token in enumerate(tokens) if token.text == "("), 0)
    procedure = tokens[opening - 1].identifier.lower() if opening else ""
    names = _ARGUMENTS.get(procedure)
    if names is None:
        return None
    places = chain(names, repeat(""))
    return procedure, [_argument(part, next(places), sql) for part in _parts(tokens[opening:])]


def _parts(tokens: Sequence[Token]) -> list[list[Token]]:
    """Return the tokens between the outer parentheses, cut at the commas."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if depth == 0:
            break
        if depth == 1 and token.text == ",":
            parts.append([])
        elif depth > 1 or token.text != "(":
            parts[-1].append(token)
    return [part for part in parts if part]


def _argument(part: Sequence[Token], place: str, sql: str) -> tuple[str, str]:
    """Return the name of an argument, by its position if it is not given, and the argument's text."""
    if len(part) > 3 and [token.text for token in part[1:3]] == ["=", ">"]:
        return part[0].identifier.lower(), sql[part[3].start : part[-1].end]
    return place, sql[part[0].start : part[-1].end]
