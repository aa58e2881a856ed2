"""Determines the tables that a storage query reads, and pins them to snapshots; also builds CALL statements.

The query is parsed strictly, because an overlooked table would make a stale storage table look fresh.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import rewriter
from proxy.hs2 import SqlError
from rewriter.model import Session, TableName, quoted
from rewriter.model.literals import literal


def relations(sql: str, session: Session) -> tuple[TableName, ...]:
    """Return the full names of all tables and views that a query reads.

    Raise SqlError 0A000 if the query has unsupported SQL or reads no table.

    >>> [str(name) for name in relations("SELECT 1 FROM sales", Session("lake", ("demo",)))]
    ['lake.demo.sales']
    """
    statement = rewriter.parse(sql, session)
    problem = statement.problem or next((block.problem for block in statement.blocks if block.tree is None), "")
    named = {name for _, name in statement.named()}
    if problem:
        raise _unread(sql, problem)
    if not statement.complete:
        raise _unread(sql, "a query that begins with FROM or TABLE is not supported; write SELECT … FROM table")
    if not named:
        raise SqlError(_no_table(statement), "0A000")
    if named != set(statement.tables):
        raise _unread(sql, "a join in parentheses is not supported; write the join without parentheses")
    return statement.tables


def pin(sql: str, snapshots: Mapping[TableName, int], session: Session) -> str:
    """Return the query with each table pinned to the snapshot that `snapshots` gives for the table.

    For example, `SELECT a FROM t` becomes `SELECT a FROM t VERSION AS OF 7`. Raise SqlError 0A000 if the query cannot
    be parsed, or if a join in parentheses names a table of `snapshots`: such a table cannot be pinned.
    """
    try:
        pinned = rewriter.pin(sql, snapshots, session)
    except rewriter.Unsupported as refusal:
        raise SqlError(f"the query cannot be pinned to snapshots: {refusal}: {sql}", "0A000") from refusal
    for table, name in rewriter.parse(pinned, session).named():
        if name in snapshots and not table.args.get("version"):
            raise SqlError(
                f"{name} cannot be pinned to a snapshot, because the query reads {name} in a join in parentheses; "
                f"write the join without parentheses: {sql}",
                "0A000",
            )
    return pinned


def call(procedure: str, table: TableName, arguments: Iterable[tuple[str, str]]) -> str:
    """Return the CALL of an Iceberg maintenance procedure for a table; `arguments` are further named arguments.

    >>> call("expire_snapshots", TableName(("lake", "demo", "a")), [("retain_last", "1")])
    "CALL lake.system.expire_snapshots(table => 'demo.a', retain_last => 1)"
    """
    catalog, inner = TableName(table.parts[:1]).sql(), table.identifier()
    given = ", ".join(f"{name} => {text}" for name, text in (("table", literal(inner)), *arguments))
    return f"CALL {catalog}.system.{procedure}({given})"


def _no_table(statement: rewriter.Statement) -> str:
    """Return the error message for a query that reads no table, or that reads only temporary views."""
    names = (t.name for block in statement.blocks for t in block.tables if not t.db)
    hidden = next((name for name in names if name.lower() in statement.session.temporary_views), None)
    if hidden is None:
        return "the query reads no table: a materialized view is defined by SELECT … FROM table"
    space = ".".join(statement.session.namespace)
    return (
        f"{hidden} is a temporary view of this session, which a materialized view cannot read: run DROP "
        f"VIEW {quoted(hidden)}, or write {space}.{quoted(hidden)} to name the table"
    )


def _unread(sql: str, problem: str) -> SqlError:
    return SqlError(f"the tables of this query cannot be determined: {problem}: {sql}", "0A000")
