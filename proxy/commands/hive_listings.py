"""SHOW TABLES, VIEWS and PARTITIONS, and DESCRIBE, answered in Hive's format if `viewgate.listings = hive` is set.

PyHive's SQLAlchemy dialect, which Superset uses, expects Hive's answers. The dialect misreads Spark's answers:

- It takes the namespace column for the table's name.
- It takes a partition transform for a column without a type.
- It takes the error for a missing table for a broken connection.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from typing import Any

from proxy.answering.facts import HIVE, LISTINGS, SessionFacts
from proxy.catalog import Unavailable
from proxy.commands import show
from proxy.commands.context import Context
from proxy.hs2 import ResultSet, SqlError
from proxy.session import ClientSession
from proxy.statements.lexer import Parts, leading_name, scan
from rewriter.model import Table, TableName
from rewriter.model.names import quoted

VERBS = frozenset({"SHOW", "DESCRIBE", "DESC"})
_Listing = Callable[[Context, ClientSession, str], Awaitable[ResultSet]]
_OfTable = Callable[[Parts, Context, ClientSession, str], Awaitable[ResultSet]]

_NAME = 1  # the index of the name in rows of Spark's SHOW TABLES and SHOW VIEWS
_MISSING = "[TABLE_OR_VIEW_NOT_FOUND]"
_TRANSFORMS, _KEYS = "# Partitioning", "# Partition Information"
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
_UNSAFE = re.compile(r"""[\x01-\x1f\x7f"#%'*/:=?\\{\[\]^]""")  # what Hive escapes: FileUtils.escapePathName


def listing(ctx: Context, session: ClientSession, sql: str) -> _Listing | None:
    """Return the function that answers a statement in Hive's format; None if Spark answers the statement.

    Spark answers all statements if `viewgate.listings` is not `hive` in the session. Otherwise Spark answers all
    statements but SHOW TABLES, SHOW VIEWS, SHOW PARTITIONS and DESCRIBE.
    """
    facts: SessionFacts = session.facts
    return _read(sql) if facts.settings[LISTINGS] == HIVE else None


def _read(sql: str) -> _Listing | None:
    tokens = [token for token in scan(sql) if token.text != ";"]
    run: _OfTable
    match [token.keyword for token in tokens[:2]]:
        case ["SHOW", "TABLES" | "VIEWS"]:
            return _names
        case ["SHOW", "PARTITIONS"]:
            run, rest = _partitions, tokens[2:]
        case ["DESCRIBE" | "DESC", "SELECT" | "WITH" | "VALUES" | "FROM"]:
            return _refused
        case ["DESCRIBE" | "DESC", "TABLE"] if len(tokens) > 2:
            run, rest = _described, tokens[2:]
        case ["DESCRIBE" | "DESC", _]:
            run, rest = _described, tokens[1:]
        case _:
            return None
    name, more = leading_name(rest)
    return partial(run, name) if name and not more else None


async def _refused(_ctx: Context, _session: ClientSession, sql: str) -> ResultSet:
    """Raise SqlError for DESCRIBE of a query.

    If Spark answered, SQLAlchemy would take the whole text of the query for the name of an existing table.
    """
    told = "Error while compiling statement: FAILED: ParseException: DESCRIBE takes a table; use DESCRIBE QUERY"
    raise SqlError(told, "42000", 40000)


async def _names(ctx: Context, session: ClientSession, sql: str) -> ResultSet:
    if schema := await show.virtual_schema(ctx, session, sql):
        listed = await show.virtual_tables(schema, sql)
    else:
        try:
            storages = await show.hidden(ctx, session, sql)
        except Unavailable:  # no view is known
            storages = frozenset()
        listed = await show.without(storages, session, sql)
    return ResultSet.of("tab_name", rows=[(row[_NAME],) for row in listed.rows])


async def _described(name: Parts, _ctx: Context, session: ClientSession, sql: str) -> ResultSet:
    try:
        found = await session.upstream.query(sql)
    except SqlError as error:
        raise _not_found(name) if _MISSING in error.message else error from None
    return ResultSet(found.columns, tuple(_with_keys(found.rows)))


def _with_keys(rows: Sequence[Any]) -> Iterator[Any]:
    """Yield the rows of Spark's DESCRIBE, but with Hive's list of partition columns instead of the partition
    transforms.

    >>> rows = [("a", "int", None), ("b", "int", None), ("", "", ""), ("# Partitioning", "", "")]
    >>> list(_with_keys([*rows, ("Part 0", "bucket(4, a)", ""), ("Part 1", "b", "")]))[2:]
    [('# Partition Information', '', ''), ('# col_name', 'data_type', 'comment'), ('b', 'int', None)]
    >>> list(_with_keys([*rows, ("Part 0", "bucket(4, a)", "")])) == rows[:2]
    True
    """
    at = next((at for at, row in enumerate(rows) if row[0] == _TRANSFORMS), None)
    if at is None:
        yield from rows
        return
    columns = {quoted(row[0]): row for row in rows[:at] if row[0]} | {row[0]: row for row in rows[:at] if row[0]}
    yield from (row for row in rows[:at] if row[0])
    keys = [columns[transform] for _, transform, _ in rows[at + 1 :] if transform in columns]
    if keys:
        yield (_KEYS, "", "")
        yield ("# col_name", "data_type", "comment")
        yield from keys


async def _partitions(parts: Parts, ctx: Context, session: ClientSession, sql: str) -> ResultSet:
    facts = await ctx.facts(session)
    name = facts.resolve(parts) or TableName((facts.catalog, *facts.namespace, *parts))
    if name.catalog not in ctx.catalogs:
        return await session.upstream.query(sql)
    table = (await ctx.catalogs.current([name]))[name]
    if not isinstance(table, Table):
        raise _not_found(parts)
    keys = [(field.column, field.name) for field in table.partitioned_by if field.transform == "identity"]
    if not keys:
        raise _semantic(10241, f"Table {'.'.join(parts)} is not a partitioned table", "42000")
    values = ", ".join(f"CAST(partition.{quoted(field)} AS STRING)" for _, field in keys)
    found = await session.upstream.query(f"SELECT DISTINCT {values} FROM {name.sql()}.partitions")
    columns = [column for column, _ in keys]
    return ResultSet.of("partition", rows=[(each,) for each in sorted({_path(columns, row) for row in found.rows})])


def _path(columns: Sequence[str], values: Sequence[Any]) -> str:
    """Return a partition in the form of Hive's directory names: `column=value/…`.

    >>> _path(["day", "k"], ["x/y", None]), _path(["day"], [""])
    ('day=x%2Fy/k=__HIVE_DEFAULT_PARTITION__', 'day=__HIVE_DEFAULT_PARTITION__')
    """
    parts = zip(columns, values, strict=True)
    return "/".join(f"{_escaped(column)}={_escaped(value) if value else _NO_VALUE}" for column, value in parts)


def _escaped(text: str) -> str:
    return _UNSAFE.sub(lambda found: f"%{ord(found[0]):02X}", text)


def _not_found(name: Parts) -> SqlError:
    return _semantic(10001, f"Table not found {'.'.join(name)}", "42S02")


def _semantic(code: int, what: str, state: str) -> SqlError:
    """Return an SqlError in the format of Hive's SemanticException, by which Hive clients recognize the cause.

    The error has Hive's error `code`, the message `what`, and the SQLSTATE `state`.
    """
    told = f"Error while compiling statement: FAILED: SemanticException [Error {code}]: {what}"
    return SqlError(told, state, code)
