"""Queries Spark for the names and types of a query's columns, and for the error in an invalid statement."""

from __future__ import annotations

import re
from collections.abc import Hashable

from cachetools import LRUCache

from proxy.answering.positions import Changed, behind
from proxy.hs2 import Query, SqlError
from proxy.sql_types import described_type
from rewriter import ParseError, Relations, Unsupported, blanked
from rewriter.model import Column, Session, Table
from rewriter.model.settings import TIME_ZONE, result_settings

# On a line of its own, so that positions in Spark's errors are off by just one line.
_DESCRIBE, _EXPLAIN = "DESCRIBE QUERY\n", "EXPLAIN\n"
_QUERY = re.compile(r"[\s(]*(?:SELECT|WITH|VALUES|FROM|TABLE)\b", re.IGNORECASE)
NO_PLAN = "Error occurred during query planning: "  # what EXPLAIN prints in place of a plan


async def described(sql: str, query: Query) -> tuple[Column, ...]:
    """Return the columns of a query; raise SqlError with Spark's message if the query is invalid.

    Positions in the message refer to `sql`. `query` runs a SQL text on Spark.
    """
    try:
        result = await query(_DESCRIBE + sql.rstrip().rstrip(";"))
    except SqlError as error:
        raise behind(_DESCRIBE, error) from error
    return tuple(Column(str(row[0]), described_type(str(row[1]))) for row in result.rows)


async def checked(sql: str, query: Query) -> None:
    """Let Spark analyze a statement without running the statement, and raise the SqlError that Spark reports, if any.

    Calls of `timeseries`, a function that Spark does not have, are first replaced by their first arguments, padded with
    spaces to the same length. `query` runs a SQL text on Spark.
    """
    try:
        plain = blanked(sql).rstrip().rstrip(";")
    except (ParseError, Unsupported):
        plain = sql
    try:
        if _QUERY.match(sql):
            await described(plain, query)
        else:  # without a query after it, DESCRIBE takes QUERY for a table's name
            await _explained(plain, query)
    except SqlError as error:
        raise Changed(sql, plain).reworded(error) from error


async def _explained(sql: str, query: Query) -> None:
    """Let Spark analyze a statement by EXPLAIN, without running the statement; raise the SqlError that Spark reports,
    if any.

    The statement must not be a query. `query` runs a SQL text on Spark.
    """
    try:
        _check_plan("\n".join(str(row[0]) for row in (await query(_EXPLAIN + sql)).rows))
    except SqlError as error:
        raise behind(_EXPLAIN, error) from error


def _check_plan(plan: str) -> None:
    """Raise SqlError if the output of EXPLAIN is an error message instead of a plan; otherwise do nothing."""
    if plan.startswith(NO_PLAN):
        raise SqlError(plan.removeprefix(NO_PLAN).strip(), "42000")


class Schemas:
    """A cache of the results of `DESCRIBE QUERY`, keyed by the text of the query and its `schema_key`."""

    def __init__(self, remembered: int = 10_000) -> None:
        self._known: LRUCache[tuple[str, Hashable], tuple[Column, ...]] = LRUCache(remembered)

    async def of(self, sql: str, key: Hashable, query: Query) -> tuple[Column, ...]:
        """Return the columns of a query; raise Spark's SqlError if the query is invalid.

        The columns are cached by the query's text and `key`, the result of `schema_key` for the query. `query` runs a
        SQL text on Spark.
        """
        whole = (sql, key)
        if whole not in self._known:
            self._known[whole] = await described(sql, query)
        return self._known[whole]


def schema_key(state: Session, relations: Relations) -> Hashable:
    """Return a cache key that is different whenever a query over `relations` could have different columns.

    The key has the session's settings and current namespace (in `state`), and the schema versions of all relations.
    """
    versions = tuple(
        (name.parts, relation.uuid, relation.schema_id if isinstance(relation, Table) else relation.version)
        for name, relation in sorted(relations.items())
        if relation is not None
    )
    settings = tuple(sorted(result_settings(state.settings).items()))
    return state.catalog, state.namespace, settings, state.settings.get(TIME_ZONE), versions
