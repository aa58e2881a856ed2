"""The SQL of storage queries, read strictly: a source that is overlooked would make stale storage look fresh."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp

import rewriter
from proxy.hs2 import SqlError
from proxy.pipeline.tokens import scan
from rewriter.model import Session, TableName, quoted
from rewriter.sql import tables_of

_SET_OPERATIONS = frozenset({"UNION", "EXCEPT", "INTERSECT", "MINUS"})
_QUANTIFIERS = frozenset({"ALL", "DISTINCT"})


def relations(sql: str, session: Session) -> tuple[TableName, ...]:
    """Every relation that a query names; raises SqlError 0A000 where a part of it cannot be read.

    >>> [str(name) for name in relations("SELECT 1 FROM sales", Session("lake", ("demo",)))]
    ['lake.demo.sales']
    """
    statement = rewriter.parse(sql, session)
    problem = statement.problem or next((block.problem for block in statement.blocks if block.tree is None), "")
    named = {name for _, name in _named(statement)}
    if problem:
        raise _unread(sql, problem)
    if bare := _bare_branch(sql):
        raise _unread(sql, f"{bare} without SELECT is not read; write SELECT … FROM")
    if not named:
        raise SqlError(_no_table(statement), "0A000")
    if named != set(statement.tables):
        raise _unread(sql, "joins in parentheses are not read; write them without")
    return statement.tables


def pin(sql: str, snapshots: Mapping[TableName, int], session: Session) -> str:
    """The query as Spark can run it, its tables at the given snapshots; all of them, or SqlError 0A000."""
    try:
        pinned = rewriter.pin(sql, snapshots, session)
    except rewriter.Unsupported as refusal:
        raise SqlError(f"the query cannot be fixed to snapshots: {refusal}: {sql}", "0A000") from refusal
    for table, name in _named(rewriter.parse(pinned, session)):
        if name in snapshots and not table.args.get("version"):
            raise SqlError(f"{name} cannot be fixed to a snapshot everywhere in this query: {sql}", "0A000")
    return pinned


def _named(statement: rewriter.Statement) -> Iterator[tuple[exp.Table, TableName]]:
    """Every table node at any depth, with what it means; common table expressions apart."""
    for block in statement.blocks:
        for table in block.tree.find_all(exp.Table) if block.tree else ():
            if name := statement.resolve(table):
                yield table, name


def _no_table(statement: rewriter.Statement) -> str:
    """Why a query has no table whose changes could be followed."""
    names = (t.name for block in statement.blocks for t in tables_of(block) if not t.db)
    hidden = next((name for name in names if name.lower() in statement.session.temporary_views), None)
    if hidden is None:
        return "the query reads no table: a materialized view is defined by SELECT … FROM table"
    space = ".".join(statement.session.namespace)
    return (
        f"{hidden} is a temporary view in this session, which others cannot read; DROP VIEW {quoted(hidden)} makes "
        f"the table of that name visible again, and {space}.{quoted(hidden)} names it as long as it is hidden"
    )


def _bare_branch(sql: str) -> str:
    """The keyword of a query that begins with FROM or TABLE, which has no SELECT by which it would be seen.

    A query begins at the start, after an opening parenthesis, after a set operation, and after WITH's last definition.

    >>> _bare_branch("SELECT 1 FROM a UNION ALL TABLE b"), _bare_branch("WITH c AS (SELECT 1) FROM c")
    ('TABLE', 'FROM')
    >>> _bare_branch("SELECT extract(year FROM ts) FROM a WHERE x IS DISTINCT FROM y")
    ''
    """
    levels = [_Level()]
    for token in scan(sql):
        word, level = token.keyword, levels[-1]
        if word in ("FROM", "TABLE") and level.begins:
            return word
        if token.text == "(":
            levels.append(_Level())
        elif token.text == ")" and len(levels) > 1:
            levels.pop()
            levels[-1].begins = levels[-1].definitions
        elif word == "WITH" and level.begins:
            level.begins, level.definitions = False, True
        elif word == "SELECT":
            level.begins = level.definitions = False
        elif not (level.begins and word in _QUANTIFIERS):
            level.begins = word in _SET_OPERATIONS
    return ""


@dataclass
class _Level:
    """One level of parentheses: whether a query could begin here, and whether WITH's definitions stand before it."""

    begins: bool = True
    definitions: bool = False


def _unread(sql: str, problem: str) -> SqlError:
    return SqlError(f"the tables that this query reads are not known: {problem}: {sql}", "0A000")
