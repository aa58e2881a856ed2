"""Time travel in a statement: `FROM t VERSION AS OF 5`, `FROM t FOR TIMESTAMP AS OF '2024-01-31'`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlglot import exp
from sqlglot.tokens import Token, TokenType

from rewriter.model import Session, TableName
from rewriter.sql.dialect import ParseError, tokenize
from rewriter.sql.splice import Edit, splice
from rewriter.sql.statement import Statement, parse, place_of

_MAY_TRAVEL = re.compile(r"\bas\s+of\b", re.IGNORECASE)
_BETWEEN = re.compile(r"(?:\.changes)? WITH \('start-snapshot-id' = '\d+', 'end-snapshot-id' = '(\d+)'\)")
_MORE = (TokenType.STRING, TokenType.DCOLON)  # the tokenizer reads `5L` as `5::BIGINT`
_BY_VERSION, _BY_TIME = ("VERSION", "SYSTEM_VERSION"), ("TIMESTAMP", "SYSTEM_TIME")


class AsOf(NamedTuple):
    """The point in time that a time travel clause names.

    `value` is a snapshot id, tag or branch or, with `by_time`, a timestamp in the session's time zone.
    """

    value: str
    by_time: bool = False


class _Clause(NamedTuple):
    start: int
    end: int
    as_of: AsOf


@dataclass(frozen=True, eq=False)
class Travel:
    """A statement in which each table has a time travel clause, the same clause at each occurrence of the table.

    In `statement`, the clauses are replaced by blanks, so that all offsets stay the same. `moments` maps each table to
    the point in time of its clause.
    """

    statement: Statement
    moments: Mapping[TableName, AsOf]


def travel(sql: str, session: Session) -> Travel | None:
    """Return a statement with its time travel clauses replaced by blanks, and the point in time of each table.

    Names are resolved in `session`. Return None if there is no clause, if a table has no clause or two different
    clauses, if a version or time is not a literal, or if a part of the statement cannot be parsed.

    >>> found = travel("SELECT a FROM t VERSION AS OF 5 AS x", Session("lake", ("demo",)))
    >>> found.statement.sql, [(str(name), as_of.value) for name, as_of in found.moments.items()]
    ('SELECT a FROM t                 AS x', [('lake.demo.t', '5')])
    >>> travel("SELECT a FROM t VERSION AS OF 5, u", Session("lake", ("demo",))) is None
    True
    """
    clauses = _clauses(sql) if _MAY_TRAVEL.search(sql) else []
    if not clauses:
        return None
    blanks = (Edit(c.start, c.end, re.sub(r"[^\n]", " ", sql[c.start : c.end])) for c in clauses)
    statement = parse(splice(sql, blanks), session)
    if not statement.complete or any(block.tree is None for block in statement.blocks):
        return None
    waiting = {len(sql[: clause.start].rstrip()): clause.as_of for clause in clauses}
    moments: dict[TableName, AsOf] = {}
    ends: set[int] = set()
    for table, name in statement.named():
        end = place_of(table)[1]
        as_of = waiting.get(end)
        if as_of is None or moments.setdefault(name, as_of) != as_of:
            return None
        ends.add(end)
    return Travel(statement, moments) if ends == waiting.keys() else None


def at_snapshots(sql: str, session: Session, snapshots: Mapping[TableName, int]) -> str:
    """Return the query `sql` with a VERSION AS OF clause added to each table.

    `snapshots` has each table's snapshot id. Names are resolved in `session`.

    >>> at_snapshots("SELECT a FROM t AS x", Session("lake", ("demo",)), {TableName(("lake", "demo", "t")): 5})
    'SELECT a FROM t VERSION AS OF 5 AS x'
    """
    ends = {place_of(table)[1]: name for table, name in parse(sql, session).named()}
    return splice(sql, (Edit(end, end, f" VERSION AS OF {snapshots[name]}") for end, name in ends.items()))


def reads_at_snapshots(sql: str, session: Session) -> bool:
    """Return whether each table of a query is read at a snapshot, or as the changes between two snapshots.

    Names are resolved in `session`.

    >>> reads_at_snapshots("SELECT a FROM t VERSION AS OF 5 AS x, u", Session("lake", ("demo",)))
    False
    """
    statement = parse(_BETWEEN.sub(r" VERSION AS OF \1", sql), session)
    read = statement.complete and all(block.tree is not None for block in statement.blocks)
    return read and all(isinstance(table.args.get("version"), exp.Version) for table, _ in statement.named())


def _clauses(sql: str) -> list[_Clause]:
    try:
        return list(_read(tokenize(sql)))
    except ParseError:
        return []


def _read(tokens: Sequence[Token]) -> Iterator[_Clause]:
    """Yield the time travel clauses among the tokens.

    Supported are `[FOR] VERSION AS OF 5`, `[FOR] TIMESTAMP AS OF '…'` and `… AS OF TIMESTAMP '…'`. The literal
    distinguishes a clause from a table's alias: an alias may be named `of`, but no literal follows an alias. Several
    strings in a row, which Spark joins, and a number with a suffix such as `5L`, which Spark refuses, are no literal.
    """
    for i, token in enumerate(tokens[:-1]):
        if i < 3 or [each.text.upper() for each in tokens[i - 1 : i + 1]] != ["AS", "OF"]:
            continue
        word, first = tokens[i - 2].text.upper(), i - 3 if tokens[i - 3].token_type is TokenType.FOR else i - 2
        last = i + 2 if word in _BY_TIME and tokens[i + 1].text.upper() == "TIMESTAMP" else i + 1
        literal = tokens[last] if last < len(tokens) else token
        quoted = literal.token_type is TokenType.STRING
        if any(each.token_type in _MORE for each in tokens[last + 1 : last + 2]):
            continue
        if word in _BY_VERSION and (quoted or literal.text.isdecimal()):
            yield _Clause(tokens[first].start, literal.end + 1, AsOf(literal.text))
        elif word in _BY_TIME and quoted:
            yield _Clause(tokens[first].start, literal.end + 1, AsOf(literal.text, by_time=True))
