"""Names and types of a query's columns, as Spark itself gives them."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Hashable

from proxy.catalog.spelling import described_type
from proxy.hs2 import Query, SqlError
from rewriter import ParseError, Unsupported, blanked
from rewriter.model import Column

_DESCRIBE = "DESCRIBE QUERY\n"  # on a line of its own: what Spark says of places is one line off, and nothing else
_QUERY = re.compile(r"[\s(]*(?:SELECT|WITH|VALUES|FROM|TABLE)\b", re.IGNORECASE)
_NO_PLAN = "Error occurred during query planning: "
_PLACE = re.compile(r"\bline (\d+)(?=,? pos \d+)")


async def described(sql: str, query: Query) -> tuple[Column, ...]:
    """The columns of a query; SqlError with Spark's own text about it, and places in it, if it is not valid."""
    try:
        result = await query(_DESCRIBE + sql.rstrip().rstrip(";"))
    except SqlError as error:
        raise SqlError(_of_the_query(error.message), error.sql_state, error.error_code) from error
    return tuple(Column(str(row[0]), described_type(str(row[1]))) for row in result.rows)


async def checked(sql: str, query: Query) -> None:
    """Raise what Spark finds wrong with a statement, apart from `timeseries`, which it does not know."""
    try:
        plain = blanked(sql).rstrip().rstrip(";")
    except (ParseError, Unsupported):
        plain = sql
    try:
        if _QUERY.match(sql):
            await described(plain, query)
        else:  # DESCRIBE takes QUERY for a table's name where no query follows
            _check_plan("\n".join(str(row[0]) for row in (await query(f"EXPLAIN {plain}")).rows))
    except SqlError as error:
        raise SqlError(error.message.replace(plain, sql), error.sql_state, error.error_code) from error


def _check_plan(plan: str) -> None:
    """EXPLAIN prints what is wrong with a statement as if it were its plan."""
    if plan.startswith(_NO_PLAN):
        raise SqlError(plan.removeprefix(_NO_PLAN).strip(), "42000")


def _of_the_query(message: str) -> str:
    r"""An error about our statement as one about the query in it.

    >>> _of_the_query("[X] (line 2, pos 7)\n\n== SQL ==\nDESCRIBE QUERY\nSELECT a b c\n-------^^^\n")
    '[X] (line 1, pos 7)\n\n== SQL ==\nSELECT a b c\n-------^^^\n'
    """
    return _PLACE.sub(lambda place: f"line {max(int(place[1]) - 1, 1)}", message).replace(_DESCRIBE, "")


class Schemas:
    """`DESCRIBE QUERY`, remembered for as long as nothing that it depends on has changed.

    The key that callers give stands for that: session settings, current namespace, and the schemas of
    all relations that the statement could read.
    """

    def __init__(self, remembered: int = 10_000) -> None:
        self._known: OrderedDict[tuple[str, Hashable], tuple[Column, ...]] = OrderedDict()
        self._limit = remembered

    async def of(self, sql: str, key: Hashable, query: Query) -> tuple[Column, ...]:
        """The columns of a query; SqlError with Spark's own text if it is not valid."""
        whole = (sql, key)
        if whole in self._known:
            self._known.move_to_end(whole)
            return self._known[whole]
        columns = await described(sql, query)
        self._known[whole] = columns
        if len(self._known) > self._limit:
            self._known.popitem(last=False)
        return columns
