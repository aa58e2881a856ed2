"""Runs the script with Python clients: PyHive and impyla by DB-API, SQLAlchemy with PyHive's dialect."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing
from functools import partial
from typing import Any

from impala import dbapi as impyla
from pyhive import hive
from sqlalchemy import create_engine, inspect, text

from tests.clients.script import STATEMENTS

Answers = dict[str, Any]

# What impyla's cursors list.
LISTINGS: dict[str, Callable[[Any], Any]] = {
    "get_databases": lambda cursor: cursor.get_databases(),
    "get_tables": lambda cursor: cursor.get_tables(database_name="demo"),
    "get_table_schema": lambda cursor: cursor.get_table_schema("sales", database_name="demo"),
    "get_functions": lambda cursor: cursor.get_functions(database_name="default"),
}
# What SQLAlchemy's inspectors find; many tools browse with one.
FINDINGS: dict[str, Callable[[Any], Any]] = {
    "get_schema_names": lambda found: found.get_schema_names(),
    "get_table_names": lambda found: found.get_table_names("demo"),
    "get_view_names": lambda found: found.get_view_names("demo"),
    "has_table": lambda found: found.has_table("sales"),
    "get_columns": lambda found: [(one["name"], str(one["type"])) for one in found.get_columns("sales")],
    "get_pk_constraint": lambda found: found.get_pk_constraint("sales"),
    "get_indexes": lambda found: found.get_indexes("sales"),
    "get_columns of no table": lambda found: found.get_columns("nope"),
}


def by_pyhive(port: int) -> Answers:
    """Return the answers to the script, on one connection."""
    with closing(hive.connect("127.0.0.1", port, username="ann")) as connection:
        return {sql: _said(partial(_executed, connection, sql)) for sql in STATEMENTS}


def _executed(connection: hive.Connection, sql: str) -> Any:
    with closing(connection.cursor()) as cursor:
        cursor.execute(sql)
        return _rows(cursor)


def by_impyla(port: int) -> Answers:
    """Return the answers to the script and to metadata calls, by one cursor, which is a session."""
    with (
        closing(impyla.connect("127.0.0.1", port, user="ann", password="x", auth_mechanism="PLAIN")) as connection,
        closing(connection.cursor(user="ann")) as cursor,
    ):
        asked: dict[str, Callable[[Any], Any]] = {sql: partial(_execute, sql) for sql in STATEMENTS}
        return {name: _said(partial(_asked, cursor, ask)) for name, ask in (asked | LISTINGS).items()}


def _execute(sql: str, cursor: Any) -> None:
    cursor.execute(sql)


def _asked(cursor: Any, ask: Callable[[Any], Any]) -> Any:
    ask(cursor)
    return _rows(cursor)


def _rows(cursor: Any) -> Any:
    return cursor.description, cursor.fetchall() if cursor.description else None


def by_sqlalchemy(port: int) -> Answers:
    """Return the answers to the script on one connection, and what an inspector finds."""
    engine = create_engine(f"hive://ann@127.0.0.1:{port}/demo")
    try:
        with engine.connect() as connection:
            found = {sql: _said(partial(_selected, connection, sql)) for sql in STATEMENTS}
        inspector = inspect(engine)
        return found | {name: _said(partial(ask, inspector)) for name, ask in FINDINGS.items()}
    finally:
        engine.dispose()


def _selected(connection: Any, sql: str) -> Any:
    result = connection.execute(text(sql.replace(":", "\\:")))
    return (list(result.keys()), [tuple(row) for row in result]) if result.returns_rows else None


def _said(run: Callable[[], Any]) -> Any:
    """Return the answer, or the error as a program sees it."""
    try:
        return run()
    except Exception as error:  # each client has kinds of its own
        return type(error).__name__, _headline(str(error))


def _headline(said: str) -> str:
    """Return the message of an error, without stack frames and Spark's counters."""
    found = re.search(r"\[[A-Z_.]+\].*?SQLSTATE: \w+", said, re.DOTALL)
    return re.sub(r"#\d+L?", "#", found[0] if found else said.split("\n")[0])
