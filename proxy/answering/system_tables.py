"""The tables `viewgate.system.…`, in any statement that reads them: what Viewgate knows of itself, to be charted.

Spark has no such catalog: before anything else each name becomes a subquery with the rows of this moment, so that Spark
evaluates the rest of the statement. The rows stand in one literal of JSON, which costs its parser nothing.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from proxy.answering.functions import in_no_view, is_view
from proxy.hs2 import SqlError
from proxy.statements import Token, scan
from rewriter import Edit, splice
from rewriter.model.literals import literal

CATALOG, NAMESPACE = "viewgate", "system"

# What a statement may be lengthened by, in characters, and how long a text of one row may be.
MOST, LONGEST = 2_000_000, 10_000

_PHASES = dict.fromkeys(("planned_ms", "queued_ms", "executed_ms", "fetched_ms"), "DOUBLE")
_WORKER = {"worker": "INT"}

# The columns of each table with their types.
TABLES: Mapping[str, Mapping[str, str]] = {
    "statements": {
        **_WORKER,
        **dict.fromkeys(("id", "session", "user", "kind", "state", "outcome", "reason"), "STRING"),
        **dict.fromkeys(("started", "ended"), "TIMESTAMP"),
        "milliseconds": "BIGINT",
        **_PHASES,
        **dict.fromkeys(("rows", "bytes"), "BIGINT"),
        **dict.fromkeys(("considered", "matched", "chosen", "answer", "sqlstate", "error"), "STRING"),
        **dict.fromkeys(("statement", "rewritten"), "STRING"),
    },
    "digests": {
        **_WORKER,
        **dict.fromkeys(("statements", "from_views", "failed", "milliseconds", "slowest"), "BIGINT"),
        **dict.fromkeys(("answer", "digest"), "STRING"),
    },
    "views": {
        "view": "STRING",
        **dict.fromkeys(("considered", "matched", "chosen", "executed", "failed"), "BIGINT"),
        "last_chosen": "TIMESTAMP",
        **dict.fromkeys(("status", "reason"), "STRING"),
        "refreshed_at": "TIMESTAMP",
        "lag_seconds": "DOUBLE",
        **dict.fromkeys(("rows", "bytes"), "BIGINT"),
        "last_way": "STRING",
        **dict.fromkeys(("last_milliseconds", "last_rows"), "BIGINT"),
        **dict.fromkeys(("saved_milliseconds", "compared", "refreshes", "refresh_milliseconds"), "BIGINT"),
    },
    "refreshes": {
        **_WORKER,
        **dict.fromkeys(("view", "way", "cause", "state"), "STRING"),
        **dict.fromkeys(("started", "ended"), "TIMESTAMP"),
        **dict.fromkeys(("milliseconds", "rows"), "BIGINT"),
        "error": "STRING",
    },
    "upstreams": {
        **_WORKER,
        **dict.fromkeys(("upstream", "state"), "STRING"),
        **dict.fromkeys(("sessions", "most_sessions", "statements", "most_statements"), "INT"),
        **dict.fromkeys(("statements_waiting", "sessions_waiting"), "INT"),
        "problem": "STRING",
    },
    "sessions": {
        **_WORKER,
        **dict.fromkeys(("session", "user", "principal"), "STRING"),
        "running": "INT",
        "idle_seconds": "BIGINT",
        "has_upstream_session": "BOOLEAN",
    },
}

Row = Mapping[str, Any]
# The rows of a table of that name, those first that are kept where not all can be.
Rows = Callable[[str], Awaitable[Sequence[Row]]]

# Words behind a table's name that are no alias of it.
_NO_ALIAS = frozenset(
    {
        "ANTI", "CLUSTER", "CROSS", "DISTRIBUTE", "EXCEPT", "FETCH", "FOR", "FROM", "FULL", "GROUP", "HAVING", "INNER",
        "INSERT", "INTERSECT", "JOIN", "LATERAL", "LEFT", "LIMIT", "MINUS", "NATURAL", "OFFSET", "ON", "ORDER", "PIVOT",
        "QUALIFY", "RIGHT", "SELECT", "SEMI", "SET", "SETMINUS", "SORT", "TABLESAMPLE", "TIMESTAMP", "UNION", "UNPIVOT",
        "USING", "VALUES", "VERSION", "WHEN", "WHERE", "WINDOW",
    }
)  # fmt: skip
_OF_DESCRIBE = frozenset({"table", "extended", "formatted"})
_BEFORE_RELATION = frozenset({"FROM", "JOIN", ",", "(", "USING", "LATERAL"})


def mentioned(sql: str) -> bool:
    """Return whether a text has both words that every reader of a system table has."""
    lower = sql.lower()
    return CATALOG in lower and NAMESPACE in lower


class Reference(NamedTuple):
    """A table's name in a statement: as a relation, with an alias or without, or before the name of a column."""

    table: str
    start: int
    end: int
    relation: bool
    aliased: bool = False

    @property
    def name(self) -> str:
        """Its whole name."""
        return f"{CATALOG}.{NAMESPACE}.{self.table}"


