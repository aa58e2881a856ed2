"""Queries Spark for the names and types of a query's columns, and for the errors in a statement."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping

from cachetools import LRUCache

from proxy.hs2 import Query, SqlError
from proxy.sql_types import described_type
from rewriter import ParseError, Unsupported, blanked
from rewriter.model import Column, Relation, Session, Table, TableName
from rewriter.model.settings import TIME_ZONE, result_settings

# On a line of its own, so that positions in Spark's errors are off by just one line.
_DESCRIBE, _EXPLAIN = "DESCRIBE QUERY\n", "EXPLAIN\n"
_QUERY = re.compile(r"[\s(]*(?:SELECT|WITH|VALUES|FROM|TABLE)\b", re.IGNORECASE)
_NO_PLAN = "Error occurred during query planning: "
_PLACE = re.compile(r"\bline (?P<line>\d+)(?P<pos>,? pos )(?P<column>\d+)")
_SHOWN = "== SQL ==\n"  # precedes the text in an error of Spark's parser


async def described(sql: str, query: Query) -> tuple[Column, ...]:
    """Return the columns of a query; raise SqlError with Spark's message if the query is invalid.

    Positions in the message refer to `sql`. `query` runs a SQL text on Spark.
    """
    try:
        result = await query(_DESCRIBE + sql.rstrip().rstrip(";"))
    except SqlError as error:
        raise SqlError(_behind(_DESCRIBE, error.message), error.sql_state, error.error_code) from error
    return tuple(Column(str(row[0]), described_type(str(row[1]))) for row in result.rows)


async def checked(sql: str, query: Query) -> None:
    """Raise the SqlError that Spark reports for a statement; do nothing if Spark accepts it. `query` runs SQL on Spark.

    Calls of `timeseries`, which Spark does not have, are replaced by their first arguments, padded to the same length.
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
        raise SqlError(_of_the_users(error.message, plain, sql), error.sql_state, error.error_code) from error


async def _explained(sql: str, query: Query) -> None:
    """Raise the SqlError that Spark reports for a statement that is not a query; do nothing if there is none."""
    try:
        _check_plan("\n".join(str(row[0]) for row in (await query(_EXPLAIN + sql)).rows))
    except SqlError as error:
        raise SqlError(_behind(_EXPLAIN, error.message), error.sql_state, error.error_code) from error


def _check_plan(plan: str) -> None:
    """Raise SqlError if EXPLAIN printed an error in place of a plan."""
    if plan.startswith(_NO_PLAN):
        raise SqlError(plan.removeprefix(_NO_PLAN).strip(), "42000")


def _behind(ours: str, message: str) -> str:
    r"""Convert an error about a statement prefixed by `ours` to one about the user's statement alone.

    >>> _behind(_DESCRIBE, "[X] (line 2, pos 7)\n\n== SQL ==\nDESCRIBE QUERY\nSELECT a b c\n-------^^^\n")
    '[X] (line 1, pos 7)\n\n== SQL ==\nSELECT a b c\n-------^^^\n'
    """
    return _PLACE.sub(lambda at: _place(at, max(int(at["line"]) - 1, 1), at["column"]), message).replace(ours, "")


def _of_the_users(message: str, plain: str, sql: str) -> str:
    """Convert an error about `plain` into one about the user's statement `sql`, which has the same length.

    In `plain`, calls of `timeseries` are blanked out. The message of Spark's parser contains the whole statement, with
    `^^^` below the line of the error: both are replaced.
    """
    head, shown, _ = message.partition(_SHOWN)
    at = _PLACE.search(head)
    if not shown or at is None:
        return message.replace(plain, sql)
    before = plain.split("\n")[: int(at["line"]) - 1]
    offset = sum(len(line) + 1 for line in before) + int(at["column"])
    line, column = sql.count("\n", 0, offset), offset - (sql.rfind("\n", 0, offset) + 1)
    lines = sql.split("\n")
    lines.insert(line + 1, "-" * column + "^^^")
    placed = _PLACE.sub(lambda at: _place(at, line + 1, column), head)
    return placed + shown + "\n".join(lines)


def _place(at: re.Match[str], line: int, column: int | str) -> str:
    """Return a position in an error of Spark (`line 2, pos 7`, matched by `at`) with another line and column."""
    return f"line {line}{at['pos']}{column}"


class Schemas:
    """Caches the results of `DESCRIBE QUERY` by query text and `schema_key`."""

    def __init__(self, remembered: int = 10_000) -> None:
        self._known: LRUCache[tuple[str, Hashable], tuple[Column, ...]] = LRUCache(remembered)

    async def of(self, sql: str, key: Hashable, query: Query) -> tuple[Column, ...]:
        """Return the columns of a query, cached by its text and `key`; raise Spark's SqlError for an invalid query."""
        whole = (sql, key)
        if whole not in self._known:
            self._known[whole] = await described(sql, query)
        return self._known[whole]


def schema_key(state: Session, relations: Mapping[TableName, Relation | None]) -> Hashable:
    """Return a cache key that changes whenever the columns of a query over these relations could change.

    It contains session settings, current namespace, and the schemas of all relations that the query could read.
    """
    versions = tuple(
        (name.parts, relation.uuid, relation.schema_id if isinstance(relation, Table) else relation.version)
        for name, relation in sorted(relations.items())
        if relation is not None
    )
    settings = tuple(sorted(result_settings(state.settings).items()))
    return state.catalog, state.namespace, settings, state.settings.get(TIME_ZONE), versions
