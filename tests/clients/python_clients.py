"""PyHive, by DB-API."""

from __future__ import annotations

import re
from contextlib import closing
from typing import Any

from pyhive import hive

from tests.clients.script import STATEMENTS

Answers = dict[str, Any]


def by_pyhive(port: int) -> Answers:
    """The script, on one connection."""
    with closing(hive.connect("127.0.0.1", port, username="ann")) as connection:
        return {sql: _executed(connection, sql) for sql in STATEMENTS}


def _executed(connection: hive.Connection, sql: str) -> Any:
    with closing(connection.cursor()) as cursor:
        try:
            cursor.execute(sql)
            return cursor.description, cursor.fetchall() if cursor.description else None
        except hive.Error as error:
            return type(error).__name__, _headline(str(error))


def _headline(said: str) -> str:
    """What an error says, without the frames of a stack and the numbers that Spark counts on."""
    found = re.search(r"\[[A-Z_.]+\].*?SQLSTATE: \w+", said, re.DOTALL)
    return re.sub(r"#\d+L?", "#", found[0] if found else said.split("\n")[0])
