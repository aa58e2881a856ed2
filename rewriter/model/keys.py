"""Which tables declare keys: what the index knows before it looks a statement's tables up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from rewriter.model.names import TableName
from rewriter.model.tables import Relation, Table


class Keys(NamedTuple):
    """The tables with a primary key, and pairs of tables of which the first references the second.

    >>> sales, dim = TableName(("lake", "sales")), TableName(("lake", "dim"))
    >>> Keys(frozenset({dim}), frozenset({(sales, dim)})).may_join([dim], [sales, dim])
    True
    >>> Keys(frozenset({dim})).may_join([dim], [sales, dim])
    False
    """

    primary: frozenset[TableName] = frozenset()
    references: frozenset[tuple[TableName, TableName]] = frozenset()

    def learned(self, relations: Mapping[TableName, Relation | None]) -> Keys:
        """The same with what these relations declare now."""
        tables = [relation for relation in relations.values() if isinstance(relation, Table)]
        primary = {table.name for table in tables if table.primary_key}
        found = {(table.name, key.table) for table in tables for key in table.foreign_keys}
        kept = {pair for pair in self.references if pair[0] not in relations}
        return Keys(self.primary.difference(relations) | primary, frozenset(kept | found))

    def may_join(self, tables: Iterable[TableName], among: Iterable[TableName]) -> bool:
        """Whether inner joins of such tables can leave all rows of the others as they are."""
        others = set(among)
        return all(
            table in self.primary and any(other in others for other, key in self.references if key == table)
            for table in tables
        )
