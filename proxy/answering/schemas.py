"""Names and types of a query's columns, as Spark itself gives them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable

from proxy.hs2 import ResultSet
from rewriter.model import Column

Query = Callable[[str], Awaitable[ResultSet]]


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
        described = await query(f"DESCRIBE QUERY {sql.rstrip().rstrip(';')}")
        columns = tuple(Column(str(row[0]), str(row[1])) for row in described.rows)
        self._known[whole] = columns
        if len(self._known) > self._limit:
            self._known.popitem(last=False)
        return columns
