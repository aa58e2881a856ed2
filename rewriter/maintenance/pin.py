"""Prints a query with full table names, and with its tables pinned to snapshots."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp

from rewriter.block import Unsupported
from rewriter.model import Session, TableName
from rewriter.spelling import spelled_text
from rewriter.sql import Edit, Statement, parse, place_of, splice


def pin(query: str, snapshots: Mapping[TableName, int], session: Session) -> str:
    """Return the query as Spark can run it: with full table names, and each table of `snapshots` read at its snapshot.

    Names are resolved in `session`, and calls of `timeseries` are translated to Spark's functions. Raise Unsupported if
    the query cannot be parsed.

    >>> sales = TableName(("lake", "demo", "sales"))
    >>> pin("SELECT id FROM sales AS s", {sales: 7}, Session("lake", ("demo",)))
    'SELECT id FROM lake.demo.sales VERSION AS OF 7 AS s'
    """

    def version(name: TableName) -> str:
        return f" VERSION AS OF {snapshots[name]}" if name in snapshots else ""

    return spelled_text(_named(query, session, version))


def qualified(query: str, session: Session) -> str:
    """Return the query with full table names and otherwise as typed; raise Unsupported if the query cannot be parsed.

    Names are resolved in `session`.

    >>> qualified("SELECT s.id FROM sales s", Session("lake", ("demo",)))
    'SELECT s.id FROM lake.demo.sales s'
    """
    return _named(query, session, lambda name: "")


def _named(query: str, session: Session, version: Callable[[TableName], str]) -> str:
    statement = parse(query, session)
    edits = []
    for table in _tables(statement):
        name = statement.resolve(table)
        if name is not None:
            start, end = place_of(table)
            edits.append(Edit(start, end, name.sql() + version(name)))
    return splice(query, edits)


def _tables(statement: Statement) -> list[exp.Table]:
    """Return all tables in FROM of all blocks; raise Unsupported if a block could not be parsed."""
    found: list[exp.Table] = []
    for block in statement.blocks:
        if block.tree is None:
            raise Unsupported(block.problem)
        found += block.tables
    return found
