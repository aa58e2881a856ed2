"""SHOW TABLES in a namespace that holds storage: Spark's own answer without the storage of materialized views."""

from __future__ import annotations

from collections.abc import Sequence

from proxy.commands.context import Context
from proxy.hs2 import ResultSet
from proxy.session import ClientSession
from proxy.statements.lexer import Parts, Token, leading_name, scan

_NAME, _IS_TEMPORARY = 1, 2


def listed(sql: str) -> Parts | None:
    """Return the namespace that SHOW TABLES lists, () for the current one; None for every other statement.

    >>> [listed(sql) for sql in ("SHOW TABLES IN lake.demo LIKE 'a*';", "show tables", "SHOW TABLES 'a*'")]
    [('lake', 'demo'), (), ()]
    >>> [listed(sql) for sql in ("SHOW TABLE EXTENDED LIKE '*'", "SHOW TABLES IN IDENTIFIER(x)")]
    [None, None]
    """
    tokens = [token for token in scan(sql) if token.text != ";"]
    if [token.keyword for token in tokens[:2]] != ["SHOW", "TABLES"]:
        return None
    namespace: Parts = ()
    rest: Sequence[Token] = tokens[2:]
    if rest and rest[0].keyword in ("IN", "FROM"):
        namespace, rest = leading_name(rest[1:])
        if not namespace:
            return None
    if rest and rest[0].keyword == "LIKE":
        rest = rest[1:]
    return namespace if not rest or (len(rest) == 1 and rest[0].kind == "string") else None


async def hidden(context: Context, session: ClientSession, sql: str) -> frozenset[str]:
    """Return the names of the storage tables that SHOW TABLES would list; none for every other statement."""
    namespace = listed(sql)
    views = (await context.answers.definitions()).views if namespace is not None else ()
    if namespace is None or not views:
        return frozenset()
    facts = await context.facts(session)
    if not namespace:
        namespace = (facts.catalog, *facts.namespace)
    elif namespace[0] not in {*facts.catalogs, facts.catalog}:
        namespace = (facts.catalog, *namespace)
    return frozenset(view.storage.table for view in views if view.storage.parts[:-1] == namespace)


async def without(names: frozenset[str], session: ClientSession, sql: str) -> ResultSet:
    """Run SHOW TABLES in the user's session, and leave out the tables of these names."""
    result = await session.upstream.query(sql)
    rows = (row for row in result.rows if row[_NAME] not in names or row[_IS_TEMPORARY])
    return ResultSet(result.columns, tuple(rows))