def references(sql: str) -> Iterator[Reference]:
    """Yield the names of system tables in a statement; SqlError where one is not read, or is not there.

    >>> [(r.table, r.aliased) for r in references("SELECT 1 FROM viewgate.system.views, viewgate.system.sessions s")]
    [('views', False), ('sessions', True)]
    >>> list(references("SELECT 'viewgate.system.views', system.views FROM t"))
    []
    """
    if not mentioned(sql):
        return
    tokens = list(scan(sql))
    for at in range(len(tokens) - 4):
        if [_name(token) for token in tokens[at : at + 4]] == [CATALOG, ".", NAMESPACE, "."] and _begins(tokens, at):
            yield _reference(tokens, at)


def _name(token: Token) -> str:
    return token.identifier.lower() if token.kind in ("word", "quoted") else token.text


def _begins(tokens: Sequence[Token], at: int) -> bool:
    return at == 0 or tokens[at - 1].text != "."


def _reference(tokens: Sequence[Token], at: int) -> Reference:
    before, last = tokens[at - 1] if at else None, tokens[at + 4]
    table, after = _name(last), tokens[at + 5] if at + 5 < len(tokens) else None
    if table not in TABLES:
        there = ", ".join(f"{CATALOG}.{NAMESPACE}.{name}" for name in TABLES)
        raise SqlError(f"there is no table {CATALOG}.{NAMESPACE}.{table}; there are {there}", "42P01")
    if after is not None and after.text == ".":
        return Reference(table, tokens[at].start, last.end, relation=False)
    if before is None or (before.keyword or before.text) not in _BEFORE_RELATION:
        raise SqlError(f"{CATALOG}.{NAMESPACE}.{table} can only be read: SELECT … FROM it", "0A000")
    return Reference(table, tokens[at].start, last.end, relation=True, aliased=_is_alias(after))


def _is_alias(token: Token | None) -> bool:
    return token is not None and (token.kind == "quoted" or (token.kind == "word" and token.keyword not in _NO_ALIAS))


async def expand(sql: str, rows: Rows) -> str | None:
    """Return the statement with the rows of each system table in its place; None for one without any."""
    if (table := _described(sql)) is not None:
        return f"DESCRIBE QUERY SELECT * FROM {table_text(table, ())}"
    found = list(references(sql))
    if not found:
        return None
    if is_view(sql):
        raise in_no_view(found[0].name)
    texts = {table: table_text(table, await rows(table)) for table in {one.table for one in found if one.relation}}
    edits = []
    for one in found:
        alias = "" if one.aliased else f" AS {one.table}"
        edits.append(Edit(one.start, one.end, f"{texts[one.table]}{alias}" if one.relation else one.table))
    return splice(sql, edits)


def _described(sql: str) -> str | None:
    """Return the table whose columns a DESCRIBE asks for.

    >>> _described("desc table extended viewgate.system.views;"), _described("DESCRIBE viewgate.system")
    ('views', None)
    """
    verb, *words = [_name(token) for token in scan(sql) if token.text != ";"] or [""]
    while words and words[0] in _OF_DESCRIBE:
        words = words[1:]
    named = verb in ("describe", "desc") and words[:4] == [CATALOG, ".", NAMESPACE, "."] and len(words) == 5
    return words[4] if named and words[4] in TABLES else None


def table_text(table: str, rows: Sequence[Row]) -> str:
    """Return rows as a subquery with the table's columns and types.

    >>> print(table_text("sessions", [{"worker": 1, "user": "ann"}]))  # doctest: +ELLIPSIS
    (SELECT `worker`, `session`, ... FROM (SELECT inline(from_json('[{"worker": 1, "user": "ann"}]', 'ARRAY<STRUCT<...
    """
    columns = TABLES[table]
    fields = ", ".join(f"`{name}`: {'BIGINT' if kind == 'TIMESTAMP' else kind}" for name, kind in columns.items())
    items = ", ".join(
        f"timestamp_millis(`{name}`) AS `{name}`" if kind == "TIMESTAMP" else f"`{name}`"
        for name, kind in columns.items()
    )
    json_rows = literal(f"[{','.join(_bounded(columns, rows))}]")
    return f"(SELECT {items} FROM (SELECT inline(from_json({json_rows}, 'ARRAY<STRUCT<{fields}>>'))))"


def _bounded(columns: Mapping[str, str], rows: Sequence[Row]) -> Iterator[str]:
    """Yield the rows in JSON, as many as fit."""
    size = 0
    for row in rows:
        text = json.dumps({name: _value(row[name]) for name in columns if row.get(name) is not None})
        size += len(text)
        if size > MOST:
            return
        yield text


def _value(value: Any) -> Any:
    if isinstance(value, datetime):
        return round(value.timestamp() * 1000)
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return value[:LONGEST] if isinstance(value, str) else value
